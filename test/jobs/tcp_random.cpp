// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Random traffic over sockets; every fourth seed with packets and windows so small that they are
// full all the time. tcp_random SEED [PROGRAMS]

#include <mpx/transport/tcp.hpp>

#include "jobs/random_traffic.hpp"

namespace {

using narrow = mpx::stack<mpx::transport::basic_tcp<1024>, mpx::matching::list,
                          mpx::protocol::tiny_short_long<8, 512, mpx::long_path::automatic, 1024>,
                          mpx::flow::credits<64 * 1024, 4 * 1024>>;

}  // namespace

int main(int argc, char** argv) {
  using wide = mpx::stack<mpx::transport::tcp>;
  return random_traffic::main<wide>(argc, argv, [](std::uint64_t seed) {
    if (seed % 4 == 3) {
      random_traffic::play<narrow>(seed, 250);
    } else {
      random_traffic::play<wide>(seed, 500);
    }
  });
}
