// SPDX-License-Identifier: BSL-1.0
#include "sim/stacks.hpp"

MPX_TEST_ENGINE(, sim_stacks::multiple)
