// SPDX-License-Identifier: BSL-1.0
#pragma once
// Rendezvous of long messages, from the match to the end: data is fetched (get), stored (put) or
// sent as packets, and memory is exposed to the peer meanwhile. Every field of a packet is checked
// before it is used.

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/sanitizer.hpp"
#include "mpx/core/types.hpp"
#include "mpx/engine/axes/long_path.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/posting.hpp"
#include "mpx/engine/components/finish_notice.hpp"
#include "mpx/engine/components/outbox.hpp"
#include "mpx/engine/components/peer_record.hpp"
#include "mpx/protocol/rendezvous_tuner.hpp"
#include "mpx/protocol/wire.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::detail {

/// Requires of `Endpoint`: transport(), flow(), protocol(), trace(), now_ns(); finish(op, why),
/// end(op, why); peers(), outbox() and inbox(); is_blocked(), true while a call waits.
template <class Stack, class Endpoint>
class rendezvous_component {
  using transport_type = typename Stack::transport_type;
  using protocol_type = typename Stack::protocol_type;
  static constexpr std::size_t learnt_bytes_min = 4096;
  static constexpr std::int64_t copy_ns_max = 1'000'000'000;
  static constexpr std::uint32_t unbatched_max = 64;

 public:
  /// True if finished gets are reported to their senders in batches: on_copied collects them, and
  /// tell_finished reports them.
  static constexpr bool tells_together =
      FetchTransport<transport_type> &&
      (!CpuCopyTransport<transport_type> || RegisteredTransport<transport_type>);

