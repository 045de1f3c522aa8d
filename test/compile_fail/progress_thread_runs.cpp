// expect: ProgressThreadRuns
// SPDX-License-Identifier: BSL-1.0
#include <mpx/sim.hpp>

#ifdef MPX_CONTROL
using policy = mpx::progress::on_call;
#else
using policy = mpx::progress::thread;
#endif
using type = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, policy>::transport_type;
