// SPDX-License-Identifier: BSL-1.0
#pragma once
// Unexpected messages. Plain eager ones take a cheaper path than others. Included by inbox.hpp.

#include "mpx/engine/rooms/inbox.hpp"

namespace mpx::inline v0::detail {

/// Stores a plain eager message that matched no receive. Returns false if it needs the slow path.
template <class Stack, class House>
[[gnu::noinline]] bool inbox_room<Stack, House>::store_if_plain(
    peer_id source, match_bits bits, std::span<const std::byte> payload) noexcept {
  peer_record* const r = house().peers().find(source);
  const std::size_t cost = unexpected_cost(payload.size());
  if (r == nullptr || r->failure() != errc{} ||
      payload.size() > eager_bytes_ceiling<protocol_type> ||
      r->held_bytes_ + cost > window_of(source)) [[unlikely]]
    return false;
  arrived_message* const m = early_.make_plain(source, bits, payload);
  if (m == nullptr) return false;
  stored(*m);
  r->held_bytes_ += cost;
  early_.count(cost);
  house().trace().on(event::unexpected_bytes, payload.size());
  return true;
}

/// Handles an eager message longer than the threshold, sent without an announcement because the two
/// ranks exchange messages in turns (ADR 0036).
template <class Stack, class House>
[[gnu::noinline]] errc inbox_room<Stack, House>::on_unasked(peer_record& r, const wire::header& h,
                                                            std::span<const std::byte> payload) {
  if (h.flags != wire::flag_turn || h.ticket != 0 ||
      payload.size() <= protocol_type::tiny_bytes_max ||
      payload.size() > unasked_bytes_max<transport_type, protocol_type>)
    return errc::protocol;
  house().outbox().on_turn(r);
  wire::header plain = h;
  plain.flags = 0;
  post_direct_if_any();
  posted_receive* const met = matcher_.match_arrival({h.context, r.peer, h.tag});
  if (met == nullptr) return store_early(r, plain, payload);
  deliver_apart(static_cast<operation&>(*met), r.peer, h.tag, payload);
  return errc{};
}

/// Takes the unexpected message that `d` matches; without an operation if it is plain.
template <class Stack, class House>
[[gnu::noinline]] void inbox_room<Stack, House>::receive_stored(direct_receive& d) {
  if (house().peers().orphaned()) [[unlikely]]
    return receive_slow(d);
  auto* const m = static_cast<arrived_message*>(matcher_.find(d.want));
  if (m == nullptr || !m->plain) [[unlikely]]
    return receive_slow(d);
  matcher_.withdraw(*m);
  const peer_id source = m->is.source;
  const std::size_t bytes = m->stored;
  d.want.source = source;
  d.want.bits = m->is.bits;
  d.bytes = bytes;
  if (bytes == 8 && d.capacity >= 8) [[likely]] {
    std::memcpy(d.buffer, m->data(), 8);
    d.failure = errc{};
  } else {
    d.failure = copy_eager(d.buffer, d.capacity, {m->data(), bytes});
  }
  early_.forget(m);
  give_back_early(source, bytes);
  released(source, bytes);
}

template <class Stack, class House>
[[gnu::noinline]] void inbox_room<Stack, House>::discard(arrived_message* m) noexcept {
  early_.unclaim(*m);
  const peer_id source = m->is.source;
  const arrived_message was = *m;
  early_.forget(m);
  if (house().peers().orphaned()) return;
  if (was.kind == wire::kind::announce) {
    if (was.unready) return;  // The sender has been told.
    // Losses are not checked for: this may run inside a packet handler.
    if (house().peers().failure_of(source) != errc{}) return;
    announcement_answered(source);
    return house().outbox().answer(source, {.kind = wire::kind::finished, .ticket = was.ticket});
  }
  give_back_early(source, was.stored);
  released(source, was.stored);
  if ((was.flags & wire::flag_synchronous) != 0)
    house().outbox().answer(source, {.kind = wire::kind::matched, .ticket = was.ticket});
}

template <class Stack, class House>
[[gnu::noinline, gnu::cold]] void inbox_room<Stack, House>::forget_all() noexcept {
  matcher_.for_each([this](unexpected_message& m) {
    matcher_.withdraw(m);
    early_.forget(static_cast<arrived_message*>(&m));
  });
}

template <class Stack, class House>
void inbox_room<Stack, House>::discard_stored(arrived_message& m) noexcept {
  matcher_.withdraw(m);
  early_.claim(m);
  discard(&m);  // Drops no other message.
}

template <class Stack, class House>
[[gnu::noinline]] void inbox_room<Stack, House>::index_new() noexcept {
  matcher_.for_each_newest([this](unexpected_message& u) {
    auto& m = static_cast<arrived_message&>(u);
    if (m.indexed) return false;  // All older ones are indexed.
    if (house().is_freed(m.is.context())) {
      discard_stored(m);
    } else {
      early_.index(m);
    }
    return true;
  });
}

template <class Stack, class House>
template <class Gone>
void inbox_room<Stack, House>::discard_if(context_id context, Gone&& gone) noexcept {
  if (matcher_.stored() == 0) return;
  index_new();
  early_.for_each_near(context, [&](arrived_message& m) {
    if (gone(m.is)) discard_stored(m);
  });
}

}  // namespace mpx::inline v0::detail
