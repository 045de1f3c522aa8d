// SPDX-License-Identifier: BSL-1.0
// Windows: random programs against an oracle over each protocol and transport; accumulates' order
// and atomicity; dynamic and shared windows; errors.
// timeout: 120

#include <chrono>
#include <mpx/checks.hpp>
#include <mpx/datatype.hpp>
#include <optional>
#include <thread>

#include "comm/aborts.hpp"
#include "comm/ranks.hpp"
#include "rma/programs.hpp"

namespace {

using programs::protocol;
using programs::word;

template <class Stack>
void play_all(word seed, std::initializer_list<mpx::rank_t> sizes) {
  for (const mpx::rank_t n : sizes)
    ranks::run<Stack>(n, [seed](auto world) {
      for (const protocol by : programs::all_protocols)
        for (const bool over : {false, true}) {
          INFO("protocol ", static_cast<int>(by), " over ", over);
          const word of = seed + static_cast<word>(world.size()) * 100 +
                          static_cast<word>(by) * 10 + (over ? 1 : 0);
          CHECK(programs::play(world, of, by, over, 8));
        }
    });
}

template <class T>
struct triple {
  T a, b, c;
  friend bool operator==(const triple&, const triple&) = default;
};

/// Every rank adds to the same elements, some of them by packets and some directly.
template <class Comm>
void combine(const Comm& world, protocol by) {
  const auto n = static_cast<word>(world.size());
  const auto me = static_cast<word>(world.rank());
  auto w = mpx::allocate_window<word>(world, 8, by);
  auto d = mpx::allocate_window<double>(world, 2, by);
  using place = mpx::located<double, int>;
  auto l = mpx::allocate_window<place>(world, 1, by);
  l.local()[0] = {-1.0, 99};
  world.barrier();
  w.lock_all().unlock();
  {
    auto e = w.lock_all();
    auto f = d.lock_all();
    auto g = l.lock_all();
    word sum = 0;
    for (word i = 0; i < 50; ++i) {
      word was = 0;
      w.fetch_and_op(1, was, 0, 0, mpx::sum);
      w.accumulate(word{1} << (i % 8 * 8), 0, 1, mpx::sum);
      w.accumulate(me * 1000 + i, 0, 2, mpx::max);
      d.accumulate(0.5, 0, 0, mpx::sum);
      l.accumulate(place{static_cast<double>(me), static_cast<int>(i)}, 0, 0, mpx::maxloc);
      w.flush_local(0);
      sum += was;
    }
    // Accesses of one rank to one element happen in order.
    const auto mine = static_cast<mpx::rank_t>((me + 1) % n);
    for (word i = 0; i < 100; ++i) {
      w.accumulate(i + 1, mine, 3, mpx::replace);
      w.accumulate(word{3}, mine, 3, mpx::prod);
    }
    word old = 0;
    w.get_accumulate(std::span<const word>(), std::span<word>(), mine, 3, mpx::no_op);
    w.fetch_and_op(word{0}, old, mine, 3, mpx::no_op);
    w.flush(mine);
    CHECK(old == 300);
    word got = 1;
    w.compare_and_swap(300, 7, got, mine, 3);
    w.flush_local(mine);
    CHECK(got == 300);
    w.compare_and_swap(300, 8, got, mine, 3);
    w.flush(mine);
    CHECK(got == 7);
    e.unlock();
    f.unlock();
    g.unlock();
    const word all = world.allreduce(sum, mpx::sum);
    CHECK(all == 50 * n * (50 * n - 1) / 2);
  }
  world.barrier();
  CHECK(w.local()[3] == 7);
  if (me == 0) {
    CHECK(w.local()[0] == 50 * n);
    CHECK(w.local()[2] == (n - 1) * 1000 + 49);
    CHECK(d.local()[0] == 25.0 * static_cast<double>(n));
    CHECK(l.local()[0] == place{static_cast<double>(n - 1), 0});
  }
  w.free();
  d.free();
  l.free();
}

/// Elements as an operation leaves them: alone, and one after the other.
template <class T>
void combine_alone() {
  using namespace mpx::rma;
  programs::dice d(sizeof(T));
  const element_type& type = detail::type_of<T>;
  for (std::size_t n : {1, 5, 7, 8, 63, 64, 65, 200})
    for (unsigned op = 0; op < static_cast<unsigned>(mpx::rma::combine::count_); ++op) {
      const auto by = static_cast<mpx::rma::combine>(op);
      if (!type.has(by)) continue;
      std::vector<T> there(n), given(n);
      for (T& x : there) x = static_cast<T>(d.below(100));
      for (T& x : given) x = static_cast<T>(d.below(100));
      std::vector<std::byte> bytes(n * sizeof(T) + 1);  // Unaligned memory.
      std::memcpy(bytes.data() + 1, given.data(), n * sizeof(T));
      std::vector<T> want = there, before(n);
      for (std::size_t i = 0; i < n; ++i) want[i] = detail::combined(by, want[i], given[i]);
      const std::vector<T> was = there;
      detail::combine_alone<T>(by, reinterpret_cast<std::byte*>(there.data()), bytes.data() + 1,
                               reinterpret_cast<std::byte*>(before.data()), n);
      CAPTURE(op);
      CAPTURE(n);
      CHECK(there == want);
      CHECK(before == was);
    }
}

/// All ranks combine the same elements, many at once and one at a time.
template <class Comm>
void combine_many(const Comm& world, protocol by) {
  const auto n = static_cast<word>(world.size());
  constexpr std::size_t many = 3000;
  constexpr word rounds = 6;
  constexpr word ones = 200;  // Enough in a row for the elements to be open again.
  auto w = mpx::allocate_window<word>(world, many, by);
  auto z = mpx::allocate_window<mpx::located<double, int>>(world, many, by);
  const std::vector<word> one(many, 1);
  const std::vector<mpx::located<double, int>> given(
      many, {static_cast<double>(world.rank()), world.rank()});
  std::vector<word> before(many);
  {
    auto e = w.lock_all();
    auto f = z.lock_all();
    word was = 0, last = 0, old = 0;
    for (word i = 0; i < rounds; ++i) {
      w.accumulate(one, 0, 0, mpx::sum);
      z.accumulate(given, 0, 0, mpx::maxloc);
      for (word k = 0; k < ones; ++k) {
        w.fetch_and_op(word{1}, was, 0, k % 7, mpx::sum);
        if (k % 20 == 0) w.accumulate(std::span(one).first(3), 0, 100, mpx::sum);
        if (k % 20 == 1) z.accumulate(given[0], 0, 5, mpx::maxloc);
        if (k % 40 != 2) continue;
        do {
          w.fetch_and_op(word{}, last, 0, 7, mpx::no_op);
          w.flush(0);
          w.compare_and_swap(last, last + 1, old, 0, 7);
          w.flush(0);
        } while (old != last);
      }
      w.get_accumulate(one, before, 0, 0, mpx::sum);
      w.flush(0);
      CHECK(before[many - 1] >= 2 * i + 1);
      CHECK(before[many - 1] < 2 * rounds * n);
    }
  }
  world.barrier();
  if (world.rank() == 0) {
    const word all = 2 * rounds * n;
    for (std::size_t i = 8; i < many; ++i) {
      if (i >= 100 && i < 103) continue;
      if (w.local()[i] != all) FAIL_CHECK("element ", i, " is ", w.local()[i]);
    }
    CHECK(w.local()[7] == all + rounds * ones / 40 * n);
    CHECK(w.local()[101] == all + rounds * ones / 20 * n);
    word first = 0;
    for (std::size_t i = 0; i < 7; ++i) first += w.local()[i];
    CHECK(first == 7 * all + rounds * ones * n);
    CHECK(z.local()[5].index == world.size() - 1);
    CHECK(z.local()[many - 1].index == world.size() - 1);
  }
  w.free();
  z.free();
}

/// Each rank adds one to a counter, not atomically, under an exclusive lock.
template <class Comm>
void exclude(const Comm& world, protocol by) {
  auto w = mpx::allocate_window<word>(world, 2, by);
  for (int i = 0; i < 30; ++i) {
    const mpx::rank_t target = i % world.size();
    auto e = w.lock(target);
    word x = 0;
    w.get(x, target, 0);
    w.flush(target);
    w.put(x + 1, target, 0);
  }
  world.barrier();
  word sum = w.local()[0];
  sum = world.allreduce(sum, mpx::sum);
  CHECK(sum == 30 * static_cast<word>(world.size()));
  w.free();
}

}  // namespace

