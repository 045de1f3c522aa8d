// SPDX-License-Identifier: BSL-1.0
#pragma once
// For jobs on several hosts: mpx.hpp, and stacks for clusters. Needs the headers of Boost.Asio and
// libcrypto (CMake: mpx::tcp).

#include "mpx/macros/begin.hpp"

#include "mpx/bootstrap/anywhere.hpp"
#include "mpx/mpx.hpp"
#include "mpx/protocol/near_far.hpp"
#include "mpx/transport/hybrid.hpp"
#include "mpx/transport/tcp.hpp"

namespace mpx::inline v0 {

/// Protocol over sockets. A system call costs as much as the copy of tens of kilobytes, and a round
/// trip to the receiver several microseconds. Therefore messages are eager up to 128 KiB, and long
/// ones move in fragments of 1 MiB. (Each fragment ends in a segment of a few bytes, and is
/// acknowledged.)
using tcp_protocol = protocol::tiny_short_long<40, 128 * 1024, long_path::automatic, 1024 * 1024>;

/// Sockets between all ranks, which join from any number of hosts. Other policies:
/// `mpx::stack<mpx::transport::tcp, mpx::bootstrap::anywhere, ...>`.
using tcp_stack = stack<transport::tcp, bootstrap::anywhere, tcp_protocol>;

/// Stack for a cluster: shared memory between the ranks of a host, sockets between hosts. Ranks
/// that share a host find each other when they join. Other policies:
/// `mpx::stack<mpx::transport::hybrid<mpx::transport::shm, mpx::transport::tcp>,
/// mpx::bootstrap::anywhere, ...>`.
using cluster_stack = stack<transport::hybrid<transport::shm, transport::tcp>, bootstrap::anywhere,
                            protocol::near_far<protocol::tiny_short_long<>, tcp_protocol>>;

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
