// SPDX-License-Identifier: BSL-1.0
#pragma once
// The receiving half of the endpoint: posting receives, eager messages that meet them or come
// early, and probes. Included by endpoint.hpp. Nothing that a packet says is used before it is
// checked.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

static_assert(sizeof(arrived_message) <= 112, "unexpected_cost() counts 112 bytes for a record");

template <class Stack>
inline operation* endpoint<Stack>::start_receive_locked(std::byte* buffer, std::size_t capacity) {
  operation* op = pool_.take();
  if (op != nullptr) [[likely]]
    begin_receive(*op, buffer, capacity);
  return op;
}

template <class Stack>
started endpoint<Stack>::receive_nothing() {
  std::lock_guard lock(threading_);
  operation* op = start_receive_locked(nullptr, 0);
  if (op == nullptr) return {nullptr, errc::no_resources};
  op->want = {0, null_peer, any_tag};
  op->peer = op->want.source;
  op->tag = any_tag;
  op->message_bytes = 0;
  finish(*op, errc{});
  return {op};
}

template <class Stack>
inline started endpoint<Stack>::receive(std::byte* buffer, std::size_t capacity, pattern want) {
  std::lock_guard lock(threading_);
  operation* op = start_receive_locked(buffer, capacity);
  if (op == nullptr) [[unlikely]]
    return {nullptr, errc::no_resources};
  op->want.context = want.context;  // One by one: a copy of the whole stalls on store forwarding.
  op->want.source = want.source;
  op->want.tag = want.tag;
  if (unexpected_message* m = matcher_.match_receive(op->want); m != nullptr) [[unlikely]] {
    accept(*op, static_cast<arrived_message*>(m));
    return {op};
  }
  if (failures_ != 0 && end_if_doomed(*op)) [[unlikely]]
    return {op};
  matcher_.post(*op);
  return {op};
}

