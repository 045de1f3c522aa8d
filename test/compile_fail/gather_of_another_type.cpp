// expect: elements_of_one_type_go_in_and_out
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<>& world, const std::vector<int>& mine) {
#ifdef MPX_CONTROL
  std::vector<int> all(100);
#else
  std::vector<float> all(100);
#endif
  world.allgather(mine, all);
}
