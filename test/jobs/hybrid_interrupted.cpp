// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// A timer interrupts every rank a thousand times a second, by a signal whose handler restarts no
// calls, from before it joins until it has left: over each transport environments start, exchange
// messages of all sizes, sleep for want of them, and leave.

#include <signal.h>
#include <sys/time.h>

#include <chrono>
#include <mpx/cluster.hpp>
#include <mpx/transport/tcp.hpp>
#include <string>
#include <thread>

#include "instances/job.hpp"
#include "instances/job_cluster.hpp"
#include "jobs/joined.hpp"

namespace {

using namespace std::chrono_literals;

void be_interrupted() {
  struct sigaction ours{};
  ours.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &ours, nullptr);
  const itimerval often{{0, 1'000}, {0, 1'000}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
}

template <class Stack>
void run(const std::string& name) {
  for (int round = 0; round < 3; ++round) {
    mpx::environment<Stack> env;
    const auto world = env.world();
    joined::exchange(world);
    for (mpx::rank_t late = 0; late < world.size(); ++late) {
      if (late == world.rank()) std::this_thread::sleep_for(20ms);  // The others sleep meanwhile.
      const int sum = world.allreduce(1, std::plus<>{});
      harness::check(sum == world.size(), name + ": a wrong sum");
    }
  }
}

}  // namespace

int main() {
  const harness::watchdog guard("interrupted", 60s);
  be_interrupted();
  using anywhere = mpx::bootstrap::anywhere;
  run<mpx::stack<>>("shm");
  run<mpx::stack<mpx::transport::tcp, anywhere>>("tcp");
  run<mpx::cluster_stack>("cluster, one host");
  ::setenv("MPX_PRETEND_HOSTS", "0,0,1", 1);  // NOLINT(concurrency-mt-unsafe)
  run<mpx::cluster_stack>("cluster, two hosts");
  std::puts("went on");
}
