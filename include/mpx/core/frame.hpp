// SPDX-License-Identifier: BSL-1.0
#pragma once
// Interface between a protocol and a transport: an opaque header of fixed size, and the results of
// posting. Transports carry the header's bytes and never read them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// Header of every packet. With twenty bytes, a cache line holds the header, forty bytes of data
/// and the ring's mark.
struct frame_header {
  std::uint32_t word[5];
};
static_assert(sizeof(frame_header) == 20);

/// Result of posting work.
enum class outcome : std::uint8_t {
  done,     ///< Finished: the caller may reuse the buffer.
  pending,  ///< Accepted: exactly one completion with the cookie follows.
  retry,    ///< Not accepted: make progress, then post again.
  refused,  ///< This path never works for this memory or peer: use another.
};

/// Expectation of a transport whether fetching memory is faster than sending packets.
enum class cost_hint : std::uint8_t {
  never,   ///< Fetching is impossible for this memory, or disabled.
  always,  ///< Fetching is faster.
  /// Unknown: measure it. Only from transports whose gets and puts are `done` when they return.
  learn,
};

/// Identifies pending work of the poster.
using cookie_t = std::uint64_t;

/// Location of a message in the memory of the process that announced it.
struct remote_memory {
  std::uint64_t address = 0;  ///< Virtual address, or offset in a shared arena.
  std::uint64_t key = 0;      ///< Key of the transport; 0: not exposed.
};

/// One of several gets: fills `into` from the beginning of `memory`.
struct batched_get {
  remote_memory memory;
  std::span<std::byte> into;
};
inline constexpr std::size_t batched_gets_max = 8;

}  // namespace mpx::inline v0