TEST_CASE("windows: random programs, inproc") { play_all<ranks::inproc>(1, {1, 2, 3, 4, 7, 8}); }
TEST_CASE("windows: random programs, shm") { play_all<ranks::shm>(2, {2, 4}); }
TEST_CASE("windows: random programs, small rings") { play_all<ranks::tiny>(3, {3}); }
TEST_CASE("windows: random programs, posts that are late") { play_all<ranks::late>(4, {3}); }

TEST_CASE("windows: random programs, over cards") { play_all<ranks::rdma>(5, {3}); }

TEST_CASE("windows: accumulates are atomic, and keep their order") {
  for (const mpx::rank_t n : {1, 4})
    ranks::run<ranks::shm>(n, [](auto world) {
      for (const protocol by : programs::all_protocols) combine(world, by);
    });
}
TEST_CASE("windows: elements that a rank has to itself are combined as all others") {
  combine_alone<std::int8_t>();
  combine_alone<std::uint16_t>();
  combine_alone<std::int32_t>();
  combine_alone<std::uint64_t>();
  combine_alone<float>();
  combine_alone<double>();
}
TEST_CASE("windows: long and short accumulates to the same elements") {
  for (const protocol by : {protocol::automatic, protocol::buffered}) {
    ranks::run<ranks::shm>(4, [by](auto world) { combine_many(world, by); });
    ranks::run<ranks::multiple>(3, [by](auto world) { combine_many(world, by); });
  }
}
TEST_CASE("windows: threads of a rank put, get and flush at once") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    auto w = mpx::allocate_window<word>(world, 2);
    const mpx::rank_t other = 1 - world.rank();
    {
      auto e = w.lock_all();
      w.put(0, other, 0);  // The lock is there.
      w.flush(other);
      const auto [here, there] =
          programs::threads_get_what_they_put(w, other, [&] { w.flush(other); });
      CHECK(here);
      CHECK(there);
    }
    w.free();
  });
}
TEST_CASE("windows: exclusive locks exclude") {
  for (const mpx::rank_t n : {1, 3, 8})
    ranks::run<ranks::shm>(n, [](auto world) {
      for (const protocol by : programs::all_protocols) exclude(world, by);
    });
  ranks::run<ranks::late>(4, [](auto world) { exclude(world, protocol::automatic); });
}

