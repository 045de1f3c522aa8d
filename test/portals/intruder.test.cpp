// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Packets that no sender makes, and honest ones with changed bits, against portals of all kinds.
// test/fuzz/portals.cpp lets a fuzzer choose them.

#include <doctest/doctest.h>

#include "portals/intruder.hpp"

namespace {

TEST_CASE("whatever arrives, portals write to their blocks alone") {
  std::uint64_t state = 1;
  for (int seed = 0; seed < 3000; ++seed) {
    std::vector<std::uint8_t> bytes(600);
    for (auto& b : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      b = static_cast<std::uint8_t>(state >> 56);
    }
    portal_machine::attack a;
    CHECK(a.play(portal_machine::script(bytes)));
  }
}

}  // namespace
