// expect: SendBuffer
// SPDX-License-Identifier: BSL-1.0
#include <deque>
#include <mpx/mpx.hpp>
#include <vector>

#ifdef MPX_CONTROL
using container = std::vector<int>;
#else
using container = std::deque<int>;
#endif

void use(mpx::communicator<mpx::stack<>>& world, const container& c) { world.send(c, 0); }