TEST_CASE("windows: the ranks of a split by shared memory share a window, over every transport") {
  for (const mpx::rank_t n : {1, 3}) {
    ranks::run<ranks::shm>(n, [n](auto world) { CHECK(programs::share_parts(world) == n); });
    ranks::run<ranks::inproc>(n, [n](auto world) { CHECK(programs::share_parts(world) == n); });
    ranks::run<ranks::rdma>(n, [](auto world) { CHECK(programs::share_parts(world) == 1); });
    ranks::run<ranks::late>(n, [](auto world) { CHECK(programs::share_parts(world) == 1); });
  }
  ranks::run<ranks::rdma>(2, [](auto world) {
    try {
      (void)mpx::shared_window<word>(world, 1);
      CHECK(false);
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::argument);
      CHECK(ranks::contains(e.what(), "split(mpx::split_by::shared_memory)"));
    }
  });
}

TEST_CASE("windows: shared parts, dynamic memory, strided targets") {
  ranks::run<ranks::shm>(3, [](auto world) {
    const mpx::rank_t right = (world.rank() + 1) % 3;
    auto s = mpx::shared_window<int>(world, 10);
    s.lock_all().unlock();
    s.fence();
    s.part(right)[4] = world.rank();
    s.fence();
    CHECK(s.local()[4] == (world.rank() + 2) % 3);
    const std::vector<int> rows{1, 2, 3, 4};
    s.put(rows, right, mpx::rma::strided{1, 2, 2, 5});
    s.fence();
    CHECK(s.local()[1] == 1);
    CHECK(s.local()[2] == 2);
    CHECK(s.local()[6] == 3);
    CHECK(s.local()[7] == 4);
    std::vector<int> back(4);
    s.get(back, right, mpx::rma::strided{1, 2, 2, 5});
    s.fence();
    CHECK(back == rows);
    // Below the displacement, and beyond the memory; a place twice; other lengths.
    const mpx::datatype ints = mpx::datatype::of<int>();
    std::error_code why;
    s.put(rows, right, mpx::rma::typed{3, 1, mpx::datatype::vector(4, 1, -1, ints)}, why);
    CHECK(!why);
    s.put(rows, right, mpx::rma::typed{2, 1, mpx::datatype::vector(4, 1, -1, ints)}, why);
    CHECK(why == mpx::errc::rma_range);
    s.get(back, right, mpx::rma::typed{4, 1, mpx::datatype::vector(4, 1, 2, ints)}, why);
    CHECK(why == mpx::errc::rma_range);
    s.put(rows, right, mpx::rma::typed{0, 4, mpx::datatype::resized(ints, 0, 2)}, why);
    CHECK(why == mpx::errc::datatype);
    s.put(rows, right, mpx::rma::typed{0, 3, ints}, why);
    CHECK(why == mpx::errc::argument);
    s.accumulate(std::vector<int>(1), right, mpx::rma::typed{0, 4, mpx::datatype::of<char>()},
                 mpx::sum, why);
    CHECK(!why);
    s.accumulate(std::vector<int>(1), right,
                 mpx::rma::typed{0, 1, mpx::datatype::vector(2, 2, 3, mpx::datatype::of<char>())},
                 mpx::sum, why);
    CHECK(why == mpx::errc::datatype);
    s.fence();
    CHECK(s.local()[0] == 4);
    CHECK(s.local()[3] == 1);
    s.free();

    auto d = mpx::dynamic_window<double>(world);
    std::vector<double> mine(5, 1.0);
    const auto at = world.allgather(d.attach(std::span(mine)));
    {
      auto e = d.lock(right);
      d.put(2.5, right, at[static_cast<std::size_t>(right)] + 8);
      d.accumulate(1.5, right, at[static_cast<std::size_t>(right)] + 16, mpx::sum);
    }
    world.barrier();
    CHECK(mine == std::vector<double>{1.0, 2.5, 2.5, 1.0, 1.0});
    std::error_code ec;
    {
      auto one = mpx::allocate_window<double>(world, 4, ec);
      auto two = mpx::shared_window<double>(world, 4, ec);
      auto three = mpx::window_over(world, std::span(mine), ec);
      auto four = mpx::dynamic_window<double>(world, ec);
      CHECK(!ec);
      CHECK((one.local().size() == 4 && two.local().size() == 4 && three.local().size() == 5));
    }
    double x = 0;
    auto e = d.lock(right);
    d.get(x, right, at[static_cast<std::size_t>(right)] + 40);
    e.unlock(ec);
    CHECK(ec == mpx::errc::rma_range);
    world.barrier();
    d.detach(std::span(mine));
    d.detach(std::span(mine), ec);
    CHECK(ec == mpx::errc::argument);
    d.free();
  });
}

