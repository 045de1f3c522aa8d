// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// Random programs over transport channel on simulated devices.

#include <doctest/doctest.h>

#include <cstdint>

#include "sim/channel_stacks.hpp"
#include "sim/play.hpp"

namespace {
namespace channel_over_sim {

#ifdef MPX_TEST_SANITIZED
constexpr std::uint64_t programs = 50;
#else
constexpr std::uint64_t programs = 150;
#endif

template <class Stack>
void explore() {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto v = explorer::play<Stack>(seed, seed % 4 == 3, {}, false);
    INFO("seed: ", seed);
    REQUIRE(v.failure == "");
  }
}

TEST_CASE("channel over sim: five functions") { explore<explorer::channel_plain>(); }
TEST_CASE("channel over sim: two packets are buffered") { explore<explorer::channel_counted>(); }
TEST_CASE("channel over sim: started operations") { explore<explorer::channel_starting>(); }
TEST_CASE("channel over sim: gets in pieces") { explore<explorer::channel_getting>(); }

}  // namespace channel_over_sim
}  // namespace
