// SPDX-License-Identifier: BSL-1.0
// timeout: 60
// Messages of freed communicators that no rank receives, on a network that is slow between two
// ranks: they arrive when the numbers of their communicators are in use again.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mpx/checks.hpp>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <vector>

#include "sim/stacks.hpp"

namespace {

namespace sim = mpx::sim;
using sim_stacks::ms;

/// From rank 1 to rank 2 a packet takes 10 ms, otherwise 1 us.
struct one_slow_way {
  sim::costs transfer(mpx::rank_t from, mpx::rank_t to, std::size_t bytes, sim::random& random) {
    sim::costs c = even.transfer(from, to, bytes, random);
    if (from == 1 && to == 2) c.latency_ns += 10 * ms;
    return c;
  }
  std::int64_t empty_poll_ns(sim::random& random) { return even.empty_poll_ns(random); }
  std::int64_t detection_ns() { return even.detection_ns(); }

  sim::loggp even{.far = {1000, 200, 100, 0.5}, .node_size = 1, .empty_poll_cost_ns = 10};
};

/// A stack whose communicators have numbers of 22 bits.
using checked = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::checks::types>;

/// Each other rank of `c` reports to rank 0 that it is here.
template <class Comm>
void gather_at_0(const Comm& c) {
  if (c.rank() != 0) return c.send(1, 0);
  for (mpx::rank_t r = 1; r < c.size(); ++r) CHECK(c.template recv<int>(r) == 1);
}
/// One more communicator of all in `c`, which is freed; rank 0, its leader, has learned so.
template <class Comm>
void dup_once(const Comm& c) {
  c.dup().free();
  gather_at_0(c);
}

}  // namespace

TEST_CASE("contexts: old messages are discarded though their number is in use again") {
  // Ten times as many as a leader numbers before it uses a number again.
  constexpr int rounds = 400;
  const std::vector<std::byte> out(64);
  std::uint64_t most = 0, at_end = 0;
  sim::run(3, one_slow_way{}, 1, [&](auto& env) {
    auto world = env.world();
    const auto round = [&](bool with_message) {
      auto c = world.dup();
      if (with_message && c.rank() == 1) c.send(out, 2);
      c.free();
      if (env.rank() != 0) {
        world.send(1, 0);
      } else {  // It learns that it is freed, and may reuse the number.
        for (mpx::rank_t r = 1; r < 3; ++r) CHECK(world.template recv<int>(r) == 1);
      }
    };
    for (int i = 0; i < rounds; ++i) round(true);
    env.transport().compute(20 * ms);
    if (env.rank() == 1) world.send(1, 2);  // Comes after all of them.
    if (env.rank() == 2) {
      CHECK(world.template recv<int>(1) == 1);
      most = env.unexpected_bytes();
    }
    for (int i = 0; i < rounds / 4; ++i) round(false);
    if (env.rank() == 2) at_end = env.unexpected_bytes();
  });
  CHECK(most > rounds / 2 * out.size());  // They are what this is about.
  CHECK(at_end == 0);
}

/// Of 40 ranks: a number is reused after 8 of its serial; 33 serials are in use. Rank 2 is in none
/// between two of one number, and late in the second.
TEST_CASE("contexts: a reused number is not old to a rank that was in no other communicator") {
  for (int between = 260; between < 270; ++between) {
    CAPTURE(between);
    sim::run<checked>(40, one_slow_way{}, 1, [&](auto& env) {
      auto world = env.world();
      auto two = world.split(world.rank() / 2, 0);
      const auto use = [&] {
        if (world.rank() == 2) {  // Messages to it arrive before it makes this.
          env.transport().compute(50 * ms);
          CHECK(!world.iprobe(1, 0));
        }
        auto c = world.dup();
        if (c.rank() == 1) c.send(5, 2);
        if (c.rank() == 2) CHECK(c.template recv<int>(1) == 5);
        c.free();
        gather_at_0(world);
      };
      use();
      for (int i = 0; i < between && world.rank() < 2; ++i) dup_once(two);
      world.barrier();  // Rank 2 answers until then.
      use();
    });
  }
}

/// Of 1,024 ranks one leads 511 communicators at once. One does not answer for long.
TEST_CASE("contexts: a rank that cannot wait for a free number continues") {
  sim::run<checked>(1024, one_slow_way{}, 1, [&](auto& env) {
    auto world = env.world();
    if (world.rank() > 2) return;
    const auto first = [&](mpx::rank_t n) { return mpx::group::identity(n, world.rank()); };
    auto three = world.create_group(first(3));
    gather_at_0(three);
    three.free();
    if (world.rank() == 2) return env.transport().compute(1000 * ms);
    auto two = world.create_group(first(2));
    for (int i = 0; i < 511 * 9; ++i) dup_once(two);
  });
}

/// Of 1,024 ranks one leads 511 communicators at once. Of three, one frees what it has late.
TEST_CASE("contexts: at the limit a communicator waits for what others have yet to free") {
  sim::run<checked>(1024, one_slow_way{}, 1, [](auto& env) {
    auto world = env.world();
    if (world.rank() > 2) return;
    auto three = world.create_group(mpx::group::identity(3, world.rank()));
    std::vector<decltype(three)> held;
    for (int i = 1; i < 511; ++i) held.push_back(three.dup());
    auto& last = held.back();
    const auto free_late = [&] {
      if (three.rank() == 2) env.transport().compute(3000 * ms);
      last.free();
    };
    free_late();
    last = three.dup();
    free_late();
    three.dup(last, mpx::start).wait();
    free_late();
    last = three.split(0);
    free_late();
    last = three.create_group(three.group());
    CHECK(last.allreduce(1, std::plus<>{}) == 3);
  });
}
