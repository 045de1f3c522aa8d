// SPDX-License-Identifier: BSL-1.0
#pragma once
// One end of a connection between software cards: its descriptors, and the packets that the two
// cards exchange over the wire below.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/atomic_access.hpp"
#include "mpx/core/frame.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/transport/rdma/detail/nic_queues.hpp"
#include "mpx/transport/rdma/detail/via_memory.hpp"

namespace mpx::inline v0::nic::detail {

/// Kind of a packet: word 0 of its header.
enum class via_packet : std::uint32_t {
  begin = 1,  ///< This side is willing to connect; payload: a greeting.
  end,        ///< Word 1: the nic_status.
  arrival,    ///< An immediate, word 1. Data written before it is in place.
  send,       ///< Word 1: the immediate; payload: the data.
  write,      ///< Word 1: the immediate; payload: a staged_write and its first data.
  more,       ///< Payload: further data of the write.
  ack,        ///< A staged write or access has ended. Word 1: the nic_status; payload: the previous
              ///< value of an atomic access that went well.
  atomic,     ///< Payload: a staged_access, which the target's card carries out.
};

/// An atomic access to memory that the origin does not share.
struct staged_access {
  std::uint64_t key;
  std::uint64_t address;
  std::uint64_t operand;
  std::uint64_t comparand;
  std::uint32_t bytes;
  std::uint32_t operation;
};

/// Header of a staged write, whose data is copied twice: into the wire's packets, and by the
/// target's card.
struct staged_write {
  std::uint64_t key;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t has_immediate;
};

/// Description of a side, sent in its begin packet.
struct greeting {
  std::uint64_t table;          ///< Name of the block with its shared registrations.
  std::uint64_t marks;          ///< Name of the block with its marks.
  remote_memory whole;          ///< All of its private memory, for copies by the kernel.
  std::uint32_t regions;        ///< Entries of the table.
  std::uint32_t tag;            ///< Of this connection.
  std::uint32_t receive_depth;  ///< Must be equal at both ends.
  std::uint32_t data_bytes;
  std::byte data[nic_connect_bytes_max];
};

/// The end of a staged write or access, to be reported to its origin.
struct staged_end {
  nic_status status = nic_status::ok;
  std::uint32_t value_bytes = 0;  ///< Of an atomic access: size of the word, else 0.
  std::uint64_t value = 0;        ///< Its previous value, as it lies in memory.
};

/// A descriptor of a send queue. The card sets `done` when it has ended; descriptors leave the
/// queue in order.
struct send_descriptor {
  const std::byte* from = nullptr;  ///< Of an atomic access: where the previous value goes.
  std::uint64_t bytes = 0;
  std::uint64_t sent = 0;     ///< Of a staged write: bytes sent.
  std::uint64_t address = 0;  ///< At the peer.
  std::uint64_t key = 0;
  cookie_t cookie = 0;
  std::uint32_t immediate = 0;
  bool sends = false;          ///< A send, not a write.
  bool has_immediate = false;  ///< Of a write.
  bool in_place = false;       ///< The data is in place; the packet that says so is not sent yet.
  bool done = false;
  bool atomic = false;  ///< An atomic access, not a write.
  nic_status status = nic_status::ok;
  atomic_access access{};

  std::span<std::byte> into() const noexcept {
    return {const_cast<std::byte*>(from), static_cast<std::size_t>(bytes)};
  }
};

/// One end of a connection.
struct via_link : mpx::detail::allocated {
  explicit via_link(peer_id other) noexcept : peer(other) {}

  peer_id peer;
  session stage;
  bool up = false;      ///< Posts are allowed.
  bool hears = false;   ///< Copy of stage.connected(), for the fast path.
  bool busy = false;    ///< On the list of links with something to send.
  bool kernel = false;  ///< The kernel copies to the peer.
  bool cut = false;     ///< The wire does not reach the peer.
  bool gone = false;    ///< The peer has died or left; its packets may still be on the wire.
  bool dead = false;    ///< The peer's process or thread accesses nothing any more.
  /// Nonzero if the peer has taken memory back, as it does when it leaves: its packets are taken
  /// before the connection breaks. Counts the polls since then.
  std::uint32_t breaks = 0;
  std::uint32_t tag = 0;
  std::uint32_t their_tag = 0;

  queue<receive_descriptor> receives;
  queue<send_descriptor> sends;
  std::size_t issued = 0;  ///< The first descriptors of `sends` that were issued and are not done.

  /// The staged write that is being received.
  struct {
    bool under_way = false;
    nic_status status = nic_status::ok;
    remote_memory to{};
    std::uint64_t left = 0;
    bool has_immediate = false;
    std::uint32_t immediate = 0;
  } incoming;

  // Packets that wait for room on the wire, in this order.
  bool owes_begin = false;
  std::size_t my_data_bytes = 0;
  std::byte my_data[nic_connect_bytes_max]{};
  queue<staged_end> acks;
  bool owes_end = false;
  nic_status end_status = nic_status::ok;

  // The peer's greeting.
  const shared_region* table = nullptr;
  std::uint32_t regions = 0;
  const copy_mark* their_mark = nullptr;  ///< Entry here that the peer copies to.
  copy_mark* my_mark = nullptr;           ///< Entry there that this side copies to.
  remote_memory whole{};
  remote_memory my_whole{};

  bool owes() const noexcept {
    return owes_begin || owes_end || breaks != 0 || !acks.empty() || issued != sends.size();
  }
};

}  // namespace mpx::inline v0::nic::detail
