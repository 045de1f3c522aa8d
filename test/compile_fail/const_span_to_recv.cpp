// expect: ReceiveBuffer
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <span>

#ifdef MPX_CONTROL
using buffer = std::span<int>;
#else
using buffer = std::span<const int>;
#endif

void use(mpx::communicator<mpx::stack<>>& world, buffer v) { world.recv(v, 0); }