  rendezvous_component() = default;
  rendezvous_component(const rendezvous_component&) = delete;
  rendezvous_component& operator=(const rendezvous_component&) = delete;

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
    op.recalls = false;
    op.own.key = 0;
    op.stage = stage::copying;
    if (m.unready)  // The sender has been told, and its data is gone.
      return ep().finish(op, errc::not_ready);
    if (const errc why = ep().peers().failure_of(op.peer); why != errc{})
      return ep().finish(op, why);
    ep().inbox().announcement_answered(op.peer);
    if (op.limit == 0) return receive_done(op, tells::now);
    if (op.data.contiguous()) check_writable(op.data.base, op.limit);
    if (pushes && (m.flags & wire::flag_pushed) != 0) return await_body(op);
    if (!fetch(op, m)) request_packets(op);
  }

  /// True if long data of this rank is announced or under way to the peer.
  bool has_data_for(peer_record& r) noexcept {
    return ep().outbox().has_announced(r) || !r.streams_.empty() ||
           (!r.due_.empty() && r.due_.front().role == role::send);
  }

  /// Sends the body of a long message whose announcement has just been posted, unrequested.
  void push(operation& op) {
    op.limit = op.data.bytes;
    op.transferred = 0;
    stream(op, stage::pushing);
  }
  /// The receiver has answered a message: no more of its body is sent unrequested.
  void stop_push(operation& op) noexcept {
    if (!pushes || op.stage != stage::pushing) return;
    ep().peers().of(op.peer).streams_.erase(op);
    op.stage = stage::answer;
  }

  /// Exposes the data of `op`, so that its receiver can fetch it, if the transport and the protocol
  /// use gets. Returns the handle for the announcement; empty if nothing is exposed.
  remote_memory offer(operation& op) {
    if (op.data.contiguous() && !op.data_lost()) check_readable(op.data.base, op.data.bytes);
    if constexpr (FetchTransport<transport_type>) {
      if (protocol_type::long_by != long_path::packets && !by_puts(op.peer) && !op.exposed &&
          op.data.bytes > 0 && op.data.contiguous() && !op.data_lost()) {
        op.own = ep().transport().expose(op.peer, {op.data.base, op.data.bytes});
        op.exposed = op.own.key != 0;
      }
      if (op.exposed) return op.own;
    }
    return {};
  }

  /// Ends the exposure of `op`'s memory to its peer. Returns false as long as the peer accesses the
  /// memory, or may do so as far as the transport knows.
  [[gnu::noinline]] bool withdraw(operation& op) noexcept {
    if constexpr (FetchTransport<transport_type>) {
      if (!op.exposed) return true;
      const outcome o = ep().transport().withdraw(op.peer, op.own);
      op.exposed = o != outcome::done;
      if (o == outcome::refused && op.role == role::send) recall(op);
      return !op.exposed;
    }
    return true;
  }
  /// Ends the exposure of `op`'s memory when the peer has no more reason to access it, or is lost.
  /// Waits for a copy that the peer has begun, for at most `copy_ns_max`, and not for a lost peer.
  [[gnu::noinline]] void end_exposure(operation& op) noexcept {
    if (registers(op.peer)) {
      if constexpr (RegisteredTransport<transport_type>)
        if (op.exposed) static_cast<void>(ep().transport().retire(op.peer, op.own));
    } else if (!withdraw(op)) [[unlikely]] {
      const std::int64_t until_ns = platform::now_ns() + copy_ns_max;
      while (!withdraw(op) && ep().peers().loss_of(op.peer) == errc{} &&
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
    if (read && op != nullptr && op->half_and_half) return on_first_half_wanted(*op, c);
    if (!read || op == nullptr || op->stage != stage::answer || !op->announced ||
        c.bytes > op->data.bytes || c.from >= c.bytes || (c.from != 0 && op->own.key == 0))
      return errc::protocol;
    ep().outbox().announcement_answered(op->peer);
    op->half_and_half = c.from != 0;
    op->message_bytes = c.from;
    op->limit = c.bytes;
    op->transferred = c.from;
    op->remote_ticket = c.ticket;
    op->target = c.memory;
    if (!op->half_and_half) {  // The receiver does not fetch.
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
    if (op == nullptr || op->stage != stage::streaming || !takes(*op, offset, payload.size()))
      return errc::protocol;
    store_fragment(r, *op, payload);
    return errc{};
  }
  /// Handles a fragment of a body that its sender sends unrequested. It is discarded if only the
  /// announcement was kept, or if the receive has all that it takes.
  errc on_pushed(peer_record& r, std::uint32_t ticket, std::uint64_t offset,
                 std::span<const std::byte> payload) {
    r.fed_ = nullptr;
    if (!pushes || payload.empty()) return errc::protocol;
    operation* const op = pushed(r, ticket);
    if (op == nullptr) {
      ep().trace().on(event::bytes_discarded, payload.size());
      return errc{};
    }
    if (offset != op->transferred || payload.size() > op->message_bytes - offset)
      return errc::protocol;
    store_fragment(r, *op, payload.first(lesser(payload.size(), op->limit - op->transferred)));
    return errc{};
  }
  /// Returns the receive that takes the body of this send of the peer; nullptr if there is none.
  operation* pushed(peer_record& r, std::uint32_t ticket) noexcept {
    const bool next = !r.pushed_.empty() && r.pushed_.front().remote_ticket == ticket;
    return next ? &r.pushed_.front() : nullptr;
  }
  /// True once if the last packet was a fragment that is not the last one of its message.
  bool more_fragments() noexcept { return std::exchange(more_fragments_, false); }
  /// Returns the memory for a fragment that is still arriving; empty if the packet has to be
  /// copied.
  std::span<std::byte> place(peer_record& r, operation* op, std::uint64_t offset,
                             std::size_t bytes) noexcept {
    if (op == nullptr || (op->stage != stage::streaming && op->stage != stage::pushing) ||
        !takes(*op, offset, bytes) || !op->data.exists() || !op->data.contiguous())
      return {};
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
    ep().cancel_place(r.peer);  // The transport discards the fragment.
    op.transferred += r.fed_bytes_;
    if (op.transferred == op.limit) all_arrived(r, op);
  }
  errc on_delivered(operation* op) {
    if (op == nullptr || op->stage != stage::streaming || op->own.key == 0) return errc::protocol;
    charge_time(*op);
    asked_done(*op);
    return errc{};
  }
  /// The receiver has fetched the data, or its half of the message.
  errc on_finished(operation* op) {
    if (op != nullptr && op->half_and_half) {
      if (op->first_half != first_half::open) return errc::protocol;
      op->first_half = first_half::fetched;
      if (op->stage == stage::answer) sent_all(*op);
      return errc{};
    }
    if (op == nullptr || op->stage != stage::answer || !op->announced) return errc::protocol;
    ep().outbox().announcement_answered(op->peer);
    note_taken(*op, protocol::rendezvous_protocol::get);
    end_exposure(*op);
    ep().end(*op, errc{});
    return errc{};
  }
  /// A pending get or put of `op` has ended. At the end of the same poll, `tell_finished` has to
  /// follow if has_finished().
  void on_copied(operation& op, bool ok) {
    if (op.role == role::receive) {
      if (!ok) return fetch_no_more(op);
      op.copied += piece_of(op);
      if (op.recalls) op.limit = op.copied;  // Its request is dropped.
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
    if (n.more().empty()) return ep().outbox().send_control(n.to(), n.header());
    ep().outbox().send_control_copy(n.to(), n.header(), n.more());
  }

  // --- Due copies --------------------------------------------------------------------------------

  /// Copies one piece of the first due operation of a peer. Returns 0 if there is none.
  std::size_t move(peer_record& r) {
    if constexpr (FetchTransport<transport_type>) {
      if (r.due_.empty()) return 0;
      operation& op = r.due_.front();
      r.due_.pop_front();
      op.stage = stage::copying;
      if (op.role == role::receive) {
        fetch_piece(op);
      } else if constexpr (RmaTransport<transport_type>) {
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
    r.pushed_.clear();
    r.fed_ = nullptr;
  }

 private:
  /// Time at which the sender is told that its data has been fetched: never, at once, or in a batch
  /// at the end of the poll.
  enum class tells : std::uint8_t { nothing, now, soon };

  Endpoint& ep() noexcept { return static_cast<Endpoint&>(*this); }
  /// The transport cannot end the exposure because the peer may be about to fetch the data. Waiting
  /// here for the peer's program could deadlock two ranks that both do so. Instead this asks the
  /// receiver not to fetch. The receiver answers from any of its calls; if a receive has taken the
  /// message, its transfer continues and its end is reported as usual.
  [[gnu::noinline, gnu::cold]] void recall(operation& op) noexcept {
    if (op.stage == stage::queued) return end_exposure(op);  // It is not announced yet.
    if (op.stage != stage::answer || !op.announced || op.half_and_half ||
        detail::exchange(op.recalls, true))
      return;
    ep().outbox().send_control(op.peer, {.kind = wire::kind::recall, .ticket = op.ticket});
  }
  bool copies(peer_id p) noexcept { return copies_by_cpu(ep().transport(), p); }
  bool registers(peer_id p) noexcept { return registers_for(ep().transport(), p); }
  /// True if a put to this peer carries the packet that reports it.
  bool puts_with_packet(peer_id p) noexcept {
    return ImmediateTransport<transport_type> && !copies(p);
  }
  bool by_puts(peer_id p) noexcept { return moves_by_puts<protocol_type>(ep().transport(), p); }

  static constexpr bool pushes = pushes_long<protocol_type>;

  static bool takes(const operation& op, std::uint64_t offset, std::size_t bytes) noexcept {
    return offset == op.transferred && bytes != 0 && bytes <= op.limit - op.transferred;
  }
  /// Takes the next fragment of a receive.
  void store_fragment(peer_record& r, operation& op, std::span<const std::byte> payload) {
    // The data has no memory if the request was dropped. A placed fragment is in the buffer
    // already.
    if (op.data.exists() &&
        (!op.data.contiguous() || payload.data() != op.data.base + op.transferred))
      op.data.write(op.transferred, payload);
    op.transferred += payload.size();
    charge_time(op, payload.size());
    more_fragments_ = op.transferred != op.limit;
    if (!more_fragments_) all_arrived(r, op);
  }
  /// The receive of a message takes its body, which follows the announcement.
  void await_body(operation& op) {
    op.stage = stage::pushing;
    ep().peers().of(op.peer).pushed_.push_back(op);
  }

  /// Bytes that the CPU copies in one piece; other packets are polled for between pieces.
  static constexpr std::size_t piece_max = 4 * protocol_type::fragment_bytes_max;
  /// Limit of `streamed_out_`: bytes sent as packets that are set against bytes received as
  /// packets.
  static constexpr std::size_t streamed_out_max = 8 * protocol_type::fragment_bytes_max;
  /// Number of pieces copied at once in a blocked call: it has nothing else to do, and fewer polls
  /// are faster.
  static constexpr std::size_t blocked_pieces = 8;
  std::size_t piece_of(const operation& op) noexcept {
    std::size_t most = Endpoint::staging_bytes;
    if (op.data.contiguous()) {
      if (!RmaTransport<transport_type>)  // The end of a dropped request waits for one piece.
        most = transport_type::traits.packet_bytes_max;
      else if (!copies(op.peer))
        return op.limit - op.copied;  // Takes no time of this thread.
      else
        most = ep().is_blocked() ? blocked_pieces * piece_max : piece_max;
    }
    return lesser(most, op.limit - op.copied);
  }

  /// Puts the copy of `op`'s data off until this rank waits or polls: its program may have more
  /// messages to announce first.
  [[gnu::noinline]] void defer(operation& op) {
    peer_record& r = ep().peers().of(op.peer);
    op.stage = stage::due;
    r.due_.push_back(op);
    ep().peers().set_busy(r);
  }
  /// Puts `op` back at the front after a piece: a message is completed before the next one begins.
  [[gnu::noinline]] void defer_rest(operation& op) {
    peer_record& r = ep().peers().of(op.peer);
    op.stage = stage::due;
    r.due_.push_front(op);
    ep().peers().set_busy(r);
  }

  /// Starts the transfer by a get, or half and half, if the transport can and its cost is
  /// favourable. Returns false if the sender has to move the data.
  bool fetch(operation& op, const arrived_message& m);
  [[gnu::noinline]] void fetch_piece(operation& op) {
    if (ep().peers().is_gone(op.peer)) return fetch_no_more(op);
    if (is_learnt(op)) {
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::open)
        choose_protocol(op);
      else
        op.asked_at_ns = working_ns();  // Excludes the time that the program worked.
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::packets)
        return request_packets(op);
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::half_and_half) {
        if (!start_half_and_half(op, op.target)) fetch_no_more(op);
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
    ep().trace().on(event::bytes_got, op.limit);
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
  void choose_protocol(operation& op) noexcept;
  void note_taken(const operation& op, protocol::rendezvous_protocol by) noexcept {
    peer_record& r = ep().peers().of(op.peer);
    r.taken_ = by;
    r.taken_bits_ = static_cast<std::uint8_t>(bits_of(op.data.bytes));
  }
  /// A clock that excludes the transport's maintenance, which belongs to no message.
  std::int64_t working_ns() noexcept { return ep().now_ns() - ep().transport().maintenance_ns(); }
  void learn_no_more(operation& op) noexcept;
  static bool is_learnt(const operation& op) noexcept {
    return op.learns != protocol::traffic::none;
  }

  /// Sends `clear`: the sender moves the data from offset `from` on. `stores`: the receiver's
  /// memory is exposed, so that the sender can put the data there.
  void ask(operation& op, std::size_t from, bool stores);
  /// Both sides copy: the sender stores the second half while this side fetches the first
  /// half. Returns false if the sender's memory cannot be held.
  bool start_half_and_half(operation& op, const remote_memory& from);
  /// Asks the sender to send the first half as packets after the second half, because the get
  /// failed.
  void ask_for_first_half(operation& op, std::size_t bytes) noexcept;
  errc on_first_half_wanted(operation& op, const wire::clearance& c);
  void send_first_half(operation& op);

  /// Adds the time since the last charge, or since the data was asked for, to the cost of `op`.
  /// `streamed`: bytes of it that came as packets.
  void charge_time(operation& op, std::size_t streamed = 0);
  std::int64_t take_time(std::int64_t asked_at_ns) noexcept;

  /// All fragments that a receive takes have arrived.
  void all_arrived(peer_record& r, operation& op) {
    if (!pushes || op.stage != stage::pushing) return asked_done(op);
    r.pushed_.erase(op);
    receive_done(op, tells::now);  // The acknowledgement: the sender waits for it.
  }
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
    if (tells_together && when == tells::soon && !copies(op.peer)) {
      if (!notice_.add(op.peer, op.remote_ticket)) {
        tell_finished();
        notice_.add(op.peer, op.remote_ticket);
      }
    } else if (when != tells::nothing) {
      ep().outbox().send_control(op.peer,
                                 {.kind = wire::kind::finished, .ticket = op.remote_ticket});
    }
    if (op.done()) return;  // The answer found the peer dead.
    ep().end(op, op.message_bytes > op.data.bytes ? errc::truncate : errc{});
  }

  /// Moves matched data by a put into the memory that the receiver exposed, else as packets.
  void start_put(operation& op) {
    if constexpr (RmaTransport<transport_type>) {
      if (op.target.key != 0 && (copies(op.peer) || op.data.contiguous())) {
        op.copied = op.transferred;
        if (copies(op.peer)) {
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
    auto& transport = ep().transport();
    const std::span<const std::byte> data = ep().outbox().piece(op, op.copied, piece_of(op));
    const cookie_t cookie = cookie_of(op, cookie_kind::copy);
    outcome o = outcome::refused;
    if (puts_with_packet(op.peer)) {
      if constexpr (ImmediateTransport<transport_type>)
        o = transport.put_then(op.peer, op.target, op.copied, data,
                               wire::pack({.kind = wire::kind::delivered,
                                           .credit = ep().flow().outgoing(op.peer),
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
  [[gnu::noinline]] void stream(operation& op, stage as = stage::streaming) {
    peer_record& r = ep().peers().of(op.peer);
    op.stage = as;
    r.streams_.push_back(op);
    if (&r.streams_.front() != &op || !push_fragments(r, op)) ep().peers().set_busy(r);
  }

  void put_done(operation& op) {
    ep().trace().on(event::bytes_put, op.limit - op.transferred);
    if (!puts_with_packet(op.peer))  // Else part of the put.
      ep().outbox().send_control(op.peer,
                                 {.kind = wire::kind::delivered, .ticket = op.remote_ticket});
    if (!op.done()) sent_all(op);  // Else the answer found the peer dead.
  }

  /// The sender has moved its part of a long message: the send is complete unless the receiver
  /// still has to fetch the first half.
  [[gnu::noinline]] void sent_all(operation& op) {
    if (op.half_and_half && op.first_half != first_half::fetched) {
      op.stage = stage::answer;
      if (op.first_half == first_half::wanted) send_first_half(op);
      return;
    }
    end_exposure(op);
    ep().end(op, errc{});
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

template <class Stack, class Endpoint>
[[gnu::noinline]] bool rendezvous_component<Stack, Endpoint>::fetch(operation& op,
                                                                    const arrived_message& m) {
  const remote_memory& from = m.memory;
  if constexpr (FetchTransport<transport_type>) {
    constexpr long_path by = protocol_type::long_by;
    if (by == long_path::packets || by == long_path::put || from.key == 0) return false;
    const bool whole = op.data.contiguous();
    if (!whole && !(copies(op.peer) && ep().outbox().prepare_staging())) return false;
    if (ep().peers().is_gone(op.peer)) return false;  // So is its memory.
    cost_hint a = cost_hint::always;
    if (long_by_transport<protocol_type>)
      a = ep().transport().get_cost_hint(op.peer, from, op.limit);
    // One packet: a get has no advantage.
    if (a == cost_hint::never || (a == cost_hint::learn && op.limit < learnt_bytes_min))
      return false;
    op.rendezvous_protocol = protocol::rendezvous_protocol::get;
    if (a == cost_hint::learn) {
      op.rendezvous_protocol = protocol::rendezvous_protocol::open;
      op.learns = (m.flags & arrived_message::flag_both_ways) != 0 ? protocol::traffic::both_ways
                                                                   : protocol::traffic::one_way;
      op.spent_ns = 0;
      // Otherwise the choice is made when this rank waits or polls: its program may have more
      // messages to announce first. Earlier messages come first, so that their cost is measured
      // unmixed.
      if (ep().is_blocked() && ep().peers().of(op.peer).due_.empty()) choose_protocol(op);
      if (op.rendezvous_protocol == protocol::rendezvous_protocol::packets) return false;
    }
    op.target = from;
    op.copied = 0;
    if (copies(op.peer)) {
      defer(op);
    } else {
      fetch_piece(op);
    }
    return true;
  }
  return false;
}

template <class Stack, class Endpoint>
outcome rendezvous_component<Stack, Endpoint>::get_piece(operation& op) {
  const cookie_t cookie = cookie_of(op, cookie_kind::copy);
  auto& transport = ep().transport();
  if (op.data.contiguous()) [[likely]]
    return transport.get(op.peer, op.target, op.copied, op.data.piece(op.copied, piece_of(op)),
                         cookie);
  const std::span<std::byte> stage = ep().outbox().staging().first(piece_of(op));
  const outcome o = transport.get(op.peer, op.target, op.copied, stage, cookie);
  if (o == outcome::done) op.data.write(op.copied, stage);
  return o;
}

/// True if `op` may be fetched in a batch with others.
inline bool is_whole_get(const operation& op) noexcept {
  return op.role == role::receive && op.copied == 0 && op.learns != protocol::traffic::none &&
         op.data.contiguous();
}

template <class Stack, class Endpoint>
[[gnu::noinline]] bool rendezvous_component<Stack, Endpoint>::fetch_batch(operation& op) {
  if constexpr (CpuCopyTransport<transport_type>) {
    constexpr std::size_t most = 2 * piece_max;
    if (op.limit > most / 2 || !is_whole_get(op)) return false;
    if (unbatched_ != 0) {
      --unbatched_;
      return false;
    }
    peer_record& r = ep().peers().of(op.peer);
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
      if (next.rendezvous_protocol == protocol::rendezvous_protocol::open) choose_protocol(next);
      if (next.rendezvous_protocol != protocol::rendezvous_protocol::get) {
        defer_rest(next);
        break;
      }
      all[n] = &next;
      gets[n++] = {next.target, next.data.piece(0, next.limit)};
      bytes += next.limit;
    }
    if (n == 1) return false;
    const bool came = ep().transport().get_batch(op.peer, gets, n);
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
    ep().outbox().send_control_copy(done.to(), done.header(), done.more());
    for (std::size_t i = 0; i < n; ++i)
      if (!all[i]->done()) fetched(*all[i], tells::nothing);  // Else the peer was found dead.
    return true;
  }
  return false;
}

template <class Stack, class Endpoint>
[[gnu::noinline]] void rendezvous_component<Stack, Endpoint>::ask(operation& op, std::size_t from,
                                                                  bool stores) {
  wire::clearance c{
      .bytes = op.limit, .from = from, .memory = {}, .ticket = op.ticket, .reserved = 0};
  if constexpr (RmaTransport<transport_type>) {
    if (stores) c.memory = ep().transport().expose(op.peer, op.data.piece(0, op.limit));
  }
  op.stage = stage::streaming;
  op.own = c.memory;
  op.exposed = c.memory.key != 0;
  op.transferred = from;
  op.copied = 0;
  op.control_bytes = sizeof c;
  std::memcpy(op.control, &c, sizeof c);
  ep().outbox().send_control({.kind = wire::kind::clear, .ticket = op.remote_ticket}, op);
}

template <class Stack, class Endpoint>
bool rendezvous_component<Stack, Endpoint>::start_half_and_half(operation& op,
                                                                const remote_memory& from) {
  if constexpr (CpuCopyTransport<transport_type>) {
    auto& transport = ep().transport();
    const std::size_t half = op.limit / 2 / cache_line_bytes * cache_line_bytes;
    bool is_here = false;
    {
      // The sender starts its half while this side fetches: the hold keeps the sender's memory
      // exposed meanwhile.
      const auto held = transport.pin_exposure(op.peer, from, half);
      if (!held) return false;
      ask(op, half, true);
      if (op.done()) return true;
      is_here = transport.get_held(op.peer, from, 0, op.data.piece(0, half));
    }
    if (!is_here) {
      ask_for_first_half(op, half);
      return true;
    }
    charge_time(op);
    ep().trace().on(event::bytes_got, half);
    ep().outbox().send_control(op.peer, {.kind = wire::kind::finished, .ticket = op.remote_ticket});
    return true;
  }
  return false;
}

template <class Stack, class Endpoint>
[[gnu::noinline, gnu::cold]] void rendezvous_component<Stack, Endpoint>::ask_for_first_half(
    operation& op, std::size_t bytes) noexcept {
  learn_no_more(op);
  op.copied = bytes;
  const wire::clearance c{
      .bytes = bytes, .from = 0, .memory = {}, .ticket = op.ticket, .reserved = 0};
  ep().outbox().send_control_copy(op.peer, {.kind = wire::kind::clear, .ticket = op.remote_ticket},
                                  {reinterpret_cast<const std::byte*>(&c), sizeof c});
}

template <class Stack, class Endpoint>
[[gnu::noinline, gnu::cold]] errc rendezvous_component<Stack, Endpoint>::on_first_half_wanted(
    operation& op, const wire::clearance& c) {
  if (op.role != role::send || op.first_half != first_half::open || c.from != 0 ||
      c.memory.key != 0 || c.bytes != op.message_bytes || c.ticket != op.remote_ticket)
    return errc::protocol;
  op.first_half = first_half::wanted;
  if (op.stage == stage::answer) send_first_half(op);  // Else when its own half is out.
  return errc{};
}

template <class Stack, class Endpoint>
[[gnu::noinline, gnu::cold]] void rendezvous_component<Stack, Endpoint>::send_first_half(
    operation& op) {
  op.half_and_half = false;
  op.limit = op.message_bytes;
  op.transferred = 0;
  op.stage = stage::streaming;
  peer_record& r = ep().peers().of(op.peer);
  r.streams_.push_back(op);  // Behind all answers: one may report the other half.
  ep().peers().set_busy(r);
}

template <class Stack, class Endpoint>
[[gnu::noinline]] void rendezvous_component<Stack, Endpoint>::choose_protocol(
    operation& op) noexcept {
  peer_record& r = ep().peers().of(op.peer);
  const bool whole = op.data.contiguous();
  op.asked_at_ns = working_ns();
  if (has_data_for(r))
    op.learns = protocol::traffic::both_ways;
  else
    r.streamed_out_ = 0;  // Earlier traffic does not belong to this message.
  const bool both_ways = op.learns == protocol::traffic::both_ways;
  const bool follows =
      both_ways && whole && op.peer < ep().transport().self() && r.taken_bits_ == bits_of(op.limit);
  op.rendezvous_protocol =
      follows ? r.taken_ : paths_of(op).choose(op.limit, whole && !both_ways, !r.due_.empty());
}

template <class Stack, class Endpoint>
void rendezvous_component<Stack, Endpoint>::learn_no_more(operation& op) noexcept {
  if (is_learnt(op) && op.rendezvous_protocol != protocol::rendezvous_protocol::open)
    paths_of(op).failed(op.limit);
  op.learns = protocol::traffic::none;
}

template <class Stack, class Endpoint>
std::int64_t rendezvous_component<Stack, Endpoint>::take_time(std::int64_t asked_at_ns) noexcept {
  const std::int64_t now = working_ns();
  const std::int64_t took = now - greater(asked_at_ns, charged_at_ns_);
  charged_at_ns_ = now;
  return took;
}

template <class Stack, class Endpoint>
[[gnu::noinline]] void rendezvous_component<Stack, Endpoint>::charge_time(operation& op,
                                                                          std::size_t streamed) {
  if (!is_learnt(op)) return;
  std::int64_t took = take_time(op.asked_at_ns);
  if (op.learns == protocol::traffic::both_ways && streamed != 0) {
    // As much data goes back as packets. If it did not in the same time, it follows later: its time
    // is counted, too.
    peer_record& r = ep().peers().of(op.peer);
    const std::size_t out = lesser(streamed, r.streamed_out_);
    r.streamed_out_ -= out;
    if (out < streamed / 2) took *= 2;
  }
  op.spent_ns += took;
}

template <class Stack, class Endpoint>
[[gnu::noinline]] bool rendezvous_component<Stack, Endpoint>::push_fragments(peer_record& r,
                                                                             operation& op) {
  const std::size_t fragment = ep().outbox().fragment_bytes_to(op.peer);
  if (op.data_lost()) {
    ep().peers().refuse(op.peer);  // The next flush loses the peer.
    return false;
  }
  const bool unrequested = pushes && op.stage == stage::pushing;
  while (op.transferred < op.limit) {
    const std::size_t n = lesser(fragment, op.limit - op.transferred);
    const wire::header h{.kind = wire::kind::data,
                         .flags = static_cast<std::uint8_t>(unrequested ? wire::flag_pushed : 0),
                         .tag = static_cast<tag_t>(static_cast<std::uint32_t>(op.transferred)),
                         .context = static_cast<context_id>(op.transferred >> 32),
                         .ticket = unrequested ? op.ticket : op.remote_ticket};
    if (!ep().outbox().post(op.peer, h, ep().outbox().piece(op, op.transferred, n), &op))
      return false;
    op.transferred += n;
    r.streamed_out_ = lesser(r.streamed_out_ + n, streamed_out_max);
    ep().trace().on(event::bytes_streamed, n);
  }
  r.streams_.pop_front();
  if (unrequested) {
    op.stage = stage::answer;
  } else {
    sent_all(op);
  }
  return true;
}

/// Ends the exposure to a peer that was lost while it accessed the memory, after the transport has
/// dropped it. The peer's handle is invalid afterwards, if the transport can do that.
template <class Stack, class Endpoint>
[[gnu::noinline, gnu::cold]] void rendezvous_component<Stack, Endpoint>::revoke_exposure(
    operation& op) noexcept {
  if constexpr (RegisteredTransport<transport_type>) {
    const std::int64_t until_ns = platform::now_ns() + copy_ns_max;
    while (op.exposed && registers(op.peer)) {
      const outcome taken_back = ep().transport().revoke(op.peer, op.own);
      op.exposed = taken_back != outcome::done;
      if (taken_back != outcome::retry || platform::now_ns() > until_ns) break;
      ::sched_yield();
    }
  }
  end_exposure(op);
}

}  // namespace mpx::inline v0::detail
