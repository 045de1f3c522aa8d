// SPDX-License-Identifier: BSL-1.0
#pragma once
// Result of an agreement of the surviving ranks: their common value, and the ranks that failed.

#include "mpx/core/group.hpp"

namespace mpx::inline v0 {

/// Result of an agreement of the surviving ranks.
struct agreed {
  int value = 0;  ///< Bitwise AND of all contributions, with those of failed ranks that arrived.
  group failed;   ///< The failed ranks; ranks that fail during the call may be included.
  /// True if all ranks had acknowledged these failures when they began (acknowledge_failures).
  bool acknowledged = true;
};

}  // namespace mpx::inline v0
