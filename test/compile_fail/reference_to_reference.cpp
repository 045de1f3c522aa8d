// expect: deleted
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>

void copy(mpx::window<double>& w) {
  const auto x = w.at(0, 0);
  const auto y = w.at(1, 0);
#ifdef MPX_CONTROL
  x = y.load();
#else
  x = y;  // The element, or what x refers to?
#endif
}
