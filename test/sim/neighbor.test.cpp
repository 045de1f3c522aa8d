// SPDX-License-Identifier: BSL-1.0
// Collectives among neighbours in virtual time: at any delays, and with a death.

#include <mpx/sim.hpp>

#include "coll/neighbors.hpp"

TEST_CASE("neighbor: in the simulator, at any delays") {
  for (const mpx::rank_t n : {1, 2, 3, 4, 7, 8})
    for (std::uint64_t seed = 1; seed <= (n <= 3 ? 3 : 1); ++seed)
      mpx::sim::run(n, mpx::sim::loggp{.jitter_ns = 20'000}, seed, [n](auto world) {
        neighbors::exchange_everywhere(world, std::array<std::size_t, 1>{n == 2 ? 6000u : 1u});
      });
}

TEST_CASE("neighbor: the death of a rank ends it on all that wait") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    mpx::sim::options o;
    o.faults.push_back(
        {mpx::sim::fault::kind::kill, 100'000 + static_cast<std::int64_t>(seed * 7000), 2});
    const auto end = mpx::sim::try_run(
        5, mpx::sim::loggp{.jitter_ns = 2000}, seed,
        [](auto world) {
          std::error_code ec;
          auto ring = mpx::cart_create(world, {{5, true}}, mpx::keep_ranks, ec);
          if (ec) return;
          neighbors::all_blocks b(ring, 500);
          auto r = ring.neighbor_alltoall_init(b.out, b.in);
          for (int round = 0; round < 100'000 && !ec; ++round) {
            if (round % 2 == 0) {
              r.start();
              r.wait(ec);
            } else {
              ring.neighbor_alltoall(b.out, b.in, ec);
            }
          }
          CHECK(ec == mpx::errc::peer_lost);
        },
        o);
    CHECK(!end.failure);
  }
}
