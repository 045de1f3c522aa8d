// SPDX-License-Identifier: BSL-1.0
#pragma once
// Sizes of grid dimensions: factors of the number of ranks, as close to each other as possible.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Splits `n` into `into.size()` factors in descending order, none larger than `cap`. The first
/// factor is as small as possible, then the second, and so on. `divisors`: the divisors of a
/// multiple of `n`, in ascending order. Returns false if there are no such factors.
inline bool split_evenly(std::int64_t n, std::int64_t cap, std::span<const std::int64_t> divisors,
                         std::span<rank_t> into) {
  if (into.empty()) return n == 1;
  const auto count = static_cast<double>(into.size());
  // The first factor is the largest, so it is at least this root.
  const auto least = static_cast<std::int64_t>(std::pow(static_cast<double>(n), 1 / count) - 1e-6);
  for (const std::int64_t d : divisors) {
    if (d > cap) return false;
    if (d < least || n % d != 0) continue;
    into[0] = static_cast<rank_t>(d);
    if (split_evenly(n / d, d, divisors, into.subspan(1))) return true;
  }
  return false;
}

inline errc fill_dims(rank_t ranks, std::span<rank_t> dims) {
  if (ranks < 1) return errc::dims;
  std::int64_t rest = ranks;
  std::size_t open = 0;
  for (const rank_t d : dims) {
    if (d < 0 || (d > 0 && rest % d != 0)) return errc::dims;
    if (d > 0) rest /= d;
    open += d == 0;
  }
  if (open == 0) return rest == 1 ? errc{} : errc::dims;
  std::vector<std::int64_t> divisors;
  std::vector<std::int64_t> large;
  for (std::int64_t d = 1; d * d <= rest; ++d) {
    if (rest % d != 0) continue;
    divisors.push_back(d);
    if (d * d != rest) large.push_back(rest / d);
  }
  divisors.insert(divisors.end(), large.rbegin(), large.rend());
  // A number has at most 30 prime factors: all further factors are 1 and need no search.
  std::vector<rank_t> factors(open, 1);
  const std::size_t searched = open < 31 ? open : 31;
  if (!split_evenly(rest, rest, divisors, std::span(factors).first(searched))) return errc::dims;
  std::size_t next = 0;
  for (rank_t& d : dims)
    if (d == 0) d = factors[next++];
  return errc{};
}

}  // namespace detail

/// Fills in the sizes of a grid of `ranks` ranks. Entries of `dims` that are 0 are replaced by
/// factors in descending order, as close to each other as possible. Other entries are kept.
/// Errors: errc::dims if `ranks` is not positive, if an entry is negative, if `ranks` is no
/// multiple of the given entries, or if no entry is 0 and their product is not `ranks`.
/// Source: MPI 4.1, 8.5.2.
template <class How = detail::throws_t>
requires detail::BlockingForm<How>
void dims_create(rank_t ranks, std::span<rank_t> dims, How&& how = {},
                 std::source_location where = std::source_location::current()) {
  const errc why = detail::fill_dims(ranks, dims);
  if constexpr (detail::is_code<How>) {
    detail::store(how, why);
  } else if (why != errc{}) {
    std::string s =
        detail::formatted("dims_create of %d ranks in %zu dimensions:", ranks, dims.size());
    for (const rank_t d : dims) detail::append(s, " %d", d);
    throw error(why, s + (dims.empty() ? " none" : ""), where);
  }
}

/// Returns the sizes of a grid of `ranks` ranks in `Count` dimensions. Errors: as above.
template <std::size_t Count>
[[nodiscard]] std::array<rank_t, Count> dims_create(
    rank_t ranks, std::array<rank_t, Count> fixed = {},
    std::source_location where = std::source_location::current()) {
  dims_create(ranks, std::span<rank_t>(fixed), detail::throws_t{}, where);
  return fixed;
}

}  // namespace mpx::inline v0
