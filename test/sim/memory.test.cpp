// SPDX-License-Identifier: BSL-1.0
// alone: yes
// sanitizers: none
// Memory of a simulated rank in a job of 4,096, and the share of each active peer.
// docs/SIMULATION.md states these figures.

#include <doctest/doctest.h>

#include <cstdint>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <vector>

#include "engine/memory.hpp"

namespace {

using memory_of_process::measurable;
using memory_of_process::use;
namespace sim = mpx::sim;

constexpr mpx::rank_t ranks = 4096;
constexpr std::int64_t ms = 1'000'000;  // Of virtual time, enough for all ranks to finish a step.

/// Memory that each of `count` ranks, `stride` apart, uses in addition for each of the others once
/// all have sent `bytes` to all, received at once or after everything has arrived.
use per_active_peer(mpx::rank_t count, mpx::rank_t stride, std::size_t bytes, bool unexpected) {
  use before;
  use after;
  sim::run(ranks, sim::loggp{}, 1, [&](auto& env) {
    auto world = env.world();
    const mpx::rank_t me = env.rank() / stride;
    if (env.rank() % stride != 0 || me >= count) return;
    const auto until = [&](std::int64_t at_ns) { env.transport().compute(at_ns - env.now_ns()); };
    const auto other = [&](mpx::rank_t k) { return (me + k + count) % count * stride; };
    std::vector<std::byte> out(bytes);
    std::vector<std::byte> in(bytes);
    {  // Cost of a rank's first message, independent of the target.
      auto receiving = world.irecv(in, env.rank(), 1);
      world.send(out, env.rank(), 1);
      receiving.wait();
    }
    until(10 * ms);
    if (me == 0) before = use::now();
    until(20 * ms);
    for (mpx::rank_t k = 1; k < count; ++k) {
      auto sending = world.isend(out, other(k), 1);
      if (!unexpected) world.recv(in, other(-k), 1);
      sending.wait();
    }
    until(100 * ms);
    if (me == 0) after = use::now();
    until(200 * ms);
    for (mpx::rank_t k = 1; k < count && unexpected; ++k) world.recv(in, other(-k), 1);
  });
  return (after - before) / (double{1} * count * (count - 1));
}

}  // namespace

TEST_CASE("memory: an idle rank of 4,096 in the simulator") {
  if (!measurable()) return;
  const use before = use::now();
  use each;
  sim::run(ranks, sim::loggp{}, 1, [&](auto& env) {
    if (env.rank() != 0) return;
    env.transport().compute(ms);  // Everybody has joined by then.
    each = (use::now() - before) / ranks;
  });
  MESSAGE("heap " << each.heap << ", private pages " << each.pages);
  CHECK(each.heap > 1024);
  CHECK(each.heap < 4.5 * 1024);  // 4,095 idle peers: about a byte for each.
  CHECK(each.pages < 16 * 1024);  // And the stack of its fiber, more of it without optimisation.
}

TEST_CASE("memory: a peer that a simulated rank talks to") {
  if (!measurable()) return;
  SUBCASE("neighbours") {
    const use each = per_active_peer(32, 1, 8, false);
    MESSAGE("heap " << each.heap << ", private pages " << each.pages);
    CHECK(each.heap < 1536);
    CHECK(each.pages < 3 * 1024);
  }
  SUBCASE("neighbours that send before anybody receives") {
    const use each = per_active_peer(32, 1, 8, true);
    MESSAGE("heap " << each.heap << ", private pages " << each.pages);
    CHECK(each.heap < 2 * 1024);
    CHECK(each.pages < 3 * 1024);
  }
  SUBCASE("peers as far apart as can be: a page of each table for each") {
    const use each = per_active_peer(16, 256, 8, false);
    MESSAGE("heap " << each.heap << ", private pages " << each.pages);
    CHECK(each.heap < 1536);
    CHECK(each.pages < 9 * 1024);
  }
}
