// SPDX-License-Identifier: BSL-1.0
#pragma once
// Whether an object is there that handles point to: so that MPX_ASSERT can tell a handle that has
// outlived it before anything of it is touched.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0::detail {

/// How many marked objects there are, by a hash of their address: nothing else would still be there
/// when they are gone, so that this alone hangs on no environment. (The bare atomic: who explores
/// interleavings need not explore these.)
// NOLINTNEXTLINE(*-avoid-non-const-global-variables): see above.
inline constinit platform::native::atomic<std::uint32_t> objects_at[1024];

/// How many there have been. NOLINTNEXTLINE(*-avoid-non-const-global-variables): the same.
inline constinit platform::native::atomic<std::uint32_t> objects_made{0};

inline auto& objects_near(const void* object) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  return objects_at[(address >> 4) * std::uint64_t{0x9e37'79b9'7f4a'7c15u} >> 54];
}

/// Never false while `object` is marked; most likely false when it is not.
inline bool exists(const void* object) noexcept {
  return objects_near(object).load(platform::memory_order_relaxed) != 0;
}

/// A member that marks the object around it, at every assertion level: objects that check and such
/// that do not meet in one program. It has a number, which tells the object from others that are
/// where it was.
class lifetime_mark {
 public:
  explicit lifetime_mark(const void* object) noexcept : object_(object) {
    objects_near(object_).fetch_add(1, platform::memory_order_relaxed);
  }
  lifetime_mark(const lifetime_mark&) = delete;
  lifetime_mark& operator=(const lifetime_mark&) = delete;
  ~lifetime_mark() { objects_near(object_).fetch_sub(1, platform::memory_order_relaxed); }

  std::uint32_t number() const noexcept { return number_; }

 private:
  const void* object_;
  std::uint32_t number_ = objects_made.fetch_add(1, platform::memory_order_relaxed) + 1;
};

}  // namespace mpx::inline v0::detail
