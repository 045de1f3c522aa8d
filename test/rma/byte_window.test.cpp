// SPDX-License-Identifier: BSL-1.0
// Windows of bytes: elements of many types in one window over every protocol, elements with holes,
// results in layouts, units, memory in one piece, what is refused, attributes, locks without an
// owner.
// timeout: 120
// sanitizers: address

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mpx/attributes.hpp>
#include <mpx/byte_window.hpp>
#include <mpx/datatype.hpp>
#include <optional>
#include <source_location>
#include <span>
#include <system_error>
#include <vector>

#include "comm/ranks.hpp"

namespace {

using mpx::rma::combine;
using mpx::rma::element;
using mpx::rma::protocol;
using mpx::rma::typed;

constexpr std::array all_protocols{protocol::automatic, protocol::rdma, protocol::buffered,
                                   protocol::send_recv};

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Place of the elements of T, `n` of them, at an odd address if `odd`.
struct area {
  std::size_t next = 0;
  template <class T>
  std::size_t take(std::size_t n, bool odd) {
    const std::size_t at = (next + 31) / 32 * 32 + (odd ? 1 : 0);
    next = at + n * sizeof(T);
    return at;
  }
};

/// All ranks add to elements of rank 0, one at a time and many at once.
template <class T, class Window, class Comm>
void add_up(const Comm& world, Window& w, std::size_t at) {
  constexpr std::size_t n = 40;
  const auto one = static_cast<T>(1);
  const std::vector<T> ones(n, one);
  std::vector<T> before(n);
  T was{};
  const element type = element::of<T>();
  w.accumulate(ones, 0, at, type, combine::sum);
  for (int i = 0; i < 5; ++i)
    w.fetch_and_op(reinterpret_cast<const std::byte*>(&one), reinterpret_cast<std::byte*>(&was), 0,
                   at + sizeof(T) * 3, type, combine::sum);
  w.get_accumulate(ones, before, 0, at, type, combine::sum);
  w.flush(0);
  CHECK(before[1] != T{});
  world.barrier();
  w.get_accumulate(std::span<const T>(), before, 0, at, type, combine::no_op);
  w.flush(0);
  const auto ranks = static_cast<T>(world.size());
  CHECK(before[0] == ranks + ranks);
  CHECK(before[n - 1] == ranks + ranks);
  CHECK(before[3] == static_cast<T>(7) * ranks);
}

template <class Comm>
void many_types(const Comm& world, protocol by) {
  area a;
  auto w = mpx::allocate_byte_window(world, 16384, 1, by);
  std::memset(w.local().data(), 0, w.local().size());
  world.barrier();
  {
    auto e = w.lock_all();
    for (const bool odd : {false, true}) {
      add_up<std::int8_t>(world, w, a.take<std::int8_t>(40, odd));
      add_up<std::uint16_t>(world, w, a.take<std::uint16_t>(40, odd));
      add_up<int>(world, w, a.take<int>(40, odd));
      add_up<unsigned long>(world, w, a.take<unsigned long>(40, odd));
      add_up<long long>(world, w, a.take<long long>(40, odd));
      add_up<float>(world, w, a.take<float>(40, odd));
      add_up<double>(world, w, a.take<double>(40, odd));
      add_up<long double>(world, w, a.take<long double>(40, odd));
      add_up<std::complex<double>>(world, w, a.take<std::complex<double>>(40, odd));
    }
    CHECK(a.next <= 16384);
    // A counter by compare and swap, aligned and not.
    for (const std::size_t at : {std::size_t{16368}, std::size_t{16377}}) {
      const element type = element::of<std::uint32_t>();
      for (int i = 0; i < 10; ++i)
        for (std::uint32_t expected = 0, was = 0;; expected = was) {
          const std::uint32_t next = expected + 1;
          w.compare_and_swap(reinterpret_cast<const std::byte*>(&expected),
                             reinterpret_cast<const std::byte*>(&next),
                             reinterpret_cast<std::byte*>(&was), 0, at, type);
          w.flush(0);
          if (was == expected) break;
        }
    }
  }
  world.barrier();
  if (world.rank() == 0)
    for (const std::size_t at : {16368, 16377})
      CHECK(load<std::uint32_t>(w.local().data() + at) ==
            10 * static_cast<std::uint32_t>(world.size()));
  w.free();
}

/// A value and an index with a hole between them.
struct gapped {
  std::int16_t value;
  std::int32_t index;
};

template <class Value, class Index>
mpx::datatype pair_type(std::size_t index_at, std::size_t extent) {
  const mpx::datatype types[] = {mpx::datatype::of<Value>(), mpx::datatype::of<Index>()};
  return mpx::datatype::resized(
      mpx::datatype::structure({1, 1}, {0, static_cast<std::int64_t>(index_at)}, types), 0,
      static_cast<std::int64_t>(extent));
}

template <class Comm>
void holes(const Comm& world, protocol by) {
  constexpr int n = 300;  // More than a packet, one element a record.
  const auto type = pair_type<std::int16_t, std::int32_t>(4, sizeof(gapped));
  const element pair = element::pair<std::int16_t, std::int32_t>();
  auto w = mpx::allocate_byte_window(world, n * sizeof(gapped), sizeof(gapped), by);
  std::memset(w.local().data(), 0x7b, w.local().size());
  std::vector<gapped> given(n), back(n);
  std::memset(back.data(), 0x11, n * sizeof(gapped));
  const int me = world.rank();
  for (int i = 0; i < n; ++i)
    given[static_cast<std::size_t>(i)] = {static_cast<std::int16_t>(i % 5 == me ? 0x7c7c : -1), me};
  w.fence();
  w.accumulate(mpx::buffer(given.data(), n, type), 0, typed{0, n, type}, pair, combine::maxloc);
  w.fence();
  if (me == 0)
    for (std::size_t i = 0; i < n; ++i) {
      const std::byte* const at = w.local().data() + i * sizeof(gapped);
      const auto now = load<gapped>(at);
      const bool won = static_cast<int>(i % 5) < world.size();
      CHECK(now.value == (won ? 0x7c7c : 0x7b7b));
      CHECK(now.index == (won ? static_cast<int>(i % 5) : 0x7b7b7b7b));
      CHECK(at[2] == std::byte{0x7b});
    }
  w.fence();
  // Without a datatype at the target elements lie as in an array of the C struct.
  if (me == world.size() - 1) {
    w.get_accumulate(mpx::buffer(given.data(), n, type), mpx::buffer(back.data(), n, type), 0,
                     std::uint64_t{0}, pair, combine::replace);
  }
  w.fence();
  if (me == world.size() - 1) {
    CHECK(back[0].value == 0x7c7c);
    CHECK(back[0].index == 0);
    CHECK(reinterpret_cast<std::byte*>(&back[7])[3] == std::byte{0x11});
  }
  if (me == 0) {
    const auto last = load<gapped>(w.local().data() + (n - 1) * sizeof(gapped));
    CHECK(last.index == world.size() - 1);
    CHECK(w.local()[2] == std::byte{0x7b});
  }
  w.free();
}

/// Data, results and target places that are all layouts.
template <class Comm>
void layouts(const Comm& world, protocol by) {
  constexpr int n = 700;
  const auto ints = mpx::datatype::of<int>();
  const auto spread = mpx::datatype::resized(ints, 0, 2 * sizeof(int));
  const auto backwards = mpx::datatype::vector(n, 1, -1, ints);
  const mpx::rank_t right = (world.rank() + 1) % world.size();
  auto w = mpx::allocate_byte_window(world, n * sizeof(int), sizeof(int), by);
  std::vector<int> mine(2 * n, -1), was(2 * n, -2);
  for (int i = 0; i < n; ++i) mine[2 * static_cast<std::size_t>(i)] = i + 1;
  w.fence();
  w.put(mpx::buffer(mine.data(), n, spread), right, typed{n - 1, 1, backwards});
  w.fence();
  w.get_accumulate(mpx::buffer(mine.data(), n, spread), mpx::buffer(was.data(), n, spread), right,
                   typed{0, n, ints}, element::of<int>(), combine::sum);
  w.fence();
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (was[2 * at] != n - i || was[2 * at + 1] != -2) FAIL_CHECK("previous value ", i);
    const int now = load<int>(w.local().data() + at * sizeof(int));
    if (now != n + 1) FAIL_CHECK("element ", i, " is ", now);
  }
  std::fill(was.begin(), was.end(), -2);
  {
    auto e = w.lock_shared(right);  // As a request.
    auto r =
        w.get_accumulate(mpx::buffer(mine.data(), n, spread), mpx::buffer(was.data(), n, spread),
                         right, typed{0, n, ints}, element::of<int>(), combine::no_op, mpx::start);
    r.wait();
    CHECK(was[0] == n + 1);
    CHECK(was[2 * n - 2] == n + 1);
    CHECK(was[1] == -2);
  }
  w.free();
}