TEST_CASE("windows: noncontiguous data at the origin") {
  for (const protocol by : programs::all_protocols)
    ranks::run<ranks::shm>(2, [by](auto world) {
      auto w = mpx::allocate_window<int>(world, 6000, by);
      const mpx::rank_t other = 1 - world.rank();
      const mpx::datatype every_other = mpx::datatype::vector(3000, 1, 2, mpx::datatype::of<int>());
      std::vector<int> out(6000);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i) + world.rank();
      std::vector<int> in(6000, -1);
      w.fence();
      w.put(mpx::buffer(out.data(), 1, every_other), other, 7);
      w.fence();
      w.accumulate(mpx::buffer(out.data(), 1, every_other), other, 7, mpx::sum);
      w.fence();
      w.get(mpx::buffer(in.data(), 1, every_other), other, 7);
      w.fence();
      bool right = true;
      for (std::size_t i = 0; i < 6000; i += 2)
        right = right && in[i] == 2 * (static_cast<int>(i) + world.rank()) && in[i + 1] == -1;
      CHECK(right);
      auto e = w.lock(other);
      w.get(mpx::buffer(in.data(), 1, every_other), other, 8, mpx::start).wait();
      CHECK(in[0] == 2 * (2 + world.rank()));
      e.unlock();
      w.free();
    });
}

