// SPDX-License-Identifier: BSL-1.0
// libraries: mpx::libfabric
// Victim of libfabric_silent.test.py, in a job whose bootstrap does not know the state of ranks:
// killed in the middle of its messages if there is an argument, else before it has sent one.

#include <mpx/bootstrap/anywhere.hpp>
#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/libfabric.hpp>

#include "jobs/silent.hpp"
#include "jobs/until_lost.hpp"

int main(int argc, char**) {
  using card = mpx::nic::libfabric;
  using stack =
      mpx::stack<mpx::transport::rdma<card>, mpx::bootstrap::anywhere, mpx::rdma_protocol<card>>;
  static_assert(!mpx::LivenessBootstrap<stack::bootstrap_type>);
  if (argc > 1) return until_lost::main<stack>("libfabric_silent", 1);
  silent::run<stack>("libfabric_silent");
}
