// SPDX-License-Identifier: BSL-1.0
// libraries: mpx::libfabric
// Victim of libfabric_kill9.test.py: the stack of clusters with a fabric.

#include <mpx/fabric.hpp>

#include "jobs/until_lost.hpp"

int main(int argc, char**) { return until_lost::main<mpx::fabric_stack>("libfabric_hosts", argc); }