/// Takes the message that `d` wants if it is the next one of its source. Requires: nothing is
/// posted or stored that could match first.
template <class Stack>
inline bool endpoint<Stack>::take_direct(direct_receive& d) noexcept {
  if constexpr (PeekingTransport<transport_type>) {
    const peer_id source = d.want.source;
    bool tell = false;
    const bool taken =
        transport_.take_if(source, [&](const frame_header& f, std::span<const std::byte> payload) {
          if (f.word[wire::word_kind] != wire::plain_eager ||
              f.word[wire::word_context] != d.want.context ||
              f.word[wire::word_tag] != static_cast<std::uint32_t>(d.want.tag) ||
              !flow_.incoming(source, f.word[wire::word_credit]))
            return false;  // The poll that follows sees to it.
          tell = flow_.release(source, payload.size());
          d.bytes = payload.size();
          d.failure = copy_eager(d.buffer, d.capacity, payload);
          return true;
        });
    if (tell) [[unlikely]]
      owe_credit(source);
    return taken;
  }
  return false;
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::receive_now(direct_receive& d) {
  if constexpr (!concurrent) {
    std::lock_guard lock(threading_);
    // any_tag needs no test: it equals no tag on the wire.
    if (matcher_.pending() == 0 && d.want.source != any_peer && --vital_->takes >= 0) [[likely]] {
      if (take_direct(d)) [[likely]]
        return;
    }
  }
  receive_slow(d);
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::receive_slow(direct_receive& d) {
  d.posted = nullptr;
  if constexpr (!concurrent) {
    std::lock_guard lock(threading_);
    if (orphaned()) [[unlikely]]
      check_failures();
    else
      vital_->takes = troubles_ == 0 ? takes_max : 0;
    if (matcher_.nothing_posted() && failures_ == 0 && matcher_.find(d.want) == nullptr)
        [[likely]] {
      if (watch_ != nullptr) [[unlikely]]
        watch_->saw(platform::now_ns());
      if (spare_ == nullptr) spare_ = pool_.take();
      if (spare_ == nullptr) [[unlikely]] {
        d.failure = errc::no_resources;
        return;
      }
      d.done = false;
      direct_ = &d;
      for (unsigned looks = transport_.oversubscribed() ? 1 : direct_looks; looks > 0; --looks) {
        progress_inlined();
        if (d.done) [[likely]]
          return;
      }
      if (direct_ != nullptr) post_direct();
    }
  }
  operation* op = d.posted;
  if (op == nullptr) op = receive(d.buffer, d.capacity, d.want).op;
  if (op == nullptr) [[unlikely]] {
    d.failure = errc::no_resources;
    return;
  }
  if constexpr (!concurrent) {
    if (op->done()) return received(d, *op);
  }
  d.posted = op;
  d.failure = undecided;
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::receive_rest(direct_receive& d, call_site site) {
  wait(*d.posted, site);
  received(d, *d.posted);
}

template <class Stack>
inline void endpoint<Stack>::received(direct_receive& d, operation& op) {
  d.want.source = op.peer;
  d.want.tag = op.tag;
  d.bytes = op.message_bytes;
  d.failure = op.failure;
  release(op);
}

/// The direct receive becomes an ordinary one: it has looked for long enough, or what came needs an
/// operation.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::post_direct() {
  direct_receive& d = *std::exchange(direct_, nullptr);
  d.posted = std::exchange(spare_, nullptr);
  begin_receive(*d.posted, d.buffer, d.capacity);
  d.posted->want = d.want;
  matcher_.post(*d.posted);
}

/// Completes a receive that can never match. Returns false if it can.
template <class Stack>
[[gnu::noinline]] bool endpoint<Stack>::end_if_doomed(operation& op) {
  const errc why = doom(op.want);
  if (why == errc{}) return false;
  op.peer = op.want.source;
  op.tag = op.want.tag;
  op.message_bytes = 0;
  finish(op, why);
  return true;
}

/// Why a receive can never match, or errc{}.
template <class Stack>
errc endpoint<Stack>::doom(const pattern& want) const noexcept {
  if (orphaned()) return errc::not_a_rank;
  if (want.source == any_peer)
    return failures_ != failures_acknowledged_ ? errc::peer_lost : errc{};
  return links_[want.source] ? links_[want.source]->failure : errc{};
}

template <class Stack>
inline void endpoint<Stack>::on_packet(peer_id source, const frame_header& f,
                                       std::span<const std::byte> payload) noexcept {
  if (!flow_.incoming(source, f.word[wire::word_credit])) [[unlikely]]
    return fail_peer_locked(source, errc::protocol);
  if (f.word[wire::word_kind] != wire::plain_eager) [[unlikely]]
    return on_other(source, wire::unpack(f), payload);
  const envelope is{f.word[wire::word_context], source, static_cast<tag_t>(f.word[wire::word_tag])};
  if (direct_ != nullptr) {
    if (direct_->want.matches(is)) [[likely]] {
      direct_receive& d = *std::exchange(direct_, nullptr);
      d.want.source = source;
      d.want.tag = is.tag;
      d.bytes = payload.size();
      d.failure = copy_eager(d.buffer, d.capacity, payload);
      d.done = true;
      if (flow_.release(source, payload.size())) [[unlikely]]
        owe_credit(source);
      return;
    }
  } else if (posted_receive* r = matcher_.match_arrival(is); r != nullptr) [[likely]] {
    return deliver(static_cast<operation&>(*r), source, is.tag, payload);
  }
  on_other(source, wire::unpack(f), payload);
}

/// Copies what fits. Returns errc::truncate if not all did.
template <class Stack>
inline errc endpoint<Stack>::copy_eager(std::byte* into, std::size_t capacity,
                                        std::span<const std::byte> payload) noexcept {
  if (payload.size() == 8 && capacity >= 8) [[likely]] {
    std::memcpy(into, payload.data(), 8);
    return errc{};
  }
  const std::size_t n = lesser(payload.size(), capacity);
  if (n != 0) std::memcpy(into, payload.data(), n);
  return n < payload.size() ? errc::truncate : errc{};
}

/// Copies an eager message to its receive and completes it.
template <class Stack>
inline void endpoint<Stack>::deliver(operation& op, peer_id source, tag_t tag,
                                     std::span<const std::byte> payload) noexcept {
  op.peer = source;
  op.tag = tag;
  op.message_bytes = payload.size();
  finish(op, copy_eager(op.buffer, op.bytes, payload));
  if (flow_.release(source, payload.size())) [[unlikely]]
    owe_credit(source);
}

/// Whatever is not a plain eager message that meets its receive.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::on_other(peer_id source, const wire::header& h,
                                                 std::span<const std::byte> payload) noexcept {
  link& l = link_to(source);
  if (l.failure != errc{}) return;  // Nothing that it says counts any more.
  if (h.kind != wire::kind::eager) {
    if (direct_ != nullptr && h.kind == wire::kind::announce) post_direct();
    return on_control(source, h, payload);
  }
  if (h.reserved != 0 || h.tag < 0 || (h.flags & ~wire::flags_all) != 0 ||
      payload.size() > Stack::protocol_type::short_bytes_ceiling)
    return fail_peer_locked(source, errc::protocol);
  if (direct_ != nullptr && h.flags != 0) post_direct();
  if (h.flags == 0) return store_early(source, h, payload);
  posted_receive* r = matcher_.match_arrival({h.context, source, h.tag});
  if (r == nullptr) return store_early(source, h, payload);
  deliver(static_cast<operation&>(*r), source, h.tag, payload);
  answer(source, {.kind = wire::kind::matched, .ticket = h.ticket});
}

/// Keeps an eager message that came before its receive.
template <class Stack>
void endpoint<Stack>::store_early(peer_id source, const wire::header& h,
                                  std::span<const std::byte> payload) {
  link& l = link_to(source);
  const std::size_t cost = unexpected_cost(payload.size());
  if (l.held_bytes + cost > flow_.window_bytes()) return fail_peer_locked(source, errc::protocol);
  arrived_message* m = store(source, h, payload.size());
  if (m == nullptr) return fail_peer_locked(source, errc::no_resources);
  l.held_bytes += cost;
  early_bytes_ += cost;
  m->bytes = payload.size();
  if (!payload.empty()) std::memcpy(m->data(), payload.data(), payload.size());
  trace_.on(event::unexpected_bytes, payload.size());
  if ((h.flags & wire::flag_ready) == 0) return;
  m->unready = true;
  answer(source, {.kind = wire::kind::unready, .ticket = h.ticket});
}

/// Keeps the record of an early message, with room for `stored` bytes, and shows it to the matcher.
template <class Stack>
arrived_message* endpoint<Stack>::store(peer_id source, const wire::header& h, std::size_t stored) {
  void* block = blocks_.take(sizeof(arrived_message) + stored);
  if (block == nullptr) return nullptr;
  auto* m = ::new (block) arrived_message;
  m->is = {h.context, source, h.tag};
  m->kind = h.kind;
  m->flags = h.flags;
  m->ticket = h.ticket;
  m->stored = static_cast<std::uint32_t>(stored);
  matcher_.store(*m);
  trace_.on(event::unexpected, 1);
  if constexpr (concurrent) ++completions_;  // A blocked probe may look for it.
  return m;
}

template <class Stack>
void endpoint<Stack>::forget(arrived_message* m) noexcept {
  const std::size_t bytes = sizeof(arrived_message) + m->stored;
  m->~arrived_message();
  blocks_.give(m, bytes);
}

/// Gives an early message, already out of the matcher, to its receive.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::accept(operation& op, arrived_message* m) {
  const peer_id source = m->is.source;
  if (m->kind == wire::kind::announce) {
    const arrived_message copy = *m;
    forget(m);
    return take_announced(op, copy);
  }
  links_[source]->held_bytes -= unexpected_cost(m->stored);
  early_bytes_ -= unexpected_cost(m->stored);
  const bool unready = m->unready;
  const std::uint32_t ticket = m->ticket;
  const bool synchronous = (m->flags & wire::flag_synchronous) != 0;
  deliver(op, source, m->is.tag, {m->data(), m->stored});
  if (unready && op.failure == errc{}) op.failure = errc::not_ready;
  forget(m);
  if (synchronous) answer(source, {.kind = wire::kind::matched, .ticket = ticket});
}

