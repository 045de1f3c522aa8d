// SPDX-License-Identifier: BSL-1.0
#pragma once
// What job.hpp is for the default stack.

#include <mpx/cluster.hpp>

#include "instances/instances.hpp"

#ifndef __OPTIMIZE__
MPX_TEST_PACKETS(extern, mpx::tcp_stack)
extern template class mpx::environment<mpx::tcp_stack>;
#endif
