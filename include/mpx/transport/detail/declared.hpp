// SPDX-License-Identifier: BSL-1.0
#pragma once
// Transports that mpx.hpp does not include, by name: so that a stack of one says which header it
// lacks.

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

/// Over sockets, with packets of the usual size. Defined by mpx/transport/tcp.hpp.
using tcp = basic_tcp<>;

}  // namespace mpx::inline v0::transport
