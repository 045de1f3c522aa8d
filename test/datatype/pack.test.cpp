// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Packing by hand, as it is here and as external32; and what the constructors of datatypes refuse.

#include "mpx/data/pack.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <mpx/datatype.hpp>
#include <string>
#include <vector>

#include "core/errc_of.hpp"

namespace {

using mpx::datatype;

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::datatype);
    return e.what_went_wrong();
  }
  return {};
}
bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

template <class T>
std::vector<std::byte> external_of(const T& value) {
  const auto b = mpx::buffer(&value, 1, datatype::of<T>());
  std::vector<std::byte> out(mpx::pack_external_size(b));
  CHECK(mpx::pack_external(b, out) == out.size());
  T back{};
  CHECK(mpx::unpack_external(out, mpx::buffer(&back, 1, datatype::of<T>())) == out.size());
  CHECK(back == value);
  return out;
}
std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> b;
  for (const int v : values) b.push_back(static_cast<std::byte>(v));
  return b;
}

}  // namespace

TEST_CASE("pack: any buffer, and back") {
  std::array<std::array<int, 3>, 4> m{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}};
  const auto column = mpx::column(m, 1);
  std::array<int, 4> packed{};
  const auto room = std::as_writable_bytes(std::span(packed));
  CHECK(mpx::pack_size(column) == 16);
  CHECK(mpx::pack(column, room) == 16);
  CHECK(packed == std::array{2, 5, 8, 11});
  CHECK(mpx::unpack(room, mpx::column(m, 0)) == 16);
  CHECK(m[3][0] == 11);
  int one = 7;
  CHECK(mpx::pack(one, room) == 4);
  CHECK(mpx::unpack(room.subspan(4), one) == 4);
  CHECK(one == 5);
  CHECK(ranks::errc_of([&] { mpx::pack(column, room.first(15)); }) == mpx::errc::truncate);
  CHECK(ranks::errc_of([&] { mpx::unpack(room.first(15), column); }) == mpx::errc::truncate);
}

TEST_CASE("pack: records with a hole at any count and stride, and nothing behind them") {
  using mpx::datatype;
  const datatype record =
      datatype::structure({1, 1}, {0, 8}, {datatype::of<std::int32_t>(), datatype::of<double>()});
  std::array<std::byte, 12 * 40> memory{};
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + 1);
  for (const std::int64_t extent : {16, 24, 40, -40})
    for (std::int64_t n = 0; n <= 11; ++n) {
      CAPTURE(extent);
      CAPTURE(n);
      const std::byte* const first = extent < 0 ? &memory[11 * 40] : memory.data();
      const datatype apart = datatype::hvector(n, 1, extent, record);
      std::vector<std::byte> wanted;
      for (std::int64_t i = 0; i < n; ++i)
        for (const int at : {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15})
          wanted.push_back(first[i * extent + at]);
      std::vector<std::byte> packed(wanted.size() + 16, std::byte{99});
      CHECK(mpx::pack(mpx::buffer(first, 1, apart), packed) == wanted.size());
      wanted.resize(packed.size(), std::byte{99});
      CHECK(packed == wanted);
    }
}

