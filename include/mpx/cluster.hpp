// SPDX-License-Identifier: BSL-1.0
#pragma once
// The roof for jobs on several hosts: mpx.hpp, and stacks for them. Needs the headers of Boost.Asio
// and libcrypto (CMake: mpx::tcp).

#include "mpx/macros/begin.hpp"

#include "mpx/bootstrap/anywhere.hpp"
#include "mpx/mpx.hpp"
#include "mpx/protocol/near_far.hpp"
#include "mpx/transport/hybrid.hpp"
#include "mpx/transport/tcp.hpp"

namespace mpx::inline v0 {

/// How messages travel over sockets. A system call costs as much as the copy of tens of kilobytes,
/// and a question to the receiver several microseconds: they are sent at once up to 128 KiB, and
/// long ones in pieces of 1 MiB. (Each piece ends in a segment of a few bytes, and a receipt.)
using tcp_protocol = protocol::tiny_short_long<40, 128 * 1024, long_path::automatic, 1024 * 1024>;

/// Sockets between all ranks, which join on any number of hosts. Other policies:
/// `mpx::stack<mpx::transport::tcp, mpx::bootstrap::anywhere, ...>`.
using tcp_stack = stack<transport::tcp, bootstrap::anywhere, tcp_protocol>;

/// Shared memory between the ranks of a host, sockets between hosts: the stack for a cluster. Who
/// shares a host is found when the ranks join. Other policies:
/// `mpx::stack<mpx::transport::hybrid<mpx::transport::shm, mpx::transport::tcp>,
/// mpx::bootstrap::anywhere, ...>`.
using cluster_stack = stack<transport::hybrid<transport::shm, transport::tcp>, bootstrap::anywhere,
                            protocol::near_far<protocol::tiny_short_long<>, tcp_protocol>>;

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
