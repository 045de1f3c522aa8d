// SPDX-License-Identifier: BSL-1.0
#pragma once
// Communicators with a topology, grids and graphs, and neighbourhood collectives. A program
// includes this header in addition to mpx.hpp.

#include "mpx/macros/begin.hpp"

#include "mpx/comm/topology/cart.hpp"      // IWYU pragma: export
#include "mpx/comm/topology/dims.hpp"      // IWYU pragma: export
#include "mpx/comm/topology/graph.hpp"     // IWYU pragma: export
#include "mpx/topology/communicators.hpp"  // IWYU pragma: export
#include "mpx/topology/create.hpp"         // IWYU pragma: export
#include "mpx/topology/instances.hpp"      // IWYU pragma: export

#include "mpx/macros/end.hpp"
