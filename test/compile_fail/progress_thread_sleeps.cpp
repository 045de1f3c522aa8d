// expect: ProgressThreadSleeps
// SPDX-License-Identifier: BSL-1.0
#include "courier.hpp"

static_assert(mpx::Transport<courier> && !mpx::PollableTransport<courier>);

#ifdef MPX_CONTROL
using policy = mpx::progress::on_call;
#else
using policy = mpx::progress::thread;
#endif
using type = mpx::stack<courier, policy>::transport_type;
