// SPDX-License-Identifier: BSL-1.0
#pragma once
// The cores to which each rank is bound. Jobs of one machine inform each other by sockets with a
// name to which no process connects: the kernel frees such a name when its owner ends.

#include <cstddef>
#include <mpx/core/platform.hpp>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "output.hpp"

namespace launcher {

/// A set of logical processors, as /proc/cpuinfo numbers them.
using mpx::platform::core_set;
/// "core 3", "cores 0-3,8".
std::string name_of(const core_set& cores);

/// Says on this machine that a job is bound to cores, for as long as it lives.
class core_claims {
 public:
  /// A claim takes a file descriptor: no more than `most` are made. Of cores beyond these it is not
  /// known whether another job has them.
  explicit core_claims(std::size_t most = 0) noexcept : most_(most) {}
  /// Claims those of `wanted` that no other job has; returns them.
  core_set take(const core_set& wanted);
  /// Gives back what is not in `used`.
  void keep(const core_set& used) {
    std::erase_if(held_, [&](const auto& it) { return !used.has(it.core); });
  }

 private:
  struct claim {
    int core;
    descriptor socket;
  };
  std::size_t most_;
  std::vector<claim> held_;
};

/// Cores of the ranks of one job.
class placement {
 public:
  placement() = default;
  /// `claims_max`: of cores, for as long as this lives.
  placement(binding policy, int ranks, std::size_t claims_max);

  /// The cores of a rank; nullptr: all that mpxrun may use.
  const core_set* of(int rank) const noexcept {
    return places_.empty() ? nullptr : &places_[static_cast<std::size_t>(rank) % places_.size()];
  }
  /// Number of cores of all ranks together, if they are bound; else 0.
  int cores() const noexcept { return cores_; }
  /// Why they are not.
  const std::string& reason() const noexcept { return reason_; }

 private:
  std::string bind_shares(const core_set& allowed, int ranks);
  void bind_single(const core_set& allowed, int ranks);

  std::vector<core_set> places_;
  int cores_ = 0;
  std::string reason_;
  core_claims claims_;
};

}  // namespace launcher