TEST_CASE("windows: errors name rank, target, displacement and epoch") {
  ranks::run<ranks::shm>(2, [](auto world) {
    auto w = mpx::allocate_window<double>(world, 4);
    const mpx::rank_t other = 1 - world.rank();
    const std::string said = ranks::text_of([&] { w.put(1.0, other, 3); });
    CHECK(ranks::contains(said, "put on rank " + std::to_string(world.rank())));
    CHECK(ranks::contains(said, "to rank " + std::to_string(other) + " at displacement 3"));
    CHECK(ranks::contains(said, "epoch none"));
    std::error_code ec;
    w.fence();
    w.put(1.0, other, 4, ec);
    CHECK(ec == mpx::errc::rma_range);
    CHECK(ranks::contains(ranks::text_of([&] { w.put(1.0, other, ~0ull / 4); }), "epoch fence"));
    w.put(1.0, 2, 0, ec);
    CHECK(ec == mpx::errc::rank);
    w.put(1.0, mpx::proc_null, 77, ec);
    CHECK(!ec);
    w.fence(mpx::rma::assertion::no_succeed);
    w.flush(other, ec);
    CHECK(ec == mpx::errc::rma_sync);
    w.unlock(other, ec);
    CHECK(ec == mpx::errc::rma_sync);
    w.complete(ec);
    CHECK(ec == mpx::errc::rma_sync);
    w.wait(ec);
    CHECK(ec == mpx::errc::rma_sync);
    {
      auto e = w.lock_shared(other);
      auto again = w.lock_shared(other, {}, ec);
      CHECK(ec == mpx::errc::rma_sync);
      w.fence({}, ec);
      CHECK(ec == mpx::errc::rma_sync);
    }
    w.free();
    w.fence({}, ec);
    CHECK(ec == mpx::errc::window);
    CHECK(!w);
  });
}

TEST_CASE("windows: freeing by an exception ends accesses, and waits for no rank") {
  ranks::run<ranks::shm>(2, [](auto world) {
    {
      auto w = mpx::allocate_window<double>(world, 4, protocol::buffered);
      world.barrier();
      if (world.rank() == 0) {
        world.recv(std::span<int>(), 1);
        std::error_code ec;
        auto e = w.lock(1, mpx::rma::assertion::no_check);
        double x = 0;
        w.get(x, 1, 0, ec);
        if (!ec) w.flush(1, ec);
        CHECK(ec == mpx::errc::window);
        e.unlock(ec);
        CHECK(ec == mpx::errc::window);
      }
    }
    if (world.rank() == 1) world.send(std::span<const int>(), 0);
    world.barrier();
  });
}

namespace {

template <class Stack>
void let_go_all(std::initializer_list<mpx::rank_t> sizes) {
  for (const mpx::rank_t n : sizes)
    ranks::run<Stack>(n, [](auto world) {
      for (const protocol by : programs::all_protocols) {
        for (unsigned i = 0; i < static_cast<unsigned>(programs::waits_in::count); ++i) {
          INFO("protocol ", static_cast<int>(by), " call ", i);
          CHECK(programs::let_go(world, by, static_cast<programs::waits_in>(i)) == "");
          world.barrier();
        }
        CHECK(programs::let_go_in_a_row(world, by) == "");
        world.barrier();
        for (int i = 0; i < 3; ++i) CHECK(programs::go_quietly(world, by));
      }
    });
}

}  // namespace

TEST_CASE("windows: ranks that wait for a window freed by an exception get an error, inproc") {
  let_go_all<ranks::inproc>({1, 3, 8});
}
TEST_CASE("windows: ranks that wait for a window freed by an exception get an error, shm") {
  let_go_all<ranks::shm>({2, 4});
}

