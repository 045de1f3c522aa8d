// SPDX-License-Identifier: BSL-1.0
#include "instances/job.hpp"

MPX_TEST_INSTANCES(, mpx::stack<>)
