// expect: ReceiveBuffer
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <span>
#include <vector>

void use(mpx::communicator<mpx::stack<>>& world) {
#ifdef MPX_CONTROL
  std::vector<int> v(3);
  auto r = world.irecv(std::span(v), 0);  // A temporary view of what stays.
#else
  auto r = world.irecv(std::vector<int>(3), 0);
#endif
  r.wait();
}
