// expect: no_reference_wrapper_but_what_it_refers_to
// SPDX-License-Identifier: BSL-1.0
#include <functional>
#include <mpx/mpx.hpp>
#include <vector>

void use(mpx::communicator<>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  world.send(std::ref(v[0]).get(), 0);
#else
  world.send(std::ref(v[0]), 0);
#endif
}
