// expect: dimensions are a range of mpx::cart_dimension
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <vector>

void use(mpx::communicator<>& world, const std::vector<int>& sizes) {
#ifdef MPX_CONTROL
  auto grid = mpx::cart_create(world, {{sizes[0], false}, {sizes[1], false}});
  grid.barrier();
#else
  auto grid = mpx::cart_create(world, sizes);
#endif
}
