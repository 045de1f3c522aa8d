// SPDX-License-Identifier: BSL-1.0
#pragma once
// The program's call in which a rank is blocked, and the kind of its wait. Kept on the rank's own
// stack while it is blocked.

#include <cstdint>
#include <source_location>

#include "mpx/config.hpp"

namespace mpx::inline v0::detail {

/// A public call: its name, and the source line of the call.
struct call_site {
  const char* name = "";
  std::source_location where{};
};

/// How a blocked call depends on other ranks.
enum class wait_kind : std::uint8_t {
  all,       ///< On all operations that it waits for.
  any,       ///< On any one of them.
  buffered,  ///< On all buffered sends.
  joining,   ///< On the other ranks, in order to join.
  leaving,   ///< On the other ranks, in order to leave.
  testing,   ///< Not blocked: it polls repeatedly.
  count_
};

}  // namespace mpx::inline v0::detail
