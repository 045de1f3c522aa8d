// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank knows of one peer that it has to do with over sockets.

#include <cstdint>
#include <optional>

#include "mpx/transport/tcp/directory.hpp"
#include "mpx/transport/tcp/handshake.hpp"
#include "mpx/transport/tcp/line.hpp"
#include "mpx/transport/tcp/stream.hpp"

namespace mpx::inline v0::transport::detail {

/// One peer that this rank has to do with.
template <TcpStream Stream>
struct tcp_link : tcp_line<Stream> {
  using tcp_line<Stream>::tcp_line;
  std::optional<tcp_connector> call;
  tcp_incoming<tcp_resume> greeting;  // Of the one that resumes.
  bool met = false;                   // The peer has told its token.
  tcp_bytes32 token{};
  tcp_search search;            // For an address of the peer that answers.
  unsigned calls = 0;           // That have failed, since it was open.
  std::int64_t due_ns = 0;      // When the clock has a say in it; 0: it has none.
  std::int64_t lost_at_ns = 0;  // Unless it is open by then. 0: it is open, or nothing tried.
};

}  // namespace mpx::inline v0::transport::detail
