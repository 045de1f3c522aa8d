// SPDX-License-Identifier: BSL-1.0
#pragma once
// Instances of the stack over TCP, as job.hpp has those of the default stack.

#include <mpx/cluster.hpp>

#include "instances/instances.hpp"

#ifndef __OPTIMIZE__
MPX_TEST_PACKETS(extern, mpx::tcp_stack)
extern template class mpx::environment<mpx::tcp_stack>;
#endif
