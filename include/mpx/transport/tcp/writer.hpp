// SPDX-License-Identifier: BSL-1.0
#pragma once
// What has been posted, and how it leaves: written at once where nothing waits, else with others;
// and the receipts that both ends of a connection owe each other.

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "mpx/transport/tcp/line.hpp"

namespace mpx::inline v0::transport::detail {

/// What becomes of payloads of which size.
struct tcp_sizes {
  std::size_t copy_bytes_max = 4096;  // Longer ones wait where they are.
  // Longer ones are not copied once they are written either, but kept by the caller until the
  // other end has them.
  std::size_t keep_bytes_max = 128 * 1024;
  std::size_t coalesced_bytes_max = 16 * 1024;
  // So much of them leaves together, where the other end has half of that to take meanwhile.
  std::size_t gathered_bytes_min = 256 * 1024;
};

/// `Link`: a tcp_line, and what its owner adds. `Watch`: what its streams tell when they want room.
template <class Link, class Watch, tcp_sizes Sizes = tcp_sizes{}>
class tcp_writer {
 public:
  using link = Link;
  static constexpr std::size_t copy_bytes_max = Sizes.copy_bytes_max;
  static constexpr std::size_t keep_bytes_max = Sizes.keep_bytes_max;
  static constexpr std::size_t coalesced_bytes_max = Sizes.coalesced_bytes_max;
  static constexpr std::size_t gathered_bytes_min = Sizes.gathered_bytes_min;
  /// Receipts that may be here and have come to nobody's notice: at most twice that. So many that
  /// the other end owes one for them itself, and more than what it may have under way can ask for:
  /// thus two honest ends never wait for each other.
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
  flat_queue<peer_id>& serving() noexcept { return serving_; }
  /// Whether a post that was told `retry` may succeed now, and has not been repeated since.
  bool has_news() const noexcept { return roomy_ != 0; }
  bool take_news() noexcept {
    ++news_;
    return std::exchange(roomy_, 0) != 0;
  }
  /// A poll begins: what was posted before it leaves now.
  void begin_poll() noexcept {
    ++polls_;
    if (!unsent_.empty()) send_unsent();
  }
  /// A completion has been handed over.
  void told() noexcept { --told_max_; }
  void serve(link& l) noexcept {
    if (l.serving) return;
    l.serving = true;
    serving_.push(l.peer);
  }
  /// Receipts have come in. Returns whether what they say makes sense.
  bool settle(link& l) noexcept {
    if (l.in.has_acknowledged()) {
      if (!l.out.acknowledge(l.in.acknowledged(), completions_)) return false;
      if (l.starved && l.out.has_room(copy_bytes_max)) feed(l);
    }
    return true;
  }
  /// A receipt leaves, if one is due.
  void acknowledge_if_owed(link& l) noexcept {
    if (l.in.owes_receipt() && l.state == tcp_state::open) acknowledge(l);
  }

 protected:
  link* make(peer_id peer) noexcept {
    auto* const l = new (std::nothrow) link(peer);
    // Each stands in a list once at most: its places are kept for it.
    if (l != nullptr && lost_.reserve(made_ + 1) && serving_.reserve(made_ + 1) &&
        unsent_.reserve(made_ + 1)) {
      ++made_;
      return links_[peer] = l;
    }
    delete l;
    return nullptr;
  }

