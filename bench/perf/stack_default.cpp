// SPDX-License-Identifier: BSL-1.0
// mpx-perf over the default stack.

#include "measure.hpp"

namespace {
const perf::offer offer(perf::over<perf::all_tests, mpx::stack<>>("default"));
}
