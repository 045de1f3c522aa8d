// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joins the job into which this program was launched, on any number of hosts. For stacks whose
// transport does not need memory shared by all ranks.

#include <concepts>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/launcher.hpp"
#include "mpx/bootstrap/detect.hpp"
#include "mpx/bootstrap/pmi1.hpp"  // IWYU pragma: keep

namespace mpx::inline v0::bootstrap {

/// A Bootstrap over the launcher that is present, selected as `any` does. It has no capabilities
/// beyond Bootstrap, except WatchedBootstrap. Move-only.
class anywhere {
 public:
  using policy_axis = bootstrap_axis;

  /// Joins the job.
  /// Errors:     those of the launcher's own bootstrap; errc::bootstrap.
  [[gnu::noinline, gnu::cold]] anywhere() : job_(joined(choose_way_to_join())) {}
  anywhere(anywhere&&) = default;
  anywhere& operator=(anywhere&&) = default;
  /// Leaves the job cleanly, unless an exception is propagating.
  ~anywhere() {
    if (job_) job_->leave(std::uncaught_exceptions() <= exceptions_);
  }

  rank_t rank() const noexcept { return job_->rank(); }
  rank_t size() const noexcept { return job_->size(); }
  std::string_view host() const { return job_->host(); }
  void put(std::string_view key, std::string_view value) { job_->put(key, value); }
  std::optional<std::string> get(rank_t rank, std::string_view key) const {
    return job_->get(rank, key);
  }
  template <std::invocable Idle>
  void fence(Idle&& idle) {
    job_->fence([&idle] { idle(); });
  }
  void abort(int code, std::string_view why) { job_->abort(code, why); }
  /// See WatchedBootstrap.
  hang_table hangs() const noexcept { return job_->hangs(); }

 private:
  static detail::launcher_owner joined(const detected& way) {
    if (way.how.join != nullptr) return way.how.join();
    return detail::launcher_owner(new detail::launcher_of<any>(any()));
  }

  detail::launcher_owner job_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace mpx::inline v0::bootstrap
