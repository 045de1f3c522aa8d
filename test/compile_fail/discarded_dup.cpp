// expect: nodiscard
// SPDX-License-Identifier: BSL-1.0
#if defined(__clang__)
#pragma clang diagnostic error "-Wunused-result"
#pragma clang diagnostic error "-Wunused-value"
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif
#include <mpx/mpx.hpp>

void use(const mpx::communicator<>& world) {
#ifdef MPX_CONTROL
  world.dup().free();
#else
  world.dup();
#endif
}
