// SPDX-License-Identifier: BSL-1.0
#pragma once
// What calls hand to the endpoint and get from it.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/engine/node_block.hpp"
#include "mpx/engine/node_map.hpp"
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

/// Tells attributes apart: an address of the shared object that made the key, and a number there.
struct attribute_id {
  const void* object = nullptr;
  std::uint64_t number = 0;
  friend bool operator==(const attribute_id&, const attribute_id&) = default;
};

/// Something that a program has attached to a communicator (mpx/attributes.hpp).
struct attribute_base : allocated {
  attribute_base() = default;
  attribute_base(const attribute_base&) = delete;
  attribute_base& operator=(const attribute_base&) = delete;
  virtual ~attribute_base() = default;
  /// For a duplicate of the communicator; nullptr: it gets none. May throw what the program does.
  virtual attribute_base* copied() const = 0;

  attribute_id key;
  attribute_base* next = nullptr;
};

/// The attributes of a communicator. What the program does when one goes is done without a lock.
class attribute_list {
 public:
  attribute_list() = default;
  attribute_list(attribute_list&& other) noexcept
      : first_(detail::exchange(other.first_, nullptr)) {}
  attribute_list& operator=(attribute_list&& other) noexcept {
    first_ = detail::exchange(other.first_, first_);
    return *this;
  }
  ~attribute_list() {
    while (first_ != nullptr) delete detail::exchange(first_, first_->next);
  }
  attribute_base* find(attribute_id key) const noexcept {
    attribute_base* a = first_;
    while (a != nullptr && a->key != key) a = a->next;
    return a;
  }
  void add(attribute_base* made) noexcept { made->next = detail::exchange(first_, made); }
  /// nullptr: there is none.
  attribute_base* take(attribute_id key) noexcept {
    for (attribute_base** at = &first_; *at != nullptr; at = &(*at)->next)
      if ((*at)->key == key) return detail::exchange(*at, (*at)->next);
    return nullptr;
  }
  /// What a duplicate gets. May throw what the program does.
  attribute_list copied() const {
    attribute_list made;
    for (const attribute_base* a = first_; a != nullptr; a = a->next)
      if (attribute_base* const copy = a->copied(); copy != nullptr) {
        copy->key = a->key;
        made.add(copy);
      }
    return made;
  }

 private:
  attribute_base* first_ = nullptr;
};

/// What becomes of errors of calls that throw. Of others the caller gets the code, and no handler
/// is asked.
struct error_handling {
  enum class kind : std::uint8_t { throws, returns, aborts, calls } is = kind::throws;
  void (*function)(const error&, void*) = nullptr;
  void* with = nullptr;
};

/// A block of shared memory that this rank has made and uses no more: it is given back when all of
/// its users have let go of it.
struct dying_block {
  std::uint64_t name;
  const platform::atomic<std::uint64_t>* gone;
  std::uint64_t users;
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
  [[gnu::noinline, gnu::cold]] ~communicator_state() {
    delete nodes;
    platform::deallocate(name);
  }

  std::uint32_t collective_serial = 0;
  std::uint32_t prepared = 0;    // How many collectives were prepared.
  std::uint32_t partitions = 0;  // Of all partitioned sends that were prepared.
  tag_t started_last = -1;       // The serial of the last one that was started, not prepared.
  const group* ranks = nullptr;  // nullptr: ranks are peers.
  kept_group* own = nullptr;     // The same, counted.
  rank_t size = 0;
  context_id of_handles = no_context;  // The context that a handle must have.
  context_id context = no_context;     // The same until nothing is under way there any more.
  std::uint32_t agreements = 0;        // How many there have been.
  rank_t left = 0;                     // Of those, how many have left in good order.
  std::uint32_t losses_seen = 0;       // Of the peers' losses, those that `lost` takes in.
  rank_t lost = 0;                     // Members that are.
  rank_t acknowledged = 0;             // Of those, members that receives from any source disregard.
  bool revoked = false;
  bool in_use = false;                 // Of one that has been freed: something is under way.
  communicator_state* next = nullptr;  // Among those that have been freed, or are vacant.
  const communicator_state* made_within = nullptr;  // While that has its part in making this.
  error_handling on_error;
  char* name = nullptr;
  attribute_list attributes;
  bool node_tried = false;           // Its ranks have looked for a node's memory to meet in:
  coll::node_state* node = nullptr;  // this. It goes by endpoint::forget_node.
  coll::node_map* nodes = nullptr;   // Made when it is first asked for.
};

/// One collective call, of which each rank makes its part. `serial`: see core/serials.hpp.
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
  match_bits bits;  // As they travel: halves that are put together late stall on store forwarding.

  send_call(const memory& d, peer_id peer, match_bits b) noexcept : data(d), to(peer), bits(b) {}
  send_call(const memory& d, peer_id peer, context_id context, tag_t tag) noexcept
      : send_call(d, peer, match_bits_of(context, tag)) {}
  context_id context() const noexcept { return context_of(bits); }
  tag_t tag() const noexcept { return tag_of(bits); }
};

}  // namespace mpx::inline v0::detail
