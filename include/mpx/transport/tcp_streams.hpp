// SPDX-License-Identifier: BSL-1.0
#pragma once
// Transport tcp with several sockets to each peer, for networks that one socket does not saturate.
// The sockets are spread over several interfaces if MPX_TCP_INTERFACE names them ("eth0,eth1").

#include "mpx/macros/begin.hpp"

#include "mpx/transport/tcp.hpp"
#include "mpx/transport/tcp/striped_stream.hpp"

namespace mpx::inline v0::transport {

/// A basic_tcp with `Lanes` sockets to each peer. A long message is spread over all of them.
template <unsigned Lanes, std::size_t PacketBytes = 256 * 1024, bool Pends = true,
          int KernelBytes = 0>
using tcp_streams = basic_tcp<PacketBytes, Pends, KernelBytes, detail::striped_stream<Lanes>>;

}  // namespace mpx::inline v0::transport

#include "mpx/macros/end.hpp"
