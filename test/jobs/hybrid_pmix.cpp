// SPDX-License-Identifier: BSL-1.0
// libraries: mpx::pmix
// sanitizers: none
// Random traffic of ranks on two pretended hosts, of a program that joins by PMIx, too.
// hybrid_pmix SEED

#include <cstdlib>
#include <mpx/bootstrap/pmix.hpp>
#include <mpx/cluster.hpp>

#include "instances/job_cluster.hpp"
#include "jobs/random_traffic.hpp"

int main(int argc, char** argv) {
  ::setenv("MPX_PRETEND_HOSTS", "0,0,1,1", 1);  // NOLINT(concurrency-mt-unsafe)
  return random_traffic::main(
      argc, argv, [](std::uint64_t seed) { random_traffic::play<mpx::cluster_stack>(seed, 300); });
}
