// SPDX-License-Identifier: BSL-1.0
#include "instances/job_tcp.hpp"

MPX_TEST_PACKETS(, mpx::tcp_stack)
template class mpx::environment<mpx::tcp_stack>;
