// SPDX-License-Identifier: BSL-1.0
#pragma once
// Programs of jobs share the engine of the default stack (in mpx_test_job_instances), but for those
// that are optimised, because they run for long.

#include <mpx/mpx.hpp>

#include "instances/instances.hpp"

#ifndef __OPTIMIZE__
MPX_TEST_INSTANCES(extern, mpx::stack<>)
#endif
