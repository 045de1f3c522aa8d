// SPDX-License-Identifier: BSL-1.0
#pragma once
// Choice of the rendezvous protocol of a long message and measurement of its cost; transfers in
// which the sender moves all data or a part of it. Included by rendezvous.hpp.

#include "mpx/engine/rooms/rendezvous.hpp"

namespace mpx::inline v0::detail {

template <class Stack, class House>
[[gnu::noinline]] bool rendezvous_room<Stack, House>::fetch(operation& op,
                                                            const arrived_message& m) {
  const remote_memory& from = m.memory;
  if constexpr (RmaTransport<transport_type>) {
    constexpr long_path by = protocol_type::long_by;
    if (by == long_path::packets || by == long_path::put || from.key == 0) return false;
    const bool whole = op.data.contiguous();
    if (!whole && !(CpuCopyTransport<transport_type> && house().outbox().prepare_staging()))
      return false;
    if (house().peers().is_gone(op.peer)) return false;  // So is its memory.
    advice a = advice::always;
    if (by == long_path::automatic) a = house().transport().get_cost_hint(op.peer, from, op.limit);
    // One packet: a get has no advantage.
    if (a == advice::never || (a == advice::learn && op.limit < learnt_bytes_min)) return false;
    op.rendezvous_protocol = protocol::rendezvous_protocol::get;
    if (a == advice::learn) {
      op.rendezvous_protocol = protocol::rendezvous_protocol::open;
      op.learns = (m.flags & arrived_message::flag_both_ways) != 0 ? protocol::traffic::both_ways
                                                                   : protocol::traffic::one_way;
      op.spent_ns = 0;
      // Otherwise the choice is made when this rank waits or polls: its program may have more
      // messages to announce first. Earlier messages come first, so that their cost is measured
      // unmixed.
      if (house().is_blocked() && house().peers().of(op.peer).due_.empty()) choose_way(op);
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::packets) return false;
    }
    op.target = from;
    op.copied = 0;
    if constexpr (CpuCopyTransport<transport_type>) {
      defer(op);
    } else {
      fetch_piece(op);
    }
    return true;
  }
  return false;
}

template <class Stack, class House>
outcome rendezvous_room<Stack, House>::get_piece(operation& op) {
  const cookie_t cookie = cookie_of(op, cookie_kind::copy);
  auto& transport = house().transport();
  if (op.data.contiguous()) [[likely]]
    return transport.get(op.peer, op.target, op.copied, op.data.piece(op.copied, piece_of(op)),
                         cookie);
  const std::span<std::byte> stage = house().outbox().staging().first(piece_of(op));
  const outcome o = transport.get(op.peer, op.target, op.copied, stage, cookie);
  if (o == outcome::done) op.data.write(op.copied, stage);
  return o;
}

/// True if `op` may be fetched in a batch with others.
inline bool is_whole_get(const operation& op) noexcept {
  return op.role == role::receive && op.copied == 0 && op.learns != protocol::traffic::none &&
         op.data.contiguous();
}

template <class Stack, class House>
[[gnu::noinline]] bool rendezvous_room<Stack, House>::fetch_batch(operation& op) {
  if constexpr (BatchingTransport<transport_type>) {
    constexpr std::size_t most = 2 * piece_max;
    if (op.limit > most / 2 || !is_whole_get(op)) return false;
    if (unbatched_ != 0) {
      --unbatched_;
      return false;
    }
    peer_record& r = house().peers().of(op.peer);
    operation* all[batched_gets_max]{&op};
    batched_get gets[batched_gets_max]{{op.target, op.data.piece(0, op.limit)}};
    std::size_t n = 1;
    std::size_t bytes = op.limit;
    const std::int64_t asked_at_ns = op.asked_at_ns;
    while (n < batched_gets_max && !r.due_.empty()) {
      operation& next = r.due_.front();
      if (!is_whole_get(next) || next.limit > most - bytes) break;
      r.due_.pop_front();
      next.stage = stage::copying;
      if (next.rendezvous_protocol == protocol::rendezvous_protocol::open) choose_way(next);
      if (next.rendezvous_protocol != protocol::rendezvous_protocol::get) {
        defer_rest(next);
        break;
      }
      all[n] = &next;
      gets[n++] = {next.target, next.data.piece(0, next.limit)};
      bytes += next.limit;
    }
    if (n == 1) return false;
    const bool came = house().transport().get_batch(op.peer, gets, n);
    if (!came) {  // One get failed: fetch each singly.
      while (n-- > 1) defer_rest(*all[n]);
      unbatched_ = unbatched_max;
      return false;
    }
    const std::int64_t took = take_time(asked_at_ns);
    for (std::size_t i = 0; i < n; ++i)
      all[i]->spent_ns +=
          took * static_cast<std::int64_t>(all[i]->limit) / static_cast<std::int64_t>(bytes);
    finish_notice done;
    for (std::size_t i = 0; i < n; ++i) done.add(op.peer, all[i]->remote_ticket);
    house().outbox().answer_copy(done.to(), done.header(), done.more());
    for (std::size_t i = 0; i < n; ++i)
      if (!all[i]->done()) fetched(*all[i], tells::nothing);  // Else the peer was found dead.
    return true;
  }
  return false;
}

