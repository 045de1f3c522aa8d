// SPDX-License-Identifier: BSL-1.0
// compilers: both
// ranks: 1 2 3 4 7 8
// timeout: 60
// Processes make communicators, groups and intercommunicators of each other, agree, revoke, shrink.

#include <chrono>

#include "instances/job.hpp"
#include "mp/groups.hpp"

int main() {
  const harness::watchdog guard("groups", std::chrono::seconds(50));
  mpx::environment<> env;
  groups::run(env.world());
  return 0;
}
