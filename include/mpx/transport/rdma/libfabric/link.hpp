// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a card over libfabric says to its peers, and what it keeps of one.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/memory.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/rdma/detail/nic_queues.hpp"
#include "mpx/transport/rdma/libfabric/calls.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic::detail {

/// Messages are of one buffer at most.
inline constexpr std::size_t fabric_buffer_bytes = 4096;

enum class fabric_word : std::uint16_t {
  begin,    ///< The sender is willing; the payload is what it connects with.
  end,      ///< And is not any more; `immediate` says why.
  send,     ///< For a receive.
  arrival,  ///< An immediate; a payload belongs to `address`.
  write,    ///< A payload for `address`, and nobody is told.
};

/// What a write carries to the queue of its peer: an arrival, as 8 bytes.
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

/// What a message begins with.
struct fabric_head {
  std::uint32_t job = 0;  ///< Who else gets to this endpoint has another one.
  fabric_word what = fabric_word::begin;
  std::uint16_t spare = 0;
  std::uint32_t source = 0;
  std::uint32_t immediate = 0;
  std::uint64_t address = 0;
  std::uint64_t key = 0;
};
static_assert(sizeof(fabric_head) == 32);

/// What a peer's end of a write says of the peer: it refused it, or is not there.
constexpr bool is_refusal(int e) noexcept {
  return e == FI_EACCES || e == FI_EPERM || e == FI_EFAULT || e == FI_EINVAL || e == FI_EIO ||
         e == FI_ENOKEY || e == FI_EKEYREJECTED;
}

/// libfabric wants memory of its own with each operation: these begin with it.
struct fabric_slot {
  enum class kind_of : std::uint8_t { receive, send, access };
  ::fi_context2 context{};
  kind_of kind = kind_of::receive;
};
struct fabric_link;
/// A buffer with a message, to or from a peer.
struct fabric_message_slot : fabric_slot {
  std::byte* data = nullptr;
  fabric_message_slot* next = nullptr;  ///< Free ones.
  fabric_link* to = nullptr;
};
/// What is posted. First a write or read, if it is one by remote access; then a message, if there
/// is one. They may be one write.
struct fabric_order {
  fabric_head head;                   ///< Of its message; the address is that of `said`.
  std::span<const std::byte> said{};  ///< The message's payload,
  void* said_descriptor = nullptr;
  std::span<const std::byte> moved{};  ///< and what is written or read,
  void* moved_descriptor = nullptr;
  remote_memory there{};  ///< at that place of the peer's.
  cookie_t cookie = 0;
  bool reads = false;
  bool placed = false;  ///< It ends when the data is in place.

  bool accesses() const noexcept { return !moved.empty(); }
};
/// Of that, what has not ended.
struct fabric_work : fabric_slot {
  fabric_link* of = nullptr;
  fabric_order order;
  bool tells = false;     ///< Its message has yet to leave,
  bool counted = false;   ///< and waits for what is before it.
  bool accessed = false;  ///< Its access has ended.
  nic_status status = nic_status::ok;
};

/// A peer.
struct fabric_link : mpx::detail::allocated {
  static constexpr std::uint32_t depth = 64;

  fabric_link(peer_id other, ::fi_addr_t there) noexcept : peer(other), address(there) {
    for (fabric_work& w : work) w.of = this;
    for (fabric_work& w : work) w.kind = fabric_slot::kind_of::access;
  }

  peer_id peer;
  ::fi_addr_t address;
  session stage;
  bool up = false;      ///< stage.connected(), at hand.
  bool busy = false;    ///< On the list of those that have something to send.
  bool cut = false;     ///< The provider does not reach the peer.
  bool gone = false;    ///< It has died or left; what it has sent may be on its way.
  bool dead = false;    ///< And that has been seen to.
  bool silent = false;  ///< Nothing goes there any more: a dead peer may hold a lock in its memory.

  queue<receive_descriptor> receives;
  fabric_work work[depth];
  std::uint32_t first = 0;        ///< Numbers of work: the oldest,
  std::uint32_t issued = 0;       ///< the first that the provider has not,
  std::uint32_t posted = 0;       ///< and the next.
  std::uint32_t untold = 0;       ///< Of those, how many have a message that waits.
  std::uint32_t outstanding = 0;  ///< Writes and reads that the provider has.
  std::uint32_t reading = 0;      ///< The reads among them.
  std::uint32_t guess = 0;        ///< Where the region was that the peer wrote last.

  bool left = false;          ///< The peer has ended the last connection: it wants nothing more.
  std::uint32_t sending = 0;  ///< Messages of which the provider tells when they have left.
  bool owes_begin = false;
  std::size_t my_data_bytes = 0;
  std::byte my_data[nic_connect_bytes_max]{};
  bool owes_end = false;
  nic_status end_status = nic_status::ok;
  bool untold_end = false;   ///< It has ended, which is told once nobody writes local memory.
  std::int64_t tell_at = 0;  ///< Of a peer that is lost: by then at the latest.

  int lifeline = -1;      ///< See lifelines.hpp.
  bool had_line = false;  ///< One has been begun, if it could be.
  std::int64_t ends_at =
      0;  ///< The line broke, or it has left: what it has said may come until then.

  fabric_work& at(std::uint32_t number) noexcept { return work[number % depth]; }
  bool idle() const noexcept { return first == posted; }
  /// Where order is kept: whether a message may leave now, behind what is under way.
  bool may_tell() const noexcept { return issued == posted && untold == 0; }
};

}  // namespace mpx::inline v0::nic::detail
