// SPDX-License-Identifier: BSL-1.0
// Collectives of an intercommunicator in virtual time: at any delays, and with a death in
// either group.

#include <mpx/sim.hpp>

#include "coll/inter.hpp"
#include "sim/stacks.hpp"

namespace {

using sim_stacks::ms;
constexpr mpx::sim::loggp uneven{.jitter_ns = 20'000, .noise_ns = 100};
struct sides {
  mpx::rank_t here;
  mpx::rank_t there;
};

}  // namespace

TEST_CASE("sim: every collective of an intercommunicator, at any delays") {
  using namespace inter_suite;
  for (const sides c : {sides{1, 1}, sides{1, 3}, sides{2, 2}, sides{3, 4}, sides{4, 4}})
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
      mpx::sim::run(c.here + c.there, uneven, seed, [c, seed](auto world) {
        const bool low = world.rank() < c.here;
        auto on = connected(world, c.here);
        const form f = forms[seed % 4];
        for (const std::size_t length : {0u, 3u, 800u}) everything(on, low, length, f);
        on.free();
      });
}

TEST_CASE("sim: a death in either group ends the calls of all ranks that wait") {
  using namespace inter_suite;
  constexpr sides c{3, 4};
  for (mpx::rank_t victim = 0; victim < c.here + c.there; ++victim) {
    CAPTURE(victim);
    int ended = 0;
    std::int64_t last_ns = 0;
    mpx::sim::options o;
    o.faults.push_back({mpx::sim::fault::kind::kill, 10 * ms, victim});
    const auto all = mpx::sim::try_run(
        c.here + c.there, uneven, static_cast<std::uint64_t>(victim + 1),
        [&](auto& env) {
          auto world = env.world();
          auto on = connected(world, c.here);
          on.barrier();
          const auto there = static_cast<std::size_t>(on.remote_size());
          if (world.rank() == victim) return env.transport().compute(100'000 * ms);
          std::vector<mpx::request<mpx::sim::stack>> under_way;
          const words in(1000 * there, 1);
          std::vector<words> out(9, words(1000 * there));
          words small(1);
          under_way.push_back(on.iallgather(std::span(in).first(1000), out[0]));
          under_way.push_back(on.ialltoall(in, out[1]));
          under_way.push_back(
              on.iallreduce(std::span(in).first(500), std::span(out[2]).first(500), mpx::sum));
          under_way.push_back(on.ibarrier());
          decltype(on) twin;
          under_way.push_back(on.idup(twin));
          bool every = true;
          const bool of_its_group = (world.rank() < c.here) == (victim < c.here);
          for (std::size_t i = 0; i < under_way.size(); ++i) {
            std::error_code ec;
            under_way[i].wait(ec);
            // An alltoall of the intercommunicator needs nothing of the own group; a duplicate
            // waits for no leaf.
            const bool may_end = (i == 1 && of_its_group) || i == 4;
            every = every && (ec == mpx::errc::peer_lost || (may_end && !ec));
          }
          std::error_code ec;
          on.reduce_scatter_block(std::span(in).first(12u / there * there), small, mpx::sum, ec);
          every = every && ec;
          (void)on.split(0, 0, ec);
          every = every && ec == mpx::errc::peer_lost;
          (void)on.merge(true, ec);
          every = every && ec == mpx::errc::peer_lost;
          last_ns = std::max(last_ns, env.now_ns());
          ended += every;
          env.transport().compute(50'000 * ms);
        },
        o);
    if (all.failure) CHECK_NOTHROW(std::rethrow_exception(all.failure));
    CHECK(ended == c.here + c.there - 1);
    CHECK(last_ns < 2'000 * ms);
  }
}
