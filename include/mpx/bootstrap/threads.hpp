// SPDX-License-Identifier: BSL-1.0
#pragma once
// A job whose ranks are threads of this process, for tests and debugging: the same segment as
// between processes, so that the same code runs.

#include "mpx/bootstrap/detail/member.hpp"

namespace mpx::inline v0::bootstrap {

/// Owns the memory of a job of threads; outlives every `threads` made from it.
class thread_job {
 public:
  /// Errors: errc::argument (ranks), errc::no_resources.
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

  /// The thread of `rank` is over. In environments that it had not left, it now counts as failed.
  /// Threads: any.
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
  /// Requires: `job` outlives this.
  /// Errors:   errc::rank, errc::no_resources.
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
