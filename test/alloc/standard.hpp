// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory that std allocates, which one thread may be refused (the operators are in core.test.cpp).

#include <cstdint>

namespace standard {

inline constexpr std::uint64_t never = ~std::uint64_t{0};

/// Allocations of this thread to refuse: the `first` to the `last` after the call.
struct allowance {
  std::uint64_t asked = 0;
  std::uint64_t first = never;
  std::uint64_t last = never;
};
inline allowance& mine() noexcept {
  static thread_local allowance the;
  return the;
}
inline bool grant() noexcept {
  allowance& a = mine();
  const std::uint64_t i = a.asked++;
  return i < a.first || i > a.last;
}
inline void refuse(std::uint64_t first, std::uint64_t last = never) noexcept {
  mine() = {0, first, last};
}
/// Returns how many allocations there have been.
inline std::uint64_t stop() noexcept {
  const std::uint64_t asked = mine().asked;
  mine() = {};
  return asked;
}

}  // namespace standard
