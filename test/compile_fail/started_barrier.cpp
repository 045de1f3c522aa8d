// expect: BlockingForm
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

void use(mpx::communicator<mpx::stack<>>& world) {
#ifdef MPX_CONTROL
  std::error_code ec;
  world.barrier(ec);
#else
  world.barrier(mpx::start);
#endif
}
