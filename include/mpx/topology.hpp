// SPDX-License-Identifier: BSL-1.0
#pragma once
// Communicators that know how their ranks lie to each other, grids and graphs, and collectives
// among neighbours. Included beside mpx.hpp by programs that use them.

#include "mpx/macros/begin.hpp"

#include "mpx/comm/topology/cart.hpp"      // IWYU pragma: export
#include "mpx/comm/topology/dims.hpp"      // IWYU pragma: export
#include "mpx/comm/topology/graph.hpp"     // IWYU pragma: export
#include "mpx/topology/communicators.hpp"  // IWYU pragma: export
#include "mpx/topology/create.hpp"         // IWYU pragma: export
#include "mpx/topology/instances.hpp"      // IWYU pragma: export

#include "mpx/macros/end.hpp"
