// SPDX-License-Identifier: BSL-1.0
#pragma once
// Finds out how this program was launched.

#include <concepts>
#include <utility>

#include "mpx/bootstrap/mpxrun.hpp"
#include "mpx/bootstrap/singleton.hpp"
#include "mpx/bootstrap/threads.hpp"

namespace mpx::inline v0::bootstrap {

/// Holds a bootstrap of any of the kinds that share one machine. They differ in how they join, not
/// in what they do afterwards, so that holding any of them costs no branch. The default of stacks.
class any : public member {
 public:
  /// Joins the job of mpxrun where there is one; else this process is a world of one.
  /// Errors: errc::bootstrap, errc::no_resources.
  [[gnu::noinline, gnu::cold]] any() : any(mpxrun::present() ? any(mpxrun()) : any(singleton())) {}
  template <std::derived_from<member> Kind>
  requires(!std::same_as<Kind, any> && !std::same_as<Kind, member>)
  any(Kind joined) noexcept : member(std::move(joined)) {}  // NOLINT(*-explicit-*)
};

/// Joins the job that this program was launched into. See any::any.
inline any detect() { return {}; }

}  // namespace mpx::inline v0::bootstrap
