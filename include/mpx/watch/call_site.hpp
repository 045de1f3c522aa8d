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

struct operation;

/// Several operations, whatever range they are in: `each` hands them to `take` one by one.
struct operation_list {
  using taker = void (*)(void* context, const operation& op);
  void (*each)(const void* range, taker take, void* context);
  const void* range;
};

/// What a call waits for. `probed` is a `pattern`, `several` the operations of wait_any.
struct awaited {
  wait_kind kind = wait_kind::all;
  enum class form : std::uint8_t { nothing, one, probed, several } as = form::nothing;
  const void* what = nullptr;
};

/// A blocked call, linked to its endpoint.
struct blocked_call {
  call_site site;
  awaited on;
  std::int64_t since_ns = 0;  // 0: nobody keeps the time.
  blocked_call* next = nullptr;
};

}  // namespace mpx::inline v0::detail
