// SPDX-License-Identifier: BSL-1.0
#pragma once
// Progress by calls that need no poll: one in many of them polls.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// Weight of a call that does not poll: its approximate cost, in units of a put that is one store.
enum class call_weight : std::int32_t {
  access = 1,  ///< A few loads and stores.
  flush = 8,   ///< Possibly a fence, and a check of operations under way; a packet.
  call = 32,   ///< Some tens of nanoseconds: a lock, an operation.
};

/// Counts calls that do not poll. If `passes` returns false, the caller has to poll and `refill`.
/// All zero, as in a forked child, no call passes. `Concurrent`: any thread may count at any time.
///
/// Serves ranks that make only such calls, such as one that waits for a value in its own part of a
/// window: without the countdown they would never handle incoming packets.
/// Cost: one call in 8192 / weight polls. A poll that finds nothing takes 0.2 us over sockets and
/// less than 10 ns over shared memory (bench: `progress` of a communicator in a loop), and 8192
/// puts take 11 us: 2 %, and 0.1 %. Counting is a subtraction from a word of this rank's own; a put
/// does it instead of reading the word beside it, since the countdown detects a forked child, too.
template <bool Concurrent>
class call_countdown {
 public:
  [[MPX_ALWAYS_INLINE]] bool passes(call_weight weight) noexcept {
    return (left_ -= static_cast<std::int32_t>(weight)) >= 0;
  }
  void refill() noexcept { left_ = full; }
  /// Lets no call pass from now on.
  void stop() noexcept { left_ = 0; }

  static constexpr std::int32_t full = 8192;

 private:
  std::int32_t left_ = 0;
};

/// For threads that share no other word: each thread counts in one of `lines` cache lines, chosen
/// by its number. If two threads of one line lose counts, a poll is delayed.
template <>
class call_countdown<true> {
 public:
  [[MPX_ALWAYS_INLINE]] bool passes(call_weight weight) noexcept {
    const auto word = this_threads();
    const std::int32_t left =
        word.load(platform::memory_order_relaxed) - static_cast<std::int32_t>(weight);
    word.store(left, platform::memory_order_relaxed);
    return left >= 0;
  }
  void refill() noexcept { this_threads().store(full, platform::memory_order_relaxed); }
  void stop() noexcept { this_threads().store(0, platform::memory_order_relaxed); }

  static constexpr std::int32_t full = call_countdown<false>::full;

 private:
  static constexpr std::size_t lines = 16;
  struct line {  // Unaligned, as the endpoint is. No two words share a cache line.
    std::byte apart[cache_line_bytes - sizeof(std::int32_t)];
    std::int32_t left;
  };

  /// The line of this thread. Descriptors of threads are as far apart as their stacks, mostly 8
  /// MiB.
  [[MPX_ALWAYS_INLINE]] platform::atomic_ref<std::int32_t> this_threads() noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
    return platform::atomic_ref<std::int32_t>(lines_[at >> 23 & (lines - 1)].left);
  }

  line lines_[lines] = {};
};

}  // namespace mpx::inline v0::detail
