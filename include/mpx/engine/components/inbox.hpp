// SPDX-License-Identifier: BSL-1.0
#pragma once
// Receive side of the endpoint: posted receives, unexpected messages within their budget, probes,
// and the direct receive that polls for its message itself. Every field of a packet is checked
// before it is used.

#include <cstring>
#include <optional>
#include <span>

#include "mpx/core/exchange.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/engine/axes/checks.hpp"
#include "mpx/engine/axes/long_path.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/components/peer_record.hpp"
#include "mpx/engine/components/unexpected_messages.hpp"
#include "mpx/flow/concepts.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/protocol/wire.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::detail {

/// Requires of `Endpoint`: transport(), flow(), trace(), pool(); finish(op, why), give(op),
/// poll_once(), arrived(); receive_slow(d), receive_stored(d), met_or_unmatchable(op) and
/// owe_credit(peer), which call the functions of these names here and in the outbox; queries about
/// the communicator of a context: failure_in(context), concerns(context, peer),
/// unacknowledged_in(context), is_freed(context); peers(), outbox() and rendezvous().
template <class Stack, class Endpoint>
class inbox_component {
  using transport_type = typename Stack::transport_type;
  using protocol_type = typename Stack::protocol_type;
  using flow_type = typename Stack::flow_type;
  static constexpr bool concurrent = Stack::threading_type::concurrent;
  static constexpr unsigned direct_polls = 4096;
  static constexpr std::uint32_t allowance_max = 1u << 31;

 public:
  [[gnu::noinline, gnu::cold]] inbox_component(std::uint32_t announced_max, context_id place_mask)
      : announcements_step_(announced_max), unexpected_(place_mask) {}
  inbox_component(const inbox_component&) = delete;
  inbox_component& operator=(const inbox_component&) = delete;
  ~inbox_component() { forget_all(); }

  // --- Receives ----------------------------------------------------------------------------------

  [[MPX_ALWAYS_INLINE]] started receive(const memory& into, const pattern& want) {
    operation* op = new_receive(into);
    if (op == nullptr) [[unlikely]]
      return {nullptr, errc::no_resources};
    op->want.bits = want.bits;  // A copy of the whole struct stalls on store forwarding.
    op->want.ignore = want.ignore;
    op->want.source = want.source;
    if ((matcher_.stored() | ep().peers().failures()) != 0 && ep().met_or_unmatchable(*op))
        [[unlikely]]
      return {op};
    matcher_.post(*op);
    return {op};
  }
  /// Starts a receive from the null rank: complete, without data.
  started receive_nothing(peer_id nobody) {
    operation* op = new_receive({});
    if (op == nullptr) return {nullptr, errc::no_resources};
    op->want = pattern{0, nobody, -1};
    end_unmatched(*op, errc{});
    return {op};
  }
  /// Cancels a receive that has not matched.
  /// Requires: it is posted.
  void cancel(operation& op) noexcept {
    matcher_.cancel(op);
    op.cancelled = true;
    end_unmatched(op, errc{});
  }
  void withdraw(operation& op) noexcept { matcher_.cancel(op); }

  /// Receives and polls for a while. A message that arrives meanwhile needs no operation and no
  /// matching. If d.failure is `undecided` on return, d.posted has to be waited for.
  [[gnu::noinline]] void receive_now(direct_receive& d) {
    if constexpr (!concurrent) {
      if (matcher_.stored() != 0) return ep().receive_stored(d);
      if (matcher_.nothing_posted() && d.want.source != any_peer && ep().peers().may_take())
          [[likely]] {
        if (take_direct(d)) [[likely]]
          return;
      }
    }
    ep().receive_slow(d);
  }
  // Slow paths of the two above, which reach them by way of the endpoint.
  void receive_stored(direct_receive& d);
  void receive_slow(direct_receive& d);
  /// Matches `op` with an unexpected message, or ends it if it can never match. Returns true in
  /// both cases.
  [[MPX_ALWAYS_INLINE]] bool met_or_unmatchable(operation& op) {
    if (ep().peers().orphaned()) return end_if_unmatchable(op);
    unexpected_message* const m = matcher_.match_receive(op.want);
    if (m != nullptr) accept(op, static_cast<arrived_message*>(m));
    return m != nullptr || (ep().peers().failures() != 0 && end_if_unmatchable(op));
  }
  /// Copies the result of the complete operation `op` to `d` and returns `op` to the pool.
  void received(direct_receive& d, operation& op) {
    d.want.source = op.peer;
    d.want.bits = match_bits_of(0, op.tag);
    d.bytes = op.message_bytes;
    d.failure = op.failure;
    ep().give(op);
  }
  void post_direct_if_any() {
    if (direct_ != nullptr) post_direct();
  }