TEST_CASE("windows: more elements than memory can hold are an argument's error everywhere") {
  ranks::run<ranks::shm>(3, [](auto world) {
    const bool first = world.rank() == 0;
    const auto much = [&](std::uint64_t n, bool shared) {
      return ranks::text_of([&] {
        if (shared) {
          (void)mpx::shared_window<double>(world, first ? n : 1);
        } else {
          (void)mpx::allocate_window<double>(world, first ? n : 1);
        }
      });
    };
    for (const std::uint64_t n :
         {std::uint64_t{1} << 61, std::uint64_t{1} << 60, ~std::uint64_t{0}})
      for (const bool shared : {false, true}) {
        const std::string said = much(n, shared);
        INFO(said);
        CHECK(ranks::contains(said, std::string(shared ? "shared_window" : "allocate_window") +
                                        " on rank " + std::to_string(world.rank()) + ": " +
                                        (first ? "" : "rank 0 asks for ") + std::to_string(n) +
                                        " elements of 8 bytes"));
        CHECK(ranks::contains(said, "more than memory can hold"));
        CHECK(ranks::contains(said, "negative") == (n >> 63 != 0));
      }
    std::error_code ec;
    auto none = mpx::allocate_window<double>(world, std::uint64_t{1} << 61,
                                             mpx::rma::protocol::automatic, ec);
    CHECK(ec == mpx::errc::argument);
    CHECK(!none);
#if !defined(MPX_TEST_SANITIZED)
    const std::string said = much(std::uint64_t{1} << 50, false);
    CHECK(ranks::contains(said, "allocate_window on rank " + std::to_string(world.rank())));
    CHECK(ranks::contains(said, first ? "9007199254740992 bytes" : "8 bytes"));
    CHECK(ranks::contains(said, "window.test.cpp:"));
#endif
  });
}

TEST_CASE("windows: every call of an empty window is errc::window") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    auto w = mpx::allocate_window<int>(world, 4);
    w.free();
    CHECK(w.local().empty());
    CHECK(w.rank() == mpx::proc_null);
    int x = 0;
    const auto none = [](auto&& call) { CHECK(ranks::errc_of(call) == mpx::errc::window); };
    none([&] { w.put(1, 0, 0); });
    none([&] { w.get(x, 0, 0, mpx::start).wait(); });
    none([&] { w.get(x, 0, 0); });
    none([&] { w.fetch_and_op(1, x, 0, 0, mpx::sum); });
    none([&] { w.compare_and_swap(1, 2, x, 0, 0); });
    none([&] { w.at(0, 0) = 3; });
    none([&] { (void)w.at(0, 0).load(); });
    none([&] { w.fence(); });
    none([&] { auto e = w.lock(0); });
    none([&] { w.flush(0); });
    none([&] { w.post(world.group()); });
    none([&] { w.free(); });
    std::error_code ec;
    w.put(1, 0, 0, ec);
    CHECK(ec == mpx::errc::window);
    w.sync();
  });
}

TEST_CASE("windows: errors name the arguments, the open epoch, and the call that ends it") {
  ranks::run<ranks::shm>(2, [](auto world) {
    auto w = mpx::allocate_window<double>(world, 4);
    const auto says = [](const char* what, auto&& call) {
      const std::string said = ranks::text_of(call);
      INFO(said);
      CHECK(ranks::contains(said, what));
    };
    double x = 0;
    w.fence();
    const mpx::rank_t other = 1 - world.rank();
    says("at displacement -1,", [&] { w.put(1.0, other, static_cast<std::uint64_t>(-1)); });
    says("at displacement 4611686018427387904,",
         [&] { w.put(1.0, other, std::uint64_t{1} << 62); });
    says("fetch_and_op on rank", [&] { w.fetch_and_op(1.0, x, other, 9, mpx::sum); });
    w.fence(mpx::rma::assertion::no_succeed);
    says("no epoch of start is open", [&] { w.complete(); });
    says("no epoch of post is open", [&] { w.wait(); });
    says("no lock that it ends or flushes is held", [&] { w.flush(other); });
    {
      auto e = w.lock_shared(other);
      const std::string open =
          "epoch lock shared to rank " + std::to_string(other) + " is open: unlock first";
      says(open.c_str(), [&] { w.fence(); });
    }
    {
      auto e = w.lock_all();
      says("an epoch of lock_all is open: unlock_all first", [&] { w.fence(); });
    }
    w.post(world.group());
    says("free on rank", [&] { w.free(); });
  });
}

