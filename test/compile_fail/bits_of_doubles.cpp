// expect: Operation
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>

void set(mpx::window<double>& w) {
#ifdef MPX_CONTROL
  w.at(0, 0) += 1.0;
#else
  w.at(0, 0) |= 1.0;  // A number with a point has no bits to combine.
#endif
}
