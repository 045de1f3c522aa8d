// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Ranks that compute for some seconds, while a stranger opens connections to them, and then connect
// for the first time. tcp_flood tcp|cluster

#include <chrono>
#include <mpx/cluster.hpp>
#include <string_view>
#include <thread>
#include <vector>

#include "instances/job_cluster.hpp"
#include "instances/job_tcp.hpp"
#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;

template <class Stack>
void meet() {
  mpx::environment<Stack> env;
  const auto world = env.world();
  std::this_thread::sleep_for(3s);
  for (mpx::rank_t away = 1; away < world.size(); ++away) {
    const mpx::rank_t to = (world.rank() + away) % world.size();
    const mpx::rank_t from = (world.rank() - away + world.size()) % world.size();
    int said = -1;
    auto received = world.irecv(said, from, 1);
    world.send(world.rank(), to, 1);
    received.wait();
    harness::check(said == from, "a message of another rank arrived");
  }
}

}  // namespace

int main(int, char** argv) {
  const harness::watchdog guard("tcp_flood", 100s);
  if (std::string_view(argv[1]) == "tcp") {
    meet<mpx::tcp_stack>();
  } else {
    meet<mpx::cluster_stack>();
  }
}
