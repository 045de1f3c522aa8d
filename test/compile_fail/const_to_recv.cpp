// expect: ReceiveBuffer
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

#ifdef MPX_CONTROL
using buffer = std::vector<double>;
#else
using buffer = const std::vector<double>;
#endif

void use(mpx::communicator<mpx::stack<>>& world, buffer& v) { world.recv(v, 0); }
