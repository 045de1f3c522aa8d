// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where the senders of a rank call for its attention, and how it sleeps.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::transport::detail {

/// The owner of a slot that no peer has.
inline constexpr peer_id no_peer = ~peer_id{0};

// What `sleeping` says: 0, or how the rank sleeps. Who takes that away wakes it.
inline constexpr std::uint32_t asleep = 1;                // On the word itself.
inline constexpr std::uint32_t asleep_on_descriptor = 2;  // On its bell.

/// A rank's doorbell and the attention bits of its senders. Zeroed memory is a quiet inbox.
struct doorbell_control {
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> sleeping;
  platform::atomic<std::uint32_t> core;  // Where it last waited, + 1; 0: it has not.
  alignas(cache_line_bytes)
      platform::atomic<std::uint64_t> summary;  // Bit w: words w, w + 64, ... have bits.
  alignas(
      cache_line_bytes) platform::atomic<std::uint64_t> attention[1];  // Bit s: ring of sender s.

  /// Says that the sender with this slot has something. It is the fence between what that is and a
  /// look at `sleeping`.
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

/// What has happened in a fabric, for tests: a sleep that timed out although something had arrived
/// is a missed wake-up, and there must be none.
struct fabric_counters {
  std::uint64_t sleeps = 0;
  std::uint64_t missed_wakeups = 0;
  std::uint64_t demotions = 0;
};

}  // namespace mpx::inline v0::transport::detail
