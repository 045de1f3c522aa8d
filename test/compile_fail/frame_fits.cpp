// expect: FrameFits
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using protocol = mpx::protocol::tiny_short_long<40, 1024>;
#else
using protocol = mpx::protocol::tiny_short_long<40, 1025>;
#endif
// A packet is at most a quarter of the pool.
using type = mpx::stack<mpx::transport::basic_shm<64, 4096>, protocol>::transport_type;
