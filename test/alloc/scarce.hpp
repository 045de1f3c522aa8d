// SPDX-License-Identifier: BSL-1.0
#pragma once
// Platform of mpx in this folder: native except for memory, which is counted, and refused if a test
// asks for that. Include it before mpx.

#include <execinfo.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ostream>

#ifdef MPX_PLATFORM
#error "include this before mpx"
#endif
#define MPX_PLATFORM scarce

namespace mpx::inline v0::platform::native {}

namespace scarce {

using namespace mpx::platform::native;  // All that is not said below.

inline constexpr std::uint64_t never = ~std::uint64_t{0};

/// Counts of allocations, and the allocations to refuse.
struct ledger {
  std::atomic<std::uint64_t> asked{0};    // Allocations since `begin`.
  std::atomic<std::uint64_t> refused{0};  // Of those.
  std::atomic<std::int64_t> held{0};      // Allocations that were not given back, ever.
  std::atomic<std::uint64_t> first{never};
  std::atomic<std::uint64_t> last{never};
  std::atomic<std::uint64_t> one_in{0};  // Besides, refuses one in so many.

  bool grant() noexcept {
    const std::uint64_t i = asked.fetch_add(1);
    const std::uint64_t k = one_in.load();
    const bool unlucky = k != 0 && (i * 0x9e37'79b9'7f4a'7c15u >> 32) % k == 0;
    if ((i < first.load() || i > last.load()) && !unlucky) {
      held.fetch_add(1);
      return true;
    }
    if (refused.fetch_add(1) == 0 && std::getenv("MPX_ALLOC_SHOW") != nullptr) show();
    return false;
  }
  /// Prints the caller that is refused: MPX_ALLOC_SHOW=1 prints it for the first refusal of each
  /// run.
  static void show() noexcept {
    void* frames[24];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 24), 2);
  }
};

inline ledger& memory() noexcept {
  static ledger the;
  return the;
}

/// As long as it lives, allocations number `first` to `last` from now on are refused.
class refusing {
 public:
  explicit refusing(std::uint64_t first = 0, std::uint64_t last = never,
                    std::uint64_t one_in = 0) noexcept {
    memory().asked = 0;
    memory().refused = 0;
    memory().last = last;
    memory().first = first;
    memory().one_in = one_in;
  }
  refusing(const refusing&) = delete;
  refusing& operator=(const refusing&) = delete;
  ~refusing() {
    memory().first = never;
    memory().one_in = 0;
  }
};
/// Refuses nothing, and counts.
inline refusing counting() noexcept { return refusing(never); }

inline void* allocate(std::size_t bytes) noexcept {
  return memory().grant() ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;
}
inline void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return memory().grant() ? std::aligned_alloc(alignment, bytes) : nullptr;
}
inline void deallocate(void* p) noexcept {
  if (p != nullptr) memory().held.fetch_sub(1);
  std::free(p);
}
inline void* reallocate(void* p, std::size_t bytes) noexcept {
  if (!memory().grant()) return nullptr;
  if (p != nullptr) memory().held.fetch_sub(1);  // Still one.
  return std::realloc(p, bytes);
}
inline void* allocate_zeroed(std::size_t bytes) noexcept {
  return memory().grant() ? std::calloc(1, bytes == 0 ? 1 : bytes) : nullptr;
}
inline void deallocate_zeroed(void* p, std::size_t) noexcept { deallocate(p); }

}  // namespace scarce
