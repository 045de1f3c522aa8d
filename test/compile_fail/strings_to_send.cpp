// expect: trivially_copyable_or_a_contiguous_range_of_such
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <string>
#include <vector>

#ifdef MPX_CONTROL
using element = char;
#else
using element = std::string;
#endif

void use(mpx::communicator<mpx::stack<>>& world, const std::vector<element>& v) {
  world.send(v, 0);
}
