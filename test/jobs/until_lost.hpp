// SPDX-License-Identifier: BSL-1.0
#pragma once
// Victims of tests: all ranks exchange messages of all sizes until one of them is lost. With an
// argument, rank 1 kills itself.

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mpx/mpx.hpp>
#include <vector>

#include "mp/harness.hpp"

namespace until_lost {

using namespace std::chrono_literals;

constexpr std::size_t sizes[] = {0, 8, 40, 1000, 16'000, 100'000, 700'000};

template <class Stack>
void run(mpx::communicator<Stack> world, bool ends) {
  std::vector<std::byte> out(700'000);
  std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(world.size()),
                                         std::vector<std::byte>(700'000));
  for (std::uint64_t round = 0;; ++round) {
    std::vector<mpx::request<Stack>> requests;
    const std::size_t bytes = sizes[round % std::size(sizes)];
    for (mpx::rank_t r = 0; r < world.size(); ++r) {
      if (r == world.rank()) continue;
      requests.push_back(world.irecv(in[static_cast<std::size_t>(r)], r, 5));
      requests.push_back(world.isend(std::span(out).first(bytes), r, 5));
    }
    mpx::wait_all(requests);
    if (round != 20) continue;
    std::printf("rank %d pid %d\n", world.rank(), static_cast<int>(::getpid()));
    std::fflush(stdout);
    if (ends && world.rank() == 1) ::raise(SIGKILL);
  }
}

template <class Stack>
int main(const char* name, int argc) {
  const harness::watchdog guard(name, 60s);
  mpx::environment<Stack> env;
  try {
    run(env.world(), argc > 1);
  } catch (const mpx::error& e) {
    harness::check(e.code() == mpx::errc::peer_lost, e.what());
    std::printf("rank %d: a peer was lost\n", env.world().rank());
  }
  return 0;
}

}  // namespace until_lost