  // --- Packets -----------------------------------------------------------------------------------

  /// Handles a plain eager message. Returns false if it matches no receive.
  [[MPX_ALWAYS_INLINE]] bool on_plain(peer_id source, match_bits bits,
                                      std::span<const std::byte> payload) noexcept {
    const envelope is{bits, source};
    if (matcher_.nothing_posted() && direct_ != nullptr) {  // Nothing else is posted meanwhile.
      if (!direct_->want.matches(is)) [[unlikely]]
        return false;
      direct_receive& d = *detail::exchange(direct_, nullptr);
      d.want.source = source;
      d.want.bits = bits;
      d.bytes = payload.size();
      d.done = true;
      if (payload.size() == 8 && d.capacity >= 8) [[likely]] {
        std::memcpy(d.buffer, payload.data(), 8);
        d.failure = errc{};
        released(source, 8);
        return true;
      }
      d.failure = copy_eager(d.buffer, d.capacity, payload);
      released(source, payload.size());
      return true;
    }
    posted_receive* const r = matcher_.match_arrival(is);
    if (r == nullptr) [[unlikely]]
      return false;
    deliver(static_cast<operation&>(*r), source, is.tag(), payload);
    return true;
  }

  bool store_if_plain(peer_id source, match_bits bits, std::span<const std::byte> payload) noexcept;
  /// Handles an eager message that asks for an answer or has matched no receive.
  [[MPX_ALWAYS_INLINE]] errc on_eager(peer_record& r, const wire::header& h,
                                      std::span<const std::byte> payload) {
    if (h.reserved != 0 || (h.flags & ~wire::flags_all) != 0) return errc::protocol;
    const peer_id source = r.peer;
    if (payload.size() > eager_bytes_ceiling<protocol_type>) return errc::protocol;
    if constexpr (StreamTransport<transport_type>) {
      if (operation* const op = detail::exchange(r.placed_, nullptr); op != nullptr) {
        finish_placed(*op, payload);
        if (h.flags != 0)
          ep().outbox().send_control(source, {.kind = wire::kind::matched, .ticket = h.ticket});
        return errc{};
      }
    }
    posted_receive* met = nullptr;
    if (h.flags != 0) {
      post_direct_if_any();
      met = matcher_.match_arrival({h.context, source, h.tag});
    }
    if (met == nullptr) return store_unexpected(r, h, payload);
    deliver_slow(static_cast<operation&>(*met), source, h.tag, payload);
    ep().outbox().send_control(source, {.kind = wire::kind::matched, .ticket = h.ticket});
    return errc{};
  }

