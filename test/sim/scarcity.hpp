// SPDX-License-Identifier: BSL-1.0
#pragma once
// For the explorer: in one program of eight an allocation fails, or several do. Include it before
// mpx.

#include "alloc/scarce.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace explorer {

class scarcity {
 public:
  explicit scarcity(std::uint64_t seed) : held_(scarce::memory().held) {
    if (seed / 16 % 8 != 5) return;
    const std::uint64_t random = seed * 0x9e37'79b9'7f4a'7c15u >> 32;
    const std::uint64_t first = random % 4096 * (random / 4096 % 2 == 0 ? 1 : 16) / 16;
    const std::uint64_t more = random / 8192 % 4 == 0 ? random / 32768 % 8 : 0;
    refusing_.emplace(first, first + more);
  }
  bool is_scarce() const { return refusing_.has_value(); }
  /// Error after the end of the job; "" if there is none.
  std::string left_over() const {
    const std::int64_t n = scarce::memory().held - held_;
    return n == 0 ? "" : std::to_string(n) + " allocations are not given back";
  }

 private:
  std::int64_t held_;
  std::optional<scarce::refusing> refusing_;
};

}  // namespace explorer
