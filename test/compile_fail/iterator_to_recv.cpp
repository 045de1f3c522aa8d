// expect: no_iterator_but_a_range_or_what_it_points_to
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  auto at = v.begin();
  world.recv(*at, 0);
#else
  auto at = v.begin();
  world.recv(at, 0);  // Would overwrite the iterator.
#endif
}
