// SPDX-License-Identifier: BSL-1.0
#pragma once
// Wire format of a connection: frames of 24 bytes, each followed by its body. Frames are written
// from a log that keeps them until the peer has acknowledged them.

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/transport/detail/replay.hpp"

namespace mpx::inline v0::transport::detail {

/// Header of a packet on the wire: the length of the payload and the packet's header.
struct tcp_frame {
  std::uint32_t bytes;
  frame_header header;
};
static_assert(sizeof(tcp_frame) == 24);
inline std::span<const std::byte> bytes_of(const tcp_frame& f) noexcept {
  return {reinterpret_cast<const std::byte*>(&f), sizeof f};
}
/// Value of `bytes` in a goodbye, the last frame of a rank that leaves.
inline constexpr std::uint32_t tcp_goodbye = 0xffff'ffff;
/// Value of `bytes` in a receipt. The first words of its header hold the number of bytes received
/// of the other end's stream.
inline constexpr std::uint32_t tcp_receipt = 0xffff'fffe;
/// Flag in `bytes` of a packet: the sender wants a receipt as soon as the packet has arrived.
inline constexpr std::uint32_t tcp_asks = 0x8000'0000;

inline tcp_frame receipt_of(std::uint64_t received) noexcept {
  tcp_frame f{tcp_receipt, {}};
  std::memcpy(&f.header, &received, sizeof received);
  return f;
}
inline std::uint64_t received_of(const tcp_frame& f) noexcept {
  std::uint64_t received = 0;
  std::memcpy(&received, &f.header, sizeof received);
  return received;
}

/// First message of both ends of an authenticated connection: the sender's identity and the
/// position from which the stream continues.
struct tcp_resume {
  std::uint64_t magic;
  std::uint64_t received;
  // The sender's token for this receiver, the same on every connection of the two. A process that
  // was restarted as the same rank has another one, and a third rank does not know it.
  std::array<std::byte, 32> token;
};
static_assert(sizeof(tcp_resume) == 48);
inline constexpr std::uint64_t tcp_resume_magic = 0x6d70'7872'6573'0002;

/// No preference for the size of a write.
inline constexpr std::size_t tcp_any_bytes = static_cast<std::size_t>(-1);

/// Result of an attempt to write.
enum class tcp_written : std::uint8_t { all, blocked, broken };

/// Writes queued bytes until the stream takes no more, `at_once` bytes per call. `leaves_rest`: a
/// last part of less than `at_once` bytes stays queued.
/// Requires: `told` has room for a completion of each frame in `log`.
template <class Stream, replay_limits Limits>
tcp_written flush_tcp(Stream& stream, basic_replay_log<Limits>& log, replay_told& told,
                      std::size_t at_once = tcp_any_bytes, bool leaves_rest = false) noexcept {
  while (!log.idle()) {
    if (leaves_rest && log.unwritten_bytes() < at_once && at_once != tcp_any_bytes) break;
    std::array<iovec, 64> pieces;
    std::size_t wanted = 0;
    const std::size_t count = log.next(pieces, wanted, at_once);
    const ssize_t n = stream.write(pieces.data(), count);
    if (n < 0) return tcp_written::broken;
    log.wrote(static_cast<std::size_t>(n), told);
    if (static_cast<std::size_t>(n) < wanted) return tcp_written::blocked;
  }
  return tcp_written::all;
}

}  // namespace mpx::inline v0::transport::detail
