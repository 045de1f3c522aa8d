// SPDX-License-Identifier: BSL-1.0
#pragma once
// Forward declarations of the transports that mpx.hpp does not include, so that the error for a
// stack with one of them names the missing header.

#include <cstddef>

#include "mpx/config.hpp"

namespace mpx::inline v0::transport {

namespace detail {
class tcp_plain;
}

template <unsigned Seconds = 10>
struct tcp_heartbeat;

template <std::size_t PacketBytes = 1024 * 1024, bool Pends = true, int KernelBytes = 0,
          class Stream = detail::tcp_plain, class Heartbeat = tcp_heartbeat<>>
class basic_tcp;

/// Transport over sockets, with packets of the default size. Defined by mpx/transport/tcp.hpp.
using tcp = basic_tcp<>;

}  // namespace mpx::inline v0::transport
