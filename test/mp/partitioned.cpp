// SPDX-License-Identifier: BSL-1.0
// compilers: both
// ranks: 1 2 4 7
// timeout: 60
// Messages in parts, between processes whose threads share the work.

#include <chrono>

#include "mp/partitioned.hpp"

int main() {
  const harness::watchdog guard("partitioned", std::chrono::seconds(50));
  mpx::environment<mpx::stack<mpx::threading::multiple>> env;
  partitioned::run(env.world());
  return 0;
}
