// SPDX-License-Identifier: BSL-1.0
#pragma once
// The instances for the default stack that a program need not compile if it links mpx::compiled.
// Without that library this declares nothing.

#include "mpx/config.hpp"
#include "mpx/environment.hpp"

namespace mpx::inline v0 {

// clang-format off
MPX_INSTANCE(class transport::detail::ring_fabric<transport::detail::shm_segment>)
MPX_INSTANCE(class transport::basic_shm<>)
MPX_INSTANCE(class detail::peers_room<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::outbox_room<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::inbox_room<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::mover_room<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::progress_room<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::endpoint<stack<>>)
MPX_INSTANCE(class detail::point_to_point<stack<>>)
MPX_INSTANCE(class environment<stack<>>)
// clang-format on

}  // namespace mpx::inline v0
