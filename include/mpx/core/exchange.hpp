// SPDX-License-Identifier: BSL-1.0
#pragma once
// What std::exchange does, as one function for each type: the standard library's is five, and asks
// of each type whether any of it throws.

#include <type_traits>

#include "mpx/config.hpp"

namespace mpx::inline v0::detail {

/// Puts `value` in `object`; returns what was there. Requires: moving a T throws nothing.
template <class T>
[[MPX_ALWAYS_INLINE]] constexpr T exchange(T& object, std::type_identity_t<T> value) noexcept {
  T old(static_cast<T&&>(object));
  object = static_cast<T&&>(value);
  return old;
}

}  // namespace mpx::inline v0::detail
