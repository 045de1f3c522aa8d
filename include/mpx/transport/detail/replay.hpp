// SPDX-License-Identifier: BSL-1.0
#pragma once
// A byte stream that survives its connections. The sending half keeps all data that the peer has
// not acknowledged, and retransmits from the peer's position over a new connection. The receiving
// half counts bytes and decides when to acknowledge. Neither half knows the connection.

#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/transport/detail/queue.hpp"

namespace mpx::inline v0::transport::detail {

/// A completion that the next poll hands to the sink.
struct replay_completion {
  cookie_t cookie;
  bool ok;
};
using replay_told = flat_queue<replay_completion>;

inline iovec piece_of(const void* at, std::size_t bytes) noexcept {
  return {const_cast<void*>(at), bytes};
}

/// Limits of one stream.
struct replay_limits {
  // Limits of the waiting data: frames, and bytes of copies. At the limit no more is accepted.
  std::size_t waiting_max = 512;
  std::size_t waiting_bytes_max = 64 * 1024;
  // Limits of the unacknowledged data: entries, and bytes of copies.
  std::size_t kept_max = 4096;
  std::size_t kept_bytes_max = 1024 * 1024;
  /// Bytes that the receiver takes before it acknowledges without being asked.
  std::size_t receipt_bytes = 64 * 1024;
};

/// The sending half. A frame consists of a head, which is copied, and a body, which is copied or
/// referred to.
///
/// An entry is waiting, then written (a connection has taken it), then acknowledged and removed. A
/// new connection makes written entries waiting again. A copied frame completes once it is written,
/// since its memory is here. A frame that is referred to completes once it is acknowledged.
template <replay_limits Limits>
class basic_replay_log {
 public:
  static constexpr std::size_t waiting_max = Limits.waiting_max;
  static constexpr std::size_t waiting_bytes_max = Limits.waiting_bytes_max;
  static constexpr std::size_t kept_max = Limits.kept_max;
  static constexpr std::size_t kept_bytes_max = Limits.kept_bytes_max;
  static constexpr std::size_t receipt_bytes = Limits.receipt_bytes;

  /// True if nothing waits to be written.
  bool idle() const noexcept { return waiting_.empty(); }
  /// True if no data is kept.
  bool empty() const noexcept { return waiting_.empty() && kept_.empty(); }
  std::size_t waiting_bytes() const noexcept { return bytes_.size() - kept_copied_; }
  /// Stream position up to which connections have taken the data.
  std::uint64_t written() const noexcept { return written_; }
  /// Stream position up to which the peer has acknowledged.
  std::uint64_t acknowledged() const noexcept { return begin_; }
  /// Stream position of the next frame.
  std::uint64_t end() const noexcept { return written_ + unwritten_; }
  /// Bytes between acknowledged() and written().
  std::uint64_t unacknowledged() const noexcept { return written_ - begin_; }
  /// Bytes that wait to be written, copied or referred to.
  std::size_t unwritten_bytes() const noexcept { return unwritten_; }

  /// True if copies of `bytes` more bytes may be kept. It becomes true as acknowledgements arrive.
  bool may_keep(std::size_t bytes) const noexcept {
    return (bytes_.size() + bytes <= kept_bytes_max || bytes_.size() <= 2 * receipt_bytes) &&
           kept_.size() < kept_max;
  }
  /// True if one more frame may wait, as a copy of `bytes`, or referred to (0).
  bool has_room(std::size_t bytes) const noexcept {
    return waiting_.size() + 2 <= waiting_max &&
           (waiting_.empty() || waiting_bytes() + bytes <= waiting_bytes_max) && may_keep(bytes);
  }
  /// Reserves room for one more frame, so that accepting it cannot fail. `copied` is the number of
  /// its bytes that are copied, head included. Returns false if memory is out.
  bool reserve(std::size_t copied) noexcept {
    return bytes_.reserve(copied) && kept_.reserve(waiting_.size() + 4) && waiting_.reserve(2);
  }

  /// Accepts a frame as a copy; a connection has taken its first `taken` bytes already. If `tells`
  /// is true, its completion is reported.
  /// Requires:   there is room; nothing waits, or taken is 0.
  void copy(std::span<const std::byte> head, std::span<const std::byte> body, std::size_t taken,
            bool tells, cookie_t cookie) noexcept {
    const std::size_t bytes = head.size() + body.size();
    bytes_.append(head.data(), head.size());
    bytes_.append(body.data(), body.size());
    if (taken != 0) keep({nullptr, taken, 0, false});
    unwritten_ += bytes - taken;
    if (taken != bytes) waiting_.push({nullptr, bytes - taken, cookie, tells});
  }
  /// Accepts a frame whose body is not copied: it must stay unchanged until its completion is
  /// reported.
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
  /// Reads the unread part of `from` at the same offsets behind `to` from now on.
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

  /// Gathers the data that a connection is to take next, up to `most` bytes. Returns the number of
  /// `pieces` used; `bytes` becomes their sum.
  std::size_t next(std::span<iovec> pieces, std::size_t& bytes,
                   std::size_t most = static_cast<std::size_t>(-1)) noexcept {
    std::size_t count = 0;
    std::size_t copied = kept_copied_;  // Position in bytes_ before the next piece.
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
  /// A connection has taken the next `n` bytes.
  /// Requires:   `told` has room for all entries.
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

  /// The peer has received everything before `to`. Returns false if that is impossible.
  /// Requires:   as for `wrote`.
  bool acknowledge(std::uint64_t to, replay_told& told) noexcept {
    if (to > written_) return false;
    if (to <= begin_) return true;  // Acknowledged before; repeated by a retransmission.
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
  /// Starts over on a new connection: the peer has received everything before `to`, and nothing
  /// else. Returns false if that is impossible, or if memory is out.
  /// Requires:   as for `wrote`.
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
    sent_again_ = again;
    return true;
  }
  /// Returns the number of entries, whole or in part, that the last `resume` made waiting again.
  std::size_t sent_again() const noexcept { return sent_again_; }
  /// Nothing of the stream will arrive any more: fails all completions.
  void fail(replay_told& told) noexcept {
    for (flat_queue<entry>* const q : {&kept_, &waiting_}) {
      for (std::size_t i = 0; i < q->size(); ++i)
        if ((*q)[i].tells) told.push(replay_completion{(*q)[i].cookie, false});
      q->clear();
    }
    bytes_.clear();
    kept_copied_ = 0;
    begin_ = written_;  // Later acknowledgements then bring nothing new.
    unwritten_ = 0;
  }

 private:
  struct entry {
    const std::byte* at;  // nullptr: the next bytes of bytes_.
    std::size_t bytes;
    cookie_t cookie;
    bool tells;
  };

  /// Adds written data; joins it with the last entry if they are contiguous and of one frame.
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
  flat_queue<std::byte> bytes_;  // Copies: first those that are kept, then those that wait.
  std::size_t kept_copied_ = 0;  // The kept part of bytes_.
  std::size_t unwritten_ = 0;
  std::size_t sent_again_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t written_ = 0;
};

using replay_log = basic_replay_log<replay_limits{}>;

/// The receiving half.
template <replay_limits Limits>
class basic_replay_receipt {
 public:
  /// Stream position up to which everything has been received.
  std::uint64_t received() const noexcept { return received_; }
  /// `n` more bytes have been received, in order.
  void took(std::size_t n) noexcept { received_ += n; }
  /// The peer waits for an acknowledgement.
  void ask() noexcept { asked_ = true; }
  bool due() const noexcept { return asked_ || received_ - told_ >= Limits.receipt_bytes; }
  /// Returns the position to acknowledge now.
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
