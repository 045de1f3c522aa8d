// SPDX-License-Identifier: BSL-1.0
#pragma once
// std::exchange as a single function for each type: the standard one instantiates five, and checks
// each type for throwing moves.

#include <type_traits>

#include "mpx/config.hpp"

namespace mpx::inline v0::detail {

/// Stores `value` to `object`.
/// Requires:   moving a T does not throw.
/// Returns:    the previous value.
template <class T>
[[MPX_ALWAYS_INLINE]] constexpr T exchange(T& object, std::type_identity_t<T> value) noexcept {
  T old(static_cast<T&&>(object));
  object = static_cast<T&&>(value);
  return old;
}

}  // namespace mpx::inline v0::detail
