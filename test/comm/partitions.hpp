// SPDX-License-Identifier: BSL-1.0
#pragma once
// Shared by tests of partitioned communication.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace partitions {

using list = std::vector<std::size_t>;

inline list shuffled(std::size_t count, std::uint64_t seed) {
  list order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// From, to: what is no range of 6 partitions.
inline constexpr std::size_t wrong_ranges[][2] = {{4, 2},
                                                  {1, 0},
                                                  {5, 6},
                                                  {6, 6},
                                                  {0, std::size_t(-1)},
                                                  {1, std::size_t(-1)},
                                                  {std::size_t(-1), std::size_t(-1)},
                                                  {std::size_t(-1), 0}};

}  // namespace partitions
