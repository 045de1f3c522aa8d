// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where the ranks of an environment say that they wait, and what for, so that they themselves can
// find out that none of them goes on.

#include <concepts>
#include <cstdint>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/job_view.hpp"

namespace mpx::inline v0::bootstrap {

/// One rank's view of the marks and slots for hangs in a job's control segment, which outlives it.
class hang_table {
 public:
  hang_table(const detail::job_view& job, rank_t rank, std::uint64_t environment) noexcept
      : job_(job), rank_(rank), environment_(environment) {}

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return job_.size(); }
  /// Which of this rank's environments this is: the low bits of its number.
  std::uint32_t environment() const noexcept { return static_cast<std::uint32_t>(environment_); }
  rank_state state(rank_t rank) const noexcept { return job_.state(rank, environment_); }
  /// What is the job's, and not the environment's: marks, slots, pids.
  const detail::job_view& job() const noexcept { return job_; }

 private:
  detail::job_view job_;
  rank_t rank_;
  std::uint64_t environment_;
};

}  // namespace mpx::inline v0::bootstrap

namespace mpx::inline v0 {

/// A bootstrap whose ranks watch each other for hangs.
///
/// - `hangs()`: where they do; it lives as long as the bootstrap.
template <class T>
concept WatchedBootstrap = LivenessBootstrap<T> && requires(const T& view) {
  { view.hangs() } noexcept -> std::same_as<bootstrap::hang_table>;
};

}  // namespace mpx::inline v0
