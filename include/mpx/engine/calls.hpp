// SPDX-License-Identifier: BSL-1.0
#pragma once
// What calls hand to the endpoint and get from it.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/engine/operation.hpp"
#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0::detail {

/// What the start of an operation came to. No `op` and no failure: it is complete already, and no
/// request is needed.
struct started {
  operation* op = nullptr;
  errc failure{};
};

/// What a probe found.
struct probe_result {
  peer_id source = 0;
  tag_t tag = 0;
  std::size_t bytes = 0;
};

/// A group that communicators of the same ranks share.
struct kept_group : group, allocated {
  explicit kept_group(group&& g) noexcept : group(std::move(g)) {}
  std::uint32_t users = 0;
};

/// A block of shared memory that this rank has made and uses no more: it is given back when all of
/// its users have let go of it.
struct dying_block {
  std::uint64_t name;
  const platform::atomic<std::uint64_t>* gone;
  std::uint64_t users;
};

/// What a communicator has beside its ranks and its context, made when it is first asked for.
struct communicator_extras : allocated {
  virtual ~communicator_extras() = default;
};

/// No communicator has this context.
inline constexpr context_id no_context = 0xffff'ffff;

/// What the copies of a communicator handle share. Its place is used again once the communicator is
/// freed, and given back with the environment: a handle that has outlived its communicator finds
/// another context here than its own.
struct communicator_state : allocated {
  communicator_state() = default;
  communicator_state(const communicator_state&) = delete;
  communicator_state& operator=(const communicator_state&) = delete;
  ~communicator_state() {
    delete node;
    delete extras;
  }

  std::uint32_t collective_serial = 0;
  std::uint32_t partitions = 0;  // Of all partitioned sends that were prepared.
  const group* ranks = nullptr;  // nullptr: ranks are peers.
  kept_group* own = nullptr;     // The same, counted.
  rank_t size = 0;
  context_id of_handles = no_context;  // The context that a handle must have.
  context_id context = no_context;     // The same until nothing is under way there any more.
  std::uint32_t agreements = 0;        // How many there have been.
  std::uint32_t losses_seen = 0;       // Of the peers' losses, those that `lost` takes in.
  rank_t lost = 0;                     // Members that are.
  rank_t acknowledged = 0;             // Of those, members that receives from any source disregard.
  bool revoked = false;
  bool node_tried = false;              // Its ranks have looked for a node's memory to meet in:
  communicator_extras* node = nullptr;  // this (coll/node.hpp).
  communicator_extras* extras = nullptr;
};

/// One collective call, of which each rank makes its part.
struct collective_call {
  context_id context;  // The communicator's, for collectives.
  tag_t serial;
  communicator_state* of = nullptr;  // nullptr: the whole job takes part.
};

/// A blocking receive that looks for its message itself, as long as no other receive is posted.
struct direct_receive {
  direct_receive(std::byte* into, std::size_t room, context_id context, peer_id from,
                 tag_t tag) noexcept
      : want(pattern::exactly(context, from, tag)), buffer(into), capacity(room) {}

  pattern want;       // Once it is done, whence it came.
  std::byte* buffer;  // In one piece.
  std::size_t capacity;
  operation* posted;  // What it became when it had to be posted after all.
  errc failure;
  bool done;
  std::size_t bytes;  // Once it is done.
};

/// What `receive_now` leaves when the message has not come yet: d.posted waits for it.
inline constexpr errc undecided = static_cast<errc>(-1);

/// What adding a peer came to.
struct added_peer {
  peer_id peer = 0;
  errc failure{};
};

/// A send's arguments, once ranks are peers.
struct send_call {
  memory data;
  peer_id to;
  context_id context;
  tag_t tag;
};

}  // namespace mpx::inline v0::detail