  errc on_announce(peer_record& r, const wire::header& h, std::span<const std::byte> payload) {
    post_direct_if_any();
    wire::announcement a;
    const bool read = wire::read(payload, a);
    if (!read || h.ticket == 0 || r.heard_ == r.granted_) return errc::protocol;
    const bool pushed = (h.flags & wire::flag_pushed) != 0;
    if (pushed && !pushes_long<protocol_type>) return errc::protocol;
    ++r.heard_;
    if ((h.flags & wire::flag_last) != 0) ep().peers().set_stalled(r);
    const peer_id source = r.peer;
    if constexpr (ReassigningFlowControl<flow_type>) {
      if (!ep().outbox().is_long(a.bytes, source))
        settle(ep().flow().demand(source, static_cast<std::size_t>(a.bytes)));
    }
    arrived_message m;
    m.is = {h.context, source, h.tag};
    m.kind = h.kind;
    m.flags = h.flags;
    if (ep().rendezvous().has_data_for(r)) m.flags |= arrived_message::flag_both_ways;
    m.ticket = h.ticket;
    m.bytes = a.bytes;
    m.memory = a.memory;
    if (posted_receive* met = matcher_.match_arrival(m.is); met != nullptr) {
      ep().rendezvous().begin(static_cast<operation&>(*met), m);
      return errc{};
    }
    arrived_message* kept = store(source, h, {});
    if (kept == nullptr) return errc::no_resources;
    kept->flags = static_cast<std::uint8_t>(m.flags & ~wire::flag_pushed);  // Discarded.
    kept->bytes = a.bytes;
    kept->memory = a.memory;
    if ((h.flags & wire::flag_ready) != 0) {
      kept->unready = true;
      --r.heard_;
      ep().outbox().send_control(source, {.kind = wire::kind::unready, .ticket = h.ticket});
    } else if (pushed) {
      ep().outbox().send_control(source, {.kind = wire::kind::kept, .ticket = h.ticket});
    }
    discard_if_refused(h.context);
    return errc{};
  }
  void announcement_answered(peer_id peer) noexcept { --ep().peers().find(peer)->heard_; }
  /// Handles a recall: the sender withdraws its exposed data, so this rank must not fetch it any
  /// more. A message that a receive has already taken gets no answer: its transfer continues and
  /// ends as usual.
  errc on_recall(peer_record& r, const wire::header& h) {
    if (h.ticket == 0) return errc::protocol;
    bool waits = false;
    const auto forget = [&](arrived_message& m) {
      if (m.kind != wire::kind::announce || m.is.source != r.peer || m.ticket != h.ticket ||
          m.unready)
        return;
      m.memory = {};
      waits = true;
    };
    matcher_.for_each([&](unexpected_message& m) { forget(static_cast<arrived_message&>(m)); });
    unexpected_.for_each_probed(forget);
    if (waits)
      ep().outbox().send_control(r.peer, {.kind = wire::kind::recalled, .ticket = h.ticket});
    return errc{};
  }

  /// Handles a cancel: drops a message that nothing has matched. A message that a receive or a
  /// matched probe has taken gets no answer: its transfer ends as usual.
  /// Cost: a look at each unexpected message.
  errc on_cancel(const peer_record& r, const wire::header& h) noexcept {
    if (h.ticket == 0) return errc::protocol;
    arrived_message* found = nullptr;
    matcher_.for_each([&](unexpected_message& u) {
      auto& m = static_cast<arrived_message&>(u);
      if (m.is.source == r.peer && m.ticket == h.ticket && !m.unready) found = &m;
    });
    if (found != nullptr) discard_stored(*found, dropped::cancelled);
    return errc{};
  }

  std::span<std::byte> place(peer_record& r, const wire::header& h, std::size_t bytes) noexcept;
  void drop_placed(peer_record& r, operation& op);
  bool has_placed(const peer_record& r) const noexcept { return r.placed_ != nullptr; }

  // --- Probes ------------------------------------------------------------------------------------

  /// Returns the earliest matching message, or nullptr. `failure`: the reason why none can arrive
  /// any more, or errc{}.
  arrived_message* find(const pattern& want, errc& failure) noexcept {
    if (ep().peers().orphaned()) [[unlikely]]
      ep().peers().check();
    arrived_message* const m = find_stored(want);
    failure = m == nullptr ? why_unmatchable(want) : errc{};
    return m;
  }
  arrived_message* find_stored(const pattern& want) noexcept {
    return static_cast<arrived_message*>(matcher_.find(want));
  }
  /// Finds a message and takes it out of matching (matched probe). `receive_probed` or `discard`
  /// has to follow.
  arrived_message* take_by_probe(const pattern& want, errc& failure) noexcept {
    arrived_message* const m = find(want, failure);
    if (m == nullptr) return nullptr;
    matcher_.withdraw(*m);
    unexpected_.take_by_probe(*m);
    return m;
  }
  started receive_probed(arrived_message* m, const memory& into) {
    if (ep().peers().orphaned()) return {nullptr, errc::not_a_rank};
    operation* op = new_receive(into);
    if (op == nullptr) return {nullptr, errc::no_resources};
    unexpected_.end_probe(*m);
    op->want = pattern::of(m->is.bits, 0, m->is.source);
    accept(*op, m);
    return {op};
  }
  /// Drops a message as a receive of zero bytes would, but without an operation: no data moves.
  void discard(arrived_message* m) noexcept { discard_as(m, dropped::received); }
  void probing(int more) noexcept { probing_ += static_cast<unsigned>(more); }

