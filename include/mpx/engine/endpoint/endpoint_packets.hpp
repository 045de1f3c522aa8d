// SPDX-License-Identifier: BSL-1.0
#pragma once
// Dispatch of packets to components and services, and completions of the transport. Every field of
// a packet is checked before it is used. Included by endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool endpoint<Stack>::has_placed(
    [[maybe_unused]] peer_id source) noexcept {
  if constexpr (StreamTransport<transport_type>) {
    const peer_record* r = peers().find(source);
    return r != nullptr && inbox().has_placed(*r);
  }
  return false;
}

/// Handles every packet except plain eager messages that match a receive.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::on_other(peer_id source, const wire::header& h,
                                                 std::span<const std::byte> payload) noexcept {
  peer_record& r = peers().of(source);
  if (r.failure() != errc{}) return;  // Packets of a lost peer are ignored.
  const errc why =
      h.kind == wire::kind::eager ? inbox().on_eager(r, h, payload) : dispatch(r, h, payload);
  if (why != errc{}) lose(source, why);
}

template <class Stack>
errc endpoint<Stack>::dispatch(peer_record& r, const wire::header& h,
                               std::span<const std::byte> payload) {
  const peer_id source = r.peer;
  if (h.reserved != 0 || (h.flags & ~wire::flags_all) != 0) return errc::protocol;
  switch (h.kind) {
    case wire::kind::announce: return inbox().on_announce(r, h, payload);
    case wire::kind::clear:
      return rendezvous().on_clear(named(source, h.ticket, role::send), payload);
    case wire::kind::data:
      return rendezvous().on_data(r, named(source, h.ticket, role::receive),
                                  match_bits_of(h.context, h.tag), payload);
    case wire::kind::finished:
      return for_each_finished(h.ticket, payload, [&](std::uint32_t ticket) {
        return rendezvous().on_finished(named(source, ticket, role::send));
      });
    case wire::kind::delivered:
      return rendezvous().on_delivered(named(source, h.ticket, role::receive));
    case wire::kind::matched:
    case wire::kind::unready:
      return outbox().on_answer(named(source, h.ticket, role::send), h) ? errc{} : errc::protocol;
    case wire::kind::credit: return errc{};
    case wire::kind::grant: return on_grant(r, match_bits_of(h.context, h.tag));
    case wire::kind::leave: return peers().leaves(r);
    case wire::kind::recall: return inbox().on_recall(r, h);
    case wire::kind::recalled: return rendezvous().on_recalled(named(source, h.ticket, role::send));
    case wire::kind::allow: return outbox().on_allow(source, h) ? errc{} : errc::protocol;
    default: break;
  }
  service* const s = services_.find(static_cast<std::uint8_t>(h.kind));
  if (s == nullptr) return errc::protocol;
  const errc why = s->on_packet(source, h, payload);
  if (why == errc{}) {  // A thread or a schedule may wait for it.
    pace().completed();
    recheck_compounds();
  }
  return why;
}

template <class Stack>
[[gnu::noinline]] operation* endpoint<Stack>::named(peer_id source, std::uint32_t ticket,
                                                    detail::role role) noexcept {
  operation* const op = pool().find(ticket);
  if (op == nullptr || op->role != role || op->peer != source || op->stage >= stage::closing)
    return nullptr;
  return op;
}

/// Returns the memory for the body of a packet whose header has arrived. Its credit counts when the
/// packet is complete.
template <class Stack>
std::span<std::byte> endpoint<Stack>::on_place(peer_id source, const frame_header& f,
                                               std::size_t bytes) noexcept {
  const wire::header h = wire::unpack(f);
  peer_record& r = peers().of(source);
  if (r.failure() != errc{}) return {};
  if (h.kind == wire::kind::eager) return inbox().place(r, h, bytes);
  if (h.kind != wire::kind::data) return {};
  return rendezvous().place(r, named(source, h.ticket, role::receive),
                            match_bits_of(h.context, h.tag), bytes);
}

/// Handles the completion of a pending post, get or put. An unknown or repeated cookie is an error
/// of the transport, and has no effect here.
template <class Stack>
void endpoint<Stack>::on_complete(cookie_t cookie, bool ok) noexcept {
  operation* op = pool().find(static_cast<std::uint32_t>(cookie));
  if (op == nullptr || op->pending == 0) return;
  --op->pending;
  const bool copied = static_cast<cookie_kind>(cookie >> 32) == cookie_kind::copy;
  if (copied) op->copying = false;
  if (op->stage == stage::closing) {
    if (!ok && copied && op->role == role::control) op->fails(errc::peer_lost);
    if (op->pending != 0) return;
    if (op->exposed && !orphaned()) {
      if (ends_exposures && peers().is_dropping(op->peer)) return;
      if (peers().failure_of(op->peer) != errc{})
        rendezvous().revoke_exposure(*op);
      else
        rendezvous().end_exposure(*op);
    }
    return finish(*op, op->failure);
  }
  if (copied) return rendezvous().on_copied(*op, ok);
  if (!ok) peers().lose_unless_told(op->peer, errc::peer_lost);  // The packet will never arrive.
}

}  // namespace mpx::inline v0::detail
