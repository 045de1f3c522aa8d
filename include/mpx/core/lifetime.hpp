// SPDX-License-Identifier: BSL-1.0
#pragma once
// A mark in an object that handles point to, so that MPX_ASSERT can tell a handle that has outlived
// it. The mark lies in the object itself: shared objects of one program, each with its own copy of
// every header's variables, find the same mark.

#include <cstdint>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0::detail {

/// A member of the object that handles point to, at every assertion level: objects that check and
/// such that do not meet in one program. Its number tells the object from others that are where it
/// was.
class lifetime_mark {
 public:
  lifetime_mark() noexcept { set(seal()); }
  lifetime_mark(const lifetime_mark&) = delete;
  lifetime_mark& operator=(const lifetime_mark&) = delete;
  ~lifetime_mark() { set(0); }

  /// Never false while the object is there; most likely false when it is not. Its memory is read
  /// even so, as it is: that is no fault of the program's which a sanitizer should tell.
  [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] bool is_there() const noexcept {
    return *static_cast<const volatile std::uintptr_t*>(&seal_) == seal();
  }
  std::uint32_t number() const noexcept { return number_; }

 private:
  std::uintptr_t seal() const noexcept {
    return reinterpret_cast<std::uintptr_t>(this) ^ std::uintptr_t{0x6d70'786d};
  }
  // Volatile: a compiler drops other stores to an object whose life ends.
  void set(std::uintptr_t to) noexcept { *static_cast<volatile std::uintptr_t*>(&seal_) = to; }

  std::uintptr_t seal_;
  std::uint32_t number_ = static_cast<std::uint32_t>(platform::native::now_ns()) | 1u;  // No 0.
};

}  // namespace mpx::inline v0::detail
