// SPDX-License-Identifier: BSL-1.0
// ranks: 1 2 3 4 7 8
// timeout: 120
// Ranks that are processes, over sockets.

#include <mpx/cluster.hpp>

#include <chrono>

#include "instances/job_tcp.hpp"
#include "mp/over_sockets.hpp"

int main() {
  using namespace std::chrono_literals;
  const harness::watchdog guard("tcp", 100s);
  mpx::environment<mpx::tcp_stack> env;
  over_sockets::run(env.world());
}
