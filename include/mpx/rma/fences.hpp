// SPDX-License-Identifier: BSL-1.0
#pragma once
// What this processor may do later than written, and what holds it to the order.

#include <atomic>

#include "mpx/core/atomic.hpp"

namespace mpx::inline v0::rma {

/// Whether an atomic read-modify-write orders all that is done before it and behind it.
#if defined(__x86_64__)
inline constexpr bool combining_is_fence = true;
#else
inline constexpr bool combining_is_fence = false;
#endif

/// What has been loaded comes before all that follows. Cost: of the compiler alone, where a
/// processor keeps that order by itself.
[[MPX_ALWAYS_INLINE]] inline void load_fence() noexcept {
#if defined(__x86_64__)
  platform::signal_fence();
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

/// What has been stored, too.
[[MPX_ALWAYS_INLINE]] inline void full_fence() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace mpx::inline v0::rma
