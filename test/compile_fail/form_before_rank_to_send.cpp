// expect: is its last argument: send.buffer, to, tag, mpx::start
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  world.send(v, 1, 0, mpx::start).wait();
#else
  world.send(v, mpx::start, 1, 0);
#endif
}
