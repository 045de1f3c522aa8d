// expect: StackPolicy
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::matching::list>;
#else
using chosen = mpx::stack<mpx::matching::list, int>;
#endif
using type = chosen::transport_type;
