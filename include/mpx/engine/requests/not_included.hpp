// SPDX-License-Identifier: BSL-1.0
#pragma once
// Error texts for functions of headers that mpx.hpp does not include. The real function is a better
// match for any call, whether its header comes before or after this one.

#include "mpx/config.hpp"

namespace mpx::inline v0 {

namespace not_included {

template <class... T>
inline constexpr bool is_included = sizeof...(T) == 1000;

// NOLINTBEGIN(*-vararg*,*-dcl50-cpp): nothing matches less than an ellipsis.
template <class T = void, class... More>
int allocate_window(...) {
  static_assert(
      is_included<T>,
      "mpx::allocate_window is in <mpx/rma.hpp>: include that, too. If it is included, no form of "
      "the call takes these arguments");
  return 0;
}
template <class T = void, class... More>
int window_over(...) {
  static_assert(
      is_included<T>,
      "mpx::window_over is in <mpx/rma.hpp>: include that, too. If it is included, no form of "
      "the call takes these arguments");
  return 0;
}
template <class T = void, class... More>
int shared_window(...) {
  static_assert(
      is_included<T>,
      "mpx::shared_window is in <mpx/rma.hpp>: include that, too. If it is included, no form of "
      "the call takes these arguments");
  return 0;
}
template <class T = void, class... More>
int dynamic_window(...) {
  static_assert(
      is_included<T>,
      "mpx::dynamic_window is in <mpx/rma.hpp>: include that, too. If it is included, no form of "
      "the call takes these arguments");
  return 0;
}
// NOLINTEND(*-vararg*,*-dcl50-cpp)

}  // namespace not_included
using namespace not_included;  // NOLINT(*-using-namespace)

}  // namespace mpx::inline v0
