// SPDX-License-Identifier: BSL-1.0
#pragma once
// What passes between a protocol and a transport: an opaque header of fixed size, and the outcomes
// of posting. Transports carry the header's bytes and never read them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// The header that travels with every packet. Twenty bytes leave forty for data in a line that also
/// holds the ring's own mark.
struct frame_header {
  std::uint32_t word[5];
};
static_assert(sizeof(frame_header) == 20);

/// What became of posted work.
enum class outcome : std::uint8_t {
  done,     ///< Finished: the buffer is the caller's again.
  pending,  ///< Accepted: exactly one completion will carry the cookie.
  retry,    ///< Nothing happened: make progress, post again.
  refused,  ///< This path never works for this memory or peer: take another.
};

/// Whether a transport expects fetching memory to beat sending packets.
enum class advice : std::uint8_t {
  never,   ///< It cannot fetch this memory, or is told not to.
  always,  ///< Fetching is plainly better.
  learn,   ///< It depends: find out. Said only where a get or put is `done` when it returns.
};

/// Identifies pending work to whoever posted it.
using cookie_t = std::uint64_t;

/// Where a message lies in the memory of the process that announced it.
struct remote_memory {
  std::uint64_t address = 0;  ///< Virtual address, or offset in a shared arena.
  std::uint64_t key = 0;      ///< 0: not exposed; the rest is the transport's own.
};

/// What one of several gets copies: as much as `into` holds, from the beginning of `memory`.
struct batched_get {
  remote_memory memory;
  std::span<std::byte> into;
};
inline constexpr std::size_t batched_gets_max = 8;

}  // namespace mpx::inline v0
