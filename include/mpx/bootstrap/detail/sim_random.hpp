// SPDX-License-Identifier: BSL-1.0
#pragma once
// Pseudo-random numbers of a simulated job.

#include <cstdint>

namespace mpx::inline v0::sim {

/// A generator whose numbers depend on the seed only, and are the same on every machine.
/// Source:     Steele, Lea, Flood 2014 (SplitMix64).
class random {
 public:
  /// Equal seeds give equal numbers.
  explicit random(std::uint64_t seed) noexcept : state_(seed) {}
  /// Returns 64 random bits.
  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15u;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9u;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebu;
    return z ^ z >> 31;
  }
  /// Returns a number with 0 <= result < n. T is an integer or an enumeration.
  /// Requires:   n > 0.
  template <class T>
  [[nodiscard]] T below(T n) noexcept {
    return static_cast<T>(next() % static_cast<std::uint64_t>(n));
  }
  /// Returns true once in n times, on average.
  /// Requires:   n > 0.
  [[nodiscard]] bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace mpx::inline v0::sim
