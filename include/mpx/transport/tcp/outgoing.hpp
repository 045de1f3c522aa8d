// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a connection carries, and how it is written: frames of 24 bytes with their bodies, from a
// log that keeps them until the other end has said that it has them.

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/transport/detail/replay.hpp"

namespace mpx::inline v0::transport::detail {

/// What goes before each payload: its length and the header.
struct tcp_frame {
  std::uint32_t bytes;
  frame_header header;
};
static_assert(sizeof(tcp_frame) == 24);
inline std::span<const std::byte> bytes_of(const tcp_frame& f) noexcept {
  return {reinterpret_cast<const std::byte*>(&f), sizeof f};
}
/// The length of the frame by which a rank leaves: nothing follows it.
inline constexpr std::uint32_t tcp_goodbye = 0xffff'ffff;
/// That of a receipt: up to where this end has the other's stream, in the header's first words.
inline constexpr std::uint32_t tcp_receipt = 0xffff'fffe;
/// In the length of a packet: a receipt is wanted as soon as it is here.
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

/// What both ends of a proven connection say first: who they are, and from where to go on.
struct tcp_resume {
  std::uint64_t magic;
  std::uint64_t received;
  // Of this peer alone, always the same: who starts again under the same rank has another, and a
  // third rank does not know it.
  std::array<std::byte, 32> token;
};
static_assert(sizeof(tcp_resume) == 48);
inline constexpr std::uint64_t tcp_resume_magic = 0x6d70'7872'6573'0002;

/// Where it does not matter how much is written at once.
inline constexpr std::size_t tcp_any_bytes = static_cast<std::size_t>(-1);

/// What became of an attempt to write.
enum class tcp_written : std::uint8_t { all, blocked, broken };

/// Writes as much of what waits as the stream takes, `at_once` bytes at a time; `leaves_rest`: and
/// not what is less than that in the end. Requires: `told` has room for it.
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
