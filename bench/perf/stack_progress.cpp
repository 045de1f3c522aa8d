// SPDX-License-Identifier: BSL-1.0
// mpx-perf over shared memory and sockets with progress threads.

#include <mpx/cluster.hpp>

#include "measure.hpp"

namespace {

using perf::over;
using perf::overlap_tests;
using progress = mpx::stack<mpx::progress::thread>;
using tcp_progress = mpx::stack<mpx::transport::tcp, mpx::bootstrap::anywhere, mpx::tcp_protocol,
                                mpx::progress::thread>;

const perf::offer offer(over<overlap_tests, progress>("progress"),
                        over<overlap_tests, tcp_progress>("tcp_progress"));

}  // namespace
