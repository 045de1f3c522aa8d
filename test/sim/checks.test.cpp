// SPDX-License-Identifier: BSL-1.0
// checks::collectives in virtual time: whatever the delays, all ranks name the same two calls.

#include "coll/mismatches.hpp"
#include "sim/stacks.hpp"

TEST_CASE("checks: in the simulator, at any delays") {
  using compared = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::checks::all>;
  constexpr mpx::sim::loggp rough{.node_size = 2, .jitter_ns = 30'000, .noise_ns = 100};
  for (const mpx::rank_t n : {2, 3, 4, 7, 8, 19}) {
    const auto end = mpx::sim::try_run<compared>(
        n, rough, static_cast<std::uint64_t>(n), [](mpx::environment<compared>& env) {
          const auto world = env.world();
          std::int64_t late_ns = 0;
          mismatches::everything(world, [&] {
            late_ns = (late_ns * 31 + 7919 * (world.rank() + 1)) % 200'000;
            env.transport().compute(late_ns);
          });
          mismatches::nothing(world);
        });
    CHECK(!end.failure);
    CHECK(end.stuck.empty());
  }
}

TEST_CASE("checks: a rank that dies or drops its call ends it for the others") {
  using compared = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::checks::collectives>;
  mpx::sim::options o;
  o.faults.push_back({mpx::sim::fault::kind::kill, 1'000'000, 3});
  const auto end = mpx::sim::try_run<compared>(
      5, mpx::sim::loggp{.jitter_ns = 3000}, 1,
      [](mpx::environment<compared>& env) {
        const auto world = env.world();
        int x = 1;
        std::error_code ec;
        {
          auto dropped = world.rank() == 4 ? world.allreduce(x, mpx::sum, mpx::start)
                                           : mpx::request<compared>();
        }
        if (world.rank() != 4) {
          world.allreduce(x, mpx::sum, mpx::start).wait(ec);
          CHECK(ec == mpx::errc::peer_lost);
        }
        if (world.rank() == 3) env.transport().compute(1'000'000'000);
        world.bcast(x, world.rank() == 1, ec);
        CHECK(ec == mpx::errc::peer_lost);
      },
      o);
  CHECK(!end.failure);
}
