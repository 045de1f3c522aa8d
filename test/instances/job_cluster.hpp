// SPDX-License-Identifier: BSL-1.0
#pragma once
// What job.hpp is for the default stack.

#include <mpx/cluster.hpp>

#include "instances/instances.hpp"

#ifndef __OPTIMIZE__
MPX_TEST_INSTANCES(extern, mpx::cluster_stack)
#endif
