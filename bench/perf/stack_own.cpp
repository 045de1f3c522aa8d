// SPDX-License-Identifier: BSL-1.0
// mpx-perf over a stack of the user: mpx_perf_stack, of the header that MPX_PERF_STACK names.

#include MPX_PERF_STACK

#include "measure.hpp"

namespace {
const perf::offer offer(perf::over<perf::all_tests, mpx_perf_stack>("own"));
}
