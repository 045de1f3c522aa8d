// expect: mpx::allocate_window is in <mpx/rma.hpp>: include that, too
// SPDX-License-Identifier: BSL-1.0
// The real one is chosen wherever its header stands, and without a name of the namespace.
#ifdef MPX_CONTROL
#include <mpx/rma.hpp>
#endif
#include <mpx/mpx.hpp>
#ifdef MPX_CONTROL
#include <mpx/rma.hpp>
using namespace mpx;
#endif

void use(mpx::communicator<>& world) {
  auto w = mpx::allocate_window<int>(world, 4);
#ifdef MPX_CONTROL
  auto unqualified = allocate_window<int>(world, 4, rma::protocol::automatic);
  unqualified.free();
  w.free();
#endif
}
