// SPDX-License-Identifier: BSL-1.0
// ranks: 2
// timeout: 240
// labels: slow
// sanitizers: none
// Two million messages of 1 KiB to a rank that sleeps for three seconds.

#include <chrono>

#include "instances/job.hpp"
#include "mp/flood.hpp"

int main() {
  const harness::watchdog guard("flood", std::chrono::seconds(200));
  mpx::environment<> env;
  flooding::run(env, 2'000'000, std::chrono::seconds(3));
}
