// SPDX-License-Identifier: BSL-1.0
// Messages between layouts in simulated jobs: with and without remote memory, copied by cards and by
// cores.

#include <doctest/doctest.h>

#include <mpx/mpx.hpp>

#include "datatype/transfers.hpp"
#include "sim/stacks.hpp"

namespace {

using namespace sim_stacks;

constexpr sim::loggp rough{
    .far = {1000, 200, 100, 0.5}, .node_size = 1, .jitter_ns = 3000, .noise_ns = 100};

}  // namespace

TEST_CASE_TEMPLATE("sim: layouts arrive on every path", Stack, sim::stack, plain, by_put, by_cpu) {
  const sim::result r =
      sim::run<Stack>(2, rough, 7, [](auto world) { transfers::exchange_all(world, 9'000, 4); });
  CHECK(r.stuck == "");
}
