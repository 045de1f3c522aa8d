// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank keeps for a peer that is or was busy: a part for each room that has something to
// keep, which nobody but that room can name.

#include <cstdint>

#include "mpx/core/error.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/engine/operation.hpp"
#include "mpx/protocol/turns.hpp"

namespace mpx::inline v0::detail {

struct busy_tag;
struct stalled_tag;

/// What has not left yet.
class outbound {
  template <class, class>
  friend class outbox_room;
  linked_list<operation, queue_tag> control_;  // Answers that did not fit the channel.
  linked_list<operation, queue_tag> backlog_;  // Sends in order, not yet on the wire.
  std::uint32_t answers_ = 0;                  // Length of `control_`.
  std::uint32_t announced_ = 0;                // Sent, and not yet answered.
  std::uint32_t allowance_ = 0;                // How many there may be.
  bool owes_credit_ = false;
  protocol::turn_count turns_;
  // Whether what takes turns had better come unasked: up to twice what is short, and longer.
  plain_array<protocol::turn_learner> turn_;
};

/// What the peer may still do here.
class inbound {
  template <class, class>
  friend class inbox_room;
  std::uint32_t heard_ = 0;       // Its announcements that are not answered.
  std::uint32_t granted_ = 0;     // How many there may be.
  std::uint64_t held_bytes_ = 0;  // What its early eager messages cost here.
  operation* placed_ = nullptr;   // The receive whose header has come, and its body not wholly.
  std::size_t placed_bytes_ = 0;  // That the transport writes to its memory; 0: to none.
  std::uint32_t placed_ticket_ = 0;
  std::uint8_t placed_flags_ = 0;
};

/// Long data under way to the peer.
class transfers {
  template <class, class>
  friend class mover_room;
  linked_list<operation, queue_tag> streams_;  // Matched sends whose data goes as packets.
  linked_list<operation, queue_tag> due_;      // What this side has to copy.
  operation* fed_ = nullptr;      // The receive to whose memory the transport writes a fragment,
  std::size_t fed_bytes_ = 0;     // of this size.
  std::size_t streamed_out_ = 0;  // As packets, lately, and not set against what came in yet.
  // How the peer has had the last long message moved that it got, and of how many bits its length
  // was.
  protocol::scheme taken_{};
  std::uint8_t taken_bits_ = 0;
};

/// Handlers of packets get by without memory: where there is none for a record, the peer is lost
/// and shares one with others of its kind.
class peer_record : public list_node<busy_tag>,
                    public list_node<stalled_tag>,
                    public outbound,
                    public inbound,
                    public transfers,
                    public allocated {
  template <class, class>
  friend class peers_room;

 public:
  explicit peer_record(peer_id to) noexcept : peer(to) {}
  const peer_id peer;
  /// Why nothing passes any more, or errc{}.
  errc failure() const noexcept { return failure_; }

 private:
  errc failure_{};
  bool busy_ = false;      // Something waits for room in its channel.
  bool stalled_ = false;   // It may announce no more until it is allowed to.
  bool refused_ = false;   // The transport cannot reach it.
  bool newcomer_ = false;  // It was added, and has yet to say what it grants.
  bool left_ = false;      // It has said that it leaves in good order.
};

}  // namespace mpx::inline v0::detail
