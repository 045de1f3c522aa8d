// SPDX-License-Identifier: BSL-1.0
// Partitioned communication in virtual time: whatever the delays, and the death of a peer.

#include <mpx/partitioned.hpp>
#include <mpx/sim.hpp>

#include "comm/partitions.hpp"
#include "comm/ranks.hpp"

TEST_CASE("partitioned: in the simulator, with any delays") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    mpx::sim::run(4, mpx::sim::loggp{.jitter_ns = 20'000, .noise_ns = 500}, seed, [&](auto world) {
      const mpx::rank_t right = (world.rank() + 1) % 4;
      const mpx::rank_t left = (world.rank() + 3) % 4;
      constexpr std::size_t bytes = 12 * 3000;
      std::vector<std::byte> out(bytes);
      std::vector<std::byte> in(bytes);
      auto send = mpx::psend_init(world, out, 12, right);
      if (seed % 3 == 0) world.barrier();
      auto receive = mpx::precv_init(world, in, seed % 2 == 0 ? 3 : 4, left);
      for (std::uint64_t round = 0; round < 3; ++round) {
        ranks::fill(out, 10 * round + static_cast<std::uint64_t>(world.rank()));
        send.start();
        for (const std::size_t i : partitions::shuffled(12, seed + round)) mpx::pready(send, i);
        if (seed % 4 < 2) send.wait();
        receive.start();
        if (round == 1)
          while (!mpx::parrived(receive, 2)) continue;
        receive.wait();
        if (seed % 4 >= 2) send.wait();
        CHECK(ranks::holds(in, 10 * round + static_cast<std::uint64_t>(left)));
      }
    });
  }
}

TEST_CASE("partitioned: the death of a peer ends both sides") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto death = static_cast<std::int64_t>(seed * 3000);
    mpx::sim::options o;
    o.faults.push_back({mpx::sim::fault::kind::kill, death, 1});
    const auto end = mpx::sim::try_run(
        3, mpx::sim::loggp{.jitter_ns = 2000}, seed,
        [](auto world) {
          std::vector<std::byte> data(9 * 5000);
          const bool sends = world.rank() != 2;
          auto r = world.rank() == 0   ? mpx::psend_init(world, data, 9, 1)
                   : world.rank() == 1 ? mpx::psend_init(world, data, 9, 2)
                                       : mpx::precv_init(world, data, 3, 1);
          std::error_code ec;
          for (int round = 0; round < 1000 && !ec; ++round) {
            r.start(ec);
            if (sends && !ec)
              for (std::size_t i = 0; i < 9 && !ec; ++i) mpx::pready(r, i, ec);
            if (!ec) r.wait(ec);
          }
          CHECK(ec == mpx::errc::peer_lost);
          for (int again = 0; again < 2; ++again) {  // And stays so.
            ec.clear();
            r.start(ec);
            if (sends && !ec) mpx::pready_range(r, 0, 8, ec);
            if (!ec) r.wait(ec);
            CHECK(ec == mpx::errc::peer_lost);
          }
        },
        o);
    CHECK(!end.failure);
  }
}
