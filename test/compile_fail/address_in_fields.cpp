// expect: Reflected
// SPDX-License-Identifier: BSL-1.0
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>

struct particle {
  int id;
#ifdef MPX_CONTROL
  double weight;
#else
  const double* weight;
#endif
};

void use(mpx::communicator<mpx::stack<>>& world, particle& p) { world.send(mpx::fields(p), 0); }
