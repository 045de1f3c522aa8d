// SPDX-License-Identifier: BSL-1.0
// ranks: 2 3
// timeout: 60
// Windows of ranks that are processes, over sockets: random one-sided programs, by packets alone. Each rank
// is the only one that shares its memory.

#include <mpx/cluster.hpp>

#include <chrono>

#include "instances/job_tcp.hpp"
#include "mp/harness.hpp"
#include "rma/programs.hpp"

int main() {
  using namespace std::chrono_literals;
  const harness::watchdog guard("tcp_windows", 50s);
  mpx::environment<mpx::tcp_stack> env;
  auto world = env.world();
  harness::check(programs::share_parts(world) == 1, "a window of ranks that share memory");
  for (programs::word seed = 1; seed <= 6; ++seed)
    harness::check(
        programs::play(world, seed,
                       programs::all_protocols[seed % std::size(programs::all_protocols)],
                       seed % 2 == 0, 5),
        "the program of seed " + std::to_string(seed));
}
