// SPDX-License-Identifier: BSL-1.0
#pragma once
// Texts put together from their parts. (mpxrun needs no library but mpx.)

#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace launcher {

namespace detail {

inline void add(std::string& to, std::string_view part) { to += part; }
inline void add(std::string& to, std::integral auto part) { to += std::to_string(part); }

}  // namespace detail

/// One text of strings and whole numbers.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string all;
  (detail::add(all, parts), ...);
  return all;
}

/// Writes a line of mpxrun's own to standard error.
inline void complain(const std::string& what) {
  std::fprintf(stderr, "mpxrun: %s\n", what.c_str());
}

}  // namespace launcher