  /// Nothing waits: the kernel is asked first. What it has taken is kept all the same.
  outcome write(link& l, tcp_frame f, std::span<const std::byte> payload,
                cookie_t cookie) noexcept {
    const std::size_t bytes = sizeof f + payload.size();
    if (!l.out.may_keep(bytes)) [[unlikely]]
      find_room(l);
    const bool copies = l.out.may_keep(bytes) && (!pends_ || payload.size() <= keep_bytes_max);
    if (!copies && (!pends_ || payload.size() <= copy_bytes_max)) return wait_for_room(l);
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
      silence(l);
    } else if (!in_parts && taken != bytes) {
      block(l);
    }
    if (!pends_) return outcome::done;
    ++told_max_;
    if (in_parts) send(l);
    return outcome::pending;
  }
  /// Whether what is posted now leaves with what is posted next, at the next poll at the latest:
  /// a connection carries few long writes faster than many.
  bool gathers(const link& l, std::size_t bytes) const noexcept {
    return l.written_at == polls_ && pends_ &&
           (bytes <= copy_bytes_max ||
            (bytes <= keep_bytes_max && l.out.unacknowledged() >= gathered_bytes_min / 2));
  }
  outcome keep(link& l, tcp_frame f, std::span<const std::byte> payload, cookie_t cookie) noexcept {
    const bool copies = !pends_ || payload.size() <= copy_bytes_max;
    const std::size_t bytes = copies ? sizeof f + payload.size() : 0;
    if (!l.out.has_room(bytes)) {
      l.starved = false;  // Whoever posts finds out by himself.
      find_room(l);
      if (!l.out.has_room(bytes)) return wait_for_room(l);
    }
    if (!reserve(l, copies ? bytes : sizeof f)) return outcome::retry;
    if (copies) {
      l.out.copy(bytes_of(f), payload, 0, pends_, cookie);
    } else {
      f.bytes |= tcp_asks;
      l.out.refer(bytes_of(f), payload, 0, cookie);
    }
    ++(copies ? counters_.copied : counters_.referred);
    if (!pends_) return written_later(l, outcome::done);
    ++told_max_;
    return written_later(l, outcome::pending);
  }
  outcome wait_for_room(link& l) noexcept {
    l.starved = true;
    return outcome::retry;
  }
  /// What was kept may have been acknowledged meanwhile: who only posts finds out here.
  void find_room(link& l) noexcept {
    if (l.state != tcp_state::open) return;
    if (l.in.fill(l.socket)) serve(l);
    glean(l);
    send(l);
  }
  void glean(link& l) noexcept {
    l.in.take_receipts();
    // A receipt that makes no sense is left for settle() to find.
    if (l.in.has_acknowledged() && l.out.acknowledge(l.in.peek_acknowledged(), completions_) &&
        l.out.has_room(copy_bytes_max))
      feed(l);
  }
  /// Whether one more frame and its end can be taken in.
  bool reserve(link& l, std::size_t copied) noexcept {
    return l.out.reserve(copied) && completions_.reserve(told_max_ + 1 - completions_.size());
  }
  outcome written_later(link& l, outcome o) noexcept {
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
  /// `leaves_rest`: what is written in one go later is not written now.
  void send(link& l, bool leaves_rest = false) noexcept {
    if (l.out.idle() || l.mute) return;
    ++counters_.writes;
    l.written_at = polls_;
    switch (flush_tcp(l.socket, l.out, completions_, l.whole_bytes, leaves_rest)) {
      case tcp_written::all: unblock(l); break;
      case tcp_written::blocked: block(l); break;
      case tcp_written::broken: return silence(l);
    }
    if (l.out.has_room(copy_bytes_max)) feed(l);
  }
  void feed(link& l) noexcept {
    if (!std::exchange(l.starved, false) || l.roomy_at == news_) return;
    l.roomy_at = news_;
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
  /// It cannot be written to any more. What it has sent is still read: its end comes after that.
  void silence(link& l) noexcept {
    unblock(l);
    l.mute = true;
    l.socket.shut();
    if (!l.in.ended()) serve(l);
  }
  /// Receipts are never kept waiting for room, as packets are, since they make it; but who says of
  /// none that it has come gets no more of them. They are owed until he does.
  static bool may_tell(link& l) noexcept {
    if (l.out.acknowledged() >= l.receipts_from) {
      l.receipts_from = l.out.end() + 1;
      l.receipts = 0;
    }
    return l.receipts < receipts_max;
  }
  /// At once: the other end may be waiting for it, and this rank may compute next.
  void acknowledge(link& l) noexcept {
    if (l.mute || !may_tell(l) || !l.out.reserve(sizeof(tcp_frame))) return;
    const tcp_frame f = receipt_of(l.in.receipt().tell());
    l.out.copy(bytes_of(f), {}, 0, false, 0);
    ++counters_.receipts;
    ++l.receipts;
    const std::uint64_t before = l.written_at;
    if (!l.blocked) send(l);
    l.written_at = before;  // A packet that answers is written at once, too.
  }

  // Hot first.
  std::uint64_t polls_ = 1;
  bool pends_;
  unsigned roomy_ = 0;  // Links whose `roomy_at` is `news_`.
  std::uint64_t news_ = 1;
  unsigned attention_ = 0;       // Connections that are being made, or wait for the kernel.
  std::size_t made_ = 0;         // Links.
  std::size_t told_max_ = 0;     // Completions that may be due at once.
  flat_queue<peer_id> serving_;  // Whose packets may be at hand.
  flat_queue<peer_id> unsent_;   // Whose packets leave with the next poll.
  flat_queue<peer_id> lost_;
  replay_told completions_;
  std::vector<link*> links_;
  Watch watch_;
  tcp_counters counters_;
};

}  // namespace mpx::inline v0::transport::detail
