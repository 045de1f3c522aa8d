// SPDX-License-Identifier: BSL-1.0
#pragma once
// The state that a rank keeps of one peer that it reaches over sockets.

#include <cstdint>
#include <optional>

#include "mpx/transport/tcp/directory.hpp"
#include "mpx/transport/tcp/handshake.hpp"
#include "mpx/transport/tcp/line.hpp"
#include "mpx/transport/tcp/stream.hpp"

namespace mpx::inline v0::transport::detail {

/// A peer to which this rank has, makes or awaits a connection.
template <TcpStream Stream>
struct tcp_link : tcp_line<Stream> {
  using tcp_line<Stream>::tcp_line;
  std::optional<tcp_connecting_handshake> call;
  tcp_incoming<tcp_resume> greeting;  // The peer's resume message.
  bool met = false;                   // The peer has sent its token once.
  tcp_bytes32 token{};
  tcp_search search;            // For an address at which the peer answers.
  unsigned calls = 0;           // Failed attempts since the connection was last open.
  std::int64_t due_ns = 0;      // Deadline of the current step. 0: none.
  std::int64_t lost_at_ns = 0;  // The peer is lost unless open by then. 0: open or never tried.
};

}  // namespace mpx::inline v0::transport::detail
