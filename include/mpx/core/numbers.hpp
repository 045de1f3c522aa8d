// SPDX-License-Identifier: BSL-1.0
#pragma once
// Numeric functions that std has in large headers: <algorithm>, <charconv>.

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

/// Returns the absolute value; correct for the lowest number too.
constexpr std::uint64_t magnitude(std::int64_t n) noexcept {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

/// Returns the number of significant bits; 0 for 0. (std::bit_width instantiates three functions
/// for each type.)
constexpr unsigned bits_of(std::uint64_t n) noexcept {
  return n == 0 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(n));
}

/// Parses all of `text` as a decimal number.
/// Returns:    false, with `value` unchanged, if `text` is anything else or the number exceeds
///             `most`.
[[gnu::noinline]] constexpr bool parse_number(std::string_view text, std::uint64_t most,
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

/// Parses all of `text` as seconds, such as 10 or 0.5, into nanoseconds.
/// Returns:    false, with `ns` unchanged, if it is anything else, less than a millisecond, or more
///             than `most_s`.
[[gnu::noinline]] constexpr bool parse_seconds(std::string_view text, std::uint64_t most_s,
                                               std::int64_t& ns) noexcept {
  std::size_t dot = 0;
  while (dot < text.size() && text[dot] != '.') ++dot;
  const std::string_view fraction =
      dot < text.size() ? std::string_view(text.data() + dot + 1, text.size() - dot - 1) : "0";
  std::string_view seconds = text;
  seconds.remove_suffix(text.size() - dot);
  std::uint64_t whole = 0;
  std::uint64_t part = 0;
  if (!parse_number(seconds, most_s, whole) || fraction.size() > 9 ||
      !parse_number(fraction, 999'999'999, part))
    return false;
  for (std::size_t digits = fraction.size(); digits < 9; ++digits) part *= 10;
  const std::uint64_t all = whole * 1'000'000'000 + part;
  if (all < 1'000'000 || all > most_s * 1'000'000'000) return false;
  ns = static_cast<std::int64_t>(all);
  return true;
}

}  // namespace mpx::inline v0::detail
