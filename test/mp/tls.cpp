// SPDX-License-Identifier: BSL-1.0
// ranks: 2 7
// timeout: 120
// Ranks that are processes, over encrypted sockets, alone and beside shared memory.

#include <chrono>
#include <cstdlib>
#include <mpx/tls.hpp>

#include "mp/over_sockets.hpp"

int main() {
  using namespace std::chrono_literals;
  const harness::watchdog guard("tls", 100s);
  {
    mpx::environment<mpx::tls_stack> env;
    over_sockets::run(env.world());
  }
  ::setenv("MPX_PRETEND_HOSTS", "0,1,1", 1);  // NOLINT(concurrency-mt-unsafe)
  mpx::environment<mpx::tls_cluster_stack> env;
  over_sockets::run(env.world());
}
