// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank does about a core that it shares with a peer although there are enough of them: it
// moves. A kernel takes milliseconds to see that, as both give way to each other.

#include <cstdint>

#include "mpx/core/atomic.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::transport::detail {

/// Of one rank. Cores are counted from 1.
class core_sharing {
 public:
  /// A core as an element of a set, which cores 64 apart share.
  static constexpr std::uint64_t bit_of(std::uint32_t core) noexcept {
    return std::uint64_t{1} << core % 64;
  }

  /// Says in `own` where this rank is, which it returns.
  static std::uint32_t say(platform::atomic<std::uint32_t>& own) noexcept {
    const std::uint32_t here = platform::current_core() + 1;
    if (own.load(platform::memory_order_relaxed) != here)
      own.store(here, platform::memory_order_relaxed);
    return here;
  }

  /// Moves to a core that none of those who are `seen` is on; rarely, if it is moved back. `own`
  /// says where it is. Returns whether it is elsewhere now.
  [[gnu::noinline, gnu::cold]] bool leaves(platform::atomic<std::uint32_t>& own,
                                           std::uint64_t seen) noexcept {
    if (looks_-- != 0) return false;
    looks_ = apart_;
    if (apart_ < looks_max) apart_ *= 2;
    const std::uint32_t here = own.load(platform::memory_order_relaxed);
    const auto may = platform::native::core_set::allowed();
    for (std::uint32_t core = 1; core <= platform::native::core_set::cores_max; ++core) {
      if ((seen & bit_of(core)) != 0 || !may.has(static_cast<int>(core - 1))) continue;
      own.store(core, platform::memory_order_relaxed);  // The other one runs meanwhile, and looks.
      platform::move_to_core(core - 1);
      return core != here;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t looks_max = 65536;

  std::uint32_t looks_ = 0;  // That it is still to stay.
  std::uint32_t apart_ = 16;
};

}  // namespace mpx::inline v0::transport::detail
