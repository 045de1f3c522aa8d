// SPDX-License-Identifier: BSL-1.0
#pragma once
// The ways to join a job that a program has: those that every program has, and those of optional
// headers that one of its sources includes.

#include <string>

#include "mpx/bootstrap/detail/launcher.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// A way to join a job of another launcher.
struct joiner {
  const char* name;
  /// Why this process cannot join so, in words; "" if it was started so.
  std::string (*refusal)();
  /// Joins.
  launcher_owner (*join)();
  joiner* next = nullptr;
};

/// How to join by `B`.
template <Bootstrap B>
joiner joiner_by(const char* name) {
  return {name, &B::refusal, [] { return launcher_owner(new launcher_of<B>(B())); }};
}

/// The first of those that optional headers have added.
inline joiner* added_joiners = nullptr;  // NOLINT(*-global-variables): filled before main.

/// Adds a way when the program starts, before `main`.
class added_joiner {
 public:
  explicit added_joiner(const joiner& how) noexcept : how_(how) {
    how_.next = added_joiners;
    added_joiners = &how_;
  }
  added_joiner(const added_joiner&) = delete;
  added_joiner& operator=(const added_joiner&) = delete;

 private:
  joiner how_;
};

}  // namespace mpx::inline v0::bootstrap::detail
