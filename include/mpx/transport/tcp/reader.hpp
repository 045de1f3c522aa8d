// SPDX-License-Identifier: BSL-1.0
#pragma once
// Makes packets of the bytes of a connection. A body that is not all there when its header is read
// goes straight to where the sink wants it. What the bytes say is checked.

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/core/platform.hpp"
#include "mpx/transport/tcp/outgoing.hpp"

namespace mpx::inline v0::transport::detail {

/// What a reader has found.
enum class tcp_found : std::uint8_t {
  packet,     ///< It has been handed to the sink.
  body,       ///< The same, of a body that had come in pieces.
  nothing,    ///< No whole packet is here.
  goodbye,    ///< The other end has left, and nothing more will come.
  malformed,  ///< Bytes that make no sense.
};

class tcp_reader {
 public:
  static constexpr std::size_t buffer_bytes = 16 * 1024;

  tcp_reader() = default;
  tcp_reader(const tcp_reader&) = delete;
  tcp_reader& operator=(const tcp_reader&) = delete;
  ~tcp_reader() { clear(); }

  /// Requires memory: false, if there is none.
  bool begin() noexcept {
    if (buffer_ == nullptr) buffer_ = static_cast<std::byte*>(platform::allocate(buffer_bytes));
    return buffer_ != nullptr;
  }
  void clear() noexcept {
    platform::deallocate(buffer_);
    platform::deallocate(own_);
    buffer_ = own_ = nullptr;
    head_ = tail_ = left_ = 0;
    in_body_ = more_ = false;
    ended_ = true;
  }

  /// Whether the connection has ended: no fill will bring anything.
  bool ended() const noexcept { return ended_; }
  /// Whether there are bytes that have not been looked at, or the last fill got all that it asked
  /// for.
  bool may_have_more() const noexcept { return more_ || head_ != tail_; }
  bool may_fill() const noexcept { return more_ && !ended_; }

  /// Reads what the kernel has, as far as there is room. Returns whether that was anything; the
  /// end counts.
  bool fill(int fd) noexcept {
    iovec pieces[2];
    int count = 0;
    std::size_t wanted = 0;
    if (ended_) return false;
    if (in_body_ && left_ != 0) {
      const std::size_t n = discards_ && left_ > buffer_bytes ? buffer_bytes : left_;
      pieces[count++] = piece_of(discards_ ? buffer_ : body_at(), n);
      wanted = n;
    }
    if (count == 0 || !discards_) {
      if (head_ == tail_) head_ = tail_ = 0;
      if (head_ != 0 && buffer_bytes - tail_ < split_bytes_max + sizeof(tcp_frame)) {
        std::memmove(buffer_, buffer_ + head_, tail_ - head_);
        tail_ -= std::exchange(head_, 0);
      }
      std::size_t n = buffer_bytes - tail_;
      if (ahead_bytes_ < n) n = ahead_bytes_;
      pieces[count++] = piece_of(buffer_ + tail_, n);
      wanted += n;
    }
    if (wanted == 0) return false;  // Full of packets that nobody has taken yet.
    msghdr m{};
    m.msg_iov = pieces;
    m.msg_iovlen = static_cast<std::size_t>(count);
    ssize_t n = -1;
    do {
      n = ::recvmsg(fd, &m, MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    more_ = false;
    if (n < 0 && errno == EAGAIN) return false;
    if (n <= 0) {
      ended_ = true;
      return true;
    }
    auto got = static_cast<std::size_t>(n);
    more_ = got == wanted;
    if (in_body_ && left_ != 0) {
      const std::size_t part = got < left_ ? got : left_;
      left_ -= part;
      got -= part;
    }
    tail_ += got;
    return true;
  }

  /// Hands the next whole packet to the sink.
  template <class Sink>
  tcp_found next(Sink& sink, peer_id source, std::size_t packet_bytes_max) noexcept {
    for (;;) {
      if (in_body_) {
        if (left_ != 0) return tcp_found::nothing;
        if (end_body(sink, source)) return tcp_found::body;
        continue;  // It had been taken back.
      }
      const std::size_t here = tail_ - head_;
      tcp_frame f;
      if (here < sizeof f) return tcp_found::nothing;
      std::memcpy(&f, buffer_ + head_, sizeof f);
      if (f.bytes == tcp_goodbye)
        return here == sizeof f ? tcp_found::goodbye : tcp_found::malformed;
      if (f.bytes > packet_bytes_max) return tcp_found::malformed;
      if (here - sizeof f >= f.bytes) {
        const std::byte* const at = buffer_ + head_ + sizeof f;
        ahead_bytes_ = f.bytes < long_bytes_min ? buffer_bytes : ahead_of_long;
        head_ += sizeof f + f.bytes;
        sink.packet(source, f.header, std::span<const std::byte>(at, f.bytes));
        return tcp_found::packet;
      }
      if (f.bytes <= split_bytes_max) return tcp_found::nothing;
      begin_body(sink, source, f);
    }
  }

  /// See PlacingTransport.
  void cancel_place() noexcept {
    if (!in_body_ || own_ != nullptr) return;
    discards_ = true;
    place_ = {};
  }

 private:
  static constexpr std::size_t split_bytes_max = 1024;  // Bodies for which no place is asked.
  static constexpr std::size_t long_bytes_min = 4096;
  static constexpr std::size_t ahead_of_long = 256;

  std::byte* body_at() noexcept { return place_.data() + (place_.size() - left_); }

  template <class Sink>
  void begin_body(Sink& sink, peer_id source, const tcp_frame& f) noexcept {
    const std::size_t here = tail_ - head_ - sizeof f;
    const std::byte* const at = buffer_ + head_ + sizeof f;
    head_ = tail_ = 0;
    in_body_ = true;
    discards_ = false;
    header_ = f.header;
    left_ = f.bytes - here;
    ahead_bytes_ = ahead_of_long;
    place_ = sink.place(source, f.header, std::size_t{f.bytes});
    if (place_.size() != f.bytes) {
      own_ = static_cast<std::byte*>(platform::allocate(f.bytes));
      place_ = {own_, own_ == nullptr ? 0 : f.bytes};
    }
    if (place_.empty()) {
      discards_ = true;
      sink.unreachable(source);
      return;
    }
    std::memcpy(place_.data(), at, here);
  }
  template <class Sink>
  bool end_body(Sink& sink, peer_id source) noexcept {
    in_body_ = false;
    if (std::exchange(discards_, false)) return false;
    std::byte* const own = std::exchange(own_, nullptr);
    const std::span<std::byte> body = std::exchange(place_, {});
    sink.packet(source, header_, std::span<const std::byte>(body));
    platform::deallocate(own);
    return true;
  }

  std::byte* buffer_ = nullptr;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::size_t ahead_bytes_ = buffer_bytes;  // To be read beyond what is known to come.
  bool more_ = false;
  bool ended_ = false;
  // The body in the middle of which the stream is.
  bool in_body_ = false;
  bool discards_ = false;
  std::size_t left_ = 0;
  std::span<std::byte> place_;
  std::byte* own_ = nullptr;  // Where the sink had no place.
  frame_header header_{};
};

}  // namespace mpx::inline v0::transport::detail
