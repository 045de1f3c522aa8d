// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// The cost of making and freeing communicators: it does not depend on how many messages wait, nor
// on how many communicators were freed before.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <mpx/mpx.hpp>
#include <mpx/run_threads.hpp>
#include <string_view>
#include <vector>

namespace {

/// Counts the messages that a matcher visits.
struct counting : mpx::matching::hashed {
  static constexpr std::string_view name = "counting";
  template <class F>
  void for_each(F&& f) {
    hashed::for_each([&](mpx::unexpected_message& m) {
      ++visits;
      f(m);
    });
  }
  template <class F>
  void for_each_newest(F&& f) {
    hashed::for_each_newest([&](mpx::unexpected_message& m) {
      ++visits;
      return f(m);
    });
  }
  static inline std::uint64_t visits = 0;
};
template <class Threads>
using counted = mpx::stack<mpx::transport::inproc, counting, Threads>;

std::int64_t cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

/// The visits of `rounds` duplicates that are made and freed.
template <class Comm>
std::uint64_t visits_of(const Comm& c, int rounds) {
  const std::uint64_t before = counting::visits;
  for (int i = 0; i < rounds; ++i) c.dup().free();
  return counting::visits - before;
}
/// The processor time of the same, the least of some trials.
template <class Comm>
std::int64_t cpu_of(const Comm& c, int rounds) {
  std::int64_t least = INT64_MAX;
  for (int trial = 0; trial < 5; ++trial) {
    const std::int64_t before = cpu_ns();
    for (int i = 0; i < rounds; ++i) c.dup().free();
    least = std::min(least, cpu_ns() - before);
  }
  return least;
}

/// Sends `n` messages of 4 bytes to this rank itself, which wait there.
template <class Env, class Comm>
void leave_waiting(const Env& env, const Comm& c, int n, mpx::tag_t tag) {
  const std::uint64_t all =
      env.unexpected_bytes() + static_cast<std::uint64_t>(n) * mpx::unexpected_cost(sizeof n);
  for (int i = 0; i < n; ++i) c.send(i, 0, tag);
  for (int i = 0; i < 10 * n && env.unexpected_bytes() != all; ++i) CHECK(!c.iprobe(0, 77));
  REQUIRE(env.unexpected_bytes() == all);
}

}  // namespace

TEST_CASE_TEMPLATE("contexts: a free examines each stored message once", Threads,
                   mpx::threading::single, mpx::threading::multiple) {
  mpx::run_threads<counted<Threads>>(1, [](auto& env) {
    auto world = env.world();
    constexpr int waiting = 500, rounds = 100;
    leave_waiting(env, world, waiting, 5);
    // A look or two at each message, for all of the rounds together; and what comes anew.
    const std::uint64_t first = visits_of(world, rounds);
    CHECK(first <= 2 * waiting + 8 * rounds);
    CHECK(visits_of(world, rounds) <= 8 * rounds);
    leave_waiting(env, world, 10, 6);
    CHECK(visits_of(world, rounds) <= 20 + 8 * rounds);
    const std::uint64_t bytes = env.unexpected_bytes();
    auto c = world.dup();  // Its own messages go with it.
    leave_waiting(env, c, 10, 5);
    c.free();
    CHECK(env.unexpected_bytes() == bytes);
    for (int i = 0; i < waiting; ++i) CHECK(world.template recv<int>(0, 5) == i);
    for (int i = 0; i < 10; ++i) CHECK(world.template recv<int>(0, 6) == i);
    CHECK(env.unexpected_bytes() == 0);
  });
}

TEST_CASE("contexts: a free takes as long after 7,000 others as after 10") {
  mpx::run_threads<counted<mpx::threading::single>>(1, [](auto& env) {
    auto world = env.world();
    constexpr int rounds = 20;
    leave_waiting(env, world, 500, 5);
    for (int i = 0; i < 10; ++i) world.dup().free();
    const std::int64_t few = cpu_of(world, rounds);
    std::vector<mpx::communicator<counted<mpx::threading::single>>> all;
    for (int i = 0; i < 7000; ++i) all.push_back(world.dup());
    for (auto& c : all) c.free();
    CHECK(cpu_of(world, rounds) < 20 * few);  // It was some hundreds of times as long.
    for (int i = 0; i < 500; ++i) CHECK(world.template recv<int>(0, 5) == i);
  });
}

TEST_CASE("contexts: one entry for each place, independent of the number of contexts") {
  using places = mpx::detail::known_places;
  const mpx::detail::context_numbers numbers(4, 32);
  places all;
  CHECK(all.find(numbers.place(numbers.make(1, 1, 0))) == nullptr);
  for (std::uint32_t generation = 0; generation < 8; ++generation)
    for (std::uint32_t serial = 1; serial <= 1000; ++serial)
      for (mpx::peer_id leader = 0; leader < 4; ++leader) {
        const mpx::context_id c = numbers.make(leader, serial, generation);
        CHECK(numbers.place(c | 1) == numbers.make(leader, serial, 0));
        CHECK(numbers.place(c | numbers.own_bit()) == numbers.make(leader, serial, 0));
        places::entry* const e = all.add(numbers.place(c));
        REQUIRE(e != nullptr);
        CHECK((generation == 0 ? e->last == mpx::detail::no_context
                               : e->last == numbers.make(leader, serial, generation - 1)));
        e->last = c;
      }
  CHECK(all.size() == 4000);
  for (std::uint32_t serial = 1; serial <= 1000; ++serial)
    CHECK(all.find(numbers.make(3, serial, 0))->last == numbers.make(3, serial, 7));
  CHECK(all.find(numbers.make(3, 1001, 0)) == nullptr);
}
