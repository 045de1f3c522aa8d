// expect: ControlFits
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#include "courier.hpp"

#ifdef MPX_CONTROL
constexpr std::size_t packet_bytes = 40;
#else
constexpr std::size_t packet_bytes = 16;  // Too little for an announcement.
#endif

using small_courier = basic_courier<8, packet_bytes>;
static_assert(mpx::Transport<small_courier> && !mpx::RmaTransport<small_courier>);

using type = mpx::stack<small_courier, mpx::protocol::tiny_short_long<8, 16>>::transport_type;
