// SPDX-License-Identifier: BSL-1.0
#pragma once
// Parses packets from a byte stream that may span several connections. A body that is incomplete
// when its header is read is stored directly where the sink wants it. All lengths and numbers of
// the peer are checked.

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/core/platform.hpp"
#include "mpx/transport/tcp/outgoing.hpp"

namespace mpx::inline v0::transport::detail {

/// Result of a look for the next packet.
enum class tcp_found : std::uint8_t {
  packet,     ///< A packet was handed to the sink.
  body,       ///< A packet was handed to the sink whose body had arrived in parts.
  nothing,    ///< No complete packet is available.
  goodbye,    ///< The peer has left: nothing more arrives.
  malformed,  ///< The bytes violate the protocol.
};

/// The receiving half of a link.
template <replay_limits Limits>
class basic_tcp_reader {
 public:
  static constexpr std::size_t buffer_bytes = 16 * 1024;

  basic_tcp_reader() = default;
  basic_tcp_reader(const basic_tcp_reader&) = delete;
  basic_tcp_reader& operator=(const basic_tcp_reader&) = delete;
  ~basic_tcp_reader() { clear(); }

  /// Called when a connection resumes the stream. Returns false if memory is out.
  bool begin() noexcept {
    if (buffer_ == nullptr) buffer_ = static_cast<std::byte*>(platform::allocate(buffer_bytes));
    ended_ = more_ = false;
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

  /// Count of received bytes, and the acknowledgement that the peer is owed.
  basic_replay_receipt<Limits>& receipt() noexcept { return receipt_; }
  /// True if a receipt is due. If the peer asks for a receipt of the body that is being read, it is
  /// due at the end of that body: no completion at the peer depends on an earlier one.
  bool owes_receipt() const noexcept { return receipt_.due() && !(in_body_ && asks_); }
  /// True if a receipt of the peer was read since acknowledged() was last called.
  bool has_acknowledged() const noexcept { return has_acknowledged_; }
  std::uint64_t peek_acknowledged() const noexcept { return acknowledged_; }
  std::uint64_t acknowledged() noexcept {
    has_acknowledged_ = false;
    return acknowledged_;
  }
  /// True if the connection has ended: no fill will bring anything.
  bool ended() const noexcept { return ended_; }
  /// True if the buffer holds unparsed bytes, or the last fill got all the bytes that it asked for.
  bool may_have_more() const noexcept { return more_ || head_ != tail_; }
  bool may_fill() const noexcept { return more_ && !ended_; }
  /// Length of the last body that had arrived in parts.
  std::size_t body_bytes() const noexcept { return body_bytes_; }

  /// Reads from the stream as far as there is room. Nothing is read ahead of a body whose memory
  /// the sink has not named yet, so that the rest of it is read in one call.
  /// Returns: True if there is something new to parse; the end of the stream counts.
  template <class Stream>
  bool fill(Stream& stream) noexcept {
    iovec pieces[2];
    std::size_t count = 0;
    std::size_t wanted = 0;
    if (ended_ || lends_) return false;
    if (begins_body()) return more_ = true;
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
    if (wanted == 0) return false;  // The buffer is full of packets that were not taken yet.
    const ssize_t n = stream.read(pieces, count);
    more_ = false;
    if (n == 0) return false;
    if (n < 0) {
      ended_ = true;
      return true;
    }
    auto got = static_cast<std::size_t>(n);
    receipt_.took(got);
    more_ = got == wanted;
    if (in_body_ && left_ != 0) {
      const std::size_t part = got < left_ ? got : left_;
      left_ -= part;
      got -= part;
    }
    tail_ += got;
    return true;
  }

  /// Takes the receipts at the head of the buffer, without a sink.
  void take_receipts() noexcept {
    tcp_frame f;
    while (!in_body_ && tail_ - head_ >= sizeof f) {
      std::memcpy(&f, buffer_ + head_, sizeof f);
      if (f.bytes != tcp_receipt) return;
      take_receipt(f);
    }
  }
  /// Hands the next whole packet to the sink.
  template <class Sink>
  tcp_found next(Sink& sink, peer_id source, std::size_t packet_bytes_max) noexcept {
    for (;;) {
      if (in_body_) {
        if (left_ != 0) return tcp_found::nothing;
        if (end_body(sink, source)) return tcp_found::body;
        continue;  // The sink has cancelled the place of this body.
      }
      const std::size_t here = tail_ - head_;
      tcp_frame f;
      if (here < sizeof f) return tcp_found::nothing;
      std::memcpy(&f, buffer_ + head_, sizeof f);
      if (f.bytes >= tcp_receipt) [[unlikely]] {
        if (f.bytes == tcp_goodbye)
          return here == sizeof f ? tcp_found::goodbye : tcp_found::malformed;
        take_receipt(f);
        continue;
      }
      const bool asks = (f.bytes & tcp_asks) != 0;
      f.bytes &= ~tcp_asks;
      if (f.bytes > packet_bytes_max) return tcp_found::malformed;
      if (here - sizeof f >= f.bytes) {
        const std::byte* const at = buffer_ + head_ + sizeof f;
        ahead_bytes_ = f.bytes < long_bytes_min ? buffer_bytes : ahead_of_long;
        head_ += sizeof f + f.bytes;
        if (asks) [[unlikely]]
          receipt_.ask();
        lends_ = true;
        sink.packet(source, f.header, std::span<const std::byte>(at, f.bytes));
        lends_ = false;
        return tcp_found::packet;
      }
      if (f.bytes <= split_bytes_max) return tcp_found::nothing;
      asks_ = asks;
      begin_body(sink, source, f);
    }
  }

  /// See StreamTransport.
  void cancel_place() noexcept {
    if (!in_body_ || own_ != nullptr) return;
    discards_ = true;
    place_ = {};
  }

 private:
  static constexpr std::size_t split_bytes_max = 1024;  // Longer bodies get a place.
  static constexpr std::size_t long_bytes_min = 4096;
  static constexpr std::size_t ahead_of_long = 256;

  /// True if the next header is in the buffer, the sink is to name a place for its body, and the
  /// body is incomplete.
  bool begins_body() const noexcept {
    const std::size_t here = tail_ - head_;
    tcp_frame f;
    if (in_body_ || here < sizeof f) return false;
    std::memcpy(&f, buffer_ + head_, sizeof f);
    const std::size_t body_bytes = f.bytes & ~tcp_asks;
    return f.bytes < tcp_receipt && body_bytes > split_bytes_max && here - sizeof f < body_bytes;
  }
  void take_receipt(const tcp_frame& f) noexcept {
    acknowledged_ = received_of(f);
    has_acknowledged_ = true;
    head_ += sizeof f;
  }
  std::byte* body_at() noexcept { return place_.data() + (place_.size() - left_); }

  template <class Sink>
  void begin_body(Sink& sink, peer_id source, const tcp_frame& f) noexcept {
    const std::size_t here = tail_ - head_ - sizeof f;
    const std::byte* const at = buffer_ + head_ + sizeof f;
    head_ = tail_ = 0;
    in_body_ = true;
    discards_ = false;
    header_ = f.header;
    body_bytes_ = f.bytes;
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
    if (asks_) receipt_.ask();
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
  std::size_t ahead_bytes_ = buffer_bytes;  // Limit for reading beyond the known bytes.
  bool more_ = false;
  bool ended_ = false;
  bool lends_ = false;  // A packet's handler reads the buffer, and its posts may call fill().
  bool has_acknowledged_ = false;
  std::uint64_t acknowledged_ = 0;
  basic_replay_receipt<Limits> receipt_;
  // The body that is being read.
  bool in_body_ = false;
  bool discards_ = false;
  bool asks_ = false;
  std::size_t body_bytes_ = 0;
  std::size_t left_ = 0;
  std::span<std::byte> place_;
  std::byte* own_ = nullptr;  // The body's memory if the sink named none.
  frame_header header_{};
};
using tcp_reader = basic_tcp_reader<replay_limits{}>;

}  // namespace mpx::inline v0::transport::detail
