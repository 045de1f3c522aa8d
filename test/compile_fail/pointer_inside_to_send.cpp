// expect: no_pointer_view_or_other_address_inside
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

struct part {
  int* data;
  int length;
};

void use(mpx::communicator<>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  world.send(part{v.data(), 1}.length, 0);
#else
  world.send(part{v.data(), 1}, 0);
#endif
}
