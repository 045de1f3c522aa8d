// expect: no_pointer_but_a_std_span_of_it_and_a_length
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

void use(mpx::communicator<mpx::stack<>>& world, const int* p) {
#ifdef MPX_CONTROL
  world.send(*p, 0);
#else
  world.send(p, 0);
#endif
}
