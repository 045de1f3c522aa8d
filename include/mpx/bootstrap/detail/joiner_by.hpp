// SPDX-License-Identifier: BSL-1.0
#pragma once
// Turns the bootstrap of an optional header into a way to join.

#include "mpx/bootstrap/detail/joiners.hpp"
#include "mpx/bootstrap/detail/launcher.hpp"
#include "mpx/bootstrap/one_host.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// Makes the way to join by `B`. `place` orders the ways in which they are tried.
template <Bootstrap B>
joiner joiner_by(const char* name, int place) noexcept {
  return {name, &B::refusal, [] { return launcher_owner(new launcher_of<B>(B())); },
          []() -> member { return one_host<B>(); }, place};
}

}  // namespace mpx::inline v0::bootstrap::detail
