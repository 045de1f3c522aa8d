// SPDX-License-Identifier: BSL-1.0
#pragma once
// Bytes that tell where they belong. A call for each of them is what tests without optimisation
// take longest for, several times so under sanitizers: they are copied from a table, compared with
// it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace patterns {

/// The byte at `i` of the message numbered `serial`. Even the first byte of number 0 differs from
/// memory that was never written.
constexpr std::byte at(std::uint64_t serial, std::size_t i) {
  return static_cast<std::byte>(serial * 131 + i * 7 + (i >> 8) + 1);
}

/// at(0, i) for i < 2 * repeat: from 256 * n on it is n more, and it begins anew after `repeat`.
inline constexpr std::size_t repeat = 65536;
inline const std::byte* table() {
  static const auto bytes = [] {
    std::array<std::byte, 2 * repeat> b{};
    std::byte* const p = b.data();
    for (std::size_t i = 0; i < 2 * repeat; ++i) p[i] = at(0, i);
    return b;
  }();
  return bytes.data();
}

/// Calls `f(there, n, what)` for pieces of `size` bytes at `p`, with what is to be in each, while
/// it returns true.
template <class P, class F>
bool each_piece(P* p, std::size_t size, std::uint64_t serial, F f) {
  const std::byte* const from = table() + serial * 131 % 256 * 256;
  for (std::size_t done = 0; done < size; done += repeat)
    if (!f(p + done, std::min(size - done, repeat), from)) return false;
  return true;
}

inline void fill(std::span<std::byte> into, std::uint64_t serial) {
  each_piece(into.data(), into.size(), serial,
             [](std::byte* there, std::size_t n, const std::byte* what) {
               std::memcpy(there, what, n);
               return true;
             });
}
inline bool holds(std::span<const std::byte> bytes, std::uint64_t serial) {
  return each_piece(bytes.data(), bytes.size(), serial,
                    [](const std::byte* there, std::size_t n, const std::byte* what) {
                      return std::memcmp(there, what, n) == 0;
                    });
}

/// True if all are `b`.
inline bool all_are(std::span<const std::byte> bytes, std::byte b) {
  return bytes.empty() ||
         (bytes.front() == b && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

/// The same for bytes of words of 64 bits: `word(i)` is the one at 8 * i.
template <class P, class Word, class F>
bool each_piece_of_words(P* p, std::size_t size, Word word, F f) {
  constexpr std::size_t most = 256;
  std::array<std::uint64_t, most> words;
  std::uint64_t* const w = words.data();
  for (std::size_t done = 0; done < size; done += 8 * most) {
    const std::size_t n = std::min(size - done, 8 * most);
    for (std::size_t i = 0, first = done / 8, count = (n + 7) / 8; i < count; ++i)
      w[i] = word(first + i);
    if (!f(p + done, n, w)) return false;
  }
  return true;
}
template <class Word>
void fill_words(std::span<std::byte> into, Word word) {
  each_piece_of_words(into.data(), into.size(), word,
                      [](std::byte* there, std::size_t n, const std::uint64_t* what) {
                        std::memcpy(there, what, n);
                        return true;
                      });
}
template <class Word>
bool holds_words(std::span<const std::byte> bytes, Word word) {
  return each_piece_of_words(bytes.data(), bytes.size(), word,
                             [](const std::byte* there, std::size_t n, const std::uint64_t* what) {
                               return std::memcmp(there, what, n) == 0;
                             });
}

}  // namespace patterns
