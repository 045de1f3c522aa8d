// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// Random programs over transport rdma on simulated cards.

#include <doctest/doctest.h>

#include <stdexcept>

#include "sim/play.hpp"
#include "sim/rdma_stacks.hpp"

namespace {
namespace rdma_over_sim {

using explorer::busy;
using explorer::poor;
using explorer::rich;
using explorer::unordered;

#ifdef MPX_TEST_SANITIZED
constexpr std::uint64_t programs = 50;
#else
constexpr std::uint64_t programs = 100;
#endif

template <class Stack>
void explore() {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto v = explorer::play<Stack>(seed, seed % 4 == 3, {}, false);
    INFO("seed: ", seed);
    REQUIRE(v.failure == "");
  }
}

TEST_CASE("rdma over sim: a rich card") { explore<rich>(); }
TEST_CASE("rdma over sim: a poor card") { explore<poor>(); }
TEST_CASE("rdma over sim: a poor card that is often busy") { explore<busy>(); }
TEST_CASE("rdma over sim: arrivals out of order") { explore<unordered>(); }

/// Rank 0 is woken, and arms again, at about the time when it is known that rank 1 has died, with
/// which it was never connected.
TEST_CASE("rdma over sim: who arms when a death becomes known does not sleep over it") {
  constexpr std::int64_t dies_ns = 50'000;
  constexpr std::int64_t known_ns = dies_ns + mpx::sim::loggp{}.detection_cost_ns;
  int told = 0;
  for (std::int64_t at_ns = known_ns - 5000; at_ns < known_ns + 1000; at_ns += 5) {
    CAPTURE(at_ns);
    const auto all = mpx::sim::try_run<rich>(
        3, mpx::sim::loggp{}, static_cast<std::uint64_t>(at_ns), [&](mpx::environment<rich>& env) {
          auto world = env.world();
          int word = 0;
          if (world.rank() == 1) {
            env.transport().compute(dies_ns);
            throw std::runtime_error("rank 1 dies");
          }
          if (world.rank() == 2) {
            world.send(word, 0);
            env.transport().compute(at_ns);
            world.send(word, 0);
            world.recv(word, 0);
            return;
          }
          try {
            world.recv(word, 1);
          } catch (const mpx::error& e) {
            told += e.code() == mpx::errc::peer_lost ? 1 : 0;
          }
          world.send(word, 2);
        });
    REQUIRE(all.stuck == "");
  }
  CHECK(told == 1200);
}

}  // namespace rdma_over_sim
}  // namespace
