// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Packets that a fuzzer invents, against portals: see portals/intruder.hpp.

#include "portals/intruder.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  portal_machine::attack a;
  if (!a.play(portal_machine::script({data, size}))) std::abort();
  return 0;
}
