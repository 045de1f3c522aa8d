// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// sanitizers: address
// Messages between memories that layouts spread: on every path, in every mode and form; what a
// status says of them; what is an error.

#include "datatype/transfers.hpp"

#include <cstring>
#include <map>
#include <mpx/datatype.hpp>
#include <utility>

#include "comm/ranks.hpp"

namespace {

using mpx::datatype;

template <class Stack>
void exchange_on(std::uint64_t seed, int rounds) {
  ranks::run<Stack>(2, [=](auto world) { transfers::exchange_all(world, seed, rounds); });
}

struct record {
  char kind;
  double weight;
  std::int16_t links[3];
};
struct particle {
  std::int32_t id;
  std::array<double, 3> place;
  std::pair<std::int16_t, double> best;
  friend bool operator==(const particle&, const particle&) = default;
};

}  // namespace

TEST_CASE("transfers: between drawn layouts, between threads") {
  exchange_on<ranks::inproc>(1'000, 4);
#ifndef MPX_TEST_EMULATED
  exchange_on<ranks::listed>(2'000, 2);
#endif
}
TEST_CASE("transfers: between drawn layouts, over shared memory") {
  exchange_on<ranks::shm>(3'000, 4);
  exchange_on<ranks::tiny>(4'000, 2);
#ifndef MPX_TEST_EMULATED
  exchange_on<ranks::by_get>(5'000, 2);
#endif
  exchange_on<ranks::by_put>(6'000, 2);
}
TEST_CASE("transfers: between drawn layouts, where posts stay pending") {
  exchange_on<ranks::late>(7'000, 2);
}

TEST_CASE("transfers: a column, a block and a face need no datatype") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    for (const std::size_t n : {3u, 40u, 200u}) {
      std::vector<double> m(n * n);
      for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<double>(i);
      const auto grid = mpx::matrix(m.data(), n, n);
      if (world.rank() == 0) {
        world.send(mpx::column(grid, 1), 1, 1);
        world.isend(mpx::sub_block(grid, {1, 1}, {n - 1, n - 2}), 1, 2).wait();
        world.send(std::as_const(grid), 1, 3);
      } else {
        std::vector<double> column(n);
        world.recv(column, 0, 1);
        for (std::size_t i = 0; i < n; ++i) CHECK(column[i] == m[i * n + 1]);
        std::vector<double> copy(n * n, -1);
        const auto into = mpx::sub_block(mpx::matrix(copy.data(), n, n), {1, 1}, {n - 1, n - 2});
        CHECK(world.irecv(into, 0, 2).wait().template count<double>() == (n - 1) * (n - 2));
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < n; ++k)
            CHECK(copy[i * n + k] == (i >= 1 && k >= 1 && k < n - 1 ? m[i * n + k] : -1));
        world.recv(copy, 0, 3);
        CHECK(copy == m);
      }
    }
    double cube[4][5][6];
    for (int i = 0; i < 120; ++i) (&cube[0][0][0])[i] = i;
    const auto face = mpx::sub_block(cube, {0, 0, 2}, {4, 5, 1});
    CHECK(face(3, 4, 0) == cube[3][4][2]);
    double flat[20];
    world.sendrecv(face, 1 - world.rank(), 4, flat, 1 - world.rank(), 4);
    for (int i = 0; i < 20; ++i) CHECK(flat[i] == cube[i / 5][i % 5][2]);
    std::array<std::array<int, 3>, 2> nested{{{1, 2, 3}, {4, 5, 6}}};
    world.sendrecv_replace(mpx::column(nested, 2), 1 - world.rank(), 5);
    CHECK(nested[1][2] == 6);
  });
}

TEST_CASE("transfers: aggregates are sent without their holes") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    static_assert(mpx::Reflected<particle> && !mpx::Reflected<int*>);
    std::vector<particle> out(3000), in(3000), again(3000);
    for (int i = 0; i < 3000; ++i)
      out[static_cast<std::size_t>(i)] = {i, {0.5 * i, 1, 2}, {std::int16_t(i), 3.0 * i}};
    const datatype type = mpx::datatype_of<particle>();
    CHECK(type.size() == 38);
    CHECK(type.extent() == sizeof(particle));
    if (world.rank() == 0) {
      world.send(mpx::fields(out), 1, 1);
      world.send(mpx::buffer(out.data(), 3000, type), 1, 2);
      world.send(mpx::fields(out[7]), 1, 3);
    } else {
      CHECK(world.recv(mpx::fields(in), 0, 1).bytes() == 3000 * 38);
      CHECK(in == out);
      world.recv(mpx::fields(again), 0, 2);
      CHECK(again == out);
      world.irecv(mpx::fields(in[0]), 0, 3).wait();
      CHECK(in[0] == out[7]);
    }
  });
}

namespace {
struct of_no_bytes {
  std::array<int, 0> none;
};
}  // namespace
TEST_CASE("transfers: aggregates without a byte") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    std::array<of_no_bytes, 3> of{};
    std::array<std::byte, 4> out{};
    CHECK(mpx::pack(mpx::fields(of), out) == 0);
    CHECK(mpx::unpack(out, mpx::fields(of)) == 0);
    CHECK(mpx::datatype_of<of_no_bytes>().size() == 0);
    if (world.rank() == 0) world.send(mpx::fields(of), 1, 2);
    if (world.rank() == 1) CHECK(world.recv(mpx::fields(of), 0, 2).bytes() == 0);
    world.bcast(mpx::fields(of), 0);
  });
}
TEST_CASE("transfers: counts of elements in a status") {
  const auto type =
      datatype::structure({1, 3}, {0, 8}, {datatype::of<int>(), datatype::of<double>()});
  const auto of = [](std::size_t bytes) { return mpx::status(0, 0, bytes); };
  CHECK(mpx::get_count(of(56), type) == 2);
  CHECK(mpx::get_count(of(57), type) == std::nullopt);
  CHECK(mpx::get_elements(of(56), type) == 8);
  CHECK(mpx::get_elements(of(28 + 4 + 8), type) == 6);
  CHECK(mpx::get_elements(of(28 + 4 + 7), type) == std::nullopt);
  CHECK(mpx::get_count(of(0), datatype::contiguous(0, type)) == 0);
  CHECK(mpx::get_count(of(0), datatype()) == std::nullopt);
}

