// SPDX-License-Identifier: BSL-1.0
#pragma once
// A stream of bytes that outlives its connections. The sending half keeps what the other end has
// not acknowledged, and begins again where that end stands; the receiving half counts, and knows
// when to acknowledge. Neither knows what carries the bytes.

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/transport/detail/queue.hpp"

namespace mpx::inline v0::transport::detail {

/// A completion that the next poll hands over.
struct replay_completion {
  cookie_t cookie;
  bool ok;
};
using replay_told = flat_queue<replay_completion>;

inline iovec piece_of(const void* at, std::size_t bytes) noexcept {
  return {const_cast<void*>(at), bytes};
}

/// What a stream may keep.
struct replay_limits {
  // What may wait: frames, and bytes of copies. Beyond that no more is taken.
  std::size_t waiting_max = 512;
  std::size_t waiting_bytes_max = 64 * 1024;
  // What may be here, acknowledged by nobody: entries, and bytes of copies.
  std::size_t kept_max = 4096;
  std::size_t kept_bytes_max = 1024 * 1024;
  /// Bytes that the other end takes before it acknowledges without being asked.
  std::size_t receipt_bytes = 64 * 1024;
};

/// The sending half: frames of a head, which is copied, and a body, which is copied or referred to.
///
/// An entry is waiting, then written (a connection has taken it), then acknowledged and gone; a
/// new connection makes waiting again of what is written. Of a copied frame the end is told once it
/// is written, since its memory is here; of one that is referred to once it is acknowledged.
template <replay_limits Limits>
class basic_replay_log {
 public:
  static constexpr std::size_t waiting_max = Limits.waiting_max;
  static constexpr std::size_t waiting_bytes_max = Limits.waiting_bytes_max;
  static constexpr std::size_t kept_max = Limits.kept_max;
  static constexpr std::size_t kept_bytes_max = Limits.kept_bytes_max;
  static constexpr std::size_t receipt_bytes = Limits.receipt_bytes;

  /// Whether nothing waits to be written.
  bool idle() const noexcept { return waiting_.empty(); }
  /// Whether nothing is here.
  bool empty() const noexcept { return waiting_.empty() && kept_.empty(); }
  std::size_t waiting_bytes() const noexcept { return bytes_.size() - kept_copied_; }
  /// The place in the stream up to which connections have taken it.
  std::uint64_t written() const noexcept { return written_; }
  /// The place up to which the other end has it.
  std::uint64_t acknowledged() const noexcept { return begin_; }
  /// The place where what comes next will be.
  std::uint64_t end() const noexcept { return written_ + unwritten_; }
  /// Bytes between written() and acknowledged().
  std::uint64_t unacknowledged() const noexcept { return written_ - begin_; }
  /// Bytes that wait to be written, wherever they are.
  std::size_t unwritten_bytes() const noexcept { return unwritten_; }

  /// Whether copies of so many bytes may be kept; in the end that is so, as acknowledgements come.
  bool may_keep(std::size_t bytes) const noexcept {
    return (bytes_.size() + bytes <= kept_bytes_max || bytes_.size() <= 2 * receipt_bytes) &&
           kept_.size() < kept_max;
  }
  /// Whether one more may wait, as a copy of `bytes`, or referred to (0).
  bool has_room(std::size_t bytes) const noexcept {
    return waiting_.size() + 2 <= waiting_max &&
           (waiting_.empty() || waiting_bytes() + bytes <= waiting_bytes_max) && may_keep(bytes);
  }
  /// Room for one more frame, so that taking it in cannot fail. `copied`: its bytes, head included.
  bool reserve(std::size_t copied) noexcept {
    return bytes_.reserve(copied) && kept_.reserve(waiting_.size() + 4) && waiting_.reserve(2);
  }

  /// Takes a frame in as a copy; a connection has taken its first `taken` bytes already. `tells`:
  /// its end is told. Requires: there is room; nothing waits, or taken is 0.
  void copy(std::span<const std::byte> head, std::span<const std::byte> body, std::size_t taken,
            bool tells, cookie_t cookie) noexcept {
    const std::size_t bytes = head.size() + body.size();
    bytes_.append(head.data(), head.size());
    bytes_.append(body.data(), body.size());
    if (taken != 0) keep({nullptr, taken, 0, false});
    unwritten_ += bytes - taken;
    if (taken != bytes) waiting_.push({nullptr, bytes - taken, cookie, tells});
  }
  /// The same, of which the body stays where it is until its end is told.
  void refer(std::span<const std::byte> head, std::span<const std::byte> body, std::size_t taken,
             cookie_t cookie) noexcept {
    const std::size_t of_head = std::min(taken, head.size());
    const std::size_t of_body = taken - of_head;
    bytes_.append(head.data(), head.size());
    unwritten_ += head.size() + body.size() - taken;
    if (of_head != 0) keep({nullptr, of_head, 0, false});
    if (of_head != head.size()) waiting_.push({nullptr, head.size() - of_head, 0, false});
    if (of_body != 0) keep({body.data(), of_body, cookie, of_body == body.size()});
    if (of_body != body.size())
      waiting_.push({body.data() + of_body, body.size() - of_body, cookie, true});
  }
  /// What is to be read of `from` is read behind `to`.
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    for (flat_queue<entry>* const q : {&kept_, &waiting_}) {
      for (std::size_t i = 0; i < q->size(); ++i) {
        entry& e = (*q)[i];
        if (e.at == nullptr || e.cookie != cookie || e.at < from.data() ||
            e.at + e.bytes > from.data() + from.size())
          continue;
        e.at = to + (e.at - from.data());
      }
    }
  }

