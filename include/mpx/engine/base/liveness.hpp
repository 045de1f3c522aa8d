// SPDX-License-Identifier: BSL-1.0
#pragma once
// The endpoint's view of failed and finished ranks, from the bootstrap if that reports them.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// Failure epoch of a job that reports no failures.
inline const platform::atomic<std::uint32_t> no_failures{1};

/// For a bootstrap that reports no failures: every rank counts as taking part, and a peer is lost
/// only if this rank gives it up.
/// Requires: `job` outlives this.
template <Bootstrap Job>
class liveness {
 public:
  explicit liveness(Job& job) noexcept : job_(job) {}

  rank_t size() const noexcept { return job_.size(); }
  std::string_view host() const { return job_.host(); }
  [[noreturn]] void abort(const char* why) {
    job_.abort(1, why);
    std::abort();
  }
  const platform::atomic<std::uint32_t>& failure_word() const noexcept { return no_failures; }
  rank_state state(rank_t) const noexcept { return rank_state::joined; }
  std::string loss_text(rank_t) const { return {}; }
  void disconnect_from(rank_t, errc) noexcept {}
  errc disconnected_by(rank_t) const noexcept { return errc{}; }

 private:
  Job& job_;
};

/// For a bootstrap that reports failures: forwards to it.
/// Requires: `job` outlives this.
template <LivenessBootstrap Job>
class liveness<Job> {
 public:
  explicit liveness(Job& job) noexcept : job_(job) {}

  rank_t size() const noexcept { return job_.size(); }
  std::string_view host() const { return job_.host(); }
  [[noreturn]] void abort(const char* why) {
    job_.abort(1, why);
    std::abort();
  }
  const platform::atomic<std::uint32_t>& failure_word() const noexcept {
    return job_.failure_word();
  }
  rank_state state(rank_t rank) const noexcept { return job_.state(rank); }
  std::string loss_text(rank_t rank) const { return job_.loss_text(rank); }
  void disconnect_from(rank_t peer, errc why) noexcept { job_.disconnect_from(peer, why); }
  errc disconnected_by(rank_t peer) const noexcept { return job_.disconnected_by(peer); }

 private:
  Job& job_;
};

}  // namespace mpx::inline v0::detail
