// SPDX-License-Identifier: BSL-1.0
#pragma once
// Send queues of a rank's connections. A packet is written immediately if its connection is open,
// its queue is empty, and nothing was written to it since the last poll; long packets are exempt
// from the last condition. Else it is queued, and written together with others. The
// acknowledgements ("receipts") that both ends of a connection owe each other are also sent here.

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "mpx/transport/tcp/line.hpp"

namespace mpx::inline v0::transport::detail {

/// Payload-size thresholds, in bytes.
struct tcp_sizes {
  std::size_t copy_bytes_max = 4096;  // Longer payloads are queued by reference, if posts may pend.
  // Longer payloads are not copied when they are written either: the caller keeps them until the
  // peer has acknowledged them.
  std::size_t keep_bytes_max = 128 * 1024;
  // Queued copies of this total size are written without waiting for the next poll.
  std::size_t coalesced_bytes_max = 16 * 1024;
  // Queued bytes are written once their sum reaches this value. Payloads longer than
  // `copy_bytes_max`, up to `keep_bytes_max`, are queued only if at least half of it is
  // unacknowledged; longer ones are written at once if nothing is queued.
  std::size_t gathered_bytes_min = 256 * 1024;
};

/// The sending half of all links of a rank. `Link`: a type derived from tcp_line that also holds
/// the connection's state.
/// `Watch`: the descriptor set in which a stream asks to be told of room in the kernel's buffer.
template <class Link, class Watch, tcp_sizes Sizes = tcp_sizes{}>
class tcp_writer {
 public:
  using link = Link;
  static constexpr std::size_t copy_bytes_max = Sizes.copy_bytes_max;
  static constexpr std::size_t keep_bytes_max = Sizes.keep_bytes_max;
  static constexpr std::size_t coalesced_bytes_max = Sizes.coalesced_bytes_max;
  static constexpr std::size_t gathered_bytes_min = Sizes.gathered_bytes_min;
  /// Limit of receipts that are sent before the peer acknowledges the first of them; so at most
  /// twice as many are kept. It is the number of receipts that the peer's unacknowledged packets
  /// can request (`kept_max`), plus the number after which the peer owes a receipt itself, so that
  /// two correct peers never reach it.
  static constexpr std::size_t receipts_max =
      decltype(link::out)::kept_max + decltype(link::out)::receipt_bytes / sizeof(tcp_frame);

  tcp_writer(peer_id peers, bool pends) : pends_(pends), links_(peers) {}
  tcp_writer(const tcp_writer&) = delete;
  tcp_writer& operator=(const tcp_writer&) = delete;
  ~tcp_writer() {
    for (link* l : links_) delete l;
  }

  const tcp_counters& counters() const noexcept { return counters_; }
  tcp_state state_of(peer_id peer) const noexcept {
    return links_[peer] == nullptr ? tcp_state::idle : links_[peer]->state;
  }
  Watch& watch() noexcept { return watch_; }
  link* find(peer_id peer) noexcept { return links_[peer]; }
  replay_told& completions() noexcept { return completions_; }
  flat_queue<peer_id>& lost() noexcept { return lost_; }
  flat_queue<peer_id>& deliveries() noexcept { return deliveries_; }
  /// True if a post that returned `retry` may succeed now and has not been retried since.
  bool has_room_report() const noexcept { return roomy_ != 0; }
  /// Returns has_room_report(), and resets it.
  bool take_room_report() noexcept {
    ++room_epoch_;
    return std::exchange(roomy_, 0) != 0;
  }
  /// Starts a poll: writes the packets that were queued before it.
  void begin_poll() noexcept {
    ++polls_;
    if (!unsent_.empty()) send_unsent();
  }
  /// Called for each completion that was delivered to the sink.
  void completion_delivered() noexcept { --completions_due_; }
  /// Puts the link on the list of links that may have packets to deliver.
  void queue_delivery(link& l) noexcept {
    if (l.delivery_queued) return;
    l.delivery_queued = true;
    deliveries_.push(l.peer);
  }
  /// Applies the last receipt that was read. Returns false if the peer acknowledges bytes that were
  /// never written.
  bool apply_receipt(link& l) noexcept {
    if (l.in.has_acknowledged()) {
      if (!l.out.acknowledge(l.in.acknowledged(), completions_)) return false;
      if (l.awaits_room && l.out.has_room(copy_bytes_max)) report_room(l);
    }
    return true;
  }
  /// Sends a receipt if one is due.
  void acknowledge_if_owed(link& l) noexcept {
    if (l.in.owes_receipt() && l.state == tcp_state::open) acknowledge(l);
  }

