// SPDX-License-Identifier: BSL-1.0
#pragma once
// A few functions on numbers that std keeps in headers of many thousand lines: <algorithm>,
// <charconv>.

#include <cstdint>
#include <string_view>

namespace mpx::inline v0::detail {

template <class T>
constexpr T lesser(T a, T b) noexcept {
  return b < a ? b : a;
}
template <class T>
constexpr T greater(T a, T b) noexcept {
  return a < b ? b : a;
}

/// Reads all of `text` as a decimal number. Returns false, and leaves `value` alone, if `text` is
/// anything else or the number is above `most`.
constexpr bool parse_number(std::string_view text, std::uint64_t most,
                            std::uint64_t& value) noexcept {
  std::uint64_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (digit > most || n > (most - digit) / 10) return false;
    n = n * 10 + digit;
  }
  if (text.empty()) return false;
  value = n;
  return true;
}

}  // namespace mpx::inline v0::detail
