// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory fences of one-sided accesses: what this processor may reorder, and what prevents it.

#include <atomic>

#include "mpx/core/atomic.hpp"

namespace mpx::inline v0::rma {

/// True if an atomic read-modify-write is a full fence.
#if defined(__x86_64__)
inline constexpr bool combining_is_fence = true;
#else
inline constexpr bool combining_is_fence = false;
#endif

/// Orders earlier loads before all later accesses.
/// Cost:       compiler fence only, on processors that keep this order themselves.
[[MPX_ALWAYS_INLINE]] inline void load_fence() noexcept {
#if defined(__x86_64__)
  platform::signal_fence();
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

/// Orders all earlier accesses, stores included, before all later ones.
[[MPX_ALWAYS_INLINE]] inline void full_fence() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace mpx::inline v0::rma
