// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// Collectives in virtual time: skewed ranks, and what becomes of those that are under way when a
// rank dies.

#include <doctest/doctest.h>

#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <vector>

#include "coll/orders.hpp"
#include "coll/suite.hpp"
#include "sim/stacks.hpp"

namespace {

namespace skewed {

using namespace sim_stacks;
constexpr sim::loggp rough{.far = {1000, 200, 100, 0.5},
                           .near = {100, 30, 10, 0.1},
                           .node_size = 2,
                           .jitter_ns = 3000,
                           .noise_ns = 100};

}  // namespace skewed

}  // namespace

TEST_CASE_TEMPLATE("sim: started collectives end for all when a rank dies", Stack, mpx::sim::stack,
                   sim_stacks::multiple) {
  using namespace skewed;
  for (const mpx::rank_t n : {2, 3, 7}) {
    for (mpx::rank_t victim = 0; victim < n; ++victim) {
      CAPTURE(n);
      CAPTURE(victim);
      int lost = 0;
      std::int64_t last_ns = 0;
      sim::options o;
      o.faults.push_back({sim::fault::kind::kill, 10 * ms, victim});
      const auto all = sim::try_run<Stack>(
          n, rough, static_cast<std::uint64_t>(victim + 1),
          [&](mpx::environment<Stack>& env) {
            auto world = env.world();
            if (world.rank() == victim) return env.transport().compute(100'000 * ms);
            std::vector<mpx::request<Stack>> under_way;
            std::vector<std::vector<int>> data(20, std::vector<int>(3, 1));
            data[7].resize(50'000);
            for (auto& d : data) under_way.push_back(world.allreduce(d, std::plus<>{}, mpx::start));
            under_way.push_back(world.barrier(mpx::start));
            bool every = true;
            for (auto& r : under_way) {
              std::error_code ec;
              r.wait(ec);
              every = every && ec == mpx::errc::peer_lost;
            }
            last_ns = std::max(last_ns, env.now_ns());
            lost += every;
            env.transport().compute(50'000 * ms);
          },
          o);
      if (all.failure) CHECK_NOTHROW(std::rethrow_exception(all.failure));
      CHECK(lost == n - 1);
      CHECK(last_ns < 2'000 * ms);
    }
  }
}

TEST_CASE("sim: skewed ranks with many pending collectives") {
  using namespace skewed;
  using stack = mpx::sim::stack;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto n = static_cast<mpx::rank_t>(2 + seed % 7);
    CAPTURE(seed);
    sim::run<stack>(n, rough, seed, [&](mpx::environment<stack>& env) {
      auto world = env.world();
      bool right = true;
      for (int round = 0; round < 10; ++round) {
        env.transport().compute(((world.rank() * 7 + round) % 5) * 20'000);
        std::vector<mpx::request<stack>> under_way;
        std::vector<int> sums(8, world.rank() + round);
        std::vector<std::vector<int>> copies(8);
        for (std::size_t i = 0; i < sums.size(); ++i) {
          copies[i].assign(i * i * 300, world.rank());
          under_way.push_back(world.allreduce(sums[i], std::plus<>{}, mpx::start));
          under_way.push_back(world.bcast(copies[i], static_cast<mpx::rank_t>(i) % n, mpx::start));
        }
        const int at_once = world.allreduce(1, std::plus<>{});
        right = right && at_once == n;
        for (std::size_t i = under_way.size(); i-- > 0;) under_way[i].wait();
        for (std::size_t i = 0; i < sums.size(); ++i) {
          right = right && sums[i] == n * (n - 1) / 2 + n * round;
          for (const int x : copies[i]) right = right && x == static_cast<mpx::rank_t>(i) % n;
        }
      }
      CHECK(right);
    });
  }
}

TEST_CASE("sim: every rank starts them in an order of its own, messages in between") {
  using namespace skewed;
  using stack = mpx::sim::stack;
  for (mpx::rank_t n = 2; n <= 8; ++n)
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
      sim::run<stack>(n, rough, seed, [&](mpx::environment<stack>& env) {
        orders::start_in_any(env.world(), seed * 8 + static_cast<std::uint64_t>(n), [&](auto& r) {
          env.transport().compute(static_cast<std::int64_t>(r.below(2 * ms)));
        });
      });
}

TEST_CASE("sim: every collective by every algorithm") {
  using namespace skewed;
  using stack = mpx::sim::stack;
  constexpr std::size_t some[] = {1, 700};
  for (const mpx::rank_t n : {1, 2, 3, 4, 7, 8}) {
    for (const auto f : {suite::form::at_once, suite::form::started}) {
      sim::run<stack>(n, rough, static_cast<std::uint64_t>(n),
                      [&](auto world) { suite::everything(world, f, some); });
    }
  }
}

TEST_CASE("sim: every collective by every algorithm, on nodes of other shapes") {
  using namespace skewed;
  using stack = mpx::sim::stack;
  constexpr std::size_t some[] = {1, 130};
  struct shape {
    mpx::rank_t ranks, node_size;
  };
  for (const shape is : {shape{8, 4}, shape{9, 3}, shape{7, 3}}) {
    auto model = rough;
    model.node_size = is.node_size;
    sim::run<stack>(is.ranks, model, 5, [&](auto world) {
      const auto f = is.ranks == 8 ? suite::form::prepared : suite::form::at_once;
      suite::everything(world, f, some);
      // Ranks of one node do not follow each other.
      suite::everything(world.split(0, world.rank() % is.node_size), f, std::span(some).first(1));
      // Nor do all nodes have as many.
      auto most = world.split(world.rank() == 2 ? 1 : 0, -world.rank());
      suite::everything(most, f, std::span(some).last(1));
    });
  }
}
