// SPDX-License-Identifier: BSL-1.0
#pragma once
// The sending half of the endpoint: backlogs in order, announcements, fragments, answers, and the
// buffered sends. Included by endpoint.hpp.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Returns the link, made if need be; nullptr when there is no memory for it.
template <class Stack>
[[gnu::noinline]] typename endpoint<Stack>::link* endpoint<Stack>::make_link(
    peer_id peer) noexcept {
  if (links_[peer] != nullptr) return links_[peer];
  auto* const l = new (std::nothrow) link(peer);
  if (l == nullptr) return nullptr;
  l->allowance = l->granted = announced_max_;
  return &links_.put(peer, l);
}

/// For what a peer has sent: without memory for a link the peer is lost. Look at its `failure`.
template <class Stack>
typename endpoint<Stack>::link& endpoint<Stack>::link_to(peer_id peer) noexcept {
  if (links_[peer] == nullptr && make_link(peer) == nullptr) [[unlikely]]
    fail_peer_locked(peer, errc::no_resources);
  return *links_[peer];
}

template <class Stack>
void endpoint<Stack>::make_busy(link& l) {
  if (l.busy) return;
  l.busy = true;
  ++troubles_;
  set_calm();
  busy_.push_back(l);
}

template <class Stack>
outcome endpoint<Stack>::post(peer_id to, wire::header h,
                              std::span<const std::byte> payload) noexcept {
  h.credit = flow_.outgoing(to);
  const outcome o = transport_.post(to, wire::pack(h), payload, 0);
  if (o == outcome::refused) [[unlikely]] {
    link& l = link_to(to);
    l.refused = true;  // Whoever flushes next ends what depends on this peer.
    if (l.failure == errc{}) make_busy(l);
  }
  trace_.on(o == outcome::done ? event::packets_sent : event::posts_retried, 1);
  return o;
}

/// Sends a control packet, now or as soon as the channel takes it.
template <class Stack>
void endpoint<Stack>::answer(peer_id to, wire::header h, std::span<const std::byte> payload) {
  link& l = link_to(to);
  if (l.failure != errc{}) return;
  if (l.control.empty()) {
    if (post(to, h, payload) == outcome::done) return;
  }
  operation* op = l.answers < answers_max ? pool_.take() : nullptr;
  if (op == nullptr) return fail_peer_locked(to, errc::no_resources);
  ++l.answers;
  op->begin(role::control, stage::queued, 0);
  op->holder = holder::nobody;
  op->peer = to;
  op->header = h;
  op->control_bytes = static_cast<std::uint8_t>(payload.size());
  if (!payload.empty()) std::memcpy(op->control.data(), payload.data(), payload.size());
  l.control.push_back(*op);
  make_busy(l);
}

template <class Stack>
void endpoint<Stack>::owe_credit(peer_id peer) {
  link& l = link_to(peer);
  if (l.failure != errc{}) return;
  if (post(peer, {.kind = wire::kind::credit}, {}) == outcome::done) {
    trace_.on(event::credits_sent, 1);
    return;
  }
  l.owes_credit = true;
  make_busy(l);
}

template <class Stack>
operation* endpoint<Stack>::new_send(const send_call& c, std::uint8_t flags) {
  operation* op = pool_.take();
  if (op == nullptr) return nullptr;
  op->begin(role::send, stage::queued, flags);
  op->owned_by_attached = op->split = op->fetched = false;
  op->peer = c.to;
  op->tag = c.tag;
  op->context = c.context;
  op->buffer = const_cast<std::byte*>(c.data);
  op->bytes = c.bytes;
  op->limit = op->moved = 0;
  op->own.key = 0;
  op->ranks = nullptr;
  return op;
}

/// The general send: keeps order behind earlier sends, falls back to announcing.
/// Errors: errc::no_resources, when no operation is to be had; nothing has happened then.
template <class Stack>
started endpoint<Stack>::queue_send_locked(const send_call& c, std::uint8_t flags) {
  link* const known = make_link(c.to);
  operation* op = known == nullptr ? nullptr : new_send(c, flags);
  if (op == nullptr) return {nullptr, errc::no_resources};
  link& l = *known;
  if (l.failure != errc{}) {
    finish(*op, l.failure);
    return {op};
  }
  [[maybe_unused]] const std::uint64_t before = completions_;
  l.backlog.push_back(*op);
  flush(l);
  if (op->stage == stage::queued) make_busy(l);
  if constexpr (concurrent) {
    if (completions_ != before && (followers_ != 0 || leader_)) rouse();
  }
  return {op};
}

