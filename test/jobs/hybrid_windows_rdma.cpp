// SPDX-License-Identifier: BSL-1.0
// Windows of ranks on several pretended hosts, with a software card between them.

#include <mpx/mpx.hpp>
#include <mpx/protocol/near_far.hpp>
#include <mpx/rdma.hpp>
#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/rdma/via.hpp>

#include "jobs/windows.hpp"

namespace {

using stack =
    mpx::stack<mpx::transport::hybrid<mpx::transport::shm, mpx::transport::rdma<mpx::nic::via>>,
               mpx::protocol::near_far<mpx::protocol::tiny_short_long<>,
                                       mpx::protocol::tiny_short_long<40, 16 * 1024>>,
               mpx::progress::thread>;

}  // namespace

int main(int argc, char** argv) { return windows::main<stack>("hybrid_windows_rdma", argc, argv); }
