// expect: no_pointer_view_or_other_address_inside|trivially_copyable_or_a_contiguous_range
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <utility>
#include <vector>

void use(mpx::communicator<>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  world.send(std::pair(v[0], 1), 0);
#else
  world.send(std::pair(v.data(), 1), 0);
#endif
}
