// SPDX-License-Identifier: BSL-1.0
// ranks: 2 3 5
// timeout: 170
// Ranks that are processes, on two pretended hosts: mpx::fabric_stack, with shared memory within
// each host and a provider of libfabric between them.

#include <mpx/fabric.hpp>

#include <chrono>
#include <cstdlib>

#include "mp/collectives.hpp"
#include "mp/groups.hpp"
#include "mp/over_fabric.hpp"

int main() {
  const harness::watchdog guard("libfabric_hybrid", std::chrono::seconds(150));
  ::setenv("MPX_PRETEND_HOSTS", "0,1,1", 1);  // NOLINT(concurrency-mt-unsafe)
  mpx::environment<mpx::fabric_stack> env;
  auto world = env.world();
  over_fabric::run(env);
  constexpr std::size_t some[] = {700};
  collectives::run(world, some, 20);
  groups::run(world, 5);
}
