// SPDX-License-Identifier: BSL-1.0
#pragma once
// Arguments and results of the endpoint's calls.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/engine/base/node_block.hpp"
#include "mpx/engine/base/node_map.hpp"
#include "mpx/engine/base/operation.hpp"
#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0::detail {

/// Result of starting an operation. Without `op` and without a failure the operation is complete
/// already and needs no request.
struct started {
  operation* op = nullptr;
  errc failure{};
};

/// Envelope and length of a message found by a probe.
struct probe_result {
  peer_id source = 0;
  tag_t tag = 0;
  std::size_t bytes = 0;
};

/// A group shared by communicators of the same ranks.
struct kept_group : group, allocated {
  explicit kept_group(group&& g) noexcept : group(std::move(g)) {}
  std::uint32_t users = 0;
};

/// Key of an attribute: an address of the shared object that made the key, and a number there.
struct attribute_id {
  const void* object = nullptr;
  std::uint64_t number = 0;
  friend bool operator==(const attribute_id&, const attribute_id&) = default;
};

/// A value that a program has attached to a communicator (mpx/attributes.hpp).
struct attribute_base : allocated {
  attribute_base() = default;
  attribute_base(const attribute_base&) = delete;
  attribute_base& operator=(const attribute_base&) = delete;
  virtual ~attribute_base() = default;
  /// Returns the attribute of a duplicate of the communicator, or nullptr for none. May throw what
  /// the program throws.
  virtual attribute_base* copied() const = 0;

  attribute_id key;
  attribute_base* next = nullptr;
};

/// The attributes of a communicator. The program's code for a deleted attribute runs without a
/// lock.
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
  /// Takes an attribute off the list; nullptr if there is none.
  attribute_base* take(attribute_id key) noexcept {
    for (attribute_base** at = &first_; *at != nullptr; at = &(*at)->next)
      if ((*at)->key == key) return detail::exchange(*at, (*at)->next);
    return nullptr;
  }
  /// Returns the attributes of a duplicate. May throw what the program throws.
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

/// Handling of errors by calls that throw. Other calls return the code to their caller, and no
/// handler is called.
struct error_handling {
  enum class kind : std::uint8_t { throws, returns, aborts, calls } is = kind::throws;
  void (*function)(const error&, void*) = nullptr;
  void* with = nullptr;
};

/// A block of shared memory that this rank made and no longer uses. It is freed when all its users
/// have released it.
struct dying_block {
  std::uint64_t name;
  const platform::atomic<std::uint64_t>* gone;
  std::uint64_t users;
};

/// Context that no communicator has.
inline constexpr context_id no_context = 0xffff'ffff;

/// State shared by the copies of a communicator handle. It is reused once the communicator is
/// freed, and freed with the environment: a handle that has outlived its communicator finds a
/// context here that differs from its own.
struct communicator_state : allocated {
  communicator_state() = default;
  communicator_state(const communicator_state&) = delete;
  communicator_state& operator=(const communicator_state&) = delete;
  [[gnu::noinline, gnu::cold]] ~communicator_state() {
    delete nodes;
    platform::deallocate(name);
  }

  std::uint32_t collective_serial = 0;
  std::uint32_t prepared = 0;    // Number of collectives prepared.
  std::uint32_t partitions = 0;  // Partitions of all partitioned sends prepared.
  tag_t started_last = -1;       // Serial of the last collective started, not prepared.
  const group* ranks = nullptr;  // nullptr: ranks are peers.
  kept_group* own = nullptr;     // Owner of `ranks`, with a count.
  rank_t size = 0;
  context_id of_handles = no_context;  // Context of valid handles.
  context_id context = no_context;  // As `of_handles`, but kept until nothing is under way there.
  std::uint32_t agreements = 0;     // Number of agreements begun.
  rank_t left = 0;                  // Lost members that left in good order.
  std::uint32_t losses_seen = 0;    // Losses of the endpoint that `lost` includes.
  rank_t lost = 0;                  // Number of lost members.
  rank_t acknowledged = 0;          // Lost members that receives from any source disregard.
  rank_t agreed_lost = 0;           // Most lost members that an agreement has found.
  bool revoked = false;
  bool in_use = false;                              // Freed, with operations still under way.
  communicator_state* next = nullptr;               // In the list of freed or vacant states.
  const communicator_state* made_within = nullptr;  // Set while that one takes part in making it.
  error_handling on_error;
  char* name = nullptr;
  attribute_list attributes;
  bool node_tried = false;           // Set after the search for shared memory of a node,
  coll::node_state* node = nullptr;  // kept here. Freed by endpoint::forget_node.
  coll::node_map* nodes = nullptr;   // Made on first use.
};

/// One collective call, in which each rank takes part. `serial`: see core/serials.hpp.
struct collective_call {
  context_id context;  // The communicator's, for collectives.
  tag_t serial;
  communicator_state* of = nullptr;  // nullptr: the whole job takes part.
};

/// A blocking receive that polls for its message itself while no other receive is posted.
struct direct_receive {
  direct_receive(std::byte* into, std::size_t room, context_id context, peer_id from,
                 tag_t tag) noexcept
      : want(pattern::exactly(context, from, tag)), buffer(into), capacity(room) {}

  pattern want;       // Once done: the envelope of the message.
  std::byte* buffer;  // Contiguous.
  std::size_t capacity;
  operation* posted;  // The posted receive that replaces it, if any.
  errc failure;
  bool done;
  std::size_t bytes;  // Once done.
};

/// Result of `receive_now` if no message has arrived: d.posted has to be waited for.
inline constexpr errc undecided = static_cast<errc>(-1);

/// Result of adding a peer.
struct added_peer {
  peer_id peer = 0;
  errc failure{};
};

/// Arguments of a send, with peers in place of ranks.
struct send_call {
  memory data;
  peer_id to;
  match_bits bits;  // In wire format: joining two halves late stalls on store forwarding.

  send_call(const memory& d, peer_id peer, match_bits b) noexcept : data(d), to(peer), bits(b) {}
  send_call(const memory& d, peer_id peer, context_id context, tag_t tag) noexcept
      : send_call(d, peer, match_bits_of(context, tag)) {}
  context_id context() const noexcept { return context_of(bits); }
  tag_t tag() const noexcept { return tag_of(bits); }
};

}  // namespace mpx::inline v0::detail