/// Puts the first send of a backlog on the wire. Returns false if it must wait.
template <class Stack>
bool endpoint<Stack>::push(link& l, operation& op) {
  if (!is_long(op.bytes) && !op.data_lost() && flow_.try_acquire(op.peer, op.bytes)) {
    if (push_eager(op)) return true;
    flow_.restore(op.peer, op.bytes);
    return false;
  }
  return push_announcement(l, op);
}

template <class Stack>
bool endpoint<Stack>::push_eager(operation& op) {
  const wire::header h{.kind = wire::kind::eager,
                       .flags = op.flags,
                       .context = op.context,
                       .tag = op.tag,
                       .ticket = op.flags != 0 ? op.ticket : 0};
  const outcome o = post(op.peer, h, {op.buffer, op.bytes});
  if (o != outcome::done) return false;
  links_[op.peer]->backlog.pop_front();
  trace_.on(event::eager_sent, 1);
  if (op.flags == 0) {
    finish(op, errc{});
  } else {
    op.stage = stage::answer;
  }
  return true;
}

template <class Stack>
bool endpoint<Stack>::push_announcement(link& l, operation& op) {
  if (l.announced >= l.allowance) return false;
  wire::announcement a{.bytes = op.bytes, .memory = {}};
  if constexpr (RmaTransport<transport_type>) {
    if (Stack::protocol_type::long_by != long_path::packets &&
        Stack::protocol_type::long_by != long_path::put && op.bytes > 0 && !op.exposed &&
        !op.data_lost()) {
      op.own = transport_.expose(op.peer, {op.buffer, op.bytes});
      op.exposed = op.own.key != 0;
    }
    if (op.exposed) a.memory = op.own;
  }
  const bool last = l.announced + 1 == l.allowance;
  const wire::header h{.kind = wire::kind::announce,
                       .flags = static_cast<std::uint8_t>(op.flags | (last ? wire::flag_last : 0)),
                       .context = op.context,
                       .tag = op.tag,
                       .ticket = op.ticket};
  const outcome o = post(op.peer, h, std::as_bytes(std::span(&a, 1)));
  if (o != outcome::done) return false;
  l.backlog.pop_front();
  ++l.announced;
  op.announced = true;
  op.stage = stage::answer;
  trace_.on(event::announced, 1);
  if (op.bytes <= protocol_.short_bytes_max()) trace_.on(event::announced_for_flow, 1);
  return true;
}

/// Sends fragments of the first stream until it is over. Returns false if the channel is full.
template <class Stack>
bool endpoint<Stack>::push_fragments(link& l, operation& op) {
  constexpr std::size_t fragment =
      lesser(Stack::protocol_type::fragment_bytes_max, transport_type::traits.packet_bytes_max);
  if (op.data_lost()) {
    l.refused = true;  // Whoever flushes next gives the peer up.
    return false;
  }
  while (op.moved < op.limit) {
    const std::size_t n = lesser(fragment, op.limit - op.moved);
    const wire::header h{.kind = wire::kind::data,
                         .context = static_cast<context_id>(op.moved >> 32),
                         .tag = static_cast<tag_t>(static_cast<std::uint32_t>(op.moved)),
                         .ticket = op.remote_ticket};
    if (post(op.peer, h, {op.buffer + op.moved, n}) != outcome::done) return false;
    op.moved += n;
    trace_.on(event::bytes_streamed, n);
  }
  l.streams.pop_front();
  sent_all(op);
  return true;
}

/// The sender's part of a long message is out: the send is complete, unless the receiver still
/// fetches.
template <class Stack>
void endpoint<Stack>::sent_all(operation& op) {
  if (op.split && !op.fetched) {
    op.stage = stage::answer;
    return;
  }
  end_exposure(op);
  finish(op, errc{});
}

/// Moves matched data by a put into the memory that the receiver offered; else as packets.
template <class Stack>
void endpoint<Stack>::start_put(operation& op) {
  if constexpr (RmaTransport<transport_type>) {
    if (op.target.key != 0) {
      op.stage = stage::moving;
      const std::span<const std::byte> data(op.buffer + op.moved, op.limit - op.moved);
      outcome o;
      if constexpr (ImmediateTransport<transport_type>) {
        o = transport_.put_then(op.peer, op.target, op.moved, data,
                                wire::pack({.kind = wire::kind::delivered,
                                            .credit = flow_.outgoing(op.peer),
                                            .ticket = op.remote_ticket}),
                                cookie_t{op.ticket});
      } else {
        o = transport_.put(op.peer, op.target, op.moved, data, cookie_t{op.ticket});
      }
      op.pending = o == outcome::pending;
      if (op.pending) return;
      if (o == outcome::done) return put_done(op);
    }
  }
  link& l = link_to(op.peer);
  op.stage = stage::streaming;
  l.streams.push_back(op);
  if (l.streams.size() > 1 || !push_fragments(l, op)) make_busy(l);
}

