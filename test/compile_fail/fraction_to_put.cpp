// expect: deleted
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>

void use(mpx::window<long>& w, double x) {
#ifdef MPX_CONTROL
  w.put(static_cast<long>(x), 0, 0);
#else
  w.put(x, 0, 0);
#endif
}
