// SPDX-License-Identifier: BSL-1.0
#pragma once
// Rendezvous of long messages, from the match to the end: data is fetched (get), stored (put) or
// sent as packets, and memory is exposed to the peer meanwhile. Every field of a packet is checked
// before it is used.

#include <sched.h>

#include <cstring>
#include <span>
#include <utility>

#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/sanitizer.hpp"
#include "mpx/engine/calls.hpp"
#include "mpx/engine/long_path.hpp"
#include "mpx/engine/rooms/detail/rendezvous_notices.hpp"
#include "mpx/engine/rooms/outbox.hpp"
#include "mpx/engine/rooms/peer_record.hpp"
#include "mpx/protocol/rendezvous_tuner.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::detail {

/// Requires of `House`: transport(), flow(), protocol(), trace(), now_ns(); finish(op, why),
/// end(op, why); peers(), outbox() and inbox(); is_blocked(), true while a call waits.
template <class Stack, class House>
class rendezvous_room {
  using transport_type = typename Stack::transport_type;
  using protocol_type = typename Stack::protocol_type;
  static constexpr std::size_t learnt_bytes_min = 4096;
  static constexpr std::int64_t copy_ns_max = 1'000'000'000;
  static constexpr std::uint32_t unbatched_max = 64;

 public:
  /// True if finished gets are reported to their senders in batches: on_copied collects them, and
  /// tell_finished reports them.
  static constexpr bool tells_together =
      RmaTransport<transport_type> && !CpuCopyTransport<transport_type>;

  rendezvous_room() = default;
  rendezvous_room(const rendezvous_room&) = delete;
  rendezvous_room& operator=(const rendezvous_room&) = delete;

  /// Starts the transfer of an announced message that a receive has matched.
  [[gnu::noinline]] void begin(operation& op, const arrived_message& m) {
    op.peer = m.is.source;
    op.tag = m.is.tag();
    op.message_bytes = m.bytes;
    op.remote_ticket = m.ticket;
    op.rendezvous_protocol = protocol::rendezvous_protocol::packets;
    op.limit = lesser<std::uint64_t>(m.bytes, op.data.bytes);
    op.transferred = 0;
    op.learns = protocol::traffic::none;
    op.copying = false;
    op.own.key = 0;
    op.stage = stage::copying;
    if (m.unready)  // The sender has been told, and its data is gone.
      return house().finish(op, errc::not_ready);
    if (const errc why = house().peers().failure_of(op.peer); why != errc{})
      return house().finish(op, why);
    house().inbox().announcement_answered(op.peer);
    if (op.limit == 0) return receive_done(op, tells::now);
    if (op.data.contiguous()) check_writable(op.data.base, op.limit);
    if (!fetch(op, m)) request_packets(op);
  }

  /// True if long data of this rank is announced or under way to the peer.
  bool has_data_for(peer_record& r) noexcept {
    return house().outbox().has_announced(r) || !r.streams_.empty() ||
           (!r.due_.empty() && r.due_.front().role == role::send);
  }

  /// Exposes the data of `op`, so that its receiver can fetch it, if the transport and the protocol
  /// use gets. Returns the handle for the announcement; empty if nothing is exposed.
  remote_memory offer(operation& op) {
    if (op.data.contiguous() && !op.data_lost()) check_readable(op.data.base, op.data.bytes);
    if constexpr (RmaTransport<transport_type>) {
      if (protocol_type::long_by != long_path::packets && !by_puts(op.peer) && !op.exposed &&
          op.data.bytes > 0 && op.data.contiguous() && !op.data_lost()) {
        op.own = house().transport().expose(op.peer, {op.data.base, op.data.bytes});
        op.exposed = op.own.key != 0;
      }
      if (op.exposed) return op.own;
    }
    return {};
  }

  /// Ends the exposure of `op`'s memory to its peer. Returns false as long as the peer accesses the
  /// memory, or may do so as far as the transport knows.
  [[gnu::noinline]] bool withdraw(operation& op) noexcept {
    if constexpr (RmaTransport<transport_type>) {
      if (!op.exposed) return true;
      const outcome o = house().transport().withdraw(op.own);
      op.exposed = o != outcome::done;
      if (o == outcome::refused && op.role == role::send) recall(op);
      return !op.exposed;
    }
    return true;
  }
  /// Ends the exposure of `op`'s memory when the peer has no more reason to access it, or is lost.
  /// Waits for a copy that the peer has begun, for at most `copy_ns_max`, and not for a lost peer.
  [[gnu::noinline]] void end_exposure(operation& op) noexcept {
    if constexpr (RetiringTransport<transport_type>) {
      if (op.exposed) static_cast<void>(house().transport().retire(op.own));
    } else if (!withdraw(op)) [[unlikely]] {
      const std::int64_t until_ns = platform::now_ns() + copy_ns_max;
      while (!withdraw(op) && house().peers().loss_of(op.peer) == errc{} &&
             platform::now_ns() <= until_ns)
        ::sched_yield();
    }
    op.exposed = false;
  }
  void revoke_exposure(operation& op) noexcept;

