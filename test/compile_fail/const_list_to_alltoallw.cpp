// expect: ReceiveBuffer
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

using rows = std::vector<std::vector<int>>;

#ifdef MPX_CONTROL
using received = rows;
#else
using received = const rows;
#endif

void use(mpx::communicator<mpx::stack<>>& world, const rows& out, received& in) {
  world.alltoallw(out, in);
}
