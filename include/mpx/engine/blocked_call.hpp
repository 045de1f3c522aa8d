// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a blocked call waits for: kept only as long as it is blocked, on its own stack; and a loop
// outside of mpx that waits for a rank.

#include <cstdint>

#include "mpx/core/function_ref.hpp"
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

/// Memory that peers write, and that a call waits for.
struct flag_watch {
  function_ref<bool()> ready;         // Called with or without the lock.
  function_ref<bool(bool)> lost;      // Under the lock: it will never be. Packets have come?
  function_ref<void(bool)> sleeping;  // From now on who writes it has to wake this rank; no more.
};

/// A loop outside of mpx that rests with the transport armed for it, and waits for the transport's
/// descriptor among others. All under the lock.
struct outside_loop {
  enum class state : std::uint8_t {
    awake,    ///< It looks again by itself.
    parked,   ///< The transport is armed; nobody sleeps in it.
    follows,  ///< Another thread sleeps in the transport, and will tell.
  };
  void (*ring)(outside_loop&) noexcept;  ///< It shall look again soon: it does not rest any more.
  state is = state::awake;
};

}  // namespace mpx::inline v0::detail
