// SPDX-License-Identifier: BSL-1.0
#pragma once
// The ways to join a job of another launcher that a program has: those of the optional headers
// (pmi1.hpp, pmix.hpp) that any of its sources includes.

#include <string>

#include "mpx/bootstrap/detail/member.hpp"

namespace mpx::inline v0::bootstrap::detail {

class launcher_owner;

/// One way to join a job of another launcher.
struct joiner {
  const char* name;
  /// Returns the reason for which this process cannot join this way; "" if such a launcher started
  /// it.
  std::string (*refusal)();
  /// Joins, on any number of hosts.
  launcher_owner (*join)() = nullptr;
  /// Joins if all ranks share this host.
  member (*join_here)() = nullptr;
  int place = 0;  // Ways are tried in ascending order of it.
  joiner* next = nullptr;
};

/// The ways that optional headers have added, in order.
inline joiner* added_joiners = nullptr;  // NOLINT(*-global-variables)

/// Adds a way to join during static initialization, before `main`.
class added_joiner {
 public:
  explicit added_joiner(const joiner& how) noexcept : how_(how) {
    joiner** at = &added_joiners;
    while (*at != nullptr && (*at)->place < how_.place) at = &(*at)->next;
    how_.next = *at;
    *at = &how_;
  }
  added_joiner(const added_joiner&) = delete;
  added_joiner& operator=(const added_joiner&) = delete;

 private:
  joiner how_;
};

}  // namespace mpx::inline v0::bootstrap::detail