  /// Lets stalled peers announce more messages. A blocked rank calls it: the message that it waits
  /// for may be one that its sender may not announce yet.
  void allow_announcements() {
    if (!ep().peers().any_stalled() || (matcher_.nothing_posted() && probing_ == 0)) return;
    while (peer_record* r = ep().peers().next_stalled()) {
      r->granted_ = lesser(r->granted_ + announcements_step_, allowance_max);
      ep().outbox().send_control(
          r->peer, {.kind = wire::kind::allow, .tag = static_cast<tag_t>(announcements_step_)});
    }
  }

  /// Messages that matched probes hold.
  const auto& probed() const noexcept { return unexpected_.probed(); }
  /// Drops all unexpected messages of all peers, as a forked child does; forget_unexpected drops
  /// those of `peer`.
  void forget_all() noexcept;
  void forget_unexpected(peer_id peer) noexcept {
    matcher_.for_each([&](unexpected_message& u) {
      auto& m = static_cast<arrived_message&>(u);
      if (m.is.source != peer) return;
      matcher_.withdraw(m);
      if (m.kind == wire::kind::eager) unexpected_.discount(unexpected_cost(m.stored));
      unexpected_.forget(&m);
    });
  }

  /// Indexes the messages stored since the last call, and drops those of freed communicators.
  /// Cost: a look at each of them.
  void index_new() noexcept;
  /// Drops unexpected messages for whose envelope `gone` returns true.
  /// Requires: their contexts have the same place as `context`.
  /// Cost: that of `index_new`, and a look at each message of that place.
  template <class Gone>
  void discard_if(context_id context, Gone&& gone) noexcept;

  void on_new_record(peer_record& r) noexcept { r.granted_ = announcements_step_; }
  void on_loss(peer_record& r, [[maybe_unused]] peer_id peer) noexcept {
    r.placed_ = nullptr;
    if constexpr (ReassigningFlowControl<flow_type>) ep().flow().lost(peer, r.held_bytes_);
  }
  /// Handles the answer of a peer that was asked to give credit back. Returns false if it violates
  /// the protocol.
  bool on_returned([[maybe_unused]] const peer_record& r, [[maybe_unused]] const wire::header& h) {
    if constexpr (ReassigningFlowControl<flow_type>) {
      share_change next;
      const bool is_possible =
          h.tag >= 0 && ep().flow().returned(r.peer, static_cast<std::uint32_t>(h.tag), next) &&
          r.held_bytes_ <= window_of(r.peer);
      if (is_possible) settle(next);
      return is_possible;
    }
    return false;
  }
  /// Tells peers that their shares of the unexpected memory have changed.
  void settle(share_change change) requires ReassigningFlowControl<flow_type>
  {
    if (change.update != any_peer) ep().outbox().owe_credit(change.update);
    if (change.reclaim != any_peer)
      ep().outbox().send_control(change.reclaim,
                                 {.kind = wire::kind::reclaim,
                                  .tag = static_cast<tag_t>(ep().flow().share(change.reclaim))});
  }
  /// Ends a posted receive that waits for `peer` alone, or for any source of a communicator that
  /// contains `peer`.
  void end_if_for(operation& op, peer_id peer, errc why) {
    if (op.want.source != peer &&
        (op.want.source != any_peer || !ep().concerns(op.want.context(), peer)))
      return;
    end_posted(op, why);
  }
  /// Requires: `op` is posted.
  void end_posted(operation& op, errc why) {
    matcher_.cancel(op);
    end_unmatched(op, why);
  }

  /// Memory of eager messages that arrived before their receives, in bytes, as flow control counts
  /// it.
  std::uint64_t unexpected_bytes() const noexcept { return unexpected_.bytes(); }
  /// Calls take(message, probed) for each unexpected message.
  template <class Take>
  void for_each_unexpected(Take&& take) {
    matcher_.for_each(
        [&](const unexpected_message& m) { take(static_cast<const arrived_message&>(m), false); });
    for (const arrived_message& m : unexpected_.probed()) take(m, true);
  }
  const direct_receive* direct() const noexcept { return direct_; }

 private:
  Endpoint& ep() noexcept { return static_cast<Endpoint&>(*this); }

