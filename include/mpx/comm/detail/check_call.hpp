// SPDX-License-Identifier: BSL-1.0
#pragma once
// Comparison of calls that all ranks of a communicator make, but not by the steps of a collective.
// Used in stacks that compare collective calls (mpx/checks.hpp).

#include <type_traits>

#include "mpx/comm/collective_channel.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0::detail {

/// Compares this call with those of the other ranks of `on`. `how_made`: text that must be equal at
/// all ranks. Returns false if the calls do not match, which is then reported in `how`. Other
/// failures are left to the call itself.
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
