// SPDX-License-Identifier: BSL-1.0
#pragma once
// Transport tcp over TLS 1.3, for networks where third parties can read or change packets. Needs
// what tcp needs, and OpenSSL's libssl.

#include "mpx/macros/begin.hpp"

#include "mpx/transport/tcp.hpp"
#include "mpx/transport/tcp/tls_stream.hpp"

namespace mpx::inline v0::transport {

/// A basic_tcp whose connections are encrypted by TLS 1.3, with keys derived from the job's secret.
template <std::size_t PacketBytes = 256 * 1024, bool Pends = true, int KernelBytes = 0>
using basic_tls = basic_tcp<PacketBytes, Pends, KernelBytes, detail::tls_stream>;

/// Encrypted sockets, with the default packet size.
using tls = basic_tls<>;

}  // namespace mpx::inline v0::transport

#include "mpx/macros/end.hpp"
