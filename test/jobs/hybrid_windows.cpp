// SPDX-License-Identifier: BSL-1.0
// The same of ranks on several pretended hosts: some memory is shared, some is not.

#include <mpx/cluster.hpp>

#include "jobs/windows.hpp"

namespace {

using stack =
    mpx::stack<mpx::transport::hybrid<mpx::transport::shm, mpx::transport::tcp>,
               mpx::bootstrap::anywhere,
               mpx::protocol::near_far<mpx::protocol::tiny_short_long<>, mpx::tcp_protocol>,
               mpx::threading::multiple>;

}  // namespace

int main(int argc, char** argv) { return windows::main<stack>("hybrid_windows", argc, argv); }
