// SPDX-License-Identifier: BSL-1.0
#pragma once
// Description of what a blocked call waits for, on that call's stack, for hang reports; and an
// external loop that waits for a rank.

#include <cstdint>

#include "mpx/core/function_ref.hpp"
#include "mpx/engine/base/operation.hpp"
#include "mpx/watch/call_site.hpp"
#include "mpx/watch/hang_info.hpp"

namespace mpx::inline v0::detail {

/// Several operations in any kind of range. `each` passes them to `take` one by one.
struct operation_list {
  using taker = void (*)(void* context, const operation& op);
  void (*each)(const void* range, taker take, void* context);
  const void* range;
};

/// Something that a call of a layer above waits for without an operation. `list` describes it,
/// under the lock, if a hang report asks.
struct awaited_above {
  void (*list)(const awaited_above& self, hang_list<8>& into) noexcept;
};

/// Object that a call waits for. `what` points, by form, to
/// - `one`: an operation,
/// - `probed`: a `pattern`; `published`: a `pattern`, awaited in shared memory,
/// - `several`: the `operation_list` of a wait for several,
/// - `above`: an `awaited_above`.
struct awaited {
  wait_kind kind = wait_kind::all;
  enum class form : std::uint8_t {
    nothing,
    one,
    probed,
    published,
    several,
    above
  } as = form::nothing;
  const void* what = nullptr;
};

/// A blocked call, in its endpoint's list.
struct blocked_call {
  call_site site;
  awaited on;
  std::int64_t since_ns = 0;  // 0: times are not kept.
  blocked_call* next = nullptr;
};

/// Memory that peers write and that a call waits for.
struct flag_watch {
  function_ref<bool()> ready;         // True if it has been written. With or without the lock.
  function_ref<bool(bool)> lost;      // Under the lock: it never will be. True: packets have come.
  function_ref<void(bool)> sleeping;  // True: the writer has to wake this rank from now on.
};

/// An event loop outside of mpx that waits for the transport's descriptor among others, with the
/// transport armed. All members are used under the lock.
struct outside_loop {
  enum class state : std::uint8_t {
    awake,    ///< It polls by itself.
    parked,   ///< The transport is armed; no thread sleeps in it.
    follows,  ///< Another thread sleeps in the transport, and will ring.
  };
  void (*ring)(outside_loop&) noexcept;  ///< Makes the loop poll soon; it is awake already.
  state is = state::awake;
};

}  // namespace mpx::inline v0::detail