  [[MPX_ALWAYS_INLINE]] operation* new_receive(const memory& into) {
    operation* op = ep().pool().take();
    if (op != nullptr) [[likely]]
      begin_receive(*op, into);
    return op;
  }
  [[MPX_ALWAYS_INLINE]] static void begin_receive(operation& op, const memory& into) noexcept {
    op.begin(role::receive, stage::posted, 0);
    op.data.base = into.base;
    op.data.bytes = into.bytes;
    if (into.how == nullptr) [[likely]]
      return;
    op.data.how = into.how;
    op.owns(op.layout_mark());
  }

  /// Takes the message for `d` if it is the next packet of its source.
  /// Requires: no posted receive and no unexpected message could match first.
  [[MPX_ALWAYS_INLINE]] bool take_direct(direct_receive& d) noexcept {
    const peer_id source = d.want.source;
    bool tell = false;
    const bool taken = ep().transport().take_if(
        source, [&](const frame_header& f, std::span<const std::byte> payload) {
          // A receive with any tag takes tag 0 here; other tags are found by the poll that
          // follows.
          if (f.word[wire::word_kind] != wire::plain_eager || wire::match_of(f) != d.want.bits ||
              !ep().flow().incoming(source, f.word[wire::word_credit]))
            return false;
          d.bytes = payload.size();
          if (payload.size() == 8 && d.capacity >= 8) [[likely]] {
            std::memcpy(d.buffer, payload.data(), 8);
            d.failure = errc{};
            tell = ep().flow().release(source, 8);
            return true;
          }
          d.failure = copy_eager(d.buffer, d.capacity, payload);
          tell = ep().flow().release(source, payload.size());
          return true;
        });
    if (tell) [[unlikely]]
      ep().owe_credit(source);
    return taken;
  }

  /// Reason why a message is dropped, which decides the answer to its sender.
  enum class dropped : bool { received, cancelled };
  void discard_as(arrived_message* m, dropped why) noexcept;
  void discard_stored(arrived_message& m, dropped why = dropped::received) noexcept;
  /// Turns the direct receive into a posted one: it has polled long enough, or a packet needs an
  /// operation.
  [[gnu::noinline]] void post_direct() {
    direct_receive& d = *detail::exchange(direct_, nullptr);
    d.posted = detail::exchange(spare_, nullptr);
    begin_receive(*d.posted, {d.buffer, d.capacity});
    d.posted->want = d.want;
    matcher_.post(*d.posted);
  }

  /// Copies the bytes that fit. Returns errc::truncate if the payload is longer.
  [[MPX_ALWAYS_INLINE]] static errc copy_eager(std::byte* into, std::size_t capacity,
                                               std::span<const std::byte> payload) noexcept {
    const std::size_t n = lesser(payload.size(), capacity);
    if (n != 0) std::memcpy(into, payload.data(), n);
    return n < payload.size() ? errc::truncate : errc{};
  }
  /// Copies an eager message to its receive and completes the receive.
  [[MPX_ALWAYS_INLINE]] void deliver(operation& op, peer_id source, tag_t tag,
                                     std::span<const std::byte> payload) noexcept {
    op.peer = source;
    op.tag = tag;
    op.message_bytes = payload.size();
    if (payload.size() == 8 && op.data.bytes >= 8 && op.is_plain()) [[likely]] {
      std::memcpy(op.data.base, payload.data(), 8);
      ep().finish_plain(op);
      return released(source, 8);
    }
    errc why;
    if (op.data.contiguous()) [[likely]] {
      why = copy_eager(op.data.base, op.data.bytes, payload);
    } else {
      why = payload.size() > op.data.bytes ? errc::truncate : errc{};
      op.data.write(0, payload.first(lesser(payload.size(), op.data.bytes)));
    }
    ep().finish(op, why);
    released(source, payload.size());
  }
  [[gnu::noinline]] void deliver_slow(operation& op, peer_id source, tag_t tag,
                                      std::span<const std::byte> payload) noexcept {
    deliver(op, source, tag, payload);
  }
  /// Returns credit for eager bytes of `source` that have left this process's memory.
  [[MPX_ALWAYS_INLINE]] void released(peer_id source, std::size_t bytes) noexcept {
    if (ep().flow().release(source, bytes)) [[unlikely]]
      ep().outbox().owe_credit(source);
  }
  void finish_placed(operation& op, std::span<const std::byte> payload) noexcept;

