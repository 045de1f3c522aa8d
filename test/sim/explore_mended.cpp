// SPDX-License-Identifier: BSL-1.0
// The explorer of what mends a network: packets are lost, repeated and shortened, connections break
// at chosen bytes, and above the code by which transport tcp replaces them nothing is to be seen.

#include "sim/explorer.hpp"
#include "sim/explorer_stacks.hpp"
#include "transport/replayed.hpp"

namespace {

using explorer::sized;
using fabric = mpx::transport::basic_sim<mpx::transport::sim_rma::none, 512, 8>;
using mended = mpx::stack<replayed_transport::replayed<fabric>, mpx::waiting::sleep,
                          sized<40, 1024, mpx::long_path::packets, 8000>>;

}  // namespace

int main(int argc, char** argv) {
  using namespace explorer;
  static constexpr contestant stacks[] = {over<mended>("mended")};
  return exploration(stacks, false).main(argc, argv);
}
