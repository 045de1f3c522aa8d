// SPDX-License-Identifier: BSL-1.0
#pragma once
// A job of another launcher whose ranks all run on one host. Adds what the launcher does not give
// them: shared memory, and the detection of failed ranks.

#include <concepts>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/death_watch.hpp"
#include "mpx/bootstrap/detail/host_rendezvous.hpp"
#include "mpx/bootstrap/detail/launcher.hpp"
#include "mpx/bootstrap/detail/member.hpp"

namespace mpx::inline v0::bootstrap {

namespace detail {

/// The part of one_host that does not depend on the launcher's type.
class host_member : public member {
 public:
  /// Collective over the job.
  [[gnu::noinline, gnu::cold]] explicit host_member(launcher_owner job)
      : host_member(host_rendezvous(*job), job) {}

 private:
  class held final : public aide {
   public:
    explicit held(launcher_owner job) noexcept : job_(std::move(job)) {}
    /// Always leaves cleanly: peers see failures in the shared memory, and may continue without
    /// this rank.
    ~held() override { job_->leave(true); }
    void abort(int code, std::string_view why) noexcept override try {
      job_->abort(code, why);
    } catch (const std::exception&) {
      return;  // The process ends anyway.
    }
    void watch(const job_segment& job, rank_t rank, std::uint64_t k) {
      watch_.emplace(job, rank, k);
    }

   private:
    launcher_owner job_;
    std::optional<death_watch> watch_;
  };

  host_member(host_rendezvous&& ranks, launcher_owner& job)
      : member(ranks.take_map(), ranks.shared(), job->rank(), ending::process) {
    const bool pids_are_theirs = ranks.confirm();
    auto* const kept = new held(std::move(job));
    keep(kept);
    if (pids_are_theirs && size() > 1) kept->watch(segment(), rank(), environment());
  }
};

}  // namespace detail

/// A SharedMemoryBootstrap over any Bootstrap whose ranks share a host. The death of a rank's
/// process is detected at once if all ranks have the same pid namespace; otherwise that is left to
/// the launcher. Each rank has one sleeping thread for this purpose.
template <Bootstrap Launcher>
class one_host : public detail::host_member {
 public:
  /// Collective over the job.
  /// Errors:     errc::bootstrap, naming the hosts if there are several; errc::no_resources; those
  ///             of the launcher.
  one_host() requires std::default_initializable<Launcher>
      : one_host(Launcher()) {}
  explicit one_host(Launcher job)
      : host_member(detail::launcher_owner(new detail::launcher_of<Launcher>(std::move(job)))) {}
};

}  // namespace mpx::inline v0::bootstrap
