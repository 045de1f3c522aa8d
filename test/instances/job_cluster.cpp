// SPDX-License-Identifier: BSL-1.0
#include "instances/job_cluster.hpp"

MPX_TEST_INSTANCES(, mpx::cluster_stack)
