// SPDX-License-Identifier: BSL-1.0
#pragma once
// For jobs on several hosts whose network can be read by others: cluster.hpp, and its stacks with
// encrypted connections. Needs the headers of Boost.Asio, libcrypto and libssl (CMake: mpx::tls).

#include "mpx/macros/begin.hpp"

#include "mpx/cluster.hpp"
#include "mpx/transport/tls.hpp"

namespace mpx::inline v0 {

/// tcp_stack with encrypted connections between all ranks.
using tls_stack = stack<transport::tls, bootstrap::anywhere, tcp_protocol>;

/// cluster_stack with encrypted connections between hosts.
using tls_cluster_stack =
    stack<transport::hybrid<transport::shm, transport::tls>, bootstrap::anywhere,
          protocol::near_far<protocol::tiny_short_long<>, tcp_protocol>>;

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
