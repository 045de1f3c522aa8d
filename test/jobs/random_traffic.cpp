// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Random traffic over the usual stack, and over a narrow one. random_traffic SEED

#include <mpx/bootstrap/pmi1.hpp>

#include "jobs/random_traffic.hpp"

namespace {

/// Rings, pools and windows so small that they are full all the time.
using small = mpx::stack<mpx::transport::basic_shm<4, 4096>, mpx::matching::list,
                         mpx::protocol::tiny_short_long<8, 512, mpx::long_path::automatic, 1024>,
                         mpx::flow::credits<64 * 1024, 4 * 1024>>;

}  // namespace

int main(int argc, char** argv) {
  return random_traffic::main(argc, argv, [](std::uint64_t seed) {
    if (seed % 4 == 3) {
      random_traffic::play<small>(seed, 250);
    } else {
      random_traffic::play<mpx::stack<>>(seed, 500);
    }
  });
}
