// SPDX-License-Identifier: BSL-1.0
#pragma once
// late_stacks.hpp for simulated jobs: with and without RMA, over channels of usual depth and tiny.

#include <mpx/sim.hpp>

#include "late_stacks.hpp"

namespace late_stacks {

using mpx::transport::basic_sim;
using mpx::transport::sim_rma;

template <plan Plan, class T = mpx::transport::sim, class... Others>
using over_sim = mpx::stack<late<T, Plan>, mpx::waiting::sleep, Others...>;

using sim_all = over_sim<all>;
using sim_some = over_sim<some>;
using sim_large = over_sim<large>;
using sim_last = over_sim<last>;
using sim_plain = over_sim<all, basic_sim<sim_rma::none>>;
using sim_cpu = over_sim<some, basic_sim<sim_rma::cpu>>;
using sim_shallow = over_sim<narrow, basic_sim<sim_rma::none, 64 * 1024, 2>>;
using sim_shallow_nic = over_sim<all, basic_sim<sim_rma::nic, 64 * 1024, 1>>;
using sim_multiple = over_sim<some, mpx::transport::sim, mpx::threading::multiple>;
using sim_losing = over_sim<losing>;
using sim_doubling = over_sim<doubling>;

}  // namespace late_stacks