/// Displacements count the target's unit.
template <class Comm>
void units(const Comm& world, protocol by) {
  const mpx::rank_t right = (world.rank() + 1) % world.size();
  const auto unit = 1 + static_cast<std::uint64_t>(world.rank());
  auto w = mpx::allocate_byte_window(world, 64, unit, by);
  std::memset(w.local().data(), 0, 64);
  w.fence();
  const std::array<std::uint8_t, 2> data{5, 6};
  const auto bytes = mpx::datatype::of<std::uint8_t>();
  w.put(data, right, 7);
  w.put(data, right, typed{11, 2, bytes});
  w.accumulate(data, right, 15, element::of<std::uint8_t>(), combine::sum);
  w.fence();
  for (const std::size_t at : {7 * unit, 11 * unit, 15 * unit}) {
    CHECK(w.local()[at] == std::byte{5});
    CHECK(w.local()[at + 1] == std::byte{6});
  }
  w.free();
}

template <class Comm>
void join(const Comm& world) {
  const auto me = static_cast<std::uint64_t>(world.rank());
  for (const auto lie : {mpx::parts::together, mpx::parts::apart}) {
    auto w = mpx::shared_byte_window(world, me * 8, me + 1, lie);
    w.fence();
    for (std::uint64_t i = 0; i < me; ++i) std::memcpy(w.local().data() + 8 * i, &me, 8);
    w.fence();
    const std::byte* end = w.part(0).data();
    for (mpx::rank_t r = 0; r < world.size(); ++r) {
      const auto part = w.part(r);
      const auto k = static_cast<std::uint64_t>(r);
      CHECK(part.size() == 8 * k);
      CHECK(w.unit(r) == k + 1);
      if (lie == mpx::parts::together) CHECK(part.data() == end);
      end = part.data() + part.size();
      for (std::uint64_t i = 0; i < k; ++i) CHECK(load<std::uint64_t>(part.data() + 8 * i) == k);
    }
    world.barrier();
    const mpx::rank_t last = world.size() - 1;
    const std::uint8_t nine = 9;
    if (world.rank() == 0 && last > 0) w.put(nine, last, 1);
    w.fence();
    if (world.rank() == last && last > 0) CHECK(w.local()[me + 1] == std::byte{9});
    CHECK(w.memory_model() == mpx::rma::memory_model::unified);
    w.free();
  }
}

