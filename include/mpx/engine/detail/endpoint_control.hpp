// SPDX-License-Identifier: BSL-1.0
#pragma once
// Long messages and control packets at both ends of the endpoint: announcements, the ways their
// data moves, and answers. Included by endpoint.hpp. Nothing that a packet says is used before it
// is checked.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

inline constexpr std::uint32_t no_ticket = 0;

template <class Stack>
void endpoint<Stack>::on_announce(peer_id source, const wire::header& h,
                                  std::span<const std::byte> payload) {
  wire::announcement a;
  const bool read = wire::read(payload, a);
  link& l = link_to(source);
  if (!read || h.tag < 0 || h.ticket == no_ticket || l.heard == l.granted)
    return fail_peer_locked(source, errc::protocol);
  ++l.heard;
  if ((h.flags & wire::flag_last) != 0 && !l.peer_stalled) {
    l.peer_stalled = true;
    stalled_.push_back(l);
  }
  arrived_message m;
  m.is = {h.context, source, h.tag};
  m.kind = h.kind;
  m.flags = h.flags;
  m.ticket = h.ticket;
  m.bytes = a.bytes;
  m.memory = a.memory;
  if (posted_receive* r = matcher_.match_arrival(m.is); r != nullptr) {
    return take_announced(static_cast<operation&>(*r), m);
  }
  arrived_message* kept = store(source, h, 0);
  if (kept == nullptr) return fail_peer_locked(source, errc::no_resources);
  kept->bytes = a.bytes;
  kept->memory = a.memory;
  if ((h.flags & wire::flag_ready) != 0) {
    kept->unready = true;
    --l.heard;
    answer(source, {.kind = wire::kind::unready, .ticket = h.ticket});
  }
}

/// A receive has met an announced message: move its data.
template <class Stack>
void endpoint<Stack>::take_announced(operation& op, const arrived_message& m) {
  op.peer = m.is.source;
  op.tag = m.is.tag;
  op.message_bytes = m.bytes;
  op.remote_ticket = m.ticket;
  op.way = protocol::path::packets;
  op.limit = lesser<std::uint64_t>(m.bytes, op.bytes);
  op.moved = 0;
  op.exposed = false;
  op.pending = false;
  op.learns = false;
  op.stage = stage::moving;
  if (m.unready) return finish(op, errc::not_ready);  // The sender has been told; its data is gone.
  link& l = *links_[op.peer];
  if (l.failure != errc{}) return finish(op, l.failure);
  --l.heard;
  if (op.limit == 0) return receive_done(op, wire::kind::finished);
  if (loss_of(op.peer) == errc{}) {  // Else its memory is gone.
    if (try_get(op, m.memory)) return;
    op.learns = false;
  }
  request_packets(op);
}

/// Fetches the data if the transport can and it pays. Returns false if another path is to be taken.
template <class Stack>
bool endpoint<Stack>::try_get(operation& op, const remote_memory& memory) {
  if constexpr (RmaTransport<transport_type>) {
    constexpr long_path by = Stack::protocol_type::long_by;
    if (by == long_path::packets || by == long_path::put || memory.key == 0) return false;
    advice a = advice::always;
    if (by == long_path::automatic) a = transport_.get_pays(op.peer, memory, op.limit);
    if (a == advice::never) return false;
    if (a == advice::learn) {
      if (op.limit < learnt_bytes_min) return false;  // One packet: nothing to gain.
      op.learns = true;
      op.spent_ns = 0;
      op.asked_at_ns = now_ns();
      op.way = paths_.choose(op.limit);
      if (op.way == protocol::path::packets) {
        request_packets(op);
        return true;
      }
      if (op.way == protocol::path::split) return split(op, memory);
    }
    const outcome o =
        transport_.get(op.peer, memory, 0, {op.buffer, op.limit}, cookie_t{op.ticket});
    op.pending = o == outcome::pending;
    if (op.pending) return true;
    if (o != outcome::done) return false;
    moved_some(op);
    trace_.on(event::bytes_got, op.limit);
    receive_done(op, wire::kind::finished);
    return true;
  }
  return false;
}

/// Asks the sender for the data, as packets or by a put.
template <class Stack>
void endpoint<Stack>::request_packets(operation& op) {
  ask(op, 0, Stack::protocol_type::long_by == long_path::put);
}

