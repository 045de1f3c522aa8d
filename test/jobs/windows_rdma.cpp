// SPDX-License-Identifier: BSL-1.0
// The same over registered memory of cards.

#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>

#include "jobs/windows.hpp"

namespace {

using stack = mpx::stack<mpx::transport::rdma<mpx::nic::via>, mpx::rdma_protocol<mpx::nic::via>,
                         mpx::progress::thread>;

}  // namespace

int main(int argc, char** argv) { return windows::main<stack>("windows_rdma", argc, argv); }
