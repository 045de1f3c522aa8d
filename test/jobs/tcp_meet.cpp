// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// For tcp_interfaces.test.py: ranks that connect for the first time, over sockets.
//   tcp_meet         each exchanges a message with every other rank; prints "met", or the error
//   tcp_meet die     the same, but the last rank kills itself before, and the others wait for it
//   tcp_meet late    the same, but odd ranks compute for 3 s before they look at the network

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mpx/cluster.hpp>
#include <string_view>
#include <thread>

#include "instances/job_tcp.hpp"
#include "mp/harness.hpp"

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  const harness::watchdog guard("tcp_meet", 50s);
  const std::string_view mode = argc > 1 ? argv[1] : "";
  mpx::environment<mpx::tcp_stack> env;
  auto world = env.world();
  const mpx::rank_t last = world.size() - 1;
  if (mode == "die" && world.rank() == last) ::raise(SIGKILL);
  if (mode == "die") std::this_thread::sleep_for(300ms);
  if (mode == "late" && world.rank() % 2 == 1) std::this_thread::sleep_for(3s);
  const auto begin = std::chrono::steady_clock::now();
  const auto told = [&](const char* what) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("rank %d: %.2f s: %s\n", world.rank(), took.count(), what);
    std::fflush(stdout);
  };
  try {
    for (mpx::rank_t step = 1; step < world.size(); ++step) {
      const mpx::rank_t next = (world.rank() + step) % world.size();
      const mpx::rank_t before = (world.rank() + world.size() - step) % world.size();
      mpx::rank_t who = -1;
      world.sendrecv(world.rank(), next, 1, who, before, 1);
      harness::check(who == before, "another rank's message");
    }
    told("met");
  } catch (const mpx::error& e) {
    told(e.what());
    std::_Exit(0);  // There is no rank to leave with.
  }
  return 0;
}
