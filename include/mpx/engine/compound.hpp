// SPDX-License-Identifier: BSL-1.0
#pragma once
// What an operation made of operations has beside an operation's own fields.

#include "mpx/engine/blocked_call.hpp"
#include "mpx/engine/calls.hpp"
#include "mpx/engine/extension.hpp"
#include "mpx/engine/operation.hpp"
#include "mpx/engine/schedule.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
class endpoint;  // endpoint.hpp
template <class Stack>
struct compounds;  // detail/endpoint_compound.hpp
template <class Stack>
struct schedules;  // detail/endpoint_schedules.hpp

enum class compound_kind : std::uint8_t {
  persistent,   ///< At most one part: the operation that its last start has begun.
  composite,    ///< Complete when all parts are, or one of them has lost its peer.
  generalized,  ///< No part.
  schedule,     ///< Complete when all its rounds are over (endpoint_schedules.hpp).
  extended,     ///< As a composite; what a start does, a layer above says (extension.hpp).
};

/// How a persistent operation starts: the four modes of sending, a receive, or nothing at all.
enum class starts_as : std::uint8_t { standard, synchronous, ready, buffered, receive, nothing };

/// What a compound operation has beside an operation's own fields: `operation::owned` points to it,
/// so that it goes wherever the operation is given back. In the operation itself `failure` is that
/// of the first part that failed, and peer, tag, bytes and cancelled are the status.
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
  bool again = false;         // It can be started again and again.
  bool active = false;        // If so: started, and its status has not been taken.
  bool open = false;          // Composite, extended: parts are still being added.
  std::uint32_t pending = 0;  // Parts that are not complete.
  std::uint32_t parts = 0;
  std::uint32_t cancelled = 0;  // Parts that are.
  operation* first = nullptr;   // Parts, linked by operation::next.
  operation* failed = nullptr;  // The first part that failed.
  std::byte* buffer = nullptr;  // From here on: a persistent operation's arguments.
  std::size_t bytes = 0;
  const layout* how = nullptr;
  pattern want{};  // The other side, the tag and the context, of a send as well.
  const group* ranks = nullptr;
  schedule* plan = nullptr;   // A schedule's, which belongs to it.
  extension* more = nullptr;  // The same of an extended one.
};

/// What endpoints and requests ask of compound operations. The endpoint has them from the start, as
/// the shared object that made the environment has compiled them: one that begins an operation and
/// is unloaded takes none with it. All but the last two under the lock; `look` as often as a call
/// has waited in vain for a while.
template <class Stack>
struct compound_calls {
  void (*finished)(endpoint<Stack>& e, operation& op) noexcept;
  void (*recheck)(endpoint<Stack>& e) noexcept;
  std::size_t (*run_due)(endpoint<Stack>& e) noexcept;
  void (*forget)(endpoint<Stack>& e, const operation& op) noexcept;
  void (*look)(endpoint<Stack>& e) noexcept;
  void (*release)(endpoint<Stack>& e, operation& op);
  void (*abandon)(endpoint<Stack>& e, operation& op);
};

inline compound& compound_of(const operation& op) noexcept {
  return *reinterpret_cast<compound*>(op.owned);
}
/// Whether a request for `op` stands for an operation: false for an inactive persistent one.
inline bool is_active(const operation& op) noexcept {
  return op.role != role::compound || !compound_of(op).again || compound_of(op).active;
}
inline bool is_persistent(const operation& op) noexcept {
  return op.role == role::compound && compound_of(op).again;
}

/// Calls `take` with each operation of the transport's that `op` is or waits for.
inline void for_each_part(const operation& op, operation_list::taker take, void* context) {
  if (op.role != role::compound) return take(context, op);
  for (const operation* part = compound_of(op).first; part != nullptr; part = part->next)
    for_each_part(*part, take, context);
}

}  // namespace mpx::inline v0::detail
