// SPDX-License-Identifier: BSL-1.0
#pragma once
// Passive targets over cards without a progress thread: a rank computes and makes no call, while
// the others put to its part of a window, combine elements of it, lock it, and flush.

#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "mp/harness.hpp"

namespace passive {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using word = std::uint64_t;

/// `accesses`: atomic accesses of each kind by each rank. `alone`: they must not need the target,
/// which then computes until the other ranks are through.
template <class Stack>
void check(int accesses, bool alone) {
  constexpr std::size_t through = 6;  // Element of rank 1: the number of ranks that are.
  const auto locks = static_cast<word>(accesses / 20);
  mpx::environment<Stack> env;
  auto world = env.world();
  auto w = mpx::allocate_window<word>(world, 50'000);
  {
    auto e = w.lock_all();  // All are connected.
    w.accumulate(word{1}, 1, 0, mpx::sum);
  }
  world.barrier();
  if (world.rank() == 1) {
    // No call of mpx's.
    const mpx::platform::atomic_ref<word> seen(w.local()[through]);
    const auto end = steady_clock::now() + (alone ? busy_slowdown * 30s : 400ms);
    while (seen.load() != 2 && steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    harness::check(seen.load() == 2 || !alone, [] {
      return Stack::fingerprint() + ": the other ranks wait for a target that makes no call";
    });
  } else {
    std::this_thread::sleep_for(20ms);  // Rank 1 computes by now.
    auto e = w.lock_all(mpx::rma::assertion::no_check);
    const auto at = static_cast<std::uint64_t>(world.rank() == 0 ? 1000 : 25'000);
    const std::vector<word> out(20'000, at);
    w.put(out, 1, at);
    w.flush(1);
    word last = 0;
    for (int i = 0; i < accesses; ++i) {
      word now = 0;
      w.fetch_and_op(word{1}, now, 1, 0, mpx::sum);
      w.flush(1);
      harness::check(now > last || i == 0, "a ticket is older than the one before");
      last = now;
      w.accumulate(word{2}, 1, 1, mpx::sum);
    }
    word guess = 0;
    for (bool swapped = false; !swapped;) {
      word was = 0;
      w.compare_and_swap(guess, guess + 1, was, 1, 2);
      w.flush(1);
      swapped = was == guess;
      guess = was;
    }
    w.flush(1);
    e.unlock();
    const auto third = static_cast<std::uint64_t>(world.rank() == 0 ? 3 : 4);
    for (word i = 1; i <= locks;
         ++i) {  // Under the lock of the target, which the ranks take in turn.
      auto one = w.lock(1);
      word was = 0;
      w.fetch_and_op(word{0}, was, 1, 5, mpx::sum);  // (Not every card reads.)
      w.flush(1);
      w.put(was + 1, 1, 5);
      one.unlock();
      auto all = w.lock_all();
      w.put(i, 1, third);
      w.flush(1);
    }
    auto all = w.lock_all();
    w.accumulate(word{1}, 1, through, mpx::sum);
    w.flush(1);
  }
  world.barrier();
  if (world.rank() == 1) {
    const auto mine = w.local();
    const auto n = static_cast<word>(accesses);
    harness::check(mine[0] == 3 + 2 * n, "additions are lost: " + std::to_string(mine[0]));
    harness::check(mine[1] == 4 * n, "accumulates are lost: " + std::to_string(mine[1]));
    harness::check(mine[2] == 2, "exchanges are lost: " + std::to_string(mine[2]));
    harness::check(mine[3] == locks && mine[4] == locks, "short puts are lost");
    harness::check(mine[5] == 2 * locks, "two writers held the lock: " + std::to_string(mine[5]));
    harness::check(mine[1000] == 1000 && mine[20'999] == 1000 && mine[25'000] == 25'000 &&
                       mine[44'999] == 25'000,
                   "puts are lost");
  }
  world.barrier();
  w.free();
}

}  // namespace passive
