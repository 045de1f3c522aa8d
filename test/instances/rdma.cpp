// SPDX-License-Identifier: BSL-1.0
#include "comm/ranks.hpp"

MPX_TEST_INSTANCES(, ranks::rdma)
