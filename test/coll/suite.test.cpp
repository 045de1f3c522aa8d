// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// Every collective by every algorithm in every form, between threads.

#include "coll/suite.hpp"

#include "comm/ranks.hpp"

namespace {

/// Segments so small that there are many.
struct small_segments {
  using policy_axis = mpx::collective_axis;
  static constexpr std::string_view name = "small_segments";
  static constexpr mpx::coll::choice choose(const mpx::coll::question& q) noexcept {
    return {mpx::coll::by_size::choose(q).by, 1000};
  }
};
using in_segments = mpx::stack<small_segments>;

constexpr std::size_t two_lengths[] = {1, 700};
#ifdef MPX_TEST_SANITIZED  // Long ones take most of the time and test no other interleavings.
constexpr std::span<const std::size_t> started_lengths = two_lengths;
#else
constexpr std::span<const std::size_t> started_lengths = suite::lengths;
#endif
#ifdef MPX_TEST_REPEATED
constexpr std::span<const std::size_t> at_once_lengths = two_lengths;
#else
constexpr std::span<const std::size_t> at_once_lengths = suite::lengths;
#endif

}  // namespace

TEST_CASE("collectives: every operation by every algorithm, at once") {
  ranks::run_at_all_counts<in_segments>(
      [](auto world) { suite::everything(world, suite::form::at_once, at_once_lengths); });
}
TEST_CASE("collectives: every operation by every algorithm, started") {
  ranks::run_at_all_counts<in_segments>(
      [](auto world) { suite::everything(world, suite::form::started, started_lengths); });
}
TEST_CASE("collectives: every operation by every algorithm, prepared") {
  for (const mpx::rank_t n : {2, 7, 8})
    ranks::run<in_segments>(
        n, [](auto world) { suite::everything(world, suite::form::prepared, two_lengths); });
}