/// Lets the sender move what lies behind `from`; `offer`: it may store it here itself.
template <class Stack>
void endpoint<Stack>::ask(operation& op, std::size_t from, bool offer) {
  wire::clearance c{
      .bytes = op.limit, .from = from, .memory = {}, .ticket = op.ticket, .reserved = 0};
  if constexpr (RmaTransport<transport_type>) {
    if (offer) c.memory = transport_.expose(op.peer, {op.buffer, op.limit});
  }
  op.stage = stage::streaming;
  op.own = c.memory;
  op.exposed = c.memory.key != 0;
  op.moved = from;
  answer(op.peer, {.kind = wire::kind::clear, .ticket = op.remote_ticket},
         std::as_bytes(std::span(&c, 1)));
}

/// Both sides copy: the sender stores the second half while this fetches the first.
template <class Stack>
bool endpoint<Stack>::split(operation& op, const remote_memory& memory) {
  if constexpr (CopyingTransport<transport_type>) {
    const std::size_t half = op.limit / 2 / cache_line_bytes * cache_line_bytes;
    {
      // Once the sender has begun there is no way back: nobody shall take this memory away, and
      // first see whether it can be fetched.
      const auto held = transport_.hold(op.peer, memory);
      if (!held || !transport_.get_held(op.peer, memory, 0, {op.buffer, cache_line_bytes}))
        return false;
      ask(op, half, true);
      if (op.done()) return true;
      if (!transport_.get_held(op.peer, memory, 0, {op.buffer, half})) {
        fail_peer_locked(op.peer, errc::peer_lost);  // It was there a moment ago.
        return true;
      }
    }
    moved_some(op);
    trace_.on(event::bytes_got, half);
    answer(op.peer, {.kind = wire::kind::finished, .ticket = op.remote_ticket});
    return true;
  }
  return false;
}

/// Takes back what the peer of `op` could reach. Returns false while it is in the middle of a copy,
/// or may be, as far as the transport knows.
template <class Stack>
bool endpoint<Stack>::withdraw(operation& op) noexcept {
  if constexpr (RmaTransport<transport_type>) {
    if (op.exposed) op.exposed = transport_.withdraw(op.own) != outcome::done;
    return !op.exposed;
  }
  return true;
}

/// The same where the peer has no business there any more, or is lost: waits for a copy that it has
/// begun, but not for a peer that is gone, nor for ever.
template <class Stack>
void endpoint<Stack>::end_exposure(operation& op) noexcept {
  if (withdraw(op)) [[likely]]
    return;
  const std::int64_t until_ns = platform::now_ns() + copy_ns_max;
  while (!withdraw(op)) {
    if (loss_of(op.peer) != errc{} || platform::now_ns() > until_ns) break;
    ::sched_yield();
  }
  op.exposed = false;
}

/// Data of `op` has moved: the time since data last moved here, or since it was asked for, is its.
template <class Stack>
void endpoint<Stack>::moved_some(operation& op) {
  if (!op.learns) return;
  const std::int64_t now = now_ns();
  op.spent_ns += now - greater(op.asked_at_ns, moved_at_ns_);
  moved_at_ns_ = now;
}

/// All data of a long message is here.
template <class Stack>
void endpoint<Stack>::receive_done(operation& op, wire::kind tell) {
  end_exposure(op);
  if (op.learns) paths_.took(op.way, op.limit, op.spent_ns);
  if (tell == wire::kind::finished) answer(op.peer, {.kind = tell, .ticket = op.remote_ticket});
  if (op.done()) return;  // The answer found the peer dead.
  finish(op, op.message_bytes > op.bytes ? errc::truncate : errc{});
}

