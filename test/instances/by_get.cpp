// SPDX-License-Identifier: BSL-1.0
// release: tsan
#include "comm/ranks.hpp"

MPX_TEST_INSTANCES(, ranks::by_get)
