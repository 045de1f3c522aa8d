// SPDX-License-Identifier: BSL-1.0
#pragma once
// Failure detection under a launcher that does not report failed ranks. The ranks of a host form a
// ring: a thread of each sleeps until the process of the next living rank has ended.

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <exception>

#include "mpx/bootstrap/detail/job_segment.hpp"
#include "mpx/core/error.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// A thread that marks ranks of a segment whose processes have ended.
/// Requires:   the pids in the segment are those of this process's namespace, and the ranks have
///             joined environment `k`. A forked child has no such thread.
/// Cost:       the thread sleeps and wakes once a second.
class death_watch {
 public:
  /// Starts the thread.
  /// Requires:   the memory of `job` outlives this object.
  /// Errors:     errc::no_resources.
  [[gnu::noinline, gnu::cold]] death_watch(const job_segment& job, rank_t rank, std::uint64_t k)
      : job_(job), rank_(rank), k_(k), stop_(::eventfd(0, EFD_CLOEXEC)) {
    if (stop_ < 0)
      mpx::detail::throw_error(errc::no_resources, "eventfd failed (%s): check `ulimit -n`",
                               std::strerror(errno));
    // The program's signals must not be delivered to this thread.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const int why = ::pthread_create(
        &thread_, nullptr,
        [](void* self) -> void* {
          ::pthread_setname_np(::pthread_self(), "mpx-watch");
          static_cast<death_watch*>(self)->watch();
          return nullptr;
        },
        this);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (why == 0) return;
    ::close(stop_);
    mpx::detail::throw_error(errc::no_resources, "starting a thread failed (%s): check `ulimit -u`",
                             std::strerror(why));
  }
  death_watch(const death_watch&) = delete;
  death_watch& operator=(const death_watch&) = delete;
  /// Ends the thread. If this rank fails because another rank failed first, waits for that rank to
  /// report its reason first.
  [[gnu::cold]] ~death_watch() {
    if (::getpid() == pid_) {
      if (std::uncaught_exceptions() > exceptions_) drain_peer();
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
      ::pthread_join(thread_, nullptr);
    }
    ::close(stop_);
  }

 private:
  static constexpr std::int64_t words_ns_max = 250'000'000;
  static constexpr int look_ms = 1000;  // A rank that has left may live on, and watches no rank.

  /// Waits for the process of the rank that failed first to end, since it reports the reason as it
  /// ends. Launchers end a job with SIGKILL as soon as any of its processes has failed: this rank,
  /// with less to report, must not be the first.
  [[gnu::noinline, gnu::cold]] void drain_peer() const noexcept {
    const rank_t first = job_.first_lost(k_);
    if (first < 0 || first == rank_) return;
    const pid_t pid = job_.pid(first);
    const std::int64_t until_ns = platform::now_ns() + words_ns_max;
    const ::timespec pause{0, 1'000'000};
    while (pid > 0 && ::kill(pid, 0) == 0 && platform::now_ns() < until_ns)
      ::nanosleep(&pause, nullptr);
  }
  [[gnu::noinline, gnu::cold]] void watch() const noexcept {
    for (;;) {
      const rank_t next = next_alive();
      if (next == rank_) {
        if (stopped(-1, -1)) return;
        continue;
      }
      const pid_t pid = job_.pid(next);
      const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
      if (fd < 0 && errno != ESRCH) {  // Too many descriptors, or an old kernel.
        if (stopped(-1, look_ms / 10)) return;
        if (::kill(pid, 0) != 0 && errno == ESRCH) mark_ended(next);
        continue;
      }
      bool over = false;
      while (fd >= 0 && !over && is_in(next)) {
        if (stopped(fd, look_ms)) {
          ::close(fd);
          return;
        }
        pollfd gone{fd, POLLIN, 0};
        over = ::poll(&gone, 1, 0) == 1;
      }
      if (fd >= 0) ::close(fd);
      if (over || fd < 0) mark_ended(next);
    }
  }
  /// Marks a rank as ended. Its exit status is known only if it has aborted the job.
  [[gnu::noinline, gnu::cold]] void mark_ended(rank_t rank) const noexcept {
    int status = wait_status_unknown;
    try {
      const auto notice = job_.aborted();
      if (notice && notice->rank == rank) status = (notice->code & 0xff) << 8;
    } catch (const std::exception&) {
      status = wait_status_unknown;  // No memory for the reason.
    }
    job_.mark_ended(rank, status);
  }
  /// Waits until the thread must stop, `fd` is readable, or the time is up. Returns true if it must
  /// stop.
  [[gnu::noinline, gnu::cold]] bool stopped(int fd, int timeout_ms) const noexcept {
    pollfd either[2] = {{stop_, POLLIN, 0}, {fd, POLLIN, 0}};
    return ::poll(either, 2, timeout_ms) > 0 && (either[0].revents & POLLIN) != 0;
  }
  bool is_in(rank_t rank) const noexcept { return job_.state(rank, k_) == rank_state::joined; }
  /// Returns the next rank that takes part, or this one.
  [[gnu::noinline, gnu::cold]] rank_t next_alive() const noexcept {
    rank_t next = rank_;
    do {
      next = next + 1 == job_.size() ? 0 : next + 1;
    } while (next != rank_ && !is_in(next));
    return next;
  }

  job_segment job_;
  rank_t rank_;
  std::uint64_t k_;
  int stop_;
  pid_t pid_ = ::getpid();
  int exceptions_ = std::uncaught_exceptions();
  pthread_t thread_{};
};

}  // namespace mpx::inline v0::bootstrap::detail
