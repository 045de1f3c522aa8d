// SPDX-License-Identifier: BSL-1.0
// mpx-perf over shared memory inside hosts, and libfabric between them.

#include <mpx/fabric.hpp>

#include "measure.hpp"

namespace {
const perf::offer offer(perf::over<perf::hosts_tests, mpx::fabric_stack>("fabric"));
}
