// SPDX-License-Identifier: BSL-1.0
#pragma once
// Instances of the stack of cluster jobs, as job.hpp has those of the default stack.

#include <mpx/cluster.hpp>

#include "instances/instances.hpp"

#ifndef __OPTIMIZE__
MPX_TEST_INSTANCES(extern, mpx::cluster_stack)
#endif
