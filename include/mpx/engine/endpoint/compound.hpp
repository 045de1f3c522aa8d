// SPDX-License-Identifier: BSL-1.0
#pragma once
// State of a compound operation beside the fields of an operation.

#include "mpx/engine/base/blocked_call.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/extension.hpp"
#include "mpx/engine/base/operation.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0::detail {

enum class compound_kind : std::uint8_t {
  persistent,   ///< At most one part: the operation of its last start.
  composite,    ///< Complete when all parts are, or one has lost its peer.
  generalized,  ///< No part; the user completes it.
  schedule,     ///< Complete when all its rounds are (endpoint_schedules.hpp).
  extended,     ///< A composite whose start a layer above defines (extension.hpp).
};

/// Start of a persistent operation: a send of one of the four modes, a receive, or nothing.
enum class starts_as : std::uint8_t { standard, synchronous, ready, buffered, receive, nothing };

/// State of a compound operation beside the fields of an operation. `operation::owned` points to
/// it, so that it is freed whenever the operation is returned to the pool. The operation's own
/// `failure` is that of the first failed part; its peer, tag, bytes and cancelled are the status.
///
///     stage      persistent,       composite, generalized,
///                extended, a       schedule
///                schedule to be
///                run again
///     complete   inactive or done  done
///     copying    active            not done
struct compound {
  compound_kind kind{};
  starts_as start{};          // Persistent.
  bool again = false;         // Persistent: it can be started repeatedly.
  bool active = false;        // Persistent: started, status not taken yet.
  bool open = false;          // Composite, extended: more parts may follow.
  std::uint32_t pending = 0;  // Incomplete parts.
  std::uint32_t parts = 0;
  std::uint32_t cancelled = 0;  // Cancelled parts.
  std::uint32_t receives = 0;   // Composite: parts that are receives.
  operation* first = nullptr;   // Parts, linked by operation::next.
  operation* failed = nullptr;  // The first part that failed.
  std::byte* buffer = nullptr;  // This and what follows: arguments of a persistent operation.
  std::size_t bytes = 0;
  const layout* how = nullptr;
  pattern want{};  // Peer, tag and context, of a send as well.
  const group* ranks = nullptr;
  schedule* plan = nullptr;   // Of a schedule, which owns it.
  extension* more = nullptr;  // Of an extended operation, which owns it.
};

inline compound& compound_of(const operation& op) noexcept {
  return *reinterpret_cast<compound*>(op.owned);
}
/// False for an inactive persistent operation, else true.
inline bool is_active(const operation& op) noexcept {
  return op.role != role::compound || !compound_of(op).again || compound_of(op).active;
}
inline bool is_persistent(const operation& op) noexcept {
  return op.role == role::compound && compound_of(op).again;
}

/// Calls `take` with `op`, or with each non-compound operation that it waits for.
inline void for_each_part(const operation& op, operation_list::taker take, void* context) {
  if (op.role != role::compound) return take(context, op);
  for (const operation* part = compound_of(op).first; part != nullptr; part = part->next)
    for_each_part(*part, take, context);
}

}  // namespace mpx::inline v0::detail
