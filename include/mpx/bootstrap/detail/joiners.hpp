// SPDX-License-Identifier: BSL-1.0
#pragma once
// The ways to join a job of another launcher that a program has: those of optional headers that one
// of its sources includes (pmi1.hpp, pmix.hpp).

#include <string>

#include "mpx/bootstrap/detail/member.hpp"

namespace mpx::inline v0::bootstrap::detail {

class launcher_owner;

/// A way to join a job of another launcher.
struct joiner {
  const char* name;
  /// Why this process cannot join so, in words; "" if it was started so.
  std::string (*refusal)();
  /// Joins, on any number of hosts.
  launcher_owner (*join)() = nullptr;
  /// Joins where all ranks share this host.
  member (*join_here)() = nullptr;
  int place = 0;  // In the order in which ways are tried.
  joiner* next = nullptr;
};

/// Those that optional headers have added, in order.
inline joiner* added_joiners = nullptr;  // NOLINT(*-global-variables)

/// Adds a way when the program starts, before `main`.
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