  // --- Packets: false or errc::protocol if one violates the protocol -----------------------------

  /// The receiver confirms a recall: it does not fetch the data of `op`. (If it had, it would have
  /// sent `clear` or `finished` instead.)
  errc on_recalled(operation* op) {
    if (op == nullptr || op->stage != stage::answer || !op->announced || !op->recalls)
      return errc::protocol;
    end_exposure(*op);
    return errc{};
  }
  errc on_clear(operation* op, std::span<const std::byte> payload) {
    wire::clearance c;
    const bool read = wire::read(payload, c);
    if (read && op != nullptr && op->split) return on_front_wanted(*op, c);
    if (!read || op == nullptr || op->stage != stage::answer || !op->announced ||
        c.bytes > op->data.bytes || c.from >= c.bytes || (c.from != 0 && op->own.key == 0))
      return errc::protocol;
    house().outbox().announcement_answered(op->peer);
    op->split = c.from != 0;
    op->message_bytes = c.from;
    op->limit = c.bytes;
    op->transferred = c.from;
    op->remote_ticket = c.ticket;
    op->target = c.memory;
    if (!op->split) {  // The receiver does not fetch.
      note_taken(*op, protocol::rendezvous_protocol::packets);
      end_exposure(*op);
    }
    if (op->data_lost()) return errc::no_resources;
    start_put(*op);
    return errc{};
  }
  /// Handles a fragment. Its offset travels in the header's context and tag.
  errc on_data(peer_record& r, operation* op, std::uint64_t offset,
               std::span<const std::byte> payload) {
    r.fed_ = nullptr;
    if (!takes(op, offset, payload.size())) return errc::protocol;
    // The data has no memory if the request was dropped. A placed fragment is in the buffer
    // already.
    if (op->data.exists() &&
        (!op->data.contiguous() || payload.data() != op->data.base + op->transferred))
      op->data.write(op->transferred, payload);
    op->transferred += payload.size();
    charge_time(*op, payload.size());
    more_fragments_ = op->transferred != op->limit;
    if (!more_fragments_) asked_done(*op);
    return errc{};
  }
  /// True once if the last packet was a fragment that is not the last one of its message.
  bool more_fragments() noexcept { return std::exchange(more_fragments_, false); }
  /// Returns the memory for a fragment that is still arriving; empty if the packet has to be
  /// copied.
  std::span<std::byte> place(peer_record& r, operation* op, std::uint64_t offset,
                             std::size_t bytes) noexcept {
    if (!takes(op, offset, bytes) || !op->data.exists() || !op->data.contiguous()) return {};
    r.fed_ = op;
    r.fed_bytes_ = bytes;
    return op->data.piece(op->transferred, bytes);
  }
  /// The request of a receive whose data streams in is dropped: its memory is not written any more.
  void drop_stream(peer_record& r, operation& op) {
    learn_no_more(op);
    op.forget_memory();
    op.holder = holder::nobody;
    if (r.fed_ != &op) return;
    r.fed_ = nullptr;
    house().cancel_place(r.peer);  // The transport discards the fragment.
    op.transferred += r.fed_bytes_;
    if (op.transferred == op.limit) asked_done(op);
  }
  errc on_delivered(operation* op) {
    if (op == nullptr || op->stage != stage::streaming || op->own.key == 0) return errc::protocol;
    charge_time(*op);
    asked_done(*op);
    return errc{};
  }
  /// The receiver has fetched the data, or its half of a split message.
  errc on_finished(operation* op) {
    if (op != nullptr && op->split) {
      if (op->front != front::open) return errc::protocol;
      op->front = front::fetched;
      if (op->stage == stage::answer) sent_all(*op);
      return errc{};
    }
    if (op == nullptr || op->stage != stage::answer || !op->announced) return errc::protocol;
    house().outbox().announcement_answered(op->peer);
    note_taken(*op, protocol::rendezvous_protocol::get);
    end_exposure(*op);
    house().end(*op, errc{});
    return errc{};
  }
  /// A pending get or put of `op` has ended. At the end of the same poll, `tell_finished` has to
  /// follow if has_finished().
  void on_copied(operation& op, bool ok) {
    if (op.role == role::receive) {
      if (!ok) return fetch_no_more(op);
      op.copied += piece_of(op);
      return op.copied < op.limit ? defer_rest(op) : fetched(op, tells::soon);
    }
    if (!ok) return stream(op);
    op.copied += piece_of(op);
    if (op.copied < op.limit) return defer_rest(op);
    put_done(op);
  }

