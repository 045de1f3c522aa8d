// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank's doorbell: senders set attention bits in it and wake the rank from its sleep.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::transport::detail {

/// Number of no peer: marks a slot without an owner.
inline constexpr peer_id no_peer = ~peer_id{0};

// Values of `sleeping`: 0 if the rank is awake, or one of these. The process that resets it wakes
// the rank.
inline constexpr std::uint32_t asleep = 1;                // The rank sleeps on the word itself.
inline constexpr std::uint32_t asleep_on_descriptor = 2;  // The rank sleeps on its bell.

/// A rank's doorbell and the attention bits of its senders. Zeroed memory is an inbox without
/// arrivals.
struct doorbell_control {
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> sleeping;
  // Core on which it last waited, + 1; 0 if it has not waited.
  platform::atomic<std::uint32_t> core;
  // Bit w: attention words w, w + 64, ... have bits set.
  alignas(cache_line_bytes) platform::atomic<std::uint64_t> summary;
  // Bit s: the ring of sender s.
  alignas(cache_line_bytes) platform::atomic<std::uint64_t> attention[1];

  /// Sets the attention bit of the sender with this slot. Acts as the full fence between the
  /// sender's store of its packet and its load of `sleeping`.
  void set_attention(peer_id slot) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    if ((attention[slot / 64].fetch_or(bit, platform::memory_order_seq_cst) & bit) == 0)
      summary.fetch_or(std::uint64_t{1} << (slot / 64 % 64), platform::memory_order_seq_cst);
  }

  static constexpr std::size_t bytes(peer_id peers) noexcept {
    const std::size_t words = (std::size_t{peers} + 63) / 64;
    return (2 * cache_line_bytes + words * 8 + cache_line_bytes - 1) / cache_line_bytes *
           cache_line_bytes;
  }
};

/// Event counts of a fabric, for tests. A missed wake-up is a sleep that timed out although
/// something had arrived; the count must stay 0.
struct fabric_counters {
  std::uint64_t sleeps = 0;
  std::uint64_t missed_wakeups = 0;
  std::uint64_t demotions = 0;
};

}  // namespace mpx::inline v0::transport::detail
