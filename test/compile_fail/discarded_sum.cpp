// expect: ignoring return(ed)? value.*nodiscard
// SPDX-License-Identifier: BSL-1.0
// The warning is an error here: this asks whether it comes.
#if defined(__clang__)
#pragma clang diagnostic error "-Wunused-result"
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif
#include <mpx/mpx.hpp>

void use(mpx::communicator<>& world, double& x) {
#ifdef MPX_CONTROL
  x = world.allreduce(x, mpx::sum);
#else
  world.allreduce(x, mpx::sum);  // As if it were in place.
#endif
}
