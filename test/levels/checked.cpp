// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: none
#define MPX_TEST_LEVEL 2
#include "levels/levels.hpp"

static_assert(MPX_ASSERT_LEVEL == 2);

namespace checked {

levels::layout layout() { return {}; }
int talk(const mpx::communicator<levels::single>& world) { return levels::talk(world); }
int talk(const mpx::communicator<levels::serialized>& world) { return levels::talk(world); }

/// Jobs of this object, in which the other one talks as well.
template <class Stack>
int run_as(mpx::rank_t n) {
  int sum = 0;
  mpx::run_threads<Stack>(n, [&sum](mpx::communicator<Stack> world) {
    const int all = talk(world) + unchecked::talk(world) + talk(world);
    if (world.rank() == 0) sum = all;
  });
  return sum;
}
int run(mpx::rank_t n, bool serialized) {
  return serialized ? run_as<levels::serialized>(n) : run_as<levels::single>(n);
}

}  // namespace checked
