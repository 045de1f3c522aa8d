// SPDX-License-Identifier: BSL-1.0
// mpx-perf over sockets.

#include <mpx/tls.hpp>
#include <mpx/transport/tcp_streams.hpp>

#include "measure.hpp"

namespace {

using perf::few_tests;
using perf::over;
using streams =
    mpx::stack<mpx::transport::tcp_streams<4>, mpx::bootstrap::anywhere, mpx::tcp_protocol>;

const perf::offer offer(over<perf::overlap_tests, mpx::tcp_stack>("tcp"),
                        over<few_tests, mpx::tls_stack>("tls"),
                        over<few_tests, streams>("tcp_streams"),
                        over<perf::hosts_tests, mpx::cluster_stack>("cluster"));

}  // namespace
