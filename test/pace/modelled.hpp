// SPDX-License-Identifier: BSL-1.0
#pragma once
// The platform of this folder: native but for time, which a test's model of a core advances.
// Include it before mpx.

#include <cstdint>
#include <functional>

#ifdef MPX_PLATFORM
#error "include this before mpx"
#endif
#define MPX_PLATFORM modelled

namespace mpx::inline v0::platform::native {}

namespace modelled {

using namespace mpx::platform::native;  // All that is not said below.

/// A core whose time passes by the actions of a thread on it.
struct core {
  std::int64_t now_ns = 0;
  std::int64_t used_ns = 0;  // CPU time of the thread that is modelled.
  std::uint64_t yields = 0;
  std::function<std::int64_t()> others_run_ns;  // Time that others run if the thread yields.

  void run(std::int64_t ns) noexcept {
    now_ns += ns;
    used_ns += ns;
  }
};
inline core the;

inline constexpr std::int64_t clock_ns = 25, yield_ns = 400;

inline std::int64_t now_ns() noexcept {
  the.run(clock_ns);
  return the.now_ns;
}
inline void yield() noexcept {
  ++the.yields;
  the.run(yield_ns);
  if (the.others_run_ns) the.now_ns += the.others_run_ns();
}

}  // namespace modelled
