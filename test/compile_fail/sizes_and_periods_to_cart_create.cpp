// expect: a dimension is its size and whether it is periodic
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>

void use(mpx::communicator<>& world) {
#ifdef MPX_CONTROL
  auto grid = mpx::cart_create(world, {{2, true}, {2, true}});
  grid.barrier();
#else
  auto grid = mpx::cart_create(world, {2, 2}, {true, true});
#endif
}
