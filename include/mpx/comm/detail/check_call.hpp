// SPDX-License-Identifier: BSL-1.0
#pragma once
// Calls of all ranks of a communicator that are made by other steps than a collective's, compared
// beforehand in stacks that compare collective calls (mpx/checks.hpp).

#include <type_traits>

#include "mpx/comm/collective_channel.hpp"
#include "mpx/engine/forms.hpp"

namespace mpx::inline v0::detail {

/// Returns: false if ranks of `on` make calls that do not go together, which `how` has got then.
/// What else goes wrong meanwhile the call finds itself. `how_made`: what of it is the same at all.
template <class Stack, class How>
bool check_call(const point_to_point<Stack>& on, call_site site, const char* how_made, How& how) {
  collective_channel<Stack> steps(on, site);
  Stack::checks_type::compare_named(steps, site, how_made);
  if (steps.why() != errc::call_mismatch) return true;
  if constexpr (is_code<How&>) {
    store(how, steps.why());
  } else {
    steps.raise();
  }
  return false;
}

}  // namespace mpx::inline v0::detail
