// SPDX-License-Identifier: BSL-1.0
#pragma once
// The pair of byte streams between a rank and a peer, independent of the connection that carries
// them: the state that the writer and the reader share.

#include <cstddef>
#include <cstdint>

#include "mpx/core/memory.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/detail/replay.hpp"
#include "mpx/transport/tcp/outgoing.hpp"
#include "mpx/transport/tcp/reader.hpp"

namespace mpx::inline v0::transport::detail {

/// State of the connection to a peer.
enum class tcp_state : std::uint8_t {
  idle,      ///< No connection: none was tried, it broke, or an attempt failed and is repeated
             ///< later.
  greeting,  ///< This rank has connected, and the handshake runs.
  crossed,   ///< Both ranks have connected: this rank waits for the peer's attempt.
  securing,  ///< The handshake is done: the stream (TLS, further sockets) is being set up.
  resuming,  ///< The stream is up: this rank waits for the position at which the peer resumes.
  open,      ///< Packets pass.
  left,      ///< The peer has said goodbye: it is lost, and posts to it are discarded.
  lost,      ///< The peer cannot be reached any more.
  dropped,   ///< The caller has dropped the peer.
};

/// The two streams of one peer.
template <class Stream, replay_limits Limits = replay_limits{}>
struct tcp_line : mpx::detail::allocated {
  explicit tcp_line(peer_id p) noexcept : peer(p) {}
  peer_id peer;
  tcp_state state = tcp_state::idle;
  bool blocked = false;          // The kernel's buffer is full: the watch waits for room.
  bool listed = false;           // In `unsent_`.
  bool delivery_queued = false;  // In `deliveries_`.
  bool awaits_room = false;      // A post was refused for lack of room.
  bool write_failed = false;     // Nothing can be written any more; input is still read.
  bool loss_reported = false;    // The loss of the peer was reported.
  std::uint64_t written_at = 0;  // Value of `polls_` at the last write.
  std::uint64_t roomy_at = 0;    // Value of `room_epoch_` at which this link reported room again.
  std::size_t receipts = 0;      // Receipts sent since the count was last reset.
  std::uint64_t receipts_from = 0;  // The count is reset once the peer acknowledges this place.
  // Bytes to write with one system call: see tcp_packets_bytes.
  std::size_t whole_bytes = tcp_any_bytes;
  Stream socket;
  basic_tcp_reader<Limits> in;
  basic_replay_log<Limits> out;
};

/// Event counts of a rank's connections, for tests and tools.
struct tcp_counters {
  std::uint64_t calls = 0;      ///< Attempts to connect by this rank.
  std::uint64_t crossed = 0;    ///< Of these, given up in favour of the peer's attempt.
  std::uint64_t opened = 0;     ///< Connections that became open.
  std::uint64_t broken = 0;     ///< Connections that ended without a goodbye.
  std::uint64_t resent = 0;     ///< Packets sent again over the next connection.
  std::uint64_t writes = 0;     ///< Attempts to write, each by any number of calls.
  std::uint64_t referred = 0;   ///< Payloads that were queued by reference to the caller's memory.
  std::uint64_t copied = 0;     ///< Packets that were queued as a copy.
  std::uint64_t coalesced = 0;  ///< Queued packets that could have been written at once.
  std::uint64_t receipts = 0;   ///< Acknowledgements written.
  std::uint64_t looks = 0;      ///< Polls of all connections.
};

}  // namespace mpx::inline v0::transport::detail
