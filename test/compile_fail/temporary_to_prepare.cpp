// expect: BufferOutlivesCall
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<mpx::stack<>>& world) {
#ifdef MPX_CONTROL
  const std::vector<int> v(3);
  auto r = world.send(v, 0, 0, mpx::prepare);
#else
  auto r = world.send(std::vector<int>(3), 0, 0, mpx::prepare);
#endif
  r.start();
}
