// expect: BlockingForm
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

void use(mpx::communicator<mpx::stack<>>& world) {
  int x = 1;
  int y = 0;
#ifdef MPX_CONTROL
  std::error_code ec;
  world.sendrecv(x, 0, 1, y, 0, 1, ec);
#else
  world.sendrecv(x, 0, 1, y, 0, 1, mpx::start);
#endif
}
