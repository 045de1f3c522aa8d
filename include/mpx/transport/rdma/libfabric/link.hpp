// SPDX-License-Identifier: BSL-1.0
#pragma once
// The messages between cards over libfabric, and the state that a card keeps of one peer.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/memory.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/rdma/detail/nic_queues.hpp"
#include "mpx/transport/rdma/libfabric/calls.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic::detail {

/// Size of a message buffer, the limit of a message.
inline constexpr std::size_t fabric_buffer_bytes = 4096;

enum class fabric_word : std::uint16_t {
  begin,    ///< The sender is willing to connect; payload: its connect data.
  end,      ///< The sender ends the connection; `immediate`: the nic_status.
  send,     ///< A send: it uses a receive.
  arrival,  ///< An immediate; a payload belongs to `address`.
  write,    ///< A payload for `address`, without an event.
};

/// Remote CQ data of a write, 8 bytes: an arrival.
struct fabric_note {
  static constexpr peer_id sources_max = 1u << 24;
  static constexpr std::uint64_t pack(std::uint32_t job, std::uint32_t source,
                                      std::uint32_t immediate) noexcept {
    return std::uint64_t{job & 0xff} << 56 | std::uint64_t{source} << 32 | immediate;
  }
  static constexpr bool is_of(std::uint32_t job, std::uint64_t note) noexcept {
    return note >> 56 == (job & 0xff);
  }
  static constexpr peer_id source(std::uint64_t note) noexcept {
    return static_cast<peer_id>(note >> 32 & (sources_max - 1));
  }
  static constexpr std::uint32_t immediate(std::uint64_t note) noexcept {
    return static_cast<std::uint32_t>(note);
  }
};

/// Header of a message.
struct fabric_head {
  std::uint32_t job = 0;  ///< Distinguishes this job from others that reach this endpoint.
  fabric_word what = fabric_word::begin;
  std::uint16_t spare = 0;
  std::uint32_t source = 0;
  std::uint32_t immediate = 0;
  std::uint64_t address = 0;
  std::uint64_t key = 0;
};
static_assert(sizeof(fabric_head) == 32);

/// True if the error means that the peer has refused the access; otherwise it is unreachable.
constexpr bool is_refusal(int e) noexcept {
  return e == FI_EACCES || e == FI_EPERM || e == FI_EFAULT || e == FI_EINVAL || e == FI_EIO ||
         e == FI_ENOKEY || e == FI_EKEYREJECTED;
}

/// Context memory that libfabric needs with each operation; operations begin with it.
struct fabric_slot {
  enum class kind_of : std::uint8_t { receive, send, access };
  ::fi_context2 context{};
  kind_of kind = kind_of::receive;
};
struct fabric_link;
/// A message buffer, for sending or receiving.
struct fabric_message_slot : fabric_slot {
  std::byte* data = nullptr;
  fabric_message_slot* next = nullptr;  ///< Next on a list.
  fabric_link* to = nullptr;
};
/// A post: a remote write or read, if it is one by remote access, followed by a message, if there
/// is one. One remote write may do both.
struct fabric_order {
  fabric_head head;                   ///< Of the message; its address is for `said`.
  std::span<const std::byte> said{};  ///< Payload of the message.
  void* said_descriptor = nullptr;
  std::span<const std::byte> moved{};  ///< Memory to be written or read
  void* moved_descriptor = nullptr;
  remote_memory there{};  ///< to or from this memory of the peer.
  cookie_t cookie = 0;
  bool reads = false;   ///< A read, or an atomic access
  bool atomic = false;  ///< that is this:
  atomic_access access{};
  bool placed = false;  ///< It completes once the data is in place.

  bool accesses() const noexcept { return !moved.empty(); }
};
/// A post that has not ended.
struct fabric_work : fabric_slot {
  fabric_link* of = nullptr;
  fabric_order order;
  fabric_message_slot* operands = nullptr;  ///< Of an atomic access at the provider.
  bool tells = false;                       ///< Its message has not been sent.
  bool counted = false;                     ///< It counts in fabric_link::untold.
  bool accessed = false;                    ///< Its access has ended.
  nic_status status = nic_status::ok;
};

/// State of the link to one peer.
struct fabric_link : mpx::detail::allocated {
  static constexpr std::uint32_t depth = 64;

  fabric_link(peer_id other, ::fi_addr_t there) noexcept : peer(other), address(there) {
    for (fabric_work& w : work) w.of = this;
    for (fabric_work& w : work) w.kind = fabric_slot::kind_of::access;
  }

  peer_id peer;
  ::fi_addr_t address;
  session stage;
  bool up = false;      ///< Copy of stage.connected(), for the fast path.
  bool busy = false;    ///< On the list of links with something to send.
  bool cut = false;     ///< The provider cannot reach the peer.
  bool gone = false;    ///< The peer has died or left; its messages may still arrive.
  bool dead = false;    ///< The end of the peer was handled.
  bool silent = false;  ///< Nothing is sent any more: a dead peer may hold a lock in its memory.

  queue<receive_descriptor> receives;
  fabric_work work[depth];
  std::uint32_t first = 0;        ///< Number of the oldest work.
  std::uint32_t issued = 0;       ///< Number of the first work not given to the provider.
  std::uint32_t posted = 0;       ///< Number of the next post.
  std::uint32_t untold = 0;       ///< Issued works whose message has to wait.
  std::uint32_t outstanding = 0;  ///< Writes and reads pending at the provider.
  std::uint32_t reading = 0;      ///< Of these, reads.
  std::uint32_t guess = 0;        ///< Entry of the region that the peer wrote last.

  bool left = false;          ///< The peer has ended the last connection.
  std::uint32_t sending = 0;  ///< Messages whose completion is pending.
  bool owes_begin = false;
  std::size_t my_data_bytes = 0;
  std::byte my_data[nic_connect_bytes_max]{};
  bool owes_end = false;
  nic_status end_status = nic_status::ok;
  bool untold_end = false;   ///< The end is reported once no read writes local memory.
  std::int64_t tell_at = 0;  ///< If the peer is lost: latest time of that report.

  int lifeline = -1;      ///< See liveness_connections.hpp.
  bool had_line = false;  ///< A lifeline was begun or attempted.
  std::int64_t ends_at =
      0;  ///< Deadline for the messages of a peer that left or whose lifeline broke.

  fabric_work& at(std::uint32_t number) noexcept { return work[number % depth]; }
  bool idle() const noexcept { return first == posted; }
  /// If the provider keeps order: true if a message may be sent now, behind pending work.
  bool may_tell() const noexcept { return issued == posted && untold == 0; }
};

}  // namespace mpx::inline v0::nic::detail
