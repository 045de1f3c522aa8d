// SPDX-License-Identifier: BSL-1.0
#pragma once
// Atomic accesses to words in a peer's memory: their operations, and how software carries them out.
// The operations that every network card with atomics has in some form.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0 {

/// Operation of an atomic access. Each returns the previous value of the word.
enum class atomic_operation : std::uint8_t {
  fetch_add,         ///< Adds the operand, modulo the size of the word.
  fetch_and,         ///< Bitwise operations with the operand.
  fetch_or,          ///< See fetch_and.
  fetch_xor,         ///< See fetch_and.
  exchange,          ///< Stores the operand.
  compare_exchange,  ///< Stores the operand if the word is equal to the comparand.
};
/// Number of operations.
inline constexpr std::uint32_t atomic_operations = 6;

/// An atomic access to a word of 4 or 8 bytes. A word of 4 bytes uses the low halves.
struct atomic_access {
  atomic_operation operation{};
  std::uint64_t operand = 0;
  std::uint64_t comparand = 0;  ///< Of compare_exchange.
};

/// Atomic accesses that a card or a transport carries out.
struct atomic_set {
  std::uint8_t on_4_bytes = 0;  ///< Bit 1 << operation is set for each operation on such words.
  std::uint8_t on_8_bytes = 0;
  /// They are atomic with regard to the atomic instructions of the CPUs as well. Else a word that
  /// the card accesses atomically must not be modified in another way meanwhile.
  bool with_cpu = false;

  /// True if words of `bytes` bytes can be accessed by `o`.
  [[nodiscard]] constexpr bool has(atomic_operation o, std::size_t bytes) const noexcept {
    const unsigned all = bytes == 8 ? on_8_bytes : bytes == 4 ? on_4_bytes : 0u;
    return (all >> static_cast<unsigned>(o) & 1u) != 0;
  }
  /// True if there is no operation.
  [[nodiscard]] constexpr bool empty() const noexcept { return (on_4_bytes | on_8_bytes) == 0; }
  /// Returns the set of all operations.
  [[nodiscard]] static constexpr atomic_set all(bool with_cpu) noexcept {
    constexpr std::uint8_t every = (1u << atomic_operations) - 1;
    return {every, every, with_cpu};
  }
  friend constexpr bool operator==(const atomic_set&, const atomic_set&) = default;
};

namespace detail {

template <class Word>
Word carry_out_on(Word& word, const atomic_access& a) noexcept {
  const platform::atomic_ref<Word> at(word);
  const auto operand = static_cast<Word>(a.operand);
  auto old = static_cast<Word>(a.comparand);
  switch (a.operation) {
    case atomic_operation::fetch_add: return at.fetch_add(operand);
    case atomic_operation::exchange: return at.exchange(operand);
    case atomic_operation::compare_exchange: at.compare_exchange_strong(old, operand); return old;
    default: break;
  }
  old = at.load(platform::memory_order_relaxed);
  const auto wanted = [&]() -> Word {
    if (a.operation == atomic_operation::fetch_and) return old & operand;
    return a.operation == atomic_operation::fetch_or ? old | operand : old ^ operand;
  };
  while (!at.compare_exchange_weak(old, wanted())) {
  }
  return old;
}
/// True if `n` is the size of a word, and the word at `at` is aligned to it.
constexpr bool is_atomic_word(std::uint64_t at, std::size_t n) noexcept {
  return (n == 4 || n == 8) && at % n == 0;
}
/// Carries out `a` on the word at `there` by the CPU's atomic instructions, which are sequentially
/// consistent, and stores the previous value in `into`, whose size is that of the word.
/// Requires:   is_atomic_word(there, into.size()); `a.operation` is one of the enumerators.
inline void carry_out(const atomic_access& a, std::byte* there,
                      std::span<std::byte> into) noexcept {
  if (into.size() == 8) {
    const std::uint64_t old = carry_out_on(*reinterpret_cast<std::uint64_t*>(there), a);
    std::memcpy(into.data(), &old, sizeof old);
  } else {
    const std::uint32_t old = carry_out_on(*reinterpret_cast<std::uint32_t*>(there), a);
    std::memcpy(into.data(), &old, sizeof old);
  }
}

}  // namespace detail
}  // namespace mpx::inline v0
