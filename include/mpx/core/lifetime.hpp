// SPDX-License-Identifier: BSL-1.0
#pragma once
// A mark in an object to which handles point, so that MPX_ASSERT can detect a handle that has
// outlived the object. The mark is in the object itself, because each shared object of a program
// has its own copy of the variables of headers.

#include <cstdint>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0::detail {

/// Member of the object to which handles point. Present at every assertion level, so that shared
/// objects with and without checks can be combined. Its number distinguishes the object from others
/// that existed at the same address.
class lifetime_mark {
 public:
  lifetime_mark() noexcept { set(seal()); }
  lifetime_mark(const lifetime_mark&) = delete;
  lifetime_mark& operator=(const lifetime_mark&) = delete;
  ~lifetime_mark() { set(0); }

  /// Never false while the object exists; most likely false afterwards. Reads the memory of the
  /// object even then; the sanitizers are told to ignore that.
  [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] bool is_there() const noexcept {
    return *static_cast<const volatile std::uintptr_t*>(&seal_) == seal();
  }
  std::uint32_t number() const noexcept { return number_; }

 private:
  std::uintptr_t seal() const noexcept {
    return reinterpret_cast<std::uintptr_t>(this) ^ std::uintptr_t{0x6d70'786d};
  }
  // Volatile: a compiler removes ordinary stores to an object whose lifetime ends.
  void set(std::uintptr_t to) noexcept { *static_cast<volatile std::uintptr_t*>(&seal_) = to; }

  std::uintptr_t seal_;
  std::uint32_t number_ = static_cast<std::uint32_t>(platform::native::now_ns()) | 1u;  // Never 0.
};

}  // namespace mpx::inline v0::detail
