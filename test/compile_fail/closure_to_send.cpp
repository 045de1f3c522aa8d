// expect: no_closure_and_no_member_that_is_a_reference_or_const
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  world.send([&v] { return v[0]; }(), 0);
#else
  world.send([&v] { return v[0]; }, 0);
#endif
}