template <class Comm>
void refuse(const Comm& world) {
  auto w = mpx::allocate_byte_window(world, 64, 4);
  const mpx::rank_t other = (world.rank() + 1) % world.size();
  const auto bytes = mpx::datatype::of<char>();
  int x[4] = {};
  double d[2] = {};
  std::error_code ec;
  w.put(x, other, 0, ec);
  CHECK(ec == mpx::errc::rma_sync);
  w.fence();
  w.put(x, other, 13, ec);
  CHECK(ec == mpx::errc::rma_range);
  w.put(x, other, ~std::uint64_t{0} / 2, ec);
  CHECK(ec == mpx::errc::rma_range);
  w.put(x, other, typed{13, 4, mpx::datatype::of<int>()}, ec);
  CHECK(ec == mpx::errc::rma_range);
  w.put(x, other, typed{0, 3, mpx::datatype::of<int>()}, ec);
  CHECK(ec == mpx::errc::argument);
  w.put(x, 99, 0, ec);
  CHECK(ec == mpx::errc::rank);
  w.put(x, mpx::proc_null, 0, ec);
  CHECK(!ec);
  w.accumulate(d, other, 0, element::of<double>(), combine::bit_and, ec);
  CHECK(ec == mpx::errc::operation);
  w.accumulate(d, other, 0, element::of<double>(), combine::count_, ec);
  CHECK(ec == mpx::errc::operation);
  w.accumulate(d, other, 0, element::of<long double>(), combine::sum, ec);
  CHECK(!ec);
  w.accumulate(std::span(x).first(1), other, 0, element::of<double>(), combine::sum, ec);
  CHECK(ec == mpx::errc::datatype);
  w.get_accumulate(x, d[0], other, 0, element::of<int>(), combine::sum, ec);
  CHECK(ec == mpx::errc::argument);
  w.compare_and_swap(nullptr, nullptr, nullptr, other, 0, element::of<long double>(), ec);
  CHECK(ec == mpx::errc::operation);
  // Layouts that hold no whole elements, or none with their holes.
  w.accumulate(x, other, typed{0, 1, mpx::datatype::vector(8, 2, 3, bytes)}, element::of<int>(),
               combine::sum, ec);
  CHECK(ec == mpx::errc::datatype);
  std::array<std::byte, 12> pairs{};
  w.accumulate(pairs, other, typed{0, 12, bytes}, element::pair<short, int>(), combine::maxloc, ec);
  CHECK(ec == mpx::errc::datatype);
  w.accumulate(pairs, other, 13, element::pair<short, int>(), combine::maxloc, ec);
  CHECK(ec == mpx::errc::rma_range);
  w.fence();
  w.free();
}

}  // namespace