#if MPX_ASSERT_LEVEL >= 1
TEST_CASE("windows: wrong ranks, and windows that outlive their environment, are errors") {
  const auto made = [](auto&& use) {
    return ranks::aborts([&] {
      std::optional<mpx::environment<ranks::inproc>> env(
          std::in_place, mpx::bootstrap::any(mpx::bootstrap::singleton()));
      std::optional<mpx::window<double, ranks::inproc>> w(
          mpx::allocate_window<double>(env->world(), 4));
      w->fence();
      use(env, w);
    });
  };
  const auto told = [](const std::string& said, const char* what) {
    INFO(said);
    CHECK(ranks::contains(said, what));
    CHECK(ranks::contains(said, "window.test.cpp:"));
  };
  constexpr const char* gone = "the environment of this window is gone: let windows go before it";
  told(made([](auto&, auto& w) { (void)w->elements(1); }), "this window has no such rank");
  told(made([](auto&, auto& w) { (void)w->part(-1); }), "this window has no such rank");
  told(made([](auto& env, auto& w) { env.reset(), w->fence(); }), gone);
  told(made([](auto& env, auto& w) { env.reset(), w->put(1.0, 0, 0); }), gone);
  told(made([](auto& env, auto& w) { env.reset(), w->local()[0] = 1; }), gone);
  told(made([](auto& env, auto& w) { env.reset(), w->free(); }), gone);
  told(made([](auto& env, auto& w) { env.reset(), w.reset(); }), gone);
}
#endif

TEST_CASE("windows: ranks are those of the communicator") {
  ranks::run<ranks::inproc>(5, [](auto world) {
    auto part = world.split(world.rank() % 2, -world.rank());
    CHECK(programs::play(part, 77, protocol::buffered, false, 4));
    CHECK(programs::play(part, 78, protocol::automatic, true, 4));
    part.free();
  });
}

TEST_CASE("windows: accesses that conflict are found by checks::rma") {
  using stack = mpx::stack<mpx::transport::inproc, mpx::checks::rma>;
  ranks::run<stack>(3, [](auto world) {
    auto w = mpx::allocate_window<double>(world, 10);
    std::error_code ec;
    double x = 0;
    {
      auto e = w.lock(1);
      w.put(1.0, 1, 3);
      w.put(1.0, 1, 4);
      w.get(x, 1, 4, ec);
      CHECK(ec == mpx::errc::rma_conflict);
      const std::string said = ranks::text_of([&] { w.accumulate(1.0, 1, 3, mpx::sum); });
      CHECK(ranks::contains(said, "at displacement 3"));
      CHECK(ranks::contains(said, "a put of rank " + std::to_string(world.rank()) + " at 3"));
      w.flush(1);
      w.get(x, 1, 4, ec);
      CHECK(!ec);
      w.accumulate(1.0, 1, 5, mpx::sum);
      w.accumulate(1.0, 1, 5, mpx::sum, ec);
      CHECK(!ec);
    }
    // Stored by the target alone: what is tested here is a data race of the program.
    auto b = mpx::allocate_window<double>(world, 10, protocol::buffered);
    b.fence();
    if (world.rank() != 1) b.put(1.0, 1, 7);  // Two ranks to one place.
    b.fence({}, ec);
    CHECK((ec == mpx::errc::rma_conflict) == (world.rank() == 1));
    b.put(1.0, 1, static_cast<std::uint64_t>(world.rank()));
    b.fence({}, ec);
    CHECK(!ec);
    b.free();
    w.free();
  });
}

namespace {

using some_stack = ranks::inproc;
using some_target = mpx::detail::rma_target;
static_assert(mpx::rma::OneSidedProtocol<mpx::rma::protocol_archetype, some_target>);
static_assert(mpx::rma::OneSidedProtocol<mpx::detail::direct_protocol<some_stack>, some_target>);
static_assert(mpx::rma::OneSidedProtocol<mpx::detail::rdma_protocol<some_stack>, some_target>);
static_assert(mpx::rma::OneSidedProtocol<mpx::detail::buffered_protocol<some_stack>, some_target>);
static_assert(mpx::rma::OneSidedProtocol<mpx::detail::send_recv_protocol<some_stack>, some_target>);
static_assert(mpx::rma::OneSidedProtocol<mpx::detail::portals_protocol<some_stack>, some_target>);
static_assert(!mpx::rma::OneSidedProtocol<mpx::rma::by_reach, some_target>);
static_assert(mpx::rma::ProtocolPolicy<mpx::rma::by_reach> && !mpx::rma::ProtocolPolicy<int>);
static_assert(mpx::rma::Operation<decltype(mpx::sum), double> &&
              !mpx::rma::Operation<decltype(mpx::bit_and), double> &&
              !mpx::rma::Operation<decltype(mpx::maxloc), double>);

}  // namespace
