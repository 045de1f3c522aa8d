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
  return peers().failures() == 0;  // What others have left may have got here what it needs.
}

/// Whether the collective can never end: a rank is lost, or has left it with an error.
template <class Stack>
bool endpoint<Stack>::collective_lost(collective_call call) const noexcept {
  return peers_type::failures() != 0 || revocations_.contains(call);
}

/// Blocks until `op` is complete, or the collective can never end. Returns whether `op` is
/// complete.
template <class Stack>
bool endpoint<Stack>::wait_in_collective(operation& op, call_site site, collective_call call) {
  return wait_or(op, site, [&] { return collective_lost(call); });
}

/// This rank leaves a collective that it has begun: the others shall not wait for it.
template <class Stack>
void endpoint<Stack>::give_up_collective(collective_call call) noexcept {
  std::lock_guard lock(threading());
  give_up_collective_locked(call);
}
template <class Stack>
void endpoint<Stack>::give_up_collective_locked(collective_call call) noexcept {
  if (revocations_.contains(call) || orphaned()) return;
  if (peers().deaths() != 0) return;  // Everybody knows, and leaves as well.
  for (peer_id peer = 0; peer < peers().founders(); ++peer)
    if (peer != self())
      outbox().answer(peer,
                      {.kind = wire::kind::revoke, .tag = call.serial, .context = call.context});
}

}  // namespace mpx::inline v0::detail
