// expect: ignoring return(ed)? value.*nodiscard
// SPDX-License-Identifier: BSL-1.0
#if defined(__clang__)
#pragma clang diagnostic error "-Wunused-result"
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>

void use(std::array<int, 2>& d) {
#ifdef MPX_CONTROL
  d = mpx::dims_create(4, d);
#else
  mpx::dims_create(4, d);  // As if it were filled in.
#endif
}