template <class Stack>
started endpoint<Stack>::receive_claimed(arrived_message* m, std::byte* buffer,
                                         std::size_t capacity) {
  std::lock_guard lock(threading_);
  operation* op = start_receive_locked(buffer, capacity);
  if (op == nullptr) return {nullptr, errc::no_resources};
  claimed_.erase(claimed_.iterator_to(*m));
  op->want = {m->is.context, m->is.source, m->is.tag};
  accept(*op, m);
  return {op};
}

/// As a receive without room, but this needs no operation: no data moves.
template <class Stack>
void endpoint<Stack>::discard(arrived_message* m) noexcept {
  std::lock_guard lock(threading_);
  claimed_.erase(claimed_.iterator_to(*m));
  const peer_id source = m->is.source;
  const arrived_message was = *m;
  forget(m);
  if (was.kind == wire::kind::announce) {
    if (was.unready) return;  // The sender has been told.
    check_failures();
    link& l = *links_[source];
    if (l.failure != errc{}) return;
    --l.heard;
    return answer(source, {.kind = wire::kind::finished, .ticket = was.ticket});
  }
  links_[source]->held_bytes -= unexpected_cost(was.stored);
  early_bytes_ -= unexpected_cost(was.stored);
  if (flow_.release(source, was.stored)) owe_credit(source);
  if ((was.flags & wire::flag_synchronous) != 0)
    answer(source, {.kind = wire::kind::matched, .ticket = was.ticket});
}