template <class Stack>
void endpoint<Stack>::put_done(operation& op) {
  trace_.on(event::bytes_put, op.limit - op.moved);
  if constexpr (!ImmediateTransport<transport_type>)  // Else the put carried it.
    answer(op.peer, {.kind = wire::kind::delivered, .ticket = op.remote_ticket});
  if (!op.done()) sent_all(op);  // Else the answer found the peer dead.
}

/// Sends what waits for one peer: answers first, then credit, then sends in order, then data.
template <class Stack>
std::size_t endpoint<Stack>::flush(link& l) {
  const peer_id peer = l.peer;
  std::size_t sent = 0;
  while (!l.control.empty()) {
    operation& op = l.control.front();
    if (post(peer, op.header, std::span(op.control).first(op.control_bytes)) != outcome::done)
      return sent;
    l.control.pop_front();
    --l.answers;
    give(op);
    ++sent;
  }
  if (l.owes_credit) {
    if (post(peer, {.kind = wire::kind::credit}, {}) != outcome::done) return sent;
    l.owes_credit = false;
    ++sent;
  }
  while (!l.backlog.empty() && push(l, l.backlog.front())) ++sent;
  while (!l.streams.empty()) {
    const std::size_t before = l.streams.front().moved;
    operation& op = l.streams.front();
    if (!push_fragments(l, op)) {
      sent += op.moved != before;
      break;
    }
    ++sent;
  }
  return sent;
}

template <class Stack>
std::size_t endpoint<Stack>::flush_busy() {
  std::size_t sent = 0;
  for (auto at = busy_.begin(); at != busy_.end();) {
    link& l = *at;
    sent += flush(l);
    if (l.refused) [[unlikely]]
      fail_peer_locked(l.peer, errc::no_resources);
    if (l.control.empty() && l.backlog.empty() && l.streams.empty() && !l.owes_credit) {
      at = busy_.erase(at);
      l.busy = false;
      --troubles_;
    } else {
      ++at;
    }
  }
  set_calm();
  return sent;
}

template <class Stack>
errc endpoint<Stack>::send_buffered(const send_call& c) {
  std::lock_guard lock(threading_);
  if (!has_attached_) return errc::buffer;
  const auto at = attached_space_.allocate(c.bytes, 1);
  if (!at) return errc::buffer;
  if (send_now_locked(c)) {
    attached_space_.deallocate(*at);
    return errc{};
  }
  std::byte* copy = attached_.data() + *at;
  if (c.bytes > 0) std::memcpy(copy, c.data, c.bytes);
  const auto [op, failure] = queue_send_locked({copy, c.bytes, c.to, c.context, c.tag}, 0);
  if (op == nullptr) {
    attached_space_.deallocate(*at);
    return failure;
  }
  op->owned = copy;
  op->owned_by_attached = true;
  op->holder = holder::nobody;
  if (op->done()) {
    const errc why = op->failure;
    give(*op);
    return why;
  }
  return errc{};
}

template <class Stack>
errc endpoint<Stack>::attach(std::span<std::byte> memory) {
  std::lock_guard lock(threading_);
  if (has_attached_) return errc::buffer;
  attached_space_ = offset_allocator(memory.size());
  attached_ = memory;
  has_attached_ = true;
  return errc{};
}

template <class Stack>
std::span<std::byte> endpoint<Stack>::detach(call_site site) {
  wait_until(site, {wait_kind::buffered}, [this] { return attached_space_.empty(); });
  std::lock_guard lock(threading_);
  has_attached_ = false;
  return std::exchange(attached_, {});
}

template <class Stack>
void endpoint<Stack>::free_copy(operation& op) noexcept {
  std::byte* copy = std::exchange(op.owned, nullptr);
  if (op.owned_by_attached) {
    attached_space_.deallocate(static_cast<std::uint64_t>(copy - attached_.data()));
  } else {
    platform::deallocate(copy);
  }
}

}  // namespace mpx::inline v0::detail