template <class Stack, class House>
[[gnu::noinline]] void rendezvous_room<Stack, House>::ask(operation& op, std::size_t from,
                                                          bool stores) {
  wire::clearance c{
      .bytes = op.limit, .from = from, .memory = {}, .ticket = op.ticket, .reserved = 0};
  if constexpr (RmaTransport<transport_type>) {
    if (stores) c.memory = house().transport().expose(op.peer, op.data.piece(0, op.limit));
  }
  op.stage = stage::streaming;
  op.own = c.memory;
  op.exposed = c.memory.key != 0;
  op.transferred = from;
  op.copied = 0;
  op.control_bytes = sizeof c;
  std::memcpy(op.control, &c, sizeof c);
  house().outbox().answer({.kind = wire::kind::clear, .ticket = op.remote_ticket}, op);
}

template <class Stack, class House>
bool rendezvous_room<Stack, House>::split(operation& op, const remote_memory& from) {
  if constexpr (CpuCopyTransport<transport_type>) {
    auto& transport = house().transport();
    const std::size_t half = op.limit / 2 / cache_line_bytes * cache_line_bytes;
    bool is_here = false;
    {
      // The sender starts its half while this side fetches: the hold keeps the sender's memory
      // exposed meanwhile.
      const auto held = transport.hold(op.peer, from, half);
      if (!held) return false;
      ask(op, half, true);
      if (op.done()) return true;
      is_here = transport.get_held(op.peer, from, 0, op.data.piece(0, half));
    }
    if (!is_here) {
      ask_for_front(op, half);
      return true;
    }
    charge_time(op);
    house().trace().on(event::bytes_got, half);
    house().outbox().answer(op.peer, {.kind = wire::kind::finished, .ticket = op.remote_ticket});
    return true;
  }
  return false;
}

template <class Stack, class House>
[[gnu::noinline, gnu::cold]] void rendezvous_room<Stack, House>::ask_for_front(
    operation& op, std::size_t bytes) noexcept {
  learn_no_more(op);
  op.copied = bytes;
  const wire::clearance c{
      .bytes = bytes, .from = 0, .memory = {}, .ticket = op.ticket, .reserved = 0};
  house().outbox().answer_copy(op.peer, {.kind = wire::kind::clear, .ticket = op.remote_ticket},
                               {reinterpret_cast<const std::byte*>(&c), sizeof c});
}

template <class Stack, class House>
[[gnu::noinline, gnu::cold]] errc rendezvous_room<Stack, House>::on_front_wanted(
    operation& op, const wire::clearance& c) {
  if (op.role != role::send || op.front != front::open || c.from != 0 || c.memory.key != 0 ||
      c.bytes != op.message_bytes || c.ticket != op.remote_ticket)
    return errc::protocol;
  op.front = front::wanted;
  if (op.stage == stage::answer) send_front(op);  // Else when its own half is out.
  return errc{};
}

template <class Stack, class House>
[[gnu::noinline, gnu::cold]] void rendezvous_room<Stack, House>::send_front(operation& op) {
  op.split = false;
  op.limit = op.message_bytes;
  op.transferred = 0;
  op.stage = stage::streaming;
  peer_record& r = house().peers().of(op.peer);
  r.streams_.push_back(op);  // Behind all answers: one may report the other half.
  house().peers().set_busy(r);
}

