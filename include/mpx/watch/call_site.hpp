// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which call of the program a rank is blocked in, and what it waits for: kept only as long as it is
// blocked, on its own stack.

#include <cstdint>
#include <source_location>

#include "mpx/config.hpp"

namespace mpx::inline v0::detail {

/// A public call: its name, and the line of the program that made it.
struct call_site {
  const char* name = "";
  std::source_location where{};
};

/// How a blocked call depends on others.
enum class wait_kind : std::uint8_t {
  all,       ///< On each of what it waits for.
  any,       ///< On one of them.
  buffered,  ///< On all buffered sends.
  joining,   ///< On the other ranks, to join.
  leaving,   ///< On the other ranks, to leave.
  testing,   ///< It is not blocked: it looks again and again.
  count_
};

}  // namespace mpx::inline v0::detail
