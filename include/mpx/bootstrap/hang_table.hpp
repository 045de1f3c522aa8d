// SPDX-License-Identifier: BSL-1.0
#pragma once
// Table in which the ranks of an environment publish that they wait, and for what, so that the
// launcher can detect a hang.

#include <concepts>
#include <cstdint>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/job_view.hpp"
#include "mpx/bootstrap/detail/launcher_notice.hpp"

namespace mpx::inline v0::bootstrap {

/// One rank's view of the marks and slots for hangs in a job's control segment, which outlives this
/// object.
class hang_table {
 public:
  /// For a job without a segment: no process reads the marks.
  hang_table() = default;
  /// `launcher` is the socket to mpxrun; -1 if there is none.
  hang_table(const detail::job_view& job, rank_t rank, std::uint64_t environment,
             int launcher = -1) noexcept
      : job_(job),
        rank_(rank),
        launcher_(launcher),
        environment_(environment),
        has_segment_(true) {}

  /// True if there is a segment. Otherwise no function below may be called.
  bool has_segment() const noexcept { return has_segment_; }
  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return job_.size(); }
  /// The number of this environment among those of this rank, low bits only.
  std::uint32_t environment() const noexcept { return static_cast<std::uint32_t>(environment_); }
  rank_state state(rank_t rank) const noexcept { return job_.state(rank, environment_); }
  /// Data of the job as a whole: marks, slots, pids.
  const detail::job_view& job() const noexcept { return job_; }
  /// Tells mpxrun, if it runs the job, that this rank waits for the other ranks to leave.
  void tell_leaving() const noexcept {
    detail::tell_launcher(launcher_, {rank_, job_.pid(rank_), environment_ + 1});
  }

 private:
  detail::job_view job_;
  rank_t rank_ = 0;
  int launcher_ = -1;
  std::uint64_t environment_ = 0;
  bool has_segment_ = false;
};

}  // namespace mpx::inline v0::bootstrap

namespace mpx::inline v0 {

/// A bootstrap of jobs in which some process reads the marks, unless there is a single rank.
template <class T>
concept MonitoredBootstrap = Bootstrap<T> && T::is_monitored;

/// A bootstrap whose ranks can be watched for hangs by the process that runs the job.
///
/// - `hangs()`: returns the table in which the ranks publish what they wait for; valid as long as
///   the bootstrap. It has no segment if the joined job has none.
template <class T>
concept WatchedBootstrap = Bootstrap<T> && requires(const T& view) {
  { view.hangs() } noexcept -> std::same_as<bootstrap::hang_table>;
};

}  // namespace mpx::inline v0