template <class Stack, class House>
[[gnu::noinline]] void rendezvous_room<Stack, House>::choose_way(operation& op) noexcept {
  peer_record& r = house().peers().of(op.peer);
  const bool whole = op.data.contiguous();
  op.asked_at_ns = working_ns();
  if (has_data_for(r))
    op.learns = protocol::traffic::both_ways;
  else
    r.streamed_out_ = 0;  // Earlier traffic does not belong to this message.
  const bool both_ways = op.learns == protocol::traffic::both_ways;
  // After an eager send without an announcement the peer's choice is not known.
  const bool follows = both_ways && whole && op.peer < house().transport().self() &&
                       !house().outbox().has_sent_unasked(r) && r.taken_bits_ == bits_of(op.limit);
  op.rendezvous_protocol =
      follows ? r.taken_ : paths_of(op).choose(op.limit, whole && !both_ways, !r.due_.empty());
}

template <class Stack, class House>
void rendezvous_room<Stack, House>::learn_no_more(operation& op) noexcept {
  if (is_learnt(op) && op.rendezvous_protocol != protocol::rendezvous_protocol::open)
    paths_of(op).failed(op.limit);
  op.learns = protocol::traffic::none;
}

template <class Stack, class House>
std::int64_t rendezvous_room<Stack, House>::take_time(std::int64_t asked_at_ns) noexcept {
  const std::int64_t now = working_ns();
  const std::int64_t took = now - greater(asked_at_ns, charged_at_ns_);
  charged_at_ns_ = now;
  return took;
}

template <class Stack, class House>
[[gnu::noinline]] void rendezvous_room<Stack, House>::charge_time(operation& op,
                                                                  std::size_t streamed) {
  if (!is_learnt(op)) return;
  std::int64_t took = take_time(op.asked_at_ns);
  if (op.learns == protocol::traffic::both_ways && streamed != 0) {
    // As much data goes back as packets. If it did not in the same time, it follows later: its time
    // is counted, too.
    peer_record& r = house().peers().of(op.peer);
    const std::size_t out = lesser(streamed, r.streamed_out_);
    r.streamed_out_ -= out;
    if (out < streamed / 2) took *= 2;
  }
  op.spent_ns += took;
}

template <class Stack, class House>
[[gnu::noinline]] bool rendezvous_room<Stack, House>::push_fragments(peer_record& r,
                                                                     operation& op) {
  const std::size_t fragment = house().outbox().fragment_bytes_to(op.peer);
  if (op.data_lost()) {
    house().peers().refuse(op.peer);  // The next flush loses the peer.
    return false;
  }
  while (op.transferred < op.limit) {
    const std::size_t n = lesser(fragment, op.limit - op.transferred);
    const wire::header h{.kind = wire::kind::data,
                         .tag = static_cast<tag_t>(static_cast<std::uint32_t>(op.transferred)),
                         .context = static_cast<context_id>(op.transferred >> 32),
                         .ticket = op.remote_ticket};
    if (!house().outbox().post(op.peer, h, house().outbox().piece(op, op.transferred, n), &op))
      return false;
    op.transferred += n;
    r.streamed_out_ = lesser(r.streamed_out_ + n, streamed_out_max);
    house().trace().on(event::bytes_streamed, n);
  }
  r.streams_.pop_front();
  sent_all(op);
  return true;
}

/// Ends the exposure to a peer that was lost while it accessed the memory, after the transport has
/// dropped it. The peer's handle is invalid afterwards, if the transport can do that.
template <class Stack, class House>
[[gnu::noinline, gnu::cold]] void rendezvous_room<Stack, House>::revoke_exposure(
    operation& op) noexcept {
  if constexpr (RetiringTransport<transport_type>) {
    const std::int64_t until_ns = platform::now_ns() + copy_ns_max;
    while (op.exposed) {
      const outcome taken_back = house().transport().revoke(op.own);
      op.exposed = taken_back != outcome::done;
      if (taken_back != outcome::retry || platform::now_ns() > until_ns) break;
      ::sched_yield();
    }
  }
  end_exposure(op);
}

}  // namespace mpx::inline v0::detail
