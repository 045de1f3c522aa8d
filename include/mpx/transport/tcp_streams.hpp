// SPDX-License-Identifier: BSL-1.0
#pragma once
// Transport tcp with several sockets to each peer, over several interfaces where
// MPX_TCP_INTERFACE names some ("eth0,eth1"): for networks that one socket does not fill.

#include "mpx/macros/begin.hpp"

#include "mpx/transport/tcp.hpp"
#include "mpx/transport/tcp/striped_stream.hpp"

namespace mpx::inline v0::transport {

/// `Lanes` sockets to each peer; long messages go over all of them.
template <unsigned Lanes, std::size_t PacketBytes = 256 * 1024, bool Pends = true,
          int KernelBytes = 0>
using tcp_streams = basic_tcp<PacketBytes, Pends, KernelBytes, detail::striped_stream<Lanes>>;

}  // namespace mpx::inline v0::transport

#include "mpx/macros/end.hpp"
