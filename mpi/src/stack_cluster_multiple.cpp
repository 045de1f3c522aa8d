// SPDX-License-Identifier: BSL-1.0
// Shared memory within a host and sockets between hosts, for any number of threads.
#include "mpx/cluster.hpp"
#include "port_of.hpp"
#include "roomy_shm.hpp"
#include "tool_counters.hpp"

namespace mpx_mpi {
using cluster_multiple =
    mpx::stack<mpx::transport::hybrid<roomy_shm, mpx::transport::tcp>, mpx::bootstrap::anywhere,
               mpx::protocol::near_far<mpx::protocol::tiny_short_long<>, mpx::tcp_protocol>,
               mpx::threading::multiple, tool_counters>;
std::unique_ptr<job_port> join_cluster_multiple() { return join_job<cluster_multiple>(); }
}  // namespace mpx_mpi