  bool has_finished() const noexcept { return !notice_.empty(); }
  [[gnu::noinline]] void tell_finished() {
    const finish_notice n = notice_;
    notice_.clear();
    if (n.more().empty()) return house().outbox().answer(n.to(), n.header());
    house().outbox().answer_copy(n.to(), n.header(), n.more());
  }

  // --- Due copies --------------------------------------------------------------------------------

  /// Copies one piece of the first due operation of a peer. Returns 0 if there is none.
  std::size_t move(peer_record& r) {
    if constexpr (RmaTransport<transport_type>) {
      if (r.due_.empty()) return 0;
      operation& op = r.due_.front();
      r.due_.pop_front();
      op.stage = stage::copying;
      if (op.role == role::receive) {
        fetch_piece(op);
      } else {
        store_piece(op);
      }
      return 1;
    }
    return 0;
  }
  /// The request of a due receive is dropped: its data is not fetched any more.
  void drop_due(peer_record& r, operation& op) {
    r.due_.erase(op);
    op.stage = stage::copying;
    learn_no_more(op);
    op.holder = holder::nobody;
    receive_done(op, tells::now);
  }

  // --- Streams -----------------------------------------------------------------------------------

  bool idle(const peer_record& r) const noexcept { return r.streams_.empty() && r.due_.empty(); }
  /// Sends fragments to a peer. Returns the number of messages of which something was sent.
  std::size_t flush(peer_record& r) {
    std::size_t sent = 0;
    while (!r.streams_.empty()) {
      operation& op = r.streams_.front();
      const std::size_t before = op.transferred;
      if (!push_fragments(r, op)) return sent + (op.transferred != before);
      ++sent;
    }
    return sent;
  }
  void on_loss(peer_record& r) noexcept {
    r.streams_.clear();
    r.due_.clear();
    r.fed_ = nullptr;
  }

 private:
  /// Time at which the sender is told that its data has been fetched: never, at once, or in a batch
  /// at the end of the poll.
  enum class tells : std::uint8_t { nothing, now, soon };

  House& house() noexcept { return static_cast<House&>(*this); }
  /// The transport cannot end the exposure because the peer may be about to fetch the data. Waiting
  /// here for the peer's program could deadlock two ranks that both do so. Instead this asks the
  /// receiver not to fetch. The receiver answers from any of its calls; if a receive has taken the
  /// message, its transfer continues and its end is reported as usual.
  [[gnu::noinline, gnu::cold]] void recall(operation& op) noexcept {
    if (op.stage == stage::queued) return end_exposure(op);  // It is not announced yet.
    if (op.stage != stage::answer || !op.announced || op.split ||
        detail::exchange(op.recalls, true))
      return;
    house().outbox().answer(op.peer, {.kind = wire::kind::recall, .ticket = op.ticket});
  }
  bool by_puts(peer_id p) noexcept { return moves_by_puts<protocol_type>(house().transport(), p); }

  static bool takes(const operation* op, std::uint64_t offset, std::size_t bytes) noexcept {
    return op != nullptr && op->stage == stage::streaming && offset == op->transferred &&
           bytes != 0 && bytes <= op->limit - op->transferred;
  }

  /// Bytes copied in one piece; other packets are polled for between pieces. Unlimited if the
  /// transport copies by itself, which takes no time of this thread.
  static constexpr std::size_t piece_max =
      CpuCopyTransport<transport_type> ? 4 * protocol_type::fragment_bytes_max : ~std::size_t{0};
  /// Limit of `streamed_out_`: bytes sent as packets that are set against bytes received as
  /// packets.
  static constexpr std::size_t streamed_out_max = 8 * protocol_type::fragment_bytes_max;
  /// Number of pieces copied at once in a blocked call: it has nothing else to do, and fewer polls
  /// are faster.
  static constexpr std::size_t blocked_pieces = CpuCopyTransport<transport_type> ? 8 : 1;
  std::size_t piece_of(const operation& op) noexcept {
    std::size_t most = House::staging_bytes;
    if (op.data.contiguous()) most = house().is_blocked() ? blocked_pieces * piece_max : piece_max;
    return lesser(most, op.limit - op.copied);
  }

