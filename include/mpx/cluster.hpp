// SPDX-License-Identifier: BSL-1.0
#pragma once
// The roof for jobs on several hosts: mpx.hpp, and the stack whose packets travel over TCP. Needs
// the headers of Boost.Asio and libcrypto (CMake: mpx::tcp).

#include "mpx/bootstrap/anywhere.hpp"
#include "mpx/mpx.hpp"
#include "mpx/transport/tcp.hpp"

namespace mpx::inline v0 {

/// Sockets between all ranks. A system call costs as much as the copy of tens of kilobytes, and a
/// question to the receiver several microseconds: messages are sent at once up to 128 KiB, and long
/// ones in pieces of 256 KiB. Ranks join on any number of hosts. Other policies:
/// `mpx::stack<mpx::transport::tcp, mpx::bootstrap::anywhere, ...>`.
using tcp_stack =
    stack<transport::tcp, bootstrap::anywhere,
          protocol::tiny_short_long<40, 128 * 1024, long_path::automatic, 256 * 1024>>;

}  // namespace mpx::inline v0
