// SPDX-License-Identifier: BSL-1.0
#pragma once
// Moves a rank away from a core that it shares with a peer although there are enough cores. The
// kernel takes milliseconds to separate them, since both ranks yield to each other.

#include <cstdint>

#include "mpx/core/atomic.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::transport::detail {

/// State of one rank. Cores are counted from 1.
class core_sharing {
 public:
  /// `may_move`: the rank may change its core.
  explicit core_sharing(bool may_move = platform::native::ranks_may_move()) noexcept
      : may_move_(may_move) {}

  /// The bit of a core in a set of 64 bits. Cores that are 64 apart share a bit.
  static constexpr std::uint64_t bit_of(std::uint32_t core) noexcept {
    return std::uint64_t{1} << core % 64;
  }

  /// Publishes the rank's current core in `own` and returns it.
  static std::uint32_t say(platform::atomic<std::uint32_t>& own) noexcept {
    const std::uint32_t here = platform::current_core() + 1;
    if (own.load(platform::memory_order_relaxed) != here)
      own.store(here, platform::memory_order_relaxed);
    return here;
  }

  /// Moves the rank to a core that is not in the set `seen` of its peers' cores, and stores it in
  /// `own`. Returns true if the rank is on another core now. If the kernel moves the rank back, the
  /// attempts become rarer.
  [[gnu::noinline, gnu::cold]] bool leaves(platform::atomic<std::uint32_t>& own,
                                           std::uint64_t seen) noexcept {
    if (!may_move_ || looks_-- != 0) return false;
    looks_ = interval_;
    if (interval_ < looks_max) interval_ *= 2;
    const std::uint32_t here = own.load(platform::memory_order_relaxed);
    const auto may = platform::native::core_set::allowed();
    for (std::uint32_t core = 1; core <= platform::native::core_set::cores_max; ++core) {
      if ((seen & bit_of(core)) != 0 || !may.has(static_cast<int>(core - 1))) continue;
      own.store(core, platform::memory_order_relaxed);  // The peer runs meanwhile and reads it.
      platform::move_to_core(core - 1);
      return core != here;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t looks_max = 65536;

  bool may_move_;
  std::uint32_t looks_ = 0;  // Calls left before the next attempt.
  std::uint32_t interval_ = 16;
};

}  // namespace mpx::inline v0::transport::detail
