// expect: is its last argument: recv.buffer, from, tag, mpx::start
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  world.recv(v, 1, 0, mpx::start).wait();
#else
  world.recv(v, mpx::start, 1, 0);
#endif
}