  /// Puts the copy of `op`'s data off until this rank waits or polls: its program may have more
  /// messages to announce first.
  [[gnu::noinline]] void defer(operation& op) {
    peer_record& r = house().peers().of(op.peer);
    op.stage = stage::due;
    r.due_.push_back(op);
    house().peers().set_busy(r);
  }
  /// Puts `op` back at the front after a piece: a message is completed before the next one begins.
  [[gnu::noinline]] void defer_rest(operation& op) {
    peer_record& r = house().peers().of(op.peer);
    op.stage = stage::due;
    r.due_.push_front(op);
    house().peers().set_busy(r);
  }

  /// Starts the transfer by a get, or by a split, if the transport can and its cost is favourable.
  /// Returns false if the sender has to move the data.
  bool fetch(operation& op, const arrived_message& m);
  [[gnu::noinline]] void fetch_piece(operation& op) {
    if (house().peers().is_gone(op.peer)) return fetch_no_more(op);
    if (is_learnt(op)) {
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::open)
        choose_way(op);
      else
        op.asked_at_ns = working_ns();  // Excludes the time that the program worked.
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::packets)
        return request_packets(op);
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::split) {
        if (!split(op, op.target)) fetch_no_more(op);
        return;
      }
    }
    if (fetch_batch(op)) return;
    const outcome o = get_piece(op);
    if (o == outcome::pending) {
      ++op.pending;
      op.copying = true;
      return;
    }
    if (o != outcome::done) return fetch_no_more(op);
    charge_time(op);
    op.copied += piece_of(op);
    if (op.copied < op.limit) return defer_rest(op);
    fetched(op, tells::now);
  }
  outcome get_piece(operation& op);
  /// Fetches `op` together with short due messages behind it that use gets too. Returns false if
  /// there are none, or if not all could be fetched: `op` is still to be fetched then.
  bool fetch_batch(operation& op);
  void fetched(operation& op, tells when) {
    house().trace().on(event::bytes_got, op.limit);
    receive_done(op, when);
  }
  void fetch_no_more(operation& op) {
    learn_no_more(op);
    request_packets(op);
  }

  /// Asks the sender for the data, as packets or by a put.
  [[gnu::noinline]] void request_packets(operation& op) {
    ask(op, 0, by_puts(op.peer) && op.data.contiguous());
  }

  /// Chooses the rendezvous protocol of `op` by measured cost. With long data in both directions
  /// both sides use the same protocol, or one of them would copy all data; the peer with the lower
  /// number chooses.
  void choose_way(operation& op) noexcept;
  void note_taken(const operation& op, protocol::rendezvous_protocol by) noexcept {
    peer_record& r = house().peers().of(op.peer);
    r.taken_ = by;
    r.taken_bits_ = static_cast<std::uint8_t>(bits_of(op.data.bytes));
  }
  /// A clock that excludes the transport's maintenance, which belongs to no message.
  std::int64_t working_ns() noexcept {
    if constexpr (MaintainedTransport<transport_type>)
      return house().now_ns() - house().transport().tidied_ns();
    return house().now_ns();
  }
  void learn_no_more(operation& op) noexcept;
  static bool is_learnt(const operation& op) noexcept {
    return op.learns != protocol::traffic::none;
  }

  /// Sends `clear`: the sender moves the data from offset `from` on. `stores`: the receiver's
  /// memory is exposed, so that the sender can put the data there.
  void ask(operation& op, std::size_t from, bool stores);
  /// Both sides copy: the sender stores the second half while this side fetches the first half (the
  /// front). Returns false if the sender's memory cannot be held.
  bool split(operation& op, const remote_memory& from);
  /// Asks the sender to send the front as packets after the second half, because the get failed.
  void ask_for_front(operation& op, std::size_t bytes) noexcept;
  errc on_front_wanted(operation& op, const wire::clearance& c);
  void send_front(operation& op);

  /// Adds the time since the last charge, or since the data was asked for, to the cost of `op`.
  /// `streamed`: bytes of it that came as packets.
  void charge_time(operation& op, std::size_t streamed = 0);
  std::int64_t take_time(std::int64_t asked_at_ns) noexcept;

  /// The data that the sender was asked to move has arrived.
  void asked_done(operation& op) {
    if (!CpuCopyTransport<transport_type> || op.copied == 0)
      return receive_done(op, tells::nothing);
    end_exposure(op);
    op.own.key = 0;
    op.limit = op.copied;
    op.copied = op.transferred = 0;
  }

  /// All data of a long message has arrived.
  [[gnu::noinline]] void receive_done(operation& op, tells when) {
    end_exposure(op);
    if (is_learnt(op)) paths_of(op).took(op.rendezvous_protocol, op.limit, op.spent_ns);
    if (tells_together && when == tells::soon) {
      if (!notice_.add(op.peer, op.remote_ticket)) {
        tell_finished();
        notice_.add(op.peer, op.remote_ticket);
      }
    } else if (when != tells::nothing) {
      house().outbox().answer(op.peer, {.kind = wire::kind::finished, .ticket = op.remote_ticket});
    }
    if (op.done()) return;  // The answer found the peer dead.
    house().end(op, op.message_bytes > op.data.bytes ? errc::truncate : errc{});
  }

  /// Moves matched data by a put into the memory that the receiver exposed, else as packets.
  void start_put(operation& op) {
    if constexpr (RmaTransport<transport_type>) {
      const bool copies = CpuCopyTransport<transport_type> || op.data.contiguous();
      if (op.target.key != 0 && copies) {
        op.copied = op.transferred;
        if constexpr (CpuCopyTransport<transport_type>) {
          defer(op);
        } else {
          op.stage = stage::copying;
          store_piece(op);
        }
        return;
      }
    }
    stream(op);
  }
  [[gnu::noinline]] void store_piece(operation& op) {
    if (op.data_lost()) return stream(op);  // `stream` loses the peer.
    auto& transport = house().transport();
    const std::span<const std::byte> data = house().outbox().piece(op, op.copied, piece_of(op));
    const cookie_t cookie = cookie_of(op, cookie_kind::copy);
    outcome o;
    if constexpr (ImmediateTransport<transport_type>) {
      static_assert(piece_max == ~std::size_t{0});
      o = transport.put_then(op.peer, op.target, op.copied, data,
                             wire::pack({.kind = wire::kind::delivered,
                                         .credit = house().flow().outgoing(op.peer),
                                         .ticket = op.remote_ticket}),
                             cookie);
    } else {
      o = transport.put(op.peer, op.target, op.copied, data, cookie);
    }
    if (o == outcome::pending) {
      ++op.pending;
      op.copying = true;
      return;
    }
    if (o != outcome::done) return stream(op);
    op.copied += piece_of(op);
    if (op.copied < op.limit) return defer_rest(op);
    put_done(op);
  }

  /// Sends the data as packets. Bytes that were put before are sent again.
  [[gnu::noinline]] void stream(operation& op) {
    peer_record& r = house().peers().of(op.peer);
    op.stage = stage::streaming;
    r.streams_.push_back(op);
    if (&r.streams_.front() != &op || !push_fragments(r, op)) house().peers().set_busy(r);
  }

  void put_done(operation& op) {
    house().trace().on(event::bytes_put, op.limit - op.transferred);
    if constexpr (!ImmediateTransport<transport_type>)  // Else part of the put.
      house().outbox().answer(op.peer, {.kind = wire::kind::delivered, .ticket = op.remote_ticket});
    if (!op.done()) sent_all(op);  // Else the answer found the peer dead.
  }

  /// The sender has moved its part of a long message: the send is complete unless the receiver
  /// still has to fetch the front.
  [[gnu::noinline]] void sent_all(operation& op) {
    if (op.split && op.front != front::fetched) {
      op.stage = stage::answer;
      if (op.front == front::wanted) send_front(op);
      return;
    }
    end_exposure(op);
    house().end(op, errc{});
  }

  /// Sends fragments of the first stream until it ends. Returns false if the channel is full.
  bool push_fragments(peer_record& r, operation& op);

  /// The cost statistics for `op`: separate for non-contiguous data and for data in both
  /// directions, since the relative costs differ.
  protocol::rendezvous_tuner& paths_of(const operation& op) noexcept {
    if (!op.data.contiguous()) return spread_paths_;
    return op.learns == protocol::traffic::both_ways ? paths_both_ways_ : paths_;
  }

  protocol::rendezvous_tuner paths_;
  protocol::rendezvous_tuner paths_both_ways_;
  protocol::rendezvous_tuner spread_paths_;
  finish_notice notice_;
  bool more_fragments_ = false;
  std::uint32_t unbatched_ = 0;     // Messages still to be fetched singly after a failed batch.
  std::int64_t charged_at_ns_ = 0;  // Time at which data of a long message last moved.
};

}  // namespace mpx::inline v0::detail

#include "mpx/engine/rooms/detail/rendezvous_choice.hpp"  // IWYU pragma: keep
