// SPDX-License-Identifier: BSL-1.0
#pragma once
// The trace of the library's stacks: sums of mpx's events, which any thread may read at any time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/core/atomic.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx_mpi {

/// Sums the amounts of each event. One thread at a time adds, as the stack's lock has it.
class tool_counters {
 public:
  using policy_axis = mpx::trace_axis;
  static constexpr std::string_view name = "tool_counters";
  [[MPX_ALWAYS_INLINE]] void on(mpx::event e, std::uint64_t amount) noexcept {
    auto& sum = sums_[static_cast<std::size_t>(e)];
    sum.store(sum.load(mpx::platform::memory_order_relaxed) + amount,
              mpx::platform::memory_order_relaxed);
  }
  std::uint64_t operator[](mpx::event e) const noexcept {
    return sums_[static_cast<std::size_t>(e)].load(mpx::platform::memory_order_relaxed);
  }

 private:
  std::array<mpx::platform::atomic<std::uint64_t>, static_cast<std::size_t>(mpx::event::count_)>
      sums_{};
};

}  // namespace mpx_mpi
