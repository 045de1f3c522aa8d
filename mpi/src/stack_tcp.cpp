// SPDX-License-Identifier: BSL-1.0
// Sockets between all ranks, for one thread at a time and for any number.
#include "mpx/cluster.hpp"
#include "port_of.hpp"
#include "tool_counters.hpp"

namespace mpx_mpi {
using tcp_serialized = mpx::stack<mpx::transport::tcp, mpx::bootstrap::anywhere, mpx::tcp_protocol,
                                  mpx::threading::serialized, tool_counters>;
using tcp_multiple = mpx::stack<mpx::transport::tcp, mpx::bootstrap::anywhere, mpx::tcp_protocol,
                                mpx::threading::multiple, tool_counters>;
std::unique_ptr<job_port> join_tcp() { return join_job<tcp_serialized>(); }
std::unique_ptr<job_port> join_tcp_multiple() { return join_job<tcp_multiple>(); }
}  // namespace mpx_mpi
