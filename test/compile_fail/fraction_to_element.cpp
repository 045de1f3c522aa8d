// expect: deleted
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>

void use(mpx::window<long>& w, double x) {
#ifdef MPX_CONTROL
  w.at(0, 0) = static_cast<long>(x);
#else
  w.at(0, 0) = x;
#endif
}