/// The operation that a peer's ticket names, if it is the peer's to name.
template <class Stack>
operation* endpoint<Stack>::answered(peer_id source, std::uint32_t ticket, detail::role role) {
  operation* op = pool_.find(ticket);
  if (op == nullptr || op->role != role || op->peer != source || op->done()) return nullptr;
  return op;
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::on_control(peer_id source, const wire::header& h,
                                                   std::span<const std::byte> payload) {
  const auto malformed = [&] { fail_peer_locked(source, errc::protocol); };
  if (h.reserved != 0 || (h.flags & ~wire::flags_all) != 0) return malformed();
  switch (h.kind) {
    case wire::kind::announce: return on_announce(source, h, payload);
    case wire::kind::clear: return on_clear(source, h, payload);
    case wire::kind::data: return on_data(source, h, payload);
    case wire::kind::credit: return;
    case wire::kind::allow:
      if (h.tag <= 0) return malformed();
      link_to(source).allowance = static_cast<std::uint32_t>(lesser<std::uint64_t>(
          std::uint64_t{link_to(source).allowance} + static_cast<std::uint32_t>(h.tag),
          allowance_max));
      return;
    case wire::kind::delivered: {
      operation* op = answered(source, h.ticket, role::receive);
      if (op == nullptr || op->stage != stage::streaming || op->own.key == 0) return malformed();
      moved_some(*op);
      return receive_done(*op, h.kind);
    }
    case wire::kind::revoke:
      if ((h.context & 1) == 0 || h.context >> 1 > context_serial_max || h.tag < 0)
        return malformed();
      if (!mark_revoked({h.context, h.tag})) fail_peer_locked(source, errc::no_resources);
      return;
    case wire::kind::finished:
    case wire::kind::matched:
    case wire::kind::unready: {
      operation* op = answered(source, h.ticket, role::send);
      if (op != nullptr && op->split && h.kind == wire::kind::finished) {
        if (op->fetched) return malformed();
        op->fetched = true;
        if (op->stage == stage::answer) sent_all(*op);
        return;
      }
      if (op == nullptr || op->stage != stage::answer || op->split) return malformed();
      // `matched` answers an eager message, `finished` an announced one, `unready` either.
      if (op->announced ? h.kind == wire::kind::matched : h.kind == wire::kind::finished)
        return malformed();
      if (op->announced) --link_to(source).announced;
      end_exposure(*op);
      return finish(*op, h.kind == wire::kind::unready ? errc::not_ready : errc{});
    }
    default: return malformed();
  }
}

template <class Stack>
void endpoint<Stack>::on_clear(peer_id source, const wire::header& h,
                               std::span<const std::byte> payload) {
  wire::clearance c;
  const bool read = wire::read(payload, c);
  operation* op = answered(source, h.ticket, role::send);
  if (!read || op == nullptr || op->stage != stage::answer || !op->announced || op->split ||
      c.bytes > op->bytes || c.from >= c.bytes || (c.from != 0 && op->own.key == 0))
    return fail_peer_locked(source, errc::protocol);
  --link_to(source).announced;
  op->split = c.from != 0;
  op->limit = c.bytes;
  op->moved = c.from;
  op->remote_ticket = c.ticket;
  op->target = c.memory;
  if (!op->split) end_exposure(*op);  // The receiver fetches nothing.
  if (op->data_lost()) return fail_peer_locked(source, errc::no_resources);
  start_put(*op);
}

template <class Stack>
void endpoint<Stack>::on_data(peer_id source, const wire::header& h,
                              std::span<const std::byte> payload) {
  operation* op = answered(source, h.ticket, role::receive);
  const std::uint64_t offset = std::uint64_t{h.context} << 32 | static_cast<std::uint32_t>(h.tag);
  if (op == nullptr || op->stage != stage::streaming || offset != op->moved || payload.empty() ||
      payload.size() > op->limit - op->moved)
    return fail_peer_locked(source, errc::protocol);
  if (op->buffer != nullptr)  // Else the request was abandoned: its memory may be gone.
    std::memcpy(op->buffer + op->moved, payload.data(), payload.size());
  op->moved += payload.size();
  moved_some(*op);
  if (op->moved < op->limit) return;
  receive_done(*op, h.kind);
}

/// A get or put that was pending in the transport has ended.
template <class Stack>
void endpoint<Stack>::on_moved(cookie_t cookie, bool ok) {
  operation* op = pool_.find(static_cast<std::uint32_t>(cookie));
  if (op == nullptr || !op->pending) return;
  op->pending = false;
  if (op->failure != errc{}) {  // Its peer was lost in the meantime.
    end_exposure(*op);
    return finish(*op, op->failure);
  }
  if (op->role == role::receive) {
    if (!ok) return request_packets(*op);
    trace_.on(event::bytes_got, op->limit);
    return receive_done(*op, wire::kind::finished);
  }
  op->target = {};
  if (!ok) return start_put(*op);  // No target any more: as packets.
  put_done(*op);
}

}  // namespace mpx::inline v0::detail
