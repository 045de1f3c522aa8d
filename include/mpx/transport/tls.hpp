// SPDX-License-Identifier: BSL-1.0
#pragma once
// The transport between hosts that are connected by a network which others can read or change:
// transport tcp, whose connections are encrypted. Needs what tcp does, and OpenSSL's libssl.

#include "mpx/macros/begin.hpp"

#include "mpx/transport/tcp.hpp"
#include "mpx/transport/tcp/tls_stream.hpp"

namespace mpx::inline v0::transport {

/// As basic_tcp, by TLS 1.3 with keys from the job's secret.
template <std::size_t PacketBytes = 256 * 1024, bool Pends = true, int KernelBytes = 0>
using basic_tls = basic_tcp<PacketBytes, Pends, KernelBytes, detail::tls_stream>;

/// Over sockets, encrypted, with packets of the usual size.
using tls = basic_tls<>;

}  // namespace mpx::inline v0::transport

#include "mpx/macros/end.hpp"