 protected:
  link* make(peer_id peer) noexcept {
    auto* const l = new (std::nothrow) link(peer);
    // A link is on each list at most once, so that one entry is reserved per link and list.
    if (l != nullptr && lost_.reserve(made_ + 1) && deliveries_.reserve(made_ + 1) &&
        unsent_.reserve(made_ + 1)) {
      ++made_;
      return links_[peer] = l;
    }
    delete l;
    return nullptr;
  }

  /// Writes a packet at once. Requires: the queue of `l` is empty. Written bytes are kept for
  /// retransmission until the peer acknowledges them: as a copy, or by reference if the payload is
  /// long and posts may pend.
  outcome write(link& l, tcp_frame f, std::span<const std::byte> payload,
                cookie_t cookie) noexcept {
    const std::size_t bytes = sizeof f + payload.size();
    if (!l.out.may_keep(bytes)) [[unlikely]]
      read_receipts_for_room(l);
    const bool copies = l.out.may_keep(bytes) && (!pends_ || payload.size() <= keep_bytes_max);
    if (!copies && (!pends_ || payload.size() <= copy_bytes_max)) return retry_when_room(l);
    if (!reserve(l, copies ? bytes : sizeof f)) return outcome::retry;
    if (!copies) f.bytes |= tcp_asks;
    l.written_at = polls_;
    ++counters_.writes;
    iovec pieces[2] = {piece_of(&f, sizeof f), piece_of(payload.data(), payload.size())};
    const bool in_parts = !copies && bytes > l.whole_bytes;
    const ssize_t n = in_parts ? 0 : l.socket.write(pieces, payload.empty() ? 1 : 2);
    const std::size_t taken = n < 0 ? 0 : static_cast<std::size_t>(n);
    if (!copies) {
      l.out.refer(bytes_of(f), payload, taken, cookie);
    } else {
      l.out.copy(bytes_of(f), payload, taken, pends_, cookie);
    }
    if (copies && taken == bytes) return outcome::done;
    ++(copies ? counters_.copied : counters_.referred);
    if (n < 0) {
      stop_writing(l);
    } else if (!in_parts && taken != bytes) {
      block(l);
    }
    if (!pends_) return outcome::done;
    ++completions_due_;
    if (in_parts) send(l);
    return outcome::pending;
  }
  /// True if a packet that is posted now is queued until the next poll, to be written together with
  /// later ones: the link was written to since the last poll, and few long writes carry more than
  /// many short ones.
  bool gathers(const link& l, std::size_t bytes) const noexcept {
    return l.written_at == polls_ && pends_ &&
           (bytes <= copy_bytes_max ||
            (bytes <= keep_bytes_max && l.out.unacknowledged() >= gathered_bytes_min / 2));
  }
  /// Queues a packet behind those that wait.
  outcome enqueue(link& l, tcp_frame f, std::span<const std::byte> payload,
                  cookie_t cookie) noexcept {
    const bool copies = !pends_ || payload.size() <= copy_bytes_max;
    const std::size_t bytes = copies ? sizeof f + payload.size() : 0;
    if (!l.out.has_room(bytes)) {
      l.awaits_room = false;  // The caller of this post learns the outcome by itself.
      read_receipts_for_room(l);
      if (!l.out.has_room(bytes)) return retry_when_room(l);
    }
    if (!reserve(l, copies ? bytes : sizeof f)) return outcome::retry;
    if (copies) {
      l.out.copy(bytes_of(f), payload, 0, pends_, cookie);
    } else {
      f.bytes |= tcp_asks;
      l.out.refer(bytes_of(f), payload, 0, cookie);
    }
    ++(copies ? counters_.copied : counters_.referred);
    if (!pends_) return schedule_write(l, outcome::done);
    ++completions_due_;
    return schedule_write(l, outcome::pending);
  }
  /// Returns `retry`, and requests a report of room for the link (`report_room`).
  outcome retry_when_room(link& l) noexcept {
    l.awaits_room = true;
    return outcome::retry;
  }
  /// Reads from the socket, and applies the receipts at the head of the input; packets behind them
  /// wait for the next poll. Without this a caller that posts and never polls would never get room.
  void read_receipts_for_room(link& l) noexcept {
    if (l.state != tcp_state::open) return;
    if (l.in.fill(l.socket)) queue_delivery(l);
    collect_receipts(l);
    send(l);
  }
  /// Applies receipts at the head of the input, without a sink.
  void collect_receipts(link& l) noexcept {
    l.in.take_receipts();
    // apply_receipt() reports an invalid receipt.
    if (l.in.has_acknowledged() && l.out.acknowledge(l.in.peek_acknowledged(), completions_) &&
        l.out.has_room(copy_bytes_max))
      report_room(l);
  }
  /// Reserves memory for a further frame and its completion. Returns false if memory is out.
  bool reserve(link& l, std::size_t copied) noexcept {
    return l.out.reserve(copied) &&
           completions_.reserve(completions_due_ + 1 - completions_.size());
  }
  /// Decides when a packet that was just queued is written: now if enough bytes wait, else at the
  /// next poll. Returns `o`.
  outcome schedule_write(link& l, outcome o) noexcept {
    if (l.state == tcp_state::open && !l.blocked) {
      ++counters_.coalesced;
      if (l.out.waiting_bytes() >= coalesced_bytes_max) {
        send(l);
      } else if (l.out.unwritten_bytes() >= gathered_bytes_min) {
        send(l, true);
        if (!l.blocked && !l.out.idle()) list(l);
      } else {
        list(l);
      }
    }
    return o;
  }
  /// Has the next poll write the queue of `l`.
  void list(link& l) noexcept {
    if (l.listed) return;
    l.listed = true;
    unsent_.push(l.peer);
  }
  void send_unsent() noexcept {
    for (std::size_t n = unsent_.size(); n != 0; --n) {
      link& l = *links_[unsent_.front()];
      unsent_.pop();
      l.listed = false;
      if (l.state == tcp_state::open && !l.blocked) send(l);
    }
  }
  /// Writes the queue. `leaves_rest`: a last part shorter than `whole_bytes` stays queued.
  void send(link& l, bool leaves_rest = false) noexcept {
    if (l.out.idle() || l.write_failed) return;
    ++counters_.writes;
    l.written_at = polls_;
    switch (flush_tcp(l.socket, l.out, completions_, l.whole_bytes, leaves_rest)) {
      case tcp_written::all: unblock(l); break;
      case tcp_written::blocked: block(l); break;
      case tcp_written::broken: return stop_writing(l);
    }
    if (l.out.has_room(copy_bytes_max)) report_room(l);
  }
  /// Reports that a link which refused a post has room again: once per link between two
  /// take_room_report().
  void report_room(link& l) noexcept {
    if (!std::exchange(l.awaits_room, false) || l.roomy_at == room_epoch_) return;
    l.roomy_at = room_epoch_;
    ++roomy_;
  }
  void block(link& l) noexcept {
    if (l.blocked) return;
    l.blocked = true;
    ++attention_;
    l.socket.want_room(watch_, l.peer, true);
  }
  void unblock(link& l) noexcept {
    if (!l.blocked) return;
    l.blocked = false;
    --attention_;
    l.socket.want_room(watch_, l.peer, false);
  }
  /// Stops writing after a write error. Bytes that have arrived are still read; the end of the
  /// connection follows them.
  void stop_writing(link& l) noexcept {
    unblock(l);
    l.write_failed = true;
    l.socket.shut();
    if (!l.in.ended()) queue_delivery(l);
  }
  /// True if a receipt may be sent. Receipts bypass the limits of the queue, since they free room
  /// at the peer; a peer that acknowledges none of them gets no more than `receipts_max`. Further
  /// ones stay owed until it does.
  static bool may_tell(link& l) noexcept {
    if (l.out.acknowledged() >= l.receipts_from) {
      l.receipts_from = l.out.end() + 1;
      l.receipts = 0;
    }
    return l.receipts < receipts_max;
  }
  /// Writes a receipt at once: the peer may wait for it, and this rank may compute next.
  void acknowledge(link& l) noexcept {
    if (l.write_failed || !may_tell(l) || !l.out.reserve(sizeof(tcp_frame))) return;
    const tcp_frame f = receipt_of(l.in.receipt().tell());
    l.out.copy(bytes_of(f), {}, 0, false, 0);
    ++counters_.receipts;
    ++l.receipts;
    const std::uint64_t before = l.written_at;
    if (!l.blocked) send(l);
    l.written_at = before;  // So that a reply posted next is written at once, too.
  }

  // Hot members first.
  std::uint64_t polls_ = 1;
  bool pends_;
  unsigned roomy_ = 0;  // Links whose `roomy_at` is `room_epoch_`.
  std::uint64_t room_epoch_ = 1;
  unsigned attention_ = 0;           // Links with a deadline, or waiting for room in the kernel.
  std::size_t made_ = 0;             // Links.
  std::size_t completions_due_ = 0;  // Accepted frames whose completion is not delivered yet.
  flat_queue<peer_id> deliveries_;   // Peers that may have packets to deliver.
  flat_queue<peer_id> unsent_;       // Peers whose queue the next poll writes.
  flat_queue<peer_id> lost_;
  replay_told completions_;
  std::vector<link*> links_;
  Watch watch_;
  tcp_counters counters_;
};

}  // namespace mpx::inline v0::transport::detail
