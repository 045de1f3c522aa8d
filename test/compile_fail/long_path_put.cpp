// expect: LongPathFits
// SPDX-License-Identifier: BSL-1.0
#include "courier.hpp"

static_assert(mpx::Transport<courier> && !mpx::RmaTransport<courier>);

#ifdef MPX_CONTROL
constexpr mpx::long_path path = mpx::long_path::packets;
#else
constexpr mpx::long_path path = mpx::long_path::put;
#endif
using type = mpx::stack<courier, mpx::protocol::tiny_short_long<40, 1024, path>>::transport_type;
