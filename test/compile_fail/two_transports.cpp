// expect: OnePolicyPerAxis
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::transport::inproc, mpx::matching::list>;
#else
using chosen = mpx::stack<mpx::transport::inproc, mpx::matching::list, mpx::transport::shm>;
#endif
using type = chosen::transport_type;
