// expect: ignoring return(ed)? value.*nodiscard
// SPDX-License-Identifier: BSL-1.0
// The warning is an error here: this asks whether it comes.
#if defined(__clang__)
#pragma clang diagnostic error "-Wunused-value"
#pragma clang diagnostic error "-Wunused-result"
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif
#include <mpx/mpx.hpp>

void use(mpx::communicator<mpx::stack<>>& world, int& x) {
#ifdef MPX_CONTROL
  auto r = world.irecv(x, 0);
  r.wait();
#else
  world.irecv(x, 0);
#endif
}
