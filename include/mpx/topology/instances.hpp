// SPDX-License-Identifier: BSL-1.0
#pragma once
// The instances of grids and graphs for the default stack that mpx::compiled contains. See
// mpx/instances.hpp.

#include "mpx/config.hpp"
#include "mpx/engine/axes/stack.hpp"
#include "mpx/topology/maker.hpp"

namespace mpx::inline v0 {

MPX_INSTANCE(class detail::topology_maker<stack<>>)

}  // namespace mpx::inline v0
