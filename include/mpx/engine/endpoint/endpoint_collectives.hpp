// SPDX-License-Identifier: BSL-1.0
#pragma once
// Queries of collectives that let them not wait for a call that cannot end. Included by
// endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Begins a collective call. Returns true if it can succeed, as far as this rank knows.
template <class Stack>
bool endpoint<Stack>::begin_collective_locked(collective_call call) {
  if (orphaned()) peers().check();
  revocations_.begin(call);
  if (revocations_.some_left()) [[unlikely]]
    discard_left(call);
  return !cannot_end(call);  // Calls left by others may have sent what this one needs.
}

/// After a failed collective its messages have no receiver and would hold their senders' credit for
/// ever. This discards stored messages of calls before `next` that are over.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::discard_left(collective_call next) noexcept {
  schedules_.looks_off = 0;
  look_at_schedules();  // For calls that no rank has left yet.
  inbox().discard_if(next.context, [&](const envelope& is) {
    if (is.context() != next.context || !revocations::before({next.context, is.tag()}, next))
      return false;
    for (const schedule& p : schedules_.active)
      if (p.context == is.context() && p.serial == is.tag()) return false;
    return true;
  });
}

/// Returns the reason why a collective cannot succeed, with the rank that is lost or has left it.
template <class Stack>
[[gnu::noinline, gnu::cold]] collective_failure endpoint<Stack>::failure_of_collective_locked(
    collective_call call) noexcept {
  using cause = collective_failure::cause;
  collective_failure f{errc::peer_lost, cause::lost, false, proc_null};
  if (call.of != nullptr && call.of->revoked) f.why = errc::revoked;
  if (orphaned()) f.why = errc::not_a_rank;
  if (f.why != errc::peer_lost) return f;
  const left_call* const left = revocations_.find(call);
  for (rank_t r = 0; r < size_of(call); ++r) {
    const peer_id peer = peer_of(call, r);
    if (peers().failure_of(peer) != errc{} && !peers().left(peer))
      return {errc::peer_lost, cause::lost, false, r};
    if (left != nullptr && left->by == peer)
      f = {errc::peer_lost, cause::left, false, r, 0, static_cast<std::size_t>(left->why)};
  }
  return f;
}

/// True if members are lost or the communicator is revoked. A member that left in good order may
/// have done its part before: a call that needs more of it fails at the rank concerned, which tells
/// the others.
template <class Stack>
bool endpoint<Stack>::cannot_end(collective_call call) noexcept {
  if (peers().failures() == 0) [[likely]]
    return false;
  if (call.of == nullptr || orphaned()) return true;
  return call.of->revoked || communicators_.lost_before_their_end_in(*call.of) != 0;
}

/// Tells the other ranks that this rank has left a collective, so that they do not wait for it.
template <class Stack>
void endpoint<Stack>::give_up_collective_locked(collective_call call, errc why) noexcept {
  revocations_.leave();
  if (revocations_.contains(call) || orphaned()) return;
  if (call.of != nullptr && call.of->revoked) return;  // All ranks learn of it, and leave, too.
  const rank_t size = size_of(call);
  if (peers().failures() != 0)
    for (rank_t r = 0; r < size; ++r)
      if (peers().died(peer_of(call, r))) return;  // All ranks know, and leave, too.
  for (rank_t r = 0; r < size; ++r)
    if (const peer_id peer = peer_of(call, r); peer != self())
      outbox().answer(peer, {.kind = wire::kind::revoke,
                             .tag = call.serial,
                             .context = call.context,
                             .ticket = static_cast<std::uint32_t>(why)});
}

/// Number of ranks in a collective.
template <class Stack>
rank_t endpoint<Stack>::size_of(collective_call call) noexcept {
  return call.of == nullptr ? world_rank(peers().founders()) : call.of->size;
}
template <class Stack>
peer_id endpoint<Stack>::peer_of(collective_call call, rank_t rank) noexcept {
  return call.of == nullptr ? world_peer(rank) : communicators_.peer_of(*call.of, rank);
}

}  // namespace mpx::inline v0::detail
