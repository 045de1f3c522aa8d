// SPDX-License-Identifier: BSL-1.0
#pragma once
// State that a rank keeps for a peer that is or was busy. Each component has a part of its own,
// whose members no other component can name.

#include <cstdint>

#include "mpx/core/error.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/engine/base/operation.hpp"

namespace mpx::inline v0::detail {

struct busy_tag;
struct stalled_tag;

/// Part of the outbox: queues to the peer that have not been sent.
class outbound {
  template <class, class>
  friend class outbox_component;
  linked_list<operation, queue_tag> control_;  // Answers that did not fit the channel.
  linked_list<operation, queue_tag> backlog_;  // Sends in order, not posted yet.
  std::uint32_t controls_ = 0;                 // Length of `control_`.
  std::uint32_t announced_ = 0;                // Announcements sent and not answered.
  std::uint32_t allowance_ = 0;                // Limit of `announced_`.
  bool owes_credit_ = false;
};

/// Part of the inbox: resources of this rank that the peer may use.
class inbound {
  template <class, class>
  friend class inbox_component;
  std::uint32_t heard_ = 0;       // Its announcements that are not answered.
  std::uint32_t granted_ = 0;     // Limit of `heard_`.
  std::uint64_t held_bytes_ = 0;  // Memory of its unexpected eager messages.
  operation* placed_ = nullptr;   // Receive that matched by the header; its body arrives.
  std::size_t placed_bytes_ = 0;  // Bytes that the transport places there; 0: none.
  std::uint32_t placed_ticket_ = 0;
  std::uint8_t placed_flags_ = 0;
};

/// Part of the rendezvous: long data under way to and from the peer.
class transfers {
  template <class, class>
  friend class rendezvous_component;
  linked_list<operation, queue_tag> streams_;  // Sends whose data moves as packets.
  linked_list<operation, queue_tag> due_;      // Copies that this side has to make.
  linked_list<operation, queue_tag> pushed_;   // Receives whose bodies are pushed, in order.
  operation* fed_ = nullptr;      // Receive into which the transport places a fragment,
  std::size_t fed_bytes_ = 0;     // and the size of the fragment.
  std::size_t streamed_out_ = 0;  // Bytes sent as packets, not yet set against received ones.
  // Rendezvous protocol that the peer chose for the last long message it received from this rank,
  // and the number of bits of that message's length.
  protocol::rendezvous_protocol taken_{};
  std::uint8_t taken_bits_ = 0;
};

/// All state of a peer. Packet handlers must work without memory: if no record can be allocated,
/// the peer is lost, and its table entry points to a record shared by all such peers.
class peer_record : public list_node<busy_tag>,
                    public list_node<stalled_tag>,
                    public outbound,
                    public inbound,
                    public transfers,
                    public allocated {
  template <class, class>
  friend class peers_component;

 public:
  explicit peer_record(peer_id to) noexcept : peer(to) {}
  const peer_id peer;
  /// The reason why the peer is lost, or errc{}.
  errc failure() const noexcept { return failure_; }

 private:
  errc failure_{};
  bool busy_ = false;      // Something waits for room in its channel.
  bool stalled_ = false;   // It must not announce more until it is allowed to.
  bool refused_ = false;   // The transport cannot reach it.
  bool newcomer_ = false;  // It was added and has not sent its grant yet.
  bool left_ = false;      // It has told that it leaves in good order.
};

}  // namespace mpx::inline v0::detail
