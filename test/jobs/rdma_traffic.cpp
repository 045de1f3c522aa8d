// SPDX-License-Identifier: BSL-1.0
// Victim of rdma_kill9.test.py.

#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>

#include "jobs/until_lost.hpp"

int main(int argc, char**) {
  return until_lost::main<mpx::rdma_stack<mpx::nic::via>>("rdma_traffic", argc);
}
