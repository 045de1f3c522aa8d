// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a blocked call waits for: kept only as long as it is blocked, on its own stack.

#include <cstdint>

#include "mpx/engine/operation.hpp"
#include "mpx/watch/call_site.hpp"
#include "mpx/watch/hang_info.hpp"

namespace mpx::inline v0::detail {

/// Several operations, whatever range they are in: `each` hands them to `take` one by one.
struct operation_list {
  using taker = void (*)(void* context, const operation& op);
  void (*each)(const void* range, taker take, void* context);
  const void* range;
};

/// What a call of a layer above waits for, that no operation stands for: `list` tells it, under the
/// lock, if somebody asks.
struct awaited_above {
  void (*list)(const awaited_above& self, hang_list<8>& into) noexcept;
};

/// What a call waits for. `probed` is a `pattern`, and so is `shown`, in shared memory; `several`
/// the operations of wait_any; `above` an `awaited_above`.
struct awaited {
  wait_kind kind = wait_kind::all;
  enum class form : std::uint8_t { nothing, one, probed, shown, several, above } as = form::nothing;
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
