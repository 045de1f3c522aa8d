// SPDX-License-Identifier: BSL-1.0
#pragma once
// One end of a connection between cards in software: its descriptors, and the packets that pass
// between the two over the wire below.

#include <cstddef>
#include <cstdint>

#include "mpx/core/frame.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/transport/rdma/detail/nic_queues.hpp"
#include "mpx/transport/rdma/detail/via_memory.hpp"

namespace mpx::inline v0::nic::detail {

/// What a packet is. Word 0 of its header.
enum class via_packet : std::uint32_t {
  begin = 1,  ///< This side is willing; payload: a greeting.
  end,        ///< Word 1: the nic_status.
  arrival,    ///< An immediate, word 1. What was written before it is in place.
  send,       ///< Word 1: the immediate; payload: the data.
  write,      ///< Word 1: the immediate; payload: a staged_write and the first of its data.
  more,       ///< Payload: the next of its data.
  ack,        ///< A staged write has ended. Word 1: the nic_status.
};

/// What is staged is copied twice: through the wire's packets, and by the card of the target.
struct staged_write {
  std::uint64_t key;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t has_immediate;
};

/// What each side says of itself when it is willing.
struct greeting {
  std::uint64_t table;          ///< Its shared registrations: the name of a block.
  std::uint64_t marks;          ///< Its marks: likewise.
  remote_memory whole;          ///< All of its private memory, for copies by the kernel.
  std::uint32_t regions;        ///< Entries of the table.
  std::uint32_t tag;            ///< Of this connection.
  std::uint32_t receive_depth;  ///< Both ends must be of one kind.
  std::uint32_t data_bytes;
  std::byte data[nic_connect_bytes_max];
};

/// A descriptor of a send queue. `done` is set by the card when it has ended; descriptors leave the
/// queue in order.
struct send_descriptor {
  const std::byte* from = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t sent = 0;     ///< Of a staged write: what has left.
  std::uint64_t address = 0;  ///< There.
  std::uint64_t key = 0;
  cookie_t cookie = 0;
  std::uint32_t immediate = 0;
  bool sends = false;          ///< A send, no write.
  bool has_immediate = false;  ///< Of a write.
  bool in_place = false;       ///< The data is; what is left is to say so.
  bool done = false;
  nic_status status = nic_status::ok;
};

/// One end.
struct via_link : mpx::detail::allocated {
  explicit via_link(peer_id other) noexcept : peer(other) {}

  peer_id peer;
  session stage;
  bool up = false;      ///< One may post.
  bool hears = false;   ///< stage.connected(), at hand.
  bool busy = false;    ///< On the list of those that have something to send.
  bool kernel = false;  ///< The kernel copies to the peer.
  bool cut = false;     ///< The wire does not reach the peer.
  bool gone = false;    ///< The peer has died or left; what it has sent may still be on the wire.
  bool dead = false;    ///< The peer's process or thread touches nothing any more.
  /// The peer has taken memory back, as it does when it leaves: it is heard out. The polls so far.
  std::uint32_t breaks = 0;
  std::uint32_t tag = 0;
  std::uint32_t their_tag = 0;

  queue<receive_descriptor> receives;
  queue<send_descriptor> sends;
  std::size_t issued = 0;  ///< The first so many of them have left, and are not done.

  /// A staged write that is coming in.
  struct {
    bool under_way = false;
    nic_status status = nic_status::ok;
    remote_memory to{};
    std::uint64_t left = 0;
    bool has_immediate = false;
    std::uint32_t immediate = 0;
  } incoming;

  // What waits for room on the wire, in this order.
  bool owes_begin = false;
  std::size_t my_data_bytes = 0;
  std::byte my_data[nic_connect_bytes_max]{};
  queue<nic_status> acks;
  bool owes_end = false;
  nic_status end_status = nic_status::ok;

  // What the peer has said.
  const shared_region* table = nullptr;
  std::uint32_t regions = 0;
  const copy_mark* their_mark = nullptr;  ///< What it copies to here.
  copy_mark* my_mark = nullptr;           ///< What this one copies to there.
  remote_memory whole{};
  remote_memory my_whole{};

  bool owes() const noexcept {
    return owes_begin || owes_end || breaks != 0 || !acks.empty() || issued != sends.size();
  }
};

}  // namespace mpx::inline v0::nic::detail
