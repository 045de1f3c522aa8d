// SPDX-License-Identifier: BSL-1.0
#pragma once
// A program that no launcher started: a job of one rank, in private memory.

#include "mpx/bootstrap/detail/member.hpp"

namespace mpx::inline v0::bootstrap {

/// A job of one rank. A process may have any number of them.
class singleton : public member {
 public:
  static constexpr bool is_monitored = true;  // There is a single rank.
  /// Joins a new job.
  /// Errors:     errc::no_resources.
  [[gnu::noinline, gnu::cold]] singleton()
      : singleton(memory_file("mpx-job"), memory_file("mpx-shared")) {}

 private:
  singleton(const memory_file& control, memory_file&& shared)
      : singleton(job_segment::create(control, shared, 1, static_cast<std::int32_t>(::getpid())),
                  shared) {}
  singleton(mapping map, memory_file& shared)
      : member(std::move(map), std::move(shared), 0, ending::alone) {}
};

}  // namespace mpx::inline v0::bootstrap
