// SPDX-License-Identifier: BSL-1.0
#pragma once
// Stacks over a transport that is late, for the suites of the engine. late_sim_stacks.hpp has those
// for simulated jobs.

#include <mpx/engine/axes/stack.hpp>
#include <mpx/transport/inproc.hpp>

#include "late.hpp"

namespace late_stacks {

using late_transport::fault;
using late_transport::late;
using late_transport::plan;

/// Every post is pending, completions come in any order, every body is placed.
inline constexpr plan all{};
/// Posts are pending or done, as the seed has it.
inline constexpr plan some{.pending_percent = 40, .seed = 2};
/// Only what is no tiny message is pending or placed, as over a stream.
inline constexpr plan large{.pending_bytes_min = 41, .place_bytes_min = 41, .seed = 3};
/// Completions come after many polls of the sender.
inline constexpr plan last{.post_delay_max = 0, .completion_delay_max = 400, .seed = 4};
/// One post to a peer may wait at once.
inline constexpr plan narrow{.depth = 1, .seed = 5};
/// Against the contract.
inline constexpr plan losing{.seed = 6, .planted = fault::lose_completion};
inline constexpr plan doubling{.seed = 7, .planted = fault::complete_twice};

template <plan Plan, class... Others>
using over_inproc = mpx::stack<late<mpx::transport::inproc, Plan>, Others...>;
template <plan Plan, class... Others>
using over_small = mpx::stack<late<mpx::transport::basic_inproc<16, 131072>, Plan>, Others...>;

using late_all = over_inproc<all>;
using late_some = over_inproc<some>;
using late_large = over_inproc<large>;
using late_last = over_inproc<last>;
using late_narrow = over_small<narrow>;
using late_multiple = over_inproc<some, mpx::threading::multiple>;
using late_losing = over_inproc<losing>;
using late_doubling = over_inproc<doubling>;

}  // namespace late_stacks