template <class Stack>
inline std::optional<probe_result> endpoint<Stack>::probe(const pattern& want, errc& failure) {
  std::lock_guard lock(threading_);
  ++probing_;
  look_locked();
  --probing_;
  auto* m = static_cast<arrived_message*>(matcher_.find(want));
  failure = failures_ != 0 && m == nullptr ? doom(want) : errc{};
  if (m == nullptr) return std::nullopt;
  return probe_result{m->is.source, m->is.tag, m->bytes};
}

template <class Stack>
probe_result endpoint<Stack>::wait_probe(const pattern& want, call_site site, errc& failure) {
  probe_result found;
  const probing_scope scope(*this);
  wait_until(site, {wait_kind::all, awaited::form::probed, &want}, [&] {
    auto* m = static_cast<arrived_message*>(matcher_.find(want));
    if (m != nullptr) found = probe_result{m->is.source, m->is.tag, m->bytes};
    failure = failures_ != 0 && m == nullptr ? doom(want) : errc{};
    return m != nullptr || failure != errc{};
  });
  return found;
}

template <class Stack>
arrived_message* endpoint<Stack>::claim(const pattern& want, errc& failure) {
  std::lock_guard lock(threading_);
  ++probing_;
  look_locked();
  --probing_;
  auto* m = static_cast<arrived_message*>(matcher_.match_receive(want));
  failure = failures_ != 0 && m == nullptr ? doom(want) : errc{};
  if (m != nullptr) claimed_.push_back(*m);
  return m;
}

template <class Stack>
arrived_message* endpoint<Stack>::wait_claim(const pattern& want, call_site site, errc& failure) {
  arrived_message* found = nullptr;
  const probing_scope scope(*this);
  wait_until(site, {wait_kind::all, awaited::form::probed, &want}, [&] {
    found = static_cast<arrived_message*>(matcher_.match_receive(want));
    if (found != nullptr) claimed_.push_back(*found);
    failure = failures_ != 0 && found == nullptr ? doom(want) : errc{};
    return found != nullptr || failure != errc{};
  });
  return found;
}

}  // namespace mpx::inline v0::detail