TEST_CASE("pack: external32 has the highest byte first, and IEEE's numbers") {
  CHECK(external_of(std::int32_t{0x01020304}) == bytes({1, 2, 3, 4}));
  CHECK(external_of(std::int16_t{-2}) == bytes({0xff, 0xfe}));
  CHECK(external_of(std::uint64_t{1}) == bytes({0, 0, 0, 0, 0, 0, 0, 1}));
  CHECK(external_of('a') == bytes({'a'}));
  CHECK(external_of(true) == bytes({1}));
  CHECK(external_of(1.0) == bytes({0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
  CHECK(external_of(-2.0f) == bytes({0xc0, 0, 0, 0}));
  CHECK(external_of(L'z') == bytes({0, 'z'}));
  CHECK(external_of(std::complex<float>(1, -2)) == bytes({0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}));
  auto quad = bytes({0x3f, 0xff, 0x80});
  quad.resize(16);
  CHECK(external_of(1.5L) == quad);
  for (const long double x :
       {0.0L, -1.0L, std::numeric_limits<long double>::max(),
        std::numeric_limits<long double>::min(), std::numeric_limits<long double>::denorm_min(),
        std::numeric_limits<long double>::infinity(), 3.14159265358979323846264338L})
    external_of(x);
}
TEST_CASE("pack: external32 without numbers, and without room") {
  for (int i = 2; i < 16; ++i) {  // The lowest bit of each byte of the fraction, alone.
    std::vector<std::byte> e(16);
    e[0] = std::byte{0x7f};
    e[1] = std::byte{0xff};
    e[static_cast<std::size_t>(i)] = std::byte{1};
    long double x = 0;
    mpx::unpack_external(e, mpx::buffer(&x, 1, datatype::of<long double>()));
    CHECK(std::isnan(x));
  }
  if constexpr (sizeof(wchar_t) > 2) {
    const std::array<wchar_t, 3> text{L'a', static_cast<wchar_t>(0x1f600), L'b'};
    const auto of = [&](int n) { return mpx::buffer(text.data(), n, datatype::of<wchar_t>()); };
    std::vector<std::byte> out(6);
    CHECK(mpx::pack_external(of(1), out) == 2);
    CHECK(says(refusal([&] { mpx::pack_external(of(3), out); }), "a wchar_t beyond 16 bits"));
  }
}
TEST_CASE("pack: sizes beyond the address space") {
  char here = 0;
  const auto doubles = [&](std::int64_t n) {
    return mpx::buffer(&here, n, datatype::of<double>());
  };
  const auto most = doubles(std::int64_t{1} << 59);
  CHECK(mpx::pack_size(most) == std::size_t{1} << 62);
  CHECK(mpx::pack_external_size(most) == most.bytes());
  for (const int bits : {60, 61, 62}) {
    const auto beyond = doubles(std::int64_t{1} << bits);
    CHECK(beyond.bytes() == std::size_t(-1));
    CHECK(says(refusal([&] { return mpx::pack_size(beyond); }), "pack_size: it reaches beyond"));
    CHECK(says(refusal([&] { return mpx::pack_external_size(beyond); }),
               "it reaches beyond the address"));
    CHECK(says(refusal([&] { mpx::pack_external(beyond, {}); }), "it reaches beyond the address"));
  }
  const auto view = mpx::strided(&here, {std::size_t{1} << 32, std::size_t{1} << 32}, {0, 0});
  CHECK(view.bytes() == std::size_t(-1));
  CHECK(says(refusal([&] { return mpx::pack_size(view); }), "beyond the address space"));
}
TEST_CASE("datatypes: the stride of a single block may be any number, also the lowest") {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const auto real = datatype::of<double>();
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK(datatype::vector(1, 1, huge, real).size() == 8);
  CHECK(datatype::vector(2, 0, huge, real).size() == 0);
  CHECK(datatype::vector(0, huge, 1, real).size() == 0);
  CHECK(datatype::hvector(0, huge, 1, real).extent() == 0);
  CHECK(says(refusal([&] { datatype::vector(2, 1, huge, real); }), "vector: "));
  double x[4] = {1, 2, 3, 4};
  std::array<std::byte, 32> out{};
  const std::size_t far = std::size_t{1} << 61;
  const auto stride = static_cast<std::ptrdiff_t>(far);
  CHECK(mpx::pack(mpx::strided(x, 1, stride), out) == 8);
  CHECK(mpx::pack(mpx::strided(x, 0, stride), out) == 0);
  CHECK(mpx::pack(mpx::strided(x, {std::size_t{0}, far}, {stride, stride}), out) == 0);
  CHECK(mpx::pack(mpx::strided(x, {far, std::size_t{0}}, {stride, stride}), out) == 0);
  CHECK(mpx::pack(mpx::strided(x, {std::size_t{1}, std::size_t{2}}, {stride, 2}), out) == 16);
  CHECK(mpx::strided(x, 2, stride).fault(false) == mpx::errc::datatype);
  CHECK(mpx::strided(x, far * 4, 0).fault(false) == mpx::errc::datatype);
  const auto below = datatype::hindexed({1}, {lowest}, datatype::of<char>());
  CHECK(says(refusal([&] { mpx::pack(mpx::buffer(x, 1, below), out); }), "beyond the address"));
  const auto back = datatype::resized(datatype::of<char>(), 0, lowest);
  const auto one = mpx::buffer(reinterpret_cast<char*>(x), 1, back);
  CHECK(one.fault(true) == mpx::errc{});
  CHECK(mpx::pack(one, out) == 1);
  const mpx::distribution none[] = {static_cast<mpx::distribution>(77)};
  CHECK(says(
      refusal([&] { datatype::darray(4, 1, {10}, none, {-1}, {4}, mpx::array_order::c, real); }),
      "distributions[0] is 77: no distribution"));
}
TEST_CASE("pack: external32 of noncontiguous data") {
  struct mixed {
    char c;
    double x;
    std::int16_t s[2];
  };
  const datatype type = datatype::resized(
      datatype::structure({1, 1, 2}, {0, 8, 16},
                          {datatype::of<char>(), datatype::of<double>(), datatype::of<short>()}),
      0, sizeof(mixed));
  std::vector<mixed> in(1000), back(1000);
  for (int i = 0; i < 1000; ++i)
    in[static_cast<std::size_t>(i)] = {'c', 1.0 * i, {static_cast<std::int16_t>(i), 2}};
  const auto b = mpx::buffer(in.data(), 1000, type);
  std::vector<std::byte> out(mpx::pack_external_size(b));
  CHECK(out.size() == 13'000);
  mpx::pack_external(b, out);
  CHECK(out[13] == std::byte{'c'});
  CHECK(out[13 + 1] == std::byte{0x3f});
  CHECK(out[13 + 10] == std::byte{1});
  mpx::unpack_external(out, mpx::buffer(back.data(), 1000, type));
  for (std::size_t i = 0; i < 1000; ++i) {
    CHECK(back[i].x == in[i].x);
    CHECK(back[i].s[0] == in[i].s[0]);
  }
}

TEST_CASE("datatypes: wrong arguments are refused by their names") {
  const datatype t = datatype::of<int>();
  const std::int64_t huge = std::int64_t{1} << 61;
  CHECK(says(refusal([&] { datatype::contiguous(-1, t); }), "contiguous: count is negative: -1"));
  CHECK(says(refusal([&] { datatype::vector(2, -3, 1, t); }), "block_length is negative"));
  CHECK(says(refusal([&] { datatype::indexed({1, -1}, {0, 1}, t); }), "block_lengths[1]"));
  CHECK(says(refusal([&] { datatype::indexed({1}, {0, 1}, t); }), "displacements has 2 values"));
  CHECK(says(refusal([&] { datatype::structure({1}, {0}, {datatype()}); }), "types[0] is null"));
  CHECK(says(refusal([&] { datatype().dup(); }), "null"));
  CHECK(says(refusal([&] { datatype::contiguous(huge, t); }), "beyond 64 bits"));
  CHECK(says(refusal([&] { datatype::hvector(3, 1, huge * 3, t); }), "beyond 64 bits"));
  CHECK(says(refusal([&] { datatype::subarray({4}, {3}, {2}, mpx::array_order::c, t); }),
             "starts[0]"));
  const std::array one{mpx::distribution::block};
  CHECK(says(refusal([&] {
               datatype::darray(2, 2, {8}, one, {mpx::distribution_default}, {2},
                                mpx::array_order::c, t);
             }),
             "rank 2 of 2"));
  CHECK(says(refusal([&] { datatype::darray(2, 0, {8}, one, {3}, {2}, mpx::array_order::c, t); }),
             "do not cover"));
}

TEST_CASE("datatypes: description of their construction") {
  const datatype t = datatype::of<double>();
  const datatype v = datatype::indexed({2, 1}, {0, 5}, t);
  CHECK(v.envelope().how == mpx::combiner::indexed);
  CHECK(v.envelope().integers == 5);
  CHECK(v.contents().integers == std::vector<std::int64_t>{2, 2, 1, 0, 5});
  CHECK(v.contents().types.size() == 1);
  CHECK(v.contents().types[0] == t);
  const datatype r = datatype::resized(v, -8, 64);
  CHECK(r.contents().addresses == std::vector<std::int64_t>{-8, 64});
  CHECK(r.dup() != r);
  CHECK(r.dup().contents().types[0] == r);
  CHECK(t.envelope().how == mpx::combiner::named);
  CHECK(datatype::of<int>().envelope().types == 0);
  CHECK(!datatype());
}

TEST_CASE("datatypes: adjacent blocks are merged, and strides are found") {
  const datatype t = datatype::of<double>();
  CHECK(datatype::contiguous(10, datatype::vector(3, 2, 2, t)).blocks() == 1);
  CHECK(datatype::indexed({1, 1, 2}, {4, 5, 6}, t).blocks() == 1);
  const datatype column = datatype::vector(100, 1, 7, t);
  CHECK(column.blocks() == 100);
  const datatype regular = datatype::indexed_block(1, {0, 7, 14, 21}, t);
  const auto& found = *regular.description()->body.what;
  CHECK(found.kind == mpx::detail::shape_kind::run);
  CHECK(found.levels[0].stride == 56);
  const auto face = datatype::subarray({8, 8, 8}, {8, 8, 1}, {0, 0, 3}, mpx::array_order::c, t);
  CHECK(face.description()->body.what->depth == 1);  // Rows follow each other at the same stride.
}
