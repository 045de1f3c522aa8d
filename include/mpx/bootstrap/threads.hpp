// SPDX-License-Identifier: BSL-1.0
#pragma once
// A job whose ranks are threads of this process, for tests and debugging. It uses the same control
// segment as a job of processes, so that the same code runs.

#include "mpx/bootstrap/detail/member.hpp"

namespace mpx::inline v0::bootstrap {

/// Owns the memory of a job of threads. Outlives every `threads` object made from it.
class thread_job {
 public:
  /// Makes a job of `ranks` ranks.
  /// Errors:     errc::argument (ranks), errc::no_resources.
  explicit thread_job(rank_t ranks)
      : shared_("mpx-shared"),
        map_(job_segment::create(memory_file("mpx-job"), shared_, ranks,
                                 static_cast<std::int32_t>(::getpid()))),
        segment_(map_) {}
  thread_job(const thread_job&) = delete;
  thread_job& operator=(const thread_job&) = delete;

  rank_t size() const noexcept { return segment_.size(); }
  const job_segment& segment() const noexcept { return segment_; }
  const file_view& shared() const noexcept { return shared_.view(); }
  int shared_fd() const noexcept { return shared_.fd(); }

  /// The thread of `rank` has ended. It counts as failed in the environments that it had not left.
  /// Threads:    any.
  void mark_ended(rank_t rank, bool well) const noexcept {
    segment_.mark_ended(rank, well ? 0 : 1 << 8);
  }

 private:
  memory_file shared_;
  mapping map_;
  job_segment segment_;
};

/// One rank of a thread_job.
class threads : public member {
 public:
  static constexpr bool is_monitored = true;
  /// Joins the job.
  /// Requires:   `job` outlives this object.
  /// Errors:     errc::rank, errc::no_resources.
  threads(const thread_job& job, rank_t rank)
      : member(job.segment(), job.shared(), checked(job, rank), ending::thread) {}

 private:
  static rank_t checked(const thread_job& job, rank_t rank) {
    if (rank < 0 || rank >= job.size())
      mpx::detail::throw_error(errc::rank, "rank %d in a job of %d threads", rank, job.size());
    return rank;
  }
};

}  // namespace mpx::inline v0::bootstrap
