// SPDX-License-Identifier: BSL-1.0
#pragma once
// What collectives ask of an endpoint beyond messages: not to wait for what cannot end. Included by
// endpoint.hpp.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Returns whether the collective can end well, as far as this rank knows.
template <class Stack>
bool endpoint<Stack>::begin_collective(collective_call call) {
  std::lock_guard lock(threading());
  return begin_collective_locked(call);
}
template <class Stack>
bool endpoint<Stack>::begin_collective_locked(collective_call call) {
  if (orphaned()) peers().check();
  revocations_.begin(call);
  if (revocations_.some_left()) [[unlikely]]
    discard_left(call);
  return !cannot_end(call);  // What others have left may have got here what it needs.
}

/// Some call has been left with an error: what has come for it, or comes, nobody receives, and it
/// would hold its sender's credit for ever. Throws away what lies here for calls before `next` that
/// are over.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::discard_left(collective_call next) noexcept {
  inbox().discard_if([&](const envelope& is) {
    if (is.context() != next.context || !revocations::before({next.context, is.tag()}, next))
      return false;
    for (const schedule& p : schedules_.active)
      if (p.context == is.context() && p.serial == is.tag()) return false;
    return true;
  });
}

/// Whether the collective can never end: a member is lost, or has left it with an error, or the
/// communicator is revoked.
template <class Stack>
bool endpoint<Stack>::collective_lost(collective_call call) noexcept {
  return cannot_end(call) || revocations_.contains(call);
}

/// Blocks until `op` is complete, or the collective can never end. Returns whether `op` is
/// complete.
template <class Stack>
bool endpoint<Stack>::wait_in_collective(operation& op, call_site site, collective_call call) {
  return wait_or(op, site, [&] { return collective_lost(call); });
}

/// Why a collective that has been left, or cannot begin, cannot end well.
template <class Stack>
errc endpoint<Stack>::failure_of_collective(collective_call call) {
  std::lock_guard lock(threading());
  return failure_of_collective_locked(call);
}
template <class Stack>
errc endpoint<Stack>::failure_of_collective_locked(collective_call call) noexcept {
  return call.of != nullptr && call.of->revoked ? errc::revoked : errc::peer_lost;
}

/// Members are lost, or the communicator is revoked.
template <class Stack>
bool endpoint<Stack>::cannot_end(collective_call call) noexcept {
  if (peers().failures() == 0) [[likely]]
    return false;
  if (call.of == nullptr || orphaned()) return true;
  return call.of->revoked || communicators_.lost_in(*call.of) != 0;
}

/// This rank leaves a collective that it has begun: the others shall not wait for it.
template <class Stack>
void endpoint<Stack>::give_up_collective(collective_call call) noexcept {
  std::lock_guard lock(threading());
  give_up_collective_locked(call);
}
template <class Stack>
void endpoint<Stack>::give_up_collective_locked(collective_call call) noexcept {
  revocations_.leave();
  if (revocations_.contains(call) || orphaned()) return;
  if (call.of != nullptr && call.of->revoked) return;  // Everybody learns, and leaves as well.
  const rank_t size = call.of == nullptr ? world_rank(peers().founders()) : call.of->size;
  const auto peer_of = [&](rank_t r) {
    return call.of == nullptr ? world_peer(r) : communicators_.peer_of(*call.of, r);
  };
  if (peers().failures() != 0)
    for (rank_t r = 0; r < size; ++r)
      if (peers().died(peer_of(r))) return;  // Everybody knows, and leaves as well.
  for (rank_t r = 0; r < size; ++r)
    if (peer_of(r) != self())
      outbox().answer(peer_of(r),
                      {.kind = wire::kind::revoke, .tag = call.serial, .context = call.context});
}

}  // namespace mpx::inline v0::detail
