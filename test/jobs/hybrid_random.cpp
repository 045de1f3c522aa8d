// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Random traffic of ranks on three pretended hosts; every fourth seed with packets and windows so
// small that they are full all the time. hybrid_random SEED [PROGRAMS]

#include <cstdlib>
#include <mpx/cluster.hpp>

#include "instances/job_cluster.hpp"
#include "jobs/random_traffic.hpp"

namespace {

using narrow = mpx::stack<
    mpx::transport::hybrid<mpx::transport::basic_shm<16, 4096>, mpx::transport::basic_tcp<1024>>,
    mpx::matching::list, mpx::protocol::tiny_short_long<8, 512, mpx::long_path::automatic, 1024>,
    mpx::flow::credits<64 * 1024, 4 * 1024>>;

}  // namespace

int main(int argc, char** argv) {
  ::setenv("MPX_PRETEND_HOSTS", "0,1,0,2,1", 1);  // NOLINT(concurrency-mt-unsafe)
  return random_traffic::main<mpx::cluster_stack>(argc, argv, [](std::uint64_t seed) {
    if (seed % 4 == 3) {
      random_traffic::play<narrow>(seed, 250);
    } else {
      random_traffic::play<mpx::cluster_stack>(seed, 500);
    }
  });
}
