// SPDX-License-Identifier: BSL-1.0
// Shared memory within a host and sockets between hosts, for one thread at a time.
#include "mpx/cluster.hpp"
#include "port_of.hpp"
#include "roomy_shm.hpp"
#include "tool_counters.hpp"

namespace mpx_mpi {
using cluster_serialized =
    mpx::stack<mpx::transport::hybrid<roomy_shm, mpx::transport::tcp>, mpx::bootstrap::anywhere,
               mpx::protocol::near_far<mpx::protocol::tiny_short_long<>, mpx::tcp_protocol>,
               mpx::threading::serialized, tool_counters>;
std::unique_ptr<job_port> join_cluster() { return join_job<cluster_serialized>(); }
}  // namespace mpx_mpi