TEST_CASE("transfers: other send modes, and truncated messages") {
  mpx::run_threads<ranks::shm>(2, [](mpx::environment<ranks::shm>& env) {
    auto world = env.world();
    const auto odd = datatype::vector(100, 1, 2, datatype::of<int>());
    std::vector<int> out(200), in(200, -1);
    for (int i = 0; i < 200; ++i) out[static_cast<std::size_t>(i)] = i;
    std::vector<std::byte> attached(4096);
    env.attach_buffer(attached);
    if (world.rank() == 0) {
      world.bsend(mpx::buffer(out.data(), 1, odd), 1, 1);
      world.recv<int>(1, 9);
      world.rsend(mpx::buffer(out.data(), 1, odd), 1, 2);
      world.send(mpx::buffer(out.data(), 1, odd), 1, 3);
      world.send(mpx::buffer(out.data(), 0, odd), 1, 4);
    } else {
      world.recv(mpx::buffer(in.data(), 1, odd), 0, 1);
      CHECK(in[198] == 198);
      CHECK(in[199] == -1);
      auto posted = world.irecv(mpx::buffer(in.data() + 1, 1, odd), 0, 2);
      world.send(1, 0, 9);
      posted.wait();
      CHECK(in[199] == 198);
      std::fill(in.begin(), in.end(), -1);
      std::error_code ec;
      const auto half = datatype::vector(50, 1, 2, datatype::of<int>());
      const mpx::status got = world.recv(mpx::buffer(in.data(), 1, half), 0, 3, ec);
      CHECK(ec == mpx::errc::truncate);
      CHECK(got.bytes() == 400);
      CHECK(in[98] == 98);
      CHECK(in[100] == -1);
      CHECK(world.recv(mpx::buffer(in.data(), 1, odd), 0, 4).bytes() == 0);
    }
    env.detach_buffer();
  });
}

TEST_CASE("transfers: a layout outlives the datatype and the view it was given as") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    std::vector<int> in(100'000, -1);
    std::vector<int> out(50'000, 7);
    const mpx::rank_t other = 1 - world.rank();
    auto typed = world.irecv(
        mpx::buffer(in.data(), 50'000, datatype::resized(datatype::of<int>(), 0, 8)), other, 1);
    auto viewed = world.irecv(mpx::strided(in.data() + 1, 50'000, 2), other, 2);
    world.sendrecv(out, other, 1, std::span<int>(), mpx::proc_null);
    world.isend(mpx::strided(out.data(), 25'000, 2), other, 2).wait();
    typed.wait();
    CHECK(viewed.wait().template count<int>() == 25'000);
    CHECK(std::count(in.begin(), in.end(), 7) == 75'000);
    // Dropped before they match, and after.
    {
      auto dropped = world.irecv(mpx::strided(in.data(), 50'000, 2), other, 4);
    }
    world.send(1, other, 3);
    CHECK(world.template recv<int>(other, 3) == 1);
  });
}

TEST_CASE("transfers: wrong layouts are errors with a reason") {
  ranks::run<ranks::inproc>(1, [](auto world) {
    std::vector<int> data(100);
    int x = 0;
    const auto type = datatype::vector(10, 1, 2, datatype::of<int>());
    const auto onto_itself = datatype::vector(10, 2, 1, datatype::of<int>());
    const auto text = [](auto call) { return ranks::text_of(call); };
    CHECK(ranks::contains(text([&] { world.send(mpx::buffer(&x, -1, type), 0); }),
                          "send: the count is negative"));
    CHECK(ranks::contains(text([&] { world.send(mpx::buffer(&x, 1, datatype()), 0); }),
                          "the datatype is null"));
    CHECK(ranks::contains(text([&] { world.recv(mpx::buffer(data.data(), 1, onto_itself), 0); }),
                          "bytes that lie at the same place"));
    CHECK(ranks::contains(text([&] { world.recv(mpx::strided(data.data(), 10, 0), 0); }),
                          "elements that lie at the same place"));
    const std::int64_t huge = std::int64_t{1} << 61;
    CHECK(ranks::contains(text([&] { world.send(mpx::buffer(&x, huge, type), 0); }),
                          "beyond the address space"));
    std::error_code ec;
    world.recv(mpx::buffer(data.data(), 1, onto_itself), 0, 0, ec);
    CHECK(ec == mpx::errc::datatype);
    CHECK(!world.irecv(mpx::buffer(data.data(), 1, onto_itself), 0, 0, ec));
    CHECK(ec == mpx::errc::datatype);
    world.send(mpx::buffer(&x, -1, type), 0, 0, ec);
    CHECK(ec == mpx::errc::datatype);
    world.send(mpx::buffer(&x, 1, type), 5, 0, ec);
    CHECK(ec == mpx::errc::rank);
    world.send(mpx::buffer(data.data(), 1, type), mpx::proc_null);
    // Send data may overlap.
    auto sending = world.isend(mpx::buffer(data.data(), 1, onto_itself), 0, 1);
    std::vector<int> got(20);
    CHECK(world.recv(got, 0, 1).bytes() == 80);
    sending.wait();
  });
}