TEST_CASE("byte windows: elements of many types, over each protocol") {
  for (const protocol by : all_protocols) {
    ranks::run<ranks::inproc>(3, [by](auto world) { many_types(world, by); });
    ranks::run<ranks::shm>(2, [by](auto world) { many_types(world, by); });
  }
  ranks::run<ranks::rdma>(2, [](auto world) { many_types(world, protocol::automatic); });
}
TEST_CASE("byte windows: elements with holes") {
  for (const protocol by : all_protocols) {
    ranks::run<ranks::inproc>(3, [by](auto world) { holes(world, by); });
    ranks::run<ranks::inproc>(1, [by](auto world) { holes(world, by); });
  }
}
TEST_CASE("byte windows: layouts of data, results and places") {
  for (const protocol by : all_protocols)
    ranks::run<ranks::inproc>(2, [by](auto world) { layouts(world, by); });
  ranks::run<ranks::rdma>(2, [](auto world) { layouts(world, protocol::automatic); });
}
TEST_CASE("byte windows: each rank has a unit of displacements") {
  for (const protocol by : all_protocols)
    ranks::run<ranks::inproc>(3, [by](auto world) { units(world, by); });
}
TEST_CASE("byte windows: shared memory in one piece") {
  for (const mpx::rank_t n : {1, 2, 4}) {
    ranks::run<ranks::inproc>(n, [](auto world) { join(world); });
    ranks::run<ranks::shm>(n, [](auto world) { join(world); });
  }
  ranks::run<ranks::rdma>(1, [](auto world) { join(world); });
  ranks::run<ranks::rdma>(2, [](auto world) {
    std::error_code ec;
    (void)mpx::shared_byte_window(world, 8, 1, mpx::parts::together, protocol::automatic, ec);
    CHECK(ec == mpx::errc::argument);
  });
  ranks::run<ranks::inproc>(2, [](auto world) {
    std::error_code ec;  // Each part alone would fit.
    (void)mpx::shared_byte_window(world, std::uint64_t{1} << 62, 1, mpx::parts::together,
                                  protocol::automatic, ec);
    CHECK(ec == mpx::errc::no_resources);
  });
}
TEST_CASE("byte windows: a lock is held before the program loads and stores itself") {
  ranks::run<ranks::shm>(3, [](auto world) {
    constexpr std::uint64_t rounds = 5'000;
    auto w = mpx::allocate_byte_window(world, 8);
    std::memset(w.local().data(), 0, 8);
    world.barrier();
    auto* const first = reinterpret_cast<volatile std::uint64_t*>(w.part(0).data());
    const bool mapped = first != nullptr;
    REQUIRE(mapped);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      auto held = w.lock(0);
      *first = *first + 1;
    }
    world.barrier();
    const std::uint64_t sum = *first;
    CHECK(sum == 3 * rounds);
    world.barrier();
    w.free();
  });
}

TEST_CASE("byte windows: what is refused") {
  ranks::run<ranks::inproc>(2, [](auto world) { refuse(world); });
}

TEST_CASE("windows: attributes, group, and a lock that is released to the window") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    static std::atomic<int> copies = 0;
    static std::atomic<int> drops = 0;
    const mpx::attribute_key<int> inherited(
        [](const int& v) {
          ++copies;
          return std::optional<int>(v);
        },
        nullptr);
    const mpx::attribute_key<int> own(nullptr, [](int&) { ++drops; });
    if (world.rank() == 0) copies = drops = 0;
    world.barrier();
    auto comm = world.dup();
    inherited.set(comm, 4);
    auto w = mpx::allocate_window<int>(comm, 4);
    auto b = mpx::byte_window_over(comm, std::as_writable_bytes(w.local()), 4);
    CHECK(inherited.get(w) == nullptr);  // A window is no duplicate of its communicator.
    CHECK(copies == 0);
    own.set(w, 7);
    own.set(b, 8);
    CHECK(*own.get(w) == 7);
    CHECK(*own.get(b) == 8);
    CHECK(own.get(comm) == nullptr);
    CHECK(own.erase(b));
    CHECK_FALSE(own.erase(b));
    CHECK(w.group().size() == 2);
    CHECK(w.group().rank() == world.rank());
    const mpx::rank_t other = 1 - world.rank();
    w.lock_shared(other).release();
    CHECK(w.in_epoch());
    w.put(5, other, 1);
    w.unlock(other);
    CHECK_FALSE(w.in_epoch());
    const int six = 6;
    b.lock_all().release();
    b.put(six, other, 2);
    b.unlock_all();
    comm.barrier();
    CHECK(w.local()[1] == 5);
    CHECK(w.local()[2] == 6);
    b.free();
    w.free();
    comm.barrier();
    CHECK(drops == 4);
    comm.free();
  });
}

