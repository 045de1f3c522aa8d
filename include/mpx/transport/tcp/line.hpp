// SPDX-License-Identifier: BSL-1.0
#pragma once
// The two streams between a rank and a peer, whatever carries them: what a writer and a reader have
// to know.

#include <cstddef>
#include <cstdint>

#include "mpx/core/memory.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/detail/replay.hpp"
#include "mpx/transport/tcp/outgoing.hpp"
#include "mpx/transport/tcp/reader.hpp"

namespace mpx::inline v0::transport::detail {

/// Where a connection to a peer stands.
enum class tcp_state : std::uint8_t {
  idle,      ///< There is none, or it broke, or an attempt failed: that is repeated later.
  greeting,  ///< This rank has called, and proves who it is.
  crossed,   ///< Both have called: the other one's attempt will be the connection.
  securing,  ///< There is a connection: its stream begins.
  resuming,  ///< The stream is there: the other end tells from where to go on.
  open,      ///< Packets pass.
  left,      ///< The peer has said goodbye: it is lost, and what is posted vanishes.
  lost,      ///< It cannot be reached any more.
  dropped,   ///< Nothing is wanted of it any more.
};

/// One peer's.
template <class Stream, replay_limits Limits = replay_limits{}>
struct tcp_line : mpx::detail::allocated {
  explicit tcp_line(peer_id p) noexcept : peer(p) {}
  peer_id peer;
  tcp_state state = tcp_state::idle;
  bool blocked = false;             // The kernel has no room: the watch tells when it has.
  bool listed = false;              // In `unsent_`.
  bool serving = false;             // In `serving_`.
  bool starved = false;             // A post was told `retry`.
  bool mute = false;                // Nothing can be written: what has come is still read.
  bool told = false;                // That it was lost.
  std::uint64_t written_at = 0;     // Which poll was the last before it was written to.
  std::uint64_t roomy_at = 0;       // Which news tell that there is room again.
  std::size_t receipts = 0;         // Of which the first has not come to notice,
  std::uint64_t receipts_from = 0;  // until this place in the stream is acknowledged.
  // To be written at once: see tcp_packets_bytes.
  std::size_t whole_bytes = tcp_any_bytes;
  Stream socket;
  basic_tcp_reader<Limits> in;
  basic_replay_log<Limits> out;
};

/// What has happened, for tests and tools.
struct tcp_counters {
  std::uint64_t calls = 0;      ///< Connections that this rank has tried to make.
  std::uint64_t crossed = 0;    ///< Of these, given up for the peer's own.
  std::uint64_t opened = 0;     ///< Connections that carry packets, now or earlier.
  std::uint64_t broken = 0;     ///< Of these, that have ended without a goodbye.
  std::uint64_t writes = 0;     ///< System calls that wrote packets.
  std::uint64_t referred = 0;   ///< Payloads that waited where the caller had them.
  std::uint64_t copied = 0;     ///< Packets that waited as a copy.
  std::uint64_t coalesced = 0;  ///< Of these, those that could have been written at once.
  std::uint64_t receipts = 0;   ///< Acknowledgements that were written.
  std::uint64_t looks = 0;      ///< Looks at all connections.
};

}  // namespace mpx::inline v0::transport::detail
