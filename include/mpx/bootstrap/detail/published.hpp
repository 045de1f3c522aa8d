// SPDX-License-Identifier: BSL-1.0
#pragma once
// All keys and values that a rank publishes between two fences, as one value of a launcher's store.
// Launchers limit the number, the length and the characters of values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// Keys and values, one after the other: "3,5,keyvalue".
class published {
 public:
  static constexpr std::size_t key_bytes_max = 256;
  static constexpr std::size_t value_bytes_max = 4096;
  static constexpr std::size_t bytes_max = 64 * 1024;

  /// A nonempty text without keys.
  static constexpr std::string_view nothing = "0,0,";

  bool empty() const noexcept { return text_.empty(); }
  /// Returns the text and clears it.
  std::string take() noexcept {
    std::string all;
    all.swap(text_);
    return all;
  }

  /// Appends a key and its value.
  /// Errors:     errc::argument, errc::no_resources.
  [[gnu::noinline, gnu::cold]] void put(std::string_view key, std::string_view value) {
    if (key.empty() || key.size() > key_bytes_max || value.size() > value_bytes_max)
      mpx::detail::throw_error(
          errc::argument,
          "publishing a key of %zu bytes with a value of %zu: the limits are 1 to %zu and %zu",
          key.size(), value.size(), std::size_t{key_bytes_max}, std::size_t{value_bytes_max});
    if (text_.size() + key.size() + value.size() + 16 > bytes_max)
      mpx::detail::throw_error(errc::no_resources,
                               "publishing '%.*s' (%zu bytes) after %zu bytes since the last "
                               "fence: %zu are possible",
                               static_cast<int>(key.size()), key.data(), value.size(), text_.size(),
                               std::size_t{bytes_max});
    text_ += mpx::detail::formatted("%zu,%zu,", key.size(), value.size());
    text_.append(key).append(value);
  }

  /// Returns the value of `key` in `text`, if it is there.
  /// Errors:     errc::protocol.
  [[gnu::noinline, gnu::cold]] static std::optional<std::string> find(std::string_view text,
                                                                      std::string_view key) {
    std::optional<std::string> found;
    while (!text.empty()) {
      const std::size_t key_bytes = length(text, key_bytes_max);
      const std::size_t value_bytes = length(text, value_bytes_max);
      if (text.size() < key_bytes + value_bytes) damaged();
      if (text.substr(0, key_bytes) == key) found.emplace(text.substr(key_bytes, value_bytes));
      text.remove_prefix(key_bytes + value_bytes);
    }
    return found;
  }

  /// Encodes a text in letters, digits and "-_.:,%"; `unescaped` reverses it.
  /// Errors:     errc::protocol, by `unescaped`.
  [[gnu::noinline, gnu::cold]] static std::string escaped(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string s;
    for (const char c : text) {
      if (is_plain(c)) {
        s += c;
      } else {
        const auto byte = static_cast<unsigned char>(c);
        s += '%';
        s += digits[byte >> 4];
        s += digits[byte & 15];
      }
    }
    return s;
  }
  [[gnu::noinline, gnu::cold]] static std::string unescaped(std::string_view text) {
    std::string s;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%') {
        s += text[i];
        continue;
      }
      if (text.size() - i < 3) damaged();
      s += static_cast<char>(digit(text[i + 1]) << 4 | digit(text[i + 2]));
      i += 2;
    }
    return s;
  }
  [[noreturn, gnu::noinline, gnu::cold]] static void damaged() {
    mpx::detail::throw_error(errc::protocol, "what a rank published is damaged");
  }

 private:
  static constexpr bool is_plain(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == ':' || c == ',';
  }
  static unsigned digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    damaged();
  }
  /// Removes a number and its comma from the front and returns the number.
  [[gnu::noinline, gnu::cold]] static std::size_t length(std::string_view& text, std::size_t most) {
    const std::size_t comma = text.find(',');
    std::uint64_t n = 0;
    if (comma == std::string_view::npos ||
        !mpx::detail::parse_number(text.substr(0, comma), most, n))
      damaged();
    text.remove_prefix(comma + 1);
    return static_cast<std::size_t>(n);
  }

  std::string text_;
};

}  // namespace mpx::inline v0::bootstrap::detail
