// SPDX-License-Identifier: BSL-1.0
#pragma once
// Progress by calls that have no need to poll: one of many polls all the same.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// What a call that does not poll counts for: about what it costs, in the time of a put that is a
/// store.
enum class call_weight : std::int32_t {
  access = 1,  ///< A few loads and stores.
  flush = 8,   ///< A fence, maybe, and a look at what is under way; a packet.
  call = 32,   ///< A call of some tens of nanoseconds: a lock, an operation.
};

/// Counts down over calls that do not poll. A call that does not pass is to poll, and to `refill`.
/// All zero, as in a forked child, no call passes. `Concurrent`: any thread counts at any time.
///
/// A rank that makes such calls alone, as one that waits for a value in its own part of a window,
/// would otherwise never look at what comes for it.
/// Cost: one call in 8192 / weight polls. A poll that finds nothing takes 0.2 us over sockets and
/// less than 10 ns over shared memory (bench: `progress` of a communicator in a loop), and 8192
/// puts take 11 us: 2 %, and 0.1 %. To count is a subtraction from a word of this rank's own; a put
/// makes it in place of a look at the word beside it, which tells a forked child as well.
template <bool Concurrent>
class call_countdown {
 public:
  [[MPX_ALWAYS_INLINE]] bool passes(call_weight weight) noexcept {
    return (left_ -= static_cast<std::int32_t>(weight)) >= 0;
  }
  void refill() noexcept { left_ = full; }
  /// No call passes from here on.
  void stop() noexcept { left_ = 0; }

  static constexpr std::int32_t full = 8192;

 private:
  std::int32_t left_ = 0;
};

/// Threads that share no other word in what they do are not to share this one: each counts in a
/// cache line that its number chooses. Counts that two threads lose in one line delay a poll.
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
  struct line {  // Not aligned, so that an endpoint need not be. No two words share a cache line.
    std::byte apart[cache_line_bytes - sizeof(std::int32_t)];
    std::int32_t left;
  };

  /// The descriptors of threads lie as far from each other as their stacks, of 8 MiB most often.
  [[MPX_ALWAYS_INLINE]] platform::atomic_ref<std::int32_t> this_threads() noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
    return platform::atomic_ref<std::int32_t>(lines_[at >> 23 & (lines - 1)].left);
  }

  line lines_[lines] = {};
};

}  // namespace mpx::inline v0::detail
