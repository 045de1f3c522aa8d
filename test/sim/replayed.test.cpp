// SPDX-License-Identifier: BSL-1.0
// Packets that the simulated network loses, repeats and shortens; and what mends that, as transport
// tcp does: nothing is lost or doubled above, although much is below.

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <mpx/sim.hpp>
#include <vector>

#include "transport/replayed.hpp"

namespace {

namespace sim = mpx::sim;
using fault = sim::fault::kind;
using fabric = mpx::transport::basic_sim<mpx::transport::sim_rma::none, 512, 8>;
using mended = mpx::stack<replayed_transport::replayed<fabric>, mpx::waiting::sleep,
                          mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::packets, 8000>>;

static_assert(mpx::StreamTransport<mended::transport_type>);

TEST_CASE("replayed: every packet arrives once and in order over a faulty network") {
  replayed_transport::replayed_counters all;
  std::uint64_t lost = 0, repeated = 0, shortened = 0;
  for (const mpx::rank_t n : {1, 2, 3, 4, 7, 8}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      sim::options o;
      o.time_max_ns = 10'000'000'000;
      for (mpx::rank_t r = 0; r < n; ++r)
        for (const fault what : {fault::lose, fault::repeat, fault::shorten})
          o.faults.push_back({what, 0, r, -1, 0.03});
      sim::loggp model;
      model.jitter_ns = 3000;
      const auto body = [&](mpx::environment<mended>& env) {
        auto world = env.world();
        const mpx::rank_t me = world.rank();
        for (std::uint32_t i = 0; i < 24; ++i) {
          std::vector<std::uint32_t> out(std::size_t{i} * 101,
                                         static_cast<std::uint32_t>(me) << 16 | i);
          std::vector<std::uint32_t> in(out.size());
          const mpx::rank_t from = (me + n - 1) % n;
          world.sendrecv(out, (me + 1) % n, 1, in, from, 1);
          const std::vector<std::uint32_t> sent(in.size(),
                                                static_cast<std::uint32_t>(from) << 16 | i);
          REQUIRE((in == sent));
        }
        REQUIRE(world.allreduce(1, std::plus<>{}) == n);
        const auto& c = env.transport().counters();
        all.resets += c.resets;
        all.gaps += c.gaps;
        all.questions += c.questions;
        all.doubled += c.doubled;
      };
      const sim::result r = sim::run<mended>(n, model, seed, body, o);
      lost += r.lost;
      repeated += r.repeated;
      shortened += r.shortened;
    }
  }
  for (const std::uint64_t times :
       {lost, repeated, shortened, all.resets, all.gaps, all.questions, all.doubled})
    CHECK(times > 10);
}

TEST_CASE("replayed: over a network that loses everything the peer is lost") {
  sim::options o;
  o.faults.push_back({fault::lose, 0, 0, 1, 1.0});
  const auto body = [](mpx::environment<sim::stack>& env) {
    auto world = env.world();
    int x = 0;
    if (world.rank() == 0) world.send(x, 1);
    if (world.rank() == 1) world.recv(x, 0);
  };
  const auto r = sim::try_run(2, sim::loggp{}, 1, body, o);
  CHECK(r.lost == 1);
  CHECK(r.stuck.find("no rank can go on") != std::string::npos);
  o.faults.back().factor = 0;
  CHECK(sim::run(2, sim::loggp{}, 1, body, o).lost == 0);
  for (const double share : {-0.1, 1.1}) {
    o.faults.back().factor = share;
    CHECK_THROWS_AS(sim::run(2, sim::loggp{}, 1, body, o), mpx::error);
  }
}

}  // namespace
