// expect: a window's accesses are of its elements' type
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <vector>

#ifdef MPX_CONTROL
using element = double;
#else
using element = char;
#endif

void use(mpx::window<double>& w, std::vector<element>& before) {
  w.get_accumulate(std::vector<double>(2), before, 1, 0, mpx::sum);
}
