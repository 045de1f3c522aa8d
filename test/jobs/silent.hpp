// SPDX-License-Identifier: BSL-1.0
#pragma once
// Victims that are killed before they have sent a message: each rank receives from all others, and
// none sends.

#include <unistd.h>

#include <chrono>
#include <mpx/mpx.hpp>
#include <vector>

#include "mp/harness.hpp"

namespace silent {

template <class Stack>
void run(const char* name) {
  const harness::watchdog guard(name, std::chrono::seconds(60));
  mpx::environment<Stack> env;
  const auto world = env.world();
  std::vector<int> in(static_cast<std::size_t>(world.size()));
  std::vector<mpx::request<Stack>> requests;
  for (mpx::rank_t r = 0; r < world.size(); ++r)
    if (r != world.rank()) requests.push_back(world.irecv(in[static_cast<std::size_t>(r)], r, 5));
  std::printf("rank %d pid %d\n", world.rank(), static_cast<int>(::getpid()));
  std::fflush(stdout);
  try {
    mpx::wait_any(requests);
  } catch (const mpx::error& e) {
    harness::check(e.code() == mpx::errc::peer_lost, e.what());
    std::printf("rank %d: a peer was lost\n", world.rank());
  }
}

}  // namespace silent