  /// Stores an unexpected eager message. Returns errc::protocol if its sender exceeds its window.
  [[MPX_ALWAYS_INLINE]] errc store_unexpected(peer_record& r, const wire::header& h,
                                              std::span<const std::byte> payload) {
    const std::size_t cost = unexpected_cost(payload.size());
    if (r.held_bytes_ + cost > window_of(r.peer)) return errc::protocol;
    arrived_message* m = store(r.peer, h, payload);
    if (m == nullptr) return errc::no_resources;
    r.held_bytes_ += cost;
    unexpected_.count(cost);
    ep().trace().on(event::unexpected_bytes, payload.size());
    if ((h.flags & wire::flag_ready) != 0) {
      m->unready = true;
      ep().outbox().send_control(r.peer, {.kind = wire::kind::unready, .ticket = h.ticket});
    }
    discard_if_refused(h.context);
    return errc{};
  }
  /// Drops messages of a revoked communicator: no receive will match them, and their senders must
  /// not wait.
  [[gnu::noinline, gnu::cold]] void discard_if_refused(context_id context) noexcept {
    if (ep().peers().failures() == 0 || ep().failure_in(context) == errc{}) return;
    discard_if(context, [context](const envelope& is) { return is.context() == context; });
  }
  /// Bytes of unexpected-message memory that the peer may fill.
  std::uint64_t window_of([[maybe_unused]] peer_id peer) noexcept {
    if constexpr (ElasticFlowControl<flow_type>) return ep().flow().granted_bytes(peer);
    return ep().flow().window_bytes();
  }
  void give_back_unexpected(peer_id source, std::size_t stored) noexcept {
    ep().peers().find(source)->held_bytes_ -= unexpected_cost(stored);
    unexpected_.discount(unexpected_cost(stored));
  }

  /// Stores an unexpected message and adds it to the matcher. Returns nullptr if memory is
  /// exhausted.
  [[gnu::noinline]] arrived_message* store(peer_id source, const wire::header& h,
                                           std::span<const std::byte> payload) {
    arrived_message* const m = unexpected_.make(source, h, payload);
    if (m != nullptr) stored(*m);
    return m;
  }
  [[MPX_ALWAYS_INLINE]] void stored(arrived_message& m) noexcept {
    matcher_.store(m);
    ep().trace().on(event::unexpected, 1);
    ep().arrived();
  }

  /// Gives an unexpected message, already out of the matcher, to its receive.
  [[gnu::noinline]] void accept(operation& op, arrived_message* m) {
    if constexpr (Stack::checks_type::compares_types) note_type(op.want, m->is.bits);
    const peer_id source = m->is.source;
    if (m->kind == wire::kind::announce) {
      const arrived_message copy = *m;
      unexpected_.forget(m);
      return ep().rendezvous().begin(op, copy);
    }
    give_back_unexpected(source, m->stored);
    const bool unready = m->unready;
    const std::uint32_t ticket = m->ticket;
    const bool synchronous = (m->flags & wire::flag_synchronous) != 0;
    deliver_slow(op, source, m->is.tag(), {m->data(), m->stored});
    if (unready && op.failure == errc{}) op.fails(errc::not_ready);
    unexpected_.forget(m);
    if (synchronous)
      ep().outbox().send_control(source, {.kind = wire::kind::matched, .ticket = ticket});
  }

  void end_unmatched(operation& op, errc why) noexcept {
    op.peer = op.want.source;
    op.tag = op.want.tag();
    op.message_bytes = 0;
    ep().finish(op, why);
  }
  /// Completes a receive that can never match. Returns false if it can.
  [[gnu::noinline]] bool end_if_unmatchable(operation& op) {
    const errc why = why_unmatchable_after_all(op.want);
    if (why != errc{}) end_unmatched(op, why);
    return why != errc{};
  }
  /// The reason why a receive can never match, or errc{}.
  errc why_unmatchable(const pattern& want) noexcept {
    return ep().peers().failures() == 0 ? errc{} : why_unmatchable_after_all(want);
  }
  [[gnu::noinline, gnu::cold]] errc why_unmatchable_after_all(const pattern& want) noexcept {
    if (ep().peers().orphaned()) return errc::not_a_rank;
    if (const errc why = ep().failure_in(want.context()); why != errc{}) return why;
    if (want.source != any_peer) return ep().peers().failure_of(want.source);
    return ep().peers().unacknowledged() && ep().unacknowledged_in(want.context()) ? errc::peer_lost
                                                                                   : errc{};
  }

