// SPDX-License-Identifier: BSL-1.0
#pragma once
// End of a throwing call whose communicator has an error handler.

#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Calls the error handler of `s`, and throws `what` unless the handler ends the job or throws
/// something else.
template <class Stack>
[[noreturn, gnu::noinline, gnu::cold]] void raise_error(endpoint<Stack>& e,
                                                        const communicator_state* s,
                                                        const error& what) {
  if (s != nullptr) {
    const error_handling on = s->on_error;
    if (on.is == error_handling::kind::calls) on.function(what, on.with);
    if (on.is == error_handling::kind::aborts) e.abort_job(what.what());
  }
  throw error(what);
}

}  // namespace mpx::inline v0::detail
