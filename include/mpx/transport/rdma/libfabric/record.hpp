// SPDX-License-Identifier: BSL-1.0
#pragma once
// The record that a rank with a card over libfabric publishes for its peers.

#include <cstddef>
#include <string>
#include <string_view>

namespace mpx::inline v0::nic::detail {

/// The published record: five words, of which the last may be empty.
struct fabric_record {
  std::string_view provider, job, host, address, lifeline;

  explicit fabric_record(std::string_view text) noexcept {
    for (std::string_view* word : {&provider, &job, &host, &address, &lifeline}) {
      const std::size_t n = text.find(' ');
      *word = text.substr(0, n);
      text = n == text.npos ? std::string_view{} : text.substr(n + 1);
    }
  }
};
inline void append_hex(std::string& s, const std::byte* from, std::size_t n) {
  constexpr char digits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < n; ++i) {
    s += digits[static_cast<unsigned>(from[i]) >> 4];
    s += digits[static_cast<unsigned>(from[i]) & 15u];
  }
}
/// Parses hexadecimal text into at most `n` bytes. Returns their number; 0 if the text is malformed
/// or too long.
inline std::size_t parse_hex(std::string_view text, std::byte* into, std::size_t n) noexcept {
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  if (text.size() % 2 != 0 || text.size() / 2 > n ||
      text.find_first_not_of("0123456789abcdef") != text.npos)
    return 0;
  for (std::size_t i = 0; i < text.size() / 2; ++i)
    into[i] = static_cast<std::byte>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
  return text.size() / 2;
}

}  // namespace mpx::inline v0::nic::detail
