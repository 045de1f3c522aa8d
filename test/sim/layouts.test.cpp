// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Messages between layouts in simulated jobs: with and without remote memory, copied by cards and by
// cores.

#include <doctest/doctest.h>

#include <array>
#include <mpx/mpx.hpp>
#include <span>

#include "coll/layouts.hpp"
#include "datatype/transfers.hpp"
#include "sim/stacks.hpp"

namespace {

using namespace sim_stacks;

constexpr sim::loggp far_apart{
    .far = {1000, 200, 100, 0.5}, .node_size = 1, .jitter_ns = 3000, .noise_ns = 100};

}  // namespace

TEST_CASE_TEMPLATE("sim: layouts arrive on every path", Stack, sim::stack, plain, by_put, by_cpu) {
  const sim::result r = sim::run<Stack>(
      2, far_apart, 7, [](auto world) { transfers::exchange_all(world, 9'000, 4); });
  CHECK(r.stuck == "");
}

TEST_CASE("sim: collectives of spread buffers, at any delays") {
  const std::array<std::size_t, 2> few_lengths = {1, 60};
  for (const mpx::rank_t n : {1, 2, 3, 4, 7, 8})
    for (const auto f : {suite::form::at_once, suite::form::started, suite::form::prepared}) {
      const sim::result r = sim::run<by_cpu>(n, far_apart, 5, [&](auto world) {
        spread::everything(world, f, 500 + static_cast<std::uint64_t>(n),
                           f == suite::form::at_once ? std::span<const std::size_t>(spread::lengths)
                                                     : std::span(few_lengths));
      });
      CHECK(r.stuck == "");
    }
}
