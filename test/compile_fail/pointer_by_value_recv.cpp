// expect: Transferable
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using value = int;
#else
using value = int*;
#endif

value use(mpx::communicator<mpx::stack<>>& world) { return world.recv<value>(0, 0); }
