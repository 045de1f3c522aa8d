// SPDX-License-Identifier: BSL-1.0
#pragma once
// Every collective by every algorithm between processes, and long ones as the stack chooses.

#include <chrono>

#include "mp/harness.hpp"

#define CHECK_MESSAGE(holds, what) harness::check(holds, what)
#define CAPTURE(what) static_cast<void>(what)
#include "coll/suite.hpp"

namespace collectives {

/// `some`: lengths for those that are called at once; the first is for those that are started.
template <class Stack>
void run(const mpx::communicator<Stack>& world, std::span<const std::size_t> some, int rounds) {
  suite::everything(world, suite::form::at_once, some);
  suite::everything(world, suite::form::started, some.first(1));
  const auto chosen = world.with(mpx::coll::algorithm::automatic);
  for (const std::size_t length : {20'000u, 150'000u}) {
    suite::blocks(chosen, suite::form::at_once, length);
    suite::reductions(chosen, suite::form::started, length / 4);
  }
  // Back to back, with nothing in between, and ranks that are late.
  for (int round = 0; round < rounds; ++round) {
    int x = world.rank() == round % world.size() ? round : -1;
    world.bcast(x, round % world.size());
    const int n = world.allreduce(1, std::plus<>{});
    if (round % 100 == world.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    harness::check(x == round && n == world.size(), "back to back");
  }
}

}  // namespace collectives
