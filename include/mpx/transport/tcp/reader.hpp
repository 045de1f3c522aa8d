// SPDX-License-Identifier: BSL-1.0
#pragma once
// Makes packets of a stream of bytes, whichever connections bring it. A body that is not all there
// when its header is read goes straight to where the sink wants it. What the bytes say is checked.

#include <sys/uio.h>

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

template <replay_limits Limits>
class basic_tcp_reader {
 public:
  static constexpr std::size_t buffer_bytes = 16 * 1024;

  basic_tcp_reader() = default;
  basic_tcp_reader(const basic_tcp_reader&) = delete;
  basic_tcp_reader& operator=(const basic_tcp_reader&) = delete;
  ~basic_tcp_reader() { clear(); }

  /// A connection goes on with the stream. False: no memory.
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

  /// What has come, and what the other end is to be told of it.
  basic_replay_receipt<Limits>& receipt() noexcept { return receipt_; }
  /// Whether the other end is to be told how far this one is. In the middle of a body of which it
  /// asks to be told, that is at its end: until then nothing that it waits for is over.
  bool owes_receipt() const noexcept { return receipt_.due() && !(in_body_ && asks_); }
  /// Whether the other end has told how far it is, since acknowledged() was last asked.
  bool has_acknowledged() const noexcept { return has_acknowledged_; }
  std::uint64_t peek_acknowledged() const noexcept { return acknowledged_; }
  std::uint64_t acknowledged() noexcept {
    has_acknowledged_ = false;
    return acknowledged_;
  }
  /// Whether the connection has ended: no fill will bring anything.
  bool ended() const noexcept { return ended_; }
  /// Whether there are bytes that have not been looked at, or the last fill got all that it asked
  /// for.
  bool may_have_more() const noexcept { return more_ || head_ != tail_; }
  bool may_fill() const noexcept { return more_ && !ended_; }
  /// Of the last body that had come in pieces.
  std::size_t body_bytes() const noexcept { return body_bytes_; }

  /// Reads what the stream has, as far as there is room. Returns whether there is anything to be
  /// looked at that has not been; the end counts. Nothing is read before a body whose place is not
  /// known yet: then the rest of it comes in one go.
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
    if (wanted == 0) return false;  // Full of packets that nobody has taken yet.
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

  /// Takes receipts that nothing stands before, without a sink.
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
        continue;  // It had been taken back.
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

  /// Whether the next frame is here, and its body, for which a place is asked, is not all here.
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
  std::size_t ahead_bytes_ = buffer_bytes;  // To be read beyond what is known to come.
  bool more_ = false;
  bool ended_ = false;
  bool lends_ = false;  // A packet's handler reads the buffer; what it posts may come by here.
  bool has_acknowledged_ = false;
  std::uint64_t acknowledged_ = 0;
  basic_replay_receipt<Limits> receipt_;
  // The body in the middle of which the stream is.
  bool in_body_ = false;
  bool discards_ = false;
  bool asks_ = false;
  std::size_t body_bytes_ = 0;
  std::size_t left_ = 0;
  std::span<std::byte> place_;
  std::byte* own_ = nullptr;  // Where the sink had no place.
  frame_header header_{};
};
using tcp_reader = basic_tcp_reader<replay_limits{}>;

}  // namespace mpx::inline v0::transport::detail
