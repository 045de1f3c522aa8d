// SPDX-License-Identifier: BSL-1.0
#pragma once
// What has been posted on a connection and is not with the kernel yet: small packets as copies,
// which leave together; of long ones no more than where they lie.

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/transport/tcp/queue.hpp"

namespace mpx::inline v0::transport::detail {

/// What goes before each payload: its length and the header.
struct tcp_frame {
  std::uint32_t bytes;
  frame_header header;
};
static_assert(sizeof(tcp_frame) == 24);
/// The length of the frame by which a rank leaves: nothing follows it.
inline constexpr std::uint32_t tcp_goodbye = 0xffff'ffff;

/// A completion that the next poll hands over.
struct tcp_completion {
  cookie_t cookie;
  bool ok;
};

/// What became of an attempt to write.
enum class tcp_written : std::uint8_t { all, blocked, broken };

/// Writes from both pieces. Returns how many bytes the kernel took; 0: it has no room; -1: the
/// connection is broken.
inline ssize_t tcp_write(int fd, iovec* pieces, std::size_t count) noexcept {
  msghdr m{};
  m.msg_iov = pieces;
  m.msg_iovlen = count;
  for (;;) {
    const ssize_t n = ::sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return n;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == ENOBUFS ? 0 : -1;
  }
}
inline iovec piece_of(const void* at, std::size_t bytes) noexcept {
  return {const_cast<void*>(at), bytes};
}

class tcp_outgoing {
 public:
  /// Packets that may wait at once, and bytes of copies beyond which no further ones are taken.
  static constexpr std::size_t entries_max = 512;
  static constexpr std::size_t copied_bytes_max = 64 * 1024;

  bool empty() const noexcept { return entries_.empty(); }
  std::size_t copied_bytes() const noexcept { return bytes_.size(); }
  /// Whether one more of `bytes` may be copied, or referred to (0).
  bool has_room(std::size_t bytes) const noexcept {
    return entries_.size() + 2 <= entries_max && bytes_.size() + bytes <= copied_bytes_max;
  }

  /// A copy of what is left of a packet after its first `from` bytes. `tells`: its end is told.
  /// False: no memory.
  bool copy(const tcp_frame& f, std::span<const std::byte> payload, std::size_t from, bool tells,
            cookie_t cookie) noexcept {
    const std::size_t head = from < sizeof f ? sizeof f - from : 0;
    const std::size_t skip = from < sizeof f ? 0 : from - sizeof f;
    const std::size_t bytes = head + payload.size() - skip;
    if (!bytes_.reserve(bytes) || !entries_.reserve(1)) return false;
    bytes_.append(reinterpret_cast<const std::byte*>(&f) + (sizeof f - head), head);
    bytes_.append(payload.data() + skip, payload.size() - skip);
    entries_.push({nullptr, bytes, cookie, tells});
    return true;
  }
  /// The same, of which the payload stays where it is until its end is told.
  bool refer(const tcp_frame& f, std::span<const std::byte> payload, std::size_t from,
             cookie_t cookie) noexcept {
    if (!entries_.reserve(2)) return false;
    if (from < sizeof f && !copy(f, {}, from, false, 0)) return false;
    const std::size_t skip = from < sizeof f ? 0 : from - sizeof f;
    entries_.push({payload.data() + skip, payload.size() - skip, cookie, true});
    return true;
  }
  /// What is to be read of `from` is read behind `to`.
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entry& e = entries_[i];
      if (e.at == nullptr || e.cookie != cookie || e.at < from.data() ||
          e.at + e.bytes > from.data() + from.size())
        continue;
      e.at = to + (e.at - from.data());
    }
  }

  /// Writes as much as the kernel takes. Requires: `told` has room for whatever is here.
  tcp_written flush(int fd, tcp_queue<tcp_completion>& told) noexcept {
    while (!entries_.empty()) {
      std::array<iovec, 64> pieces;
      std::size_t count = 0;
      std::size_t copied = 0;  // Of bytes_, in the pieces so far.
      std::size_t wanted = 0;
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        const entry& e = entries_[i];
        const bool joins = e.at == nullptr && i != 0 && entries_[i - 1].at == nullptr;
        if (!joins && count == pieces.size()) break;
        if (joins) {
          pieces[count - 1].iov_len += e.bytes;
        } else {
          pieces[count++] = piece_of(e.at == nullptr ? bytes_.data() + copied : e.at, e.bytes);
        }
        if (e.at == nullptr) copied += e.bytes;
        wanted += e.bytes;
      }
      const ssize_t n = tcp_write(fd, pieces.data(), count);
      if (n < 0) return tcp_written::broken;
      written(static_cast<std::size_t>(n), told);
      if (static_cast<std::size_t>(n) < wanted) return tcp_written::blocked;
    }
    bytes_.trim();
    return tcp_written::all;
  }
  /// Nothing of it will be written.
  void fail(tcp_queue<tcp_completion>& told) noexcept {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].tells) told.push({entries_[i].cookie, false});
    entries_.clear();
    bytes_.clear();
  }

 private:
  struct entry {
    const std::byte* at;  // nullptr: the next of bytes_.
    std::size_t bytes;
    cookie_t cookie;
    bool tells;
  };

  void written(std::size_t n, tcp_queue<tcp_completion>& told) noexcept {
    while (!entries_.empty()) {
      entry& e = entries_.front();
      const std::size_t part = n < e.bytes ? n : e.bytes;
      if (e.at == nullptr) {
        if (part != 0) bytes_.pop(part);
      } else {
        e.at += part;
      }
      e.bytes -= part;
      n -= part;
      if (e.bytes != 0) return;
      if (e.tells) told.push({e.cookie, true});
      entries_.pop();
    }
  }

  tcp_queue<entry> entries_;
  tcp_queue<std::byte> bytes_;
};

}  // namespace mpx::inline v0::transport::detail
