// SPDX-License-Identifier: BSL-1.0
// Victim of hybrid_kill9.test.py: shared memory within hosts, a software card between them.

#include <mpx/mpx.hpp>
#include <mpx/protocol/near_far.hpp>
#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>

#include "jobs/until_lost.hpp"

namespace {

using stack =
    mpx::stack<mpx::transport::hybrid<mpx::transport::shm, mpx::transport::rdma<mpx::nic::via>>,
               mpx::protocol::near_far<mpx::protocol::tiny_short_long<>,
                                       mpx::protocol::tiny_short_long<40, 16 * 1024>>>;

}  // namespace

int main(int argc, char**) { return until_lost::main<stack>("hybrid_traffic_rdma", argc); }
