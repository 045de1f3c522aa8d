// expect: BufferOutlivesCall
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<mpx::stack<>>& world) {
#ifdef MPX_CONTROL
  const std::vector<int> v(3);
  auto r = world.isend(v, 0);
#else
  auto r = world.isend(std::vector<int>(3), 0);
#endif
  r.wait();
}
