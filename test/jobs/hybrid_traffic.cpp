// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Victim of hybrid_kill9.test.py: only the transport reports deaths.

#include <mpx/cluster.hpp>

#include "instances/job_cluster.hpp"
#include "jobs/until_lost.hpp"

int main(int argc, char**) { return until_lost::main<mpx::cluster_stack>("hybrid_traffic", argc); }
