// SPDX-License-Identifier: BSL-1.0
#pragma once
// Hosts of a job of threads, as transport hybrid sees them.

#include <cstdlib>

namespace transport_contract {

/// Ranks behave as if they were on these hosts.
class pretended {
 public:
  explicit pretended(const char* hosts) {
    ::setenv("MPX_PRETEND_HOSTS", hosts, 1);  // NOLINT(concurrency-mt-unsafe)
  }
  pretended(const pretended&) = delete;
  pretended& operator=(const pretended&) = delete;
  ~pretended() { ::unsetenv("MPX_PRETEND_HOSTS"); }  // NOLINT(concurrency-mt-unsafe)
};

}  // namespace transport_contract
