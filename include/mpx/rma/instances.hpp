// SPDX-License-Identifier: BSL-1.0
#pragma once
// The instances of windows for the default stack that mpx::compiled holds. See mpx/instances.hpp.

#include <source_location>
#include <string>

#include "mpx/config.hpp"
#include "mpx/engine/axes/stack.hpp"
#include "mpx/rma/call.hpp"
#include "mpx/rma/create.hpp"

namespace mpx::inline v0 {

// clang-format off
MPX_INSTANCE(class detail::window_accesses<stack<>>)
MPX_INSTANCE(class detail::window_barrier<stack<>>)
MPX_INSTANCE(class detail::window_state<stack<>>)
MPX_INSTANCE(struct detail::exposed_side<stack<>>)
MPX_INSTANCE(struct detail::window_maker<stack<>>)
MPX_INSTANCE(struct detail::direct_protocol<stack<>>)
MPX_INSTANCE(struct detail::buffered_protocol<stack<>>)
MPX_INSTANCE(struct detail::send_recv_protocol<stack<>>)
MPX_INSTANCE(struct detail::rdma_protocol<stack<>>)
MPX_INSTANCE(class detail::window_portals<stack<>>)
MPX_INSTANCE(struct detail::portals_protocol<stack<>>)
MPX_INSTANCE(errc detail::free_window(detail::window_state<stack<>>*, std::string*,
                                      std::source_location))
// clang-format on

}  // namespace mpx::inline v0
