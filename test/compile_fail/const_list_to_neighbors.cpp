// expect: ReceiveBuffer
// SPDX-License-Identifier: BSL-1.0
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <vector>

#ifdef MPX_CONTROL
using element = double;
#else
using element = const double;
#endif
using columns = std::vector<mpx::strided_view<element, 1>>;

void use(mpx::cart_communicator<mpx::stack<>>& grid, columns& out, columns& in) {
  grid.neighbor_alltoallw(out, in);
}
