// expect: mpx::transport::tcp is in .*<mpx/transport/tcp.hpp>
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#ifdef MPX_CONTROL
using my_stack = mpx::stack<mpx::transport::inproc>;
#else
using my_stack = mpx::stack<mpx::transport::tcp>;
#endif
using rank = mpx::environment<my_stack>;
static_assert(sizeof(rank) != 0);
