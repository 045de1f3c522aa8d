// expect: ReceiveBuffer
// SPDX-License-Identifier: BSL-1.0
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using element = double;
#else
using element = const double;
#endif

void use(mpx::communicator<mpx::stack<>>& world, element* column) {
  world.recv(mpx::strided(column, 10, 4), 0);
}
