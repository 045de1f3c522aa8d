// expect: TinyIsInline
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using protocol = mpx::protocol::tiny_short_long<40>;
#else
using protocol = mpx::protocol::tiny_short_long<41>;
#endif
using type = mpx::stack<protocol>::transport_type;
