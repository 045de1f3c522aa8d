// expect: BufferOutlivesCall
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

void use(mpx::communicator<mpx::stack<>>& world, int x) {
  world.send(x + 1, 0);  // A form that blocks takes it.
#ifdef MPX_CONTROL
  auto r = world.send(x, 0, 0, mpx::start);
#else
  auto r = world.send(x + 1, 0, 0, mpx::start);
#endif
  r.wait();
}