  typename Stack::matching_type matcher_;
  direct_receive* direct_ = nullptr;
  operation* spare_ = nullptr;  // Used when a handler turns the direct receive into a posted one.
  unsigned probing_ = 0;        // Number of blocked probes.
  std::uint32_t announcements_step_;
  unexpected_messages unexpected_;
};

template <class Stack, class Endpoint>
[[gnu::noinline]] void inbox_component<Stack, Endpoint>::receive_slow(direct_receive& d) {
  d.posted = nullptr;
  d.failure = undecided;
  if constexpr (!concurrent) {
    if (ep().peers().orphaned()) [[unlikely]]
      ep().peers().check();
    else
      ep().peers().polled();
    if (matcher_.nothing_posted() && ep().peers().failures() == 0 &&
        matcher_.find(d.want) == nullptr) [[likely]] {
      ep().noticed();
      if (spare_ == nullptr) spare_ = ep().pool().take();
      if (spare_ == nullptr) [[unlikely]] {
        d.failure = errc::no_resources;
        return;
      }
      d.done = false;
      direct_ = &d;
      for (unsigned polls = ep().oversubscribed() ? 1 : direct_polls; polls > 0; --polls) {
        if (polls % 64 == 1 && ep().look_around()) break;
        ep().poll_once();
        if (d.done) [[likely]]
          return;
        if (direct_ == nullptr) break;  // It became a posted receive; `wait` follows.
      }
      if (direct_ != nullptr) post_direct();
    }
  }
  if (d.posted == nullptr) d.posted = receive({d.buffer, d.capacity}, d.want).op;
  if (d.posted == nullptr) [[unlikely]] {
    d.failure = errc::no_resources;
    return;
  }
  if constexpr (!concurrent) {
    if (d.posted->done()) received(d, *d.posted);
  }
}

/// Matches an eager message by its header and returns the buffer for its body; an empty span if
/// there is none yet. If a receive matches, it belongs to this message from here on.
template <class Stack, class Endpoint>
std::span<std::byte> inbox_component<Stack, Endpoint>::place(peer_record& r, const wire::header& h,
                                                             std::size_t bytes) noexcept {
  if (r.placed_ != nullptr || bytes == 0 || h.reserved != 0) return {};
  post_direct_if_any();
  const envelope is{h.context, r.peer, h.tag};
  posted_receive* const met = matcher_.match_arrival(is);
  if (met == nullptr) return {};
  auto& op = static_cast<operation&>(*met);
  op.peer = r.peer;
  op.tag = h.tag;
  op.message_bytes = bytes;
  op.stage = stage::placed;
  r.placed_ = &op;
  r.placed_ticket_ = h.ticket;
  r.placed_flags_ = h.flags;
  r.placed_bytes_ = op.data.contiguous() && bytes <= op.data.bytes ? bytes : 0;
  return op.data.piece(0, r.placed_bytes_);  // If empty, the whole packet is copied later.
}

/// The request of a placed receive is dropped: the transport discards the rest of the body; a body
/// that is not placed is discarded by finish_placed.
template <class Stack, class Endpoint>
void inbox_component<Stack, Endpoint>::drop_placed(peer_record& r, operation& op) {
  op.forget_memory();
  op.holder = holder::nobody;
  if (r.placed_bytes_ == 0) return;
  ep().cancel_place(r.peer);
  r.placed_ = nullptr;
  const std::size_t bytes = r.placed_bytes_;
  if (r.placed_flags_ != 0)
    ep().outbox().send_control(r.peer, {.kind = wire::kind::matched, .ticket = r.placed_ticket_});
  if (op.done()) return;  // The answer found the peer dead.
  ep().end(op, errc{});
  released(r.peer, bytes);
}