  /// What a connection is to take next, up to `most` bytes. Returns how many of `pieces` that is;
  /// `bytes`: their sum.
  std::size_t next(std::span<iovec> pieces, std::size_t& bytes,
                   std::size_t most = static_cast<std::size_t>(-1)) noexcept {
    std::size_t count = 0;
    std::size_t copied = kept_copied_;  // Of bytes_, before the next piece.
    bytes = 0;
    for (std::size_t i = 0; i < waiting_.size() && bytes < most; ++i) {
      const entry& e = waiting_[i];
      const std::size_t part = std::min(e.bytes, most - bytes);
      const bool joins = e.at == nullptr && i != 0 && waiting_[i - 1].at == nullptr;
      if (!joins && count == pieces.size()) break;
      if (joins) {
        pieces[count - 1].iov_len += part;
      } else {
        pieces[count++] = piece_of(e.at == nullptr ? bytes_.data() + copied : e.at, part);
      }
      if (e.at == nullptr) copied += part;
      bytes += part;
    }
    return count;
  }
  /// A connection has taken the next `n` bytes. Requires: `told` has room for whatever is here.
  void wrote(std::size_t n, replay_told& told) noexcept {
    unwritten_ -= n;
    while (n != 0) {
      entry& e = waiting_.front();
      const std::size_t part = std::min(n, e.bytes);
      const bool whole = part == e.bytes;
      if (e.at == nullptr) {
        if (whole && e.tells) told.push(replay_completion{e.cookie, true});
        keep({nullptr, part, 0, false});
      } else {
        keep({e.at, part, e.cookie, whole && e.tells});
        e.at += part;
      }
      e.bytes -= part;
      n -= part;
      if (whole) waiting_.pop();
    }
  }

  /// The other end has everything before `to`. False: it cannot have. Requires: as above.
  bool acknowledge(std::uint64_t to, replay_told& told) noexcept {
    if (to > written_) return false;
    if (to <= begin_) return true;  // Said before, and said again by a replay.
    std::uint64_t n = to - begin_;
    begin_ = to;
    while (n != 0) {
      entry& e = kept_.front();
      const std::size_t part = n < e.bytes ? static_cast<std::size_t>(n) : e.bytes;
      if (e.at == nullptr) {
        bytes_.pop(part);
        kept_copied_ -= part;
      } else {
        e.at += part;
      }
      e.bytes -= part;
      n -= part;
      if (e.bytes != 0) continue;
      if (e.tells) told.push(replay_completion{e.cookie, true});
      kept_.pop();
    }
    if (bytes_.empty()) bytes_.trim();
    return true;
  }
  /// A new connection: the other end has everything before `to`, and nothing else. False: it cannot
  /// have, or there is no memory. Requires: as above.
  bool resume(std::uint64_t to, replay_told& told) noexcept {
    if (to < begin_ || !acknowledge(to, told)) return false;
    const std::size_t again = kept_.size();
    const std::size_t before = waiting_.size();
    if (!waiting_.reserve(again) || !kept_.reserve(before + again + 4)) return false;
    waiting_.append(kept_.data(), again);
    std::rotate(waiting_.data(), waiting_.data() + before, waiting_.data() + before + again);
    kept_.pop(again);
    unwritten_ += written_ - begin_;
    kept_copied_ = 0;
    written_ = begin_;
    return true;
  }
  /// Nothing of it will arrive.
  void fail(replay_told& told) noexcept {
    for (flat_queue<entry>* const q : {&kept_, &waiting_}) {
      for (std::size_t i = 0; i < q->size(); ++i)
        if ((*q)[i].tells) told.push(replay_completion{(*q)[i].cookie, false});
      q->clear();
    }
    bytes_.clear();
    kept_copied_ = 0;
    begin_ = written_;  // What is still acknowledged is nothing new.
    unwritten_ = 0;
  }

 private:
  struct entry {
    const std::byte* at;  // nullptr: the next of bytes_.
    std::size_t bytes;
    cookie_t cookie;
    bool tells;
  };

  /// What belongs together stays one entry.
  void keep(const entry& e) noexcept {
    written_ += e.bytes;
    if (e.at == nullptr) kept_copied_ += e.bytes;
    if (!kept_.empty()) {
      entry& last = kept_[kept_.size() - 1];
      if (e.at == nullptr ? last.at == nullptr
                          : last.at != nullptr && last.at + last.bytes == e.at &&
                                last.cookie == e.cookie && !last.tells) {
        last.bytes += e.bytes;
        last.tells = e.tells;
        return;
      }
    }
    kept_.push(e);
  }

  flat_queue<entry> waiting_;
  flat_queue<entry> kept_;
  flat_queue<std::byte> bytes_;  // Copies: of what is kept, then of what waits.
  std::size_t kept_copied_ = 0;  // Of these, what is kept.
  std::size_t unwritten_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t written_ = 0;
};

using replay_log = basic_replay_log<replay_limits{}>;

/// The receiving half.
template <replay_limits Limits>
class basic_replay_receipt {
 public:
  /// The place in the stream up to which everything has come.
  std::uint64_t received() const noexcept { return received_; }
  /// `n` more bytes have come, in order.
  void took(std::size_t n) noexcept { received_ += n; }
  /// The other end waits for an acknowledgement.
  void ask() noexcept { asked_ = true; }
  bool due() const noexcept { return asked_ || received_ - told_ >= Limits.receipt_bytes; }
  /// What to tell the other end now.
  std::uint64_t tell() noexcept {
    asked_ = false;
    return told_ = received_;
  }

 private:
  std::uint64_t received_ = 0;
  std::uint64_t told_ = 0;
  bool asked_ = false;
};
using replay_receipt = basic_replay_receipt<replay_limits{}>;

}  // namespace mpx::inline v0::transport::detail
