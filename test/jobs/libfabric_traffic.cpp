// SPDX-License-Identifier: BSL-1.0
// libraries: mpx::libfabric
// Victim of libfabric_kill9.test.py.

#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/libfabric.hpp>

#include "jobs/until_lost.hpp"

int main(int argc, char**) {
  return until_lost::main<mpx::rdma_stack<mpx::nic::libfabric>>("libfabric_traffic", argc);
}
