// SPDX-License-Identifier: BSL-1.0
#pragma once
// Stacks for simulated jobs that differ in how their messages move.

#include <cstdint>
#include <mpx/sim.hpp>

#include "instances/instances.hpp"

namespace sim_stacks {

namespace sim = mpx::sim;
using mpx::transport::basic_sim;
using mpx::transport::sim_rma;

using plain = mpx::stack<basic_sim<sim_rma::none>, mpx::waiting::sleep>;
using by_put = mpx::stack<mpx::transport::sim, mpx::waiting::sleep,
                          mpx::protocol::tiny_short_long<40, 4096, mpx::long_path::put>>;
using by_cpu = mpx::stack<basic_sim<sim_rma::cpu>, mpx::waiting::sleep>;
using multiple = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::threading::multiple>;

inline constexpr std::int64_t ms = 1'000'000;  // Of virtual time.

}  // namespace sim_stacks

// Without the refinements that plain does not use; compiled where it is used.
MPX_TEST_ENGINE(extern, mpx::sim::stack)
MPX_TEST_ENGINE(extern, sim_stacks::by_put)
MPX_TEST_ENGINE(extern, sim_stacks::by_cpu)
MPX_TEST_ENGINE(extern, sim_stacks::multiple)