namespace {

/// Carries out one record as if a peer had sent it.
template <class State>
mpx::errc receive(State& w, mpx::rma::record r, std::size_t data = 0) {
  std::vector<std::byte> bytes(sizeof r + mpx::rma::padded(data));
  std::memcpy(bytes.data(), &r, sizeof r);
  const auto guard = State::os::lock(w.e);
  return State::side::receive(w, 0, bytes);
}

}  // namespace

TEST_CASE("byte windows: records that no origin sends are refused") {
  using kind = mpx::rma::record_kind;
  ranks::run<ranks::inproc>(1, [](auto world) {
    using maker = mpx::detail::window_maker<typename decltype(world)::stack_type>;
    constexpr auto sum = static_cast<std::uint8_t>(combine::sum);
    constexpr auto bits = static_cast<std::uint8_t>(combine::bit_and);
    const std::uint16_t ints = element::of<int>().type().number;
    const std::uint16_t doubles = element::of<double>().type().number;
    const std::uint16_t pairs = element::pair<short, int>().type().number;
    for (const bool any_type : {true, false}) {
      typename maker::plan p{.how = mpx::detail::rma_memory::allocated,
                             .base = nullptr,
                             .bytes = 64,
                             .type = &mpx::rma::detail::type_of<std::byte>,
                             .chosen = protocol::automatic,
                             .count = 64,
                             .call = "test",
                             .elements = {},
                             .throws = false};
      if (any_type) p.numbered = &mpx::rma::detail::numbered_element;
      typename maker::fault f;
      auto* const w = maker::make(world, p, f, std::source_location::current());
      REQUIRE(w != nullptr);
      const auto is = [&](mpx::errc why) { return any_type ? why : mpx::errc::protocol; };
      CHECK(receive(*w, {.kind = kind::accumulate, .op = sum, .element = ints, .bytes = 8}, 8) ==
            is(mpx::errc{}));
      CHECK(receive(*w, {.kind = kind::accumulate, .op = sum, .element = 24, .bytes = 8}, 8) ==
            mpx::errc::protocol);
      CHECK(receive(*w, {.kind = kind::accumulate, .op = sum, .element = 65535, .bytes = 8}, 8) ==
            mpx::errc::protocol);
      CHECK(receive(*w, {.kind = kind::accumulate, .op = sum, .element = doubles, .bytes = 12},
                    12) == mpx::errc::protocol);
      CHECK(receive(*w, {.kind = kind::accumulate, .op = bits, .element = doubles, .bytes = 8},
                    8) == mpx::errc::protocol);
      CHECK(receive(*w, {.kind = kind::accumulate, .op = 77, .element = ints, .bytes = 8}, 8) ==
            mpx::errc::protocol);
      // The last pair would reach beyond the memory: an error of the access, not of the protocol.
      CHECK(receive(*w, {.kind = kind::accumulate, .op = 0, .element = pairs, .bytes = 6, .at = 58},
                    6) == is(mpx::errc{}));
      for (int i = 0; i < 100; ++i) w->e.progress();  // The answer goes to this rank.
      CHECK(w->targets[0].failure == (any_type ? mpx::errc::rma_range : mpx::errc{}));
      for (const kind k : {kind::put, kind::get, kind::mark, kind::lock, kind::flush, kind::reply})
        CHECK(receive(*w, {.kind = k, .element = ints}) == mpx::errc::protocol);
      CHECK(receive(*w, {.kind = kind::swap, .element = ints, .bytes = 4}, 4) ==
            mpx::errc::protocol);
      CHECK(receive(*w, {.kind = kind::mark}) == mpx::errc{});
      maker::end(*w, maker::ending::together);
      delete w;
    }
  });
}
