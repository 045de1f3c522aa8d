// SPDX-License-Identifier: BSL-1.0
#pragma once
// The program of mismatch.test.py, over any stack: joins, exchanges messages on each side of the
// thresholds, and says how many of them were announced.

#include <algorithm>
#include <chrono>
#include <mpx/mpx.hpp>
#include <vector>

#include "mp/harness.hpp"

namespace said {

template <class Stack>
void exchange(mpx::environment<Stack>& env) {
  auto world = env.world();
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  for (const std::size_t bytes : {8u, 100u, 2'000u, 20'000u}) {
    std::vector<std::byte> out(bytes);
    std::vector<std::byte> in(bytes);
    harness::fill(out, bytes + static_cast<std::size_t>(world.rank()));
    world.sendrecv(out, next, 1, in, last, 1);
    harness::check(harness::holds(in, bytes + static_cast<std::size_t>(last)), "damaged");
  }
  std::printf("rank %d announced %d\n", env.rank(),
              static_cast<int>(env.trace()[mpx::event::announced]));
}

/// Exit codes: 0, or 3 and the error on stderr.
template <class Stack>
int main() {
  const harness::watchdog guard("joining", std::chrono::seconds(60));
  try {
    mpx::environment<Stack> env;
    exchange(env);
  } catch (const mpx::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
  return 0;
}

}  // namespace said
