// expect: BufferOutlivesCall
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

void use(mpx::communicator<mpx::stack<>>& world, int x) {
#ifdef MPX_CONTROL
  auto r = world.isend(x, 0);
#else
  auto r = world.isend(x + 1, 0);
#endif
  r.wait();
}
