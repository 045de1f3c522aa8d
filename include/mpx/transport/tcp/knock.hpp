// SPDX-License-Identifier: BSL-1.0
#pragma once
// The first bytes of a connection to a rank, which only ranks of its job know. The kernel of the
// accepting end compares them: a connection without them never enters the listener's queue.

#include <fcntl.h>
#include <linux/filter.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpx/transport/tcp/secret.hpp"

namespace mpx::inline v0::transport::detail {

/// The first bytes of each connection to one rank. The connecting end repeats them until it
/// receives the challenge; each repetition shows it whether the other host is still alive.
using tcp_knock = std::array<std::byte, 16>;

inline tcp_knock tcp_knock_of(const tcp_secret& secret, peer_id to) noexcept {
  const tcp_bytes32 proof = secret.prove("mpx tcp knock", to, to, {}, {});
  tcp_knock k;
  std::memcpy(k.data(), proof.data(), k.size());
  return k;
}

/// True if the kernel answers connection requests also while a listener has more half-open
/// connections than it may keep (SYN cookies), as Linux does unless told otherwise.
[[gnu::cold]] inline bool kernel_has_syn_cookies() noexcept {
  const int fd = ::open("/proc/sys/net/ipv4/tcp_syncookies", O_RDONLY | O_CLOEXEC);
  char said = '0';
  if (fd < 0) return false;
  const bool read = ::read(fd, &said, 1) == 1;
  ::close(fd);
  return read && said != '0';
}

/// Makes the kernel drop each segment that arrives at a listener, except connection requests,
/// resets, and data that begins with `knock`. A connection is then half-open until its other end
/// has knocked, and that of a stranger stays so until the kernel forgets it. So the accept queue
/// holds connections of ranks alone, for any number of strangers and however long this rank
/// computes.
/// Returns: False if the kernel does not filter, or has no SYN cookies: then strangers are accepted
///          and dropped.
[[gnu::cold]] inline bool filter_tcp_listener(int fd, const tcp_knock& knock) noexcept {
  if (!kernel_has_syn_cookies()) return false;
  constexpr std::uint32_t flags_at = 13;  // In the TCP header: SYN is 2, RST is 4.
  constexpr std::uint32_t words_at = 12;  // Its upper half: 32-bit words of the header.
  constexpr std::size_t words = sizeof(tcp_knock) / 4;
  constexpr std::size_t pass = 6 + 2 * words;
  constexpr std::size_t drop = pass + 1;
  std::array<sock_filter, drop + 1> program{};
  program[0] = BPF_STMT(BPF_LD | BPF_B | BPF_ABS, flags_at);
  program[1] = BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 2 | 4, pass - 2, 0);
  program[2] = BPF_STMT(BPF_LD | BPF_B | BPF_ABS, words_at);
  program[3] = BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 2);
  program[4] = BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x3c);
  program[5] = BPF_STMT(BPF_MISC | BPF_TAX, 0);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b)
      word = word << 8 | std::to_integer<std::uint32_t>(knock[4 * i + b]);
    const std::size_t at = 6 + 2 * i;
    const auto otherwise = static_cast<std::uint8_t>(drop - (at + 2));
    // A load beyond the end of a short segment drops the segment.
    program[at] = BPF_STMT(BPF_LD | BPF_W | BPF_IND, static_cast<std::uint32_t>(4 * i));
    program[at + 1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, word, 0, otherwise);
  }
  program[pass] = BPF_STMT(BPF_RET | BPF_K, 0xffff'ffff);
  program[drop] = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog all{program.size(), program.data()};
  return ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &all, sizeof all) == 0;
}
/// Detaches the filter from an accepted connection, which has inherited it from its listener.
inline void end_tcp_filter(int fd) noexcept {
  const int none = 0;
  static_cast<void>(::setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none));
}

}  // namespace mpx::inline v0::transport::detail