/// Completes a receive that matched by the header, when the body is whole.
template <class Stack, class Endpoint>
void inbox_component<Stack, Endpoint>::finish_placed(operation& op,
                                                     std::span<const std::byte> payload) noexcept {
  if (!op.data.exists() ||
      (op.data.contiguous() && payload.data() == op.data.base)) {  // Dropped, or in place.
    const errc why = payload.size() > op.data.bytes ? errc::truncate : errc{};
    const peer_id source = op.peer;
    ep().finish(op, why);
    released(source, payload.size());
    return;
  }
  deliver(op, op.peer, op.tag, payload);
}

/// Stores a plain eager message that matched no receive. Returns false if it needs the slow path.
template <class Stack, class Endpoint>
[[gnu::noinline]] bool inbox_component<Stack, Endpoint>::store_if_plain(
    peer_id source, match_bits bits, std::span<const std::byte> payload) noexcept {
  peer_record* const r = ep().peers().find(source);
  const std::size_t cost = unexpected_cost(payload.size());
  if (r == nullptr || r->failure() != errc{} ||
      payload.size() > eager_bytes_ceiling<protocol_type> ||
      r->held_bytes_ + cost > window_of(source)) [[unlikely]]
    return false;
  arrived_message* const m = unexpected_.make_plain(source, bits, payload);
  if (m == nullptr) return false;
  stored(*m);
  r->held_bytes_ += cost;
  unexpected_.count(cost);
  ep().trace().on(event::unexpected_bytes, payload.size());
  return true;
}

/// Takes the unexpected message that `d` matches; without an operation if it is plain.
template <class Stack, class Endpoint>
[[MPX_ALWAYS_INLINE]] inline void inbox_component<Stack, Endpoint>::receive_stored(
    direct_receive& d) {
  if (ep().peers().orphaned()) [[unlikely]]
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
  unexpected_.forget(m);
  give_back_unexpected(source, bytes);
  released(source, bytes);
}

template <class Stack, class Endpoint>
[[gnu::noinline]] void inbox_component<Stack, Endpoint>::discard_as(arrived_message* m,
                                                                    dropped why) noexcept {
  const auto answer = [why](wire::kind received) {
    return why == dropped::received ? received : wire::kind::cancelled;
  };
  unexpected_.end_probe(*m);
  const peer_id source = m->is.source;
  const arrived_message was = *m;
  unexpected_.forget(m);
  if (ep().peers().orphaned()) return;
  if (was.kind == wire::kind::announce) {
    if (was.unready) return;  // The sender has been told.
    // Losses are not checked for: this may run inside a packet handler.
    if (ep().peers().failure_of(source) != errc{}) return;
    announcement_answered(source);
    return ep().outbox().send_control(source,
                                      {.kind = answer(wire::kind::finished), .ticket = was.ticket});
  }
  give_back_unexpected(source, was.stored);
  released(source, was.stored);
  if ((was.flags & wire::flag_synchronous) != 0)
    ep().outbox().send_control(source, {.kind = answer(wire::kind::matched), .ticket = was.ticket});
}

template <class Stack, class Endpoint>
[[gnu::noinline, gnu::cold]] void inbox_component<Stack, Endpoint>::forget_all() noexcept {
  matcher_.for_each([this](unexpected_message& m) {
    matcher_.withdraw(m);
    unexpected_.forget(static_cast<arrived_message*>(&m));
  });
}

template <class Stack, class Endpoint>
void inbox_component<Stack, Endpoint>::discard_stored(arrived_message& m, dropped why) noexcept {
  matcher_.withdraw(m);
  unexpected_.take_by_probe(m);
  discard_as(&m, why);  // Drops no other message.
}

template <class Stack, class Endpoint>
[[gnu::noinline]] void inbox_component<Stack, Endpoint>::index_new() noexcept {
  matcher_.for_each_newest([this](unexpected_message& u) {
    auto& m = static_cast<arrived_message&>(u);
    if (m.indexed) return false;  // All older ones are indexed.
    if (ep().is_freed(m.is.context())) {
      discard_stored(m);
    } else {
      unexpected_.index(m);
    }
    return true;
  });
}

template <class Stack, class Endpoint>
template <class Gone>
void inbox_component<Stack, Endpoint>::discard_if(context_id context, Gone&& gone) noexcept {
  if (matcher_.stored() == 0) return;
  index_new();
  unexpected_.for_each_near(context, [&](arrived_message& m) {
    if (gone(m.is)) discard_stored(m);
  });
}

}  // namespace mpx::inline v0::detail
