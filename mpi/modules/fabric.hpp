// SPDX-License-Identifier: BSL-1.0
#pragma once
// The stack `fabric` of the MPI library: shared memory within a host, libfabric between hosts.

#include "mpx/fabric.hpp"
#include "port_of.hpp"
#include "roomy_shm.hpp"
#include "tool_counters.hpp"

namespace mpx_mpi {

/// mpx::fabric_stack, with more room for windows, a thread level, and counters for tools.
template <class Threading>
using fabric_of = mpx::stack<
    mpx::transport::hybrid<roomy_shm, mpx::transport::rdma<mpx::nic::libfabric_between_hosts>>,
    mpx::bootstrap::anywhere, mpx::fabric_protocol, Threading, tool_counters>;

}  // namespace mpx_mpi
