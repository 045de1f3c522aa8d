// SPDX-License-Identifier: BSL-1.0
// compilers: both
// ranks: 2 4 7
// timeout: 100
// Every collective by every algorithm between processes, and long ones as the stack chooses.

#include <chrono>

#include "instances/job.hpp"
#include "mp/collectives.hpp"

int main() {
  const harness::watchdog guard("collectives", std::chrono::seconds(90));
  mpx::environment<> env;
  constexpr std::size_t some[] = {1, 700};
  collectives::run(env.world(), some, 500);
}
