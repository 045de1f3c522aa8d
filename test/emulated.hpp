// SPDX-License-Identifier: BSL-1.0
#pragma once
// Platform of mpx if an emulator runs the tests: native, but a sequentially consistent store is
// followed by a fence. QEMU translates AArch64's stlr and ldar into a plain store and a plain load
// of x86, which lets the load pass the store; AArch64 does not.

#ifdef MPX_PLATFORM
#error "include this before mpx"
#endif
#define MPX_PLATFORM emulated

#include <atomic>

#include "mpx/core/atomic.hpp"

namespace emulated {

using namespace mpx::platform::native;  // All that is not said below.

template <class T>
class atomic : public mpx::platform::native::atomic<T> {
  using base = mpx::platform::native::atomic<T>;

 public:
  using base::base;
  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    base::store(value, order);
    if (order == std::memory_order_seq_cst) std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  T operator=(T value) noexcept {
    store(value);
    return value;
  }
};

}  // namespace emulated
