// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a card over libfabric says to its peers, and what it keeps of one.

#include <cstddef>
#include <cstdint>

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
/// Posted work that has not ended. First its write or read, if it is one by remote access; then its
/// message, if it has one, when all writes before it are in place.
struct fabric_work : fabric_slot {
  fabric_link* of = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
  void* descriptor = nullptr;
  cookie_t cookie = 0;
  fabric_head head;
  bool accesses = false;
  bool reads = false;
  bool tells = false;
  bool carries = false;   ///< Its message carries the data.
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
};

}  // namespace mpx::inline v0::nic::detail
