// SPDX-License-Identifier: BSL-1.0
// Victim of hybrid_kill9.test.py, killed before it has sent a message.

#include <mpx/cluster.hpp>

#include "instances/job_cluster.hpp"
#include "jobs/silent.hpp"

int main() { silent::run<mpx::cluster_stack>("hybrid_silent"); }
