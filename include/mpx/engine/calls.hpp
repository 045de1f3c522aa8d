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

struct kept_group : group, allocated {
  explicit kept_group(group&& g) noexcept : group(std::move(g)) {}
};

/// What layers above keep with a communicator, for as long as it lives.
struct kept_part : allocated {
  kept_part() = default;
  kept_part(const kept_part&) = delete;
  kept_part& operator=(const kept_part&) = delete;
  virtual ~kept_part() = default;
};

/// What the copies of a communicator handle share. Lives as long as the environment.
struct communicator_state : allocated {
  communicator_state() = default;
  communicator_state(const communicator_state&) = delete;
  communicator_state& operator=(const communicator_state&) = delete;
  ~communicator_state() {
    delete node;
    delete own;
  }

  std::uint32_t collective_serial = 0;
  const group* ranks = nullptr;     // Of this or an equal communicator; nullptr: ranks are peers.
  const kept_group* own = nullptr;  // What `ranks` points to where it was made.
  kept_part* node = nullptr;        // Where its ranks meet in shared memory (coll/node.hpp).
  bool node_tried = false;          // Whether they have tried to.
};

/// One collective call, of which each rank makes its part.
struct collective_call {
  context_id context;  // The communicator's, for collectives.
  tag_t serial;
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
