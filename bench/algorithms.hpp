// SPDX-License-Identifier: BSL-1.0
#pragma once
// The names of algorithms and operations of collectives, as in mpx/engine/axes/collective_policy.hpp.

#include <iterator>
#include <mpx/engine/axes/collective_policy.hpp>
#include <string_view>

namespace bench {

/// In the order of their values.
inline constexpr std::string_view algorithm_names[] = {"automatic",
                                                       "linear",
                                                       "binomial",
                                                       "knomial",
                                                       "chain",
                                                       "scatter_allgather",
                                                       "ring",
                                                       "recursive_doubling",
                                                       "recursive_halving",
                                                       "bruck",
                                                       "pairwise",
                                                       "dissemination",
                                                       "shared",
                                                       "leaders",
                                                       "node_parts",
                                                       "long_short",
                                                       "short_long"};
static_assert(std::size(algorithm_names) == mpx::coll::algorithms);

constexpr std::string_view name_of(mpx::coll::algorithm a) {
  return algorithm_names[static_cast<std::size_t>(a)];
}

}  // namespace bench
