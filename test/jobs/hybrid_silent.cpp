// SPDX-License-Identifier: BSL-1.0
// What hybrid_kill9.test.py kills before it has spoken to anybody.

#include <mpx/cluster.hpp>

#include "instances/job_cluster.hpp"
#include "jobs/silent.hpp"

int main() { silent::run<mpx::cluster_stack>("hybrid_silent"); }
