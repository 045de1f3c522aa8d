// SPDX-License-Identifier: BSL-1.0
#pragma once
// Portals: tables of memory descriptors that messages of other ranks are deposited in, and read
// from. A program includes this header in addition to mpx.hpp.

#include "mpx/macros/begin.hpp"

#include "mpx/portals/by_portals.hpp"   // IWYU pragma: export
#include "mpx/portals/collectives.hpp"  // IWYU pragma: export
#include "mpx/portals/table.hpp"        // IWYU pragma: export

#include "mpx/macros/end.hpp"
