// SPDX-License-Identifier: BSL-1.0
#pragma once
// Receives that matched by the header of a message whose body is still arriving. Included by
// inbox.hpp.

#include "mpx/engine/rooms/inbox.hpp"

namespace mpx::inline v0::detail {

/// Matches an eager message by its header and returns the buffer for its body; an empty span if
/// there is none yet. If a receive matches, it belongs to this message from here on.
template <class Stack, class House>
std::span<std::byte> inbox_room<Stack, House>::place(peer_record& r, const wire::header& h,
                                                     std::size_t bytes) noexcept {
  if (r.placed_ != nullptr || bytes == 0 || h.reserved != 0 || (h.flags & wire::flag_turn) != 0)
    return {};
  post_direct_if_any();
  const envelope is{h.context, r.peer, h.tag};
  posted_receive* const met = matcher_.match_arrival(is);
  if (met == nullptr) return {};
  auto& op = static_cast<operation&>(*met);
  op.peer = r.peer;
  op.tag = h.tag;
  op.message_bytes = bytes;
  op.stage = stage::placed;
  r.placed_ = &op;
  r.placed_ticket_ = h.ticket;
  r.placed_flags_ = h.flags;
  r.placed_bytes_ = op.data.contiguous() && bytes <= op.data.bytes ? bytes : 0;
  return op.data.piece(0, r.placed_bytes_);  // If empty, the whole packet is copied later.
}

/// The request of a placed receive is dropped: the transport discards the rest of the body; a body
/// that is not placed is discarded by finish_placed.
template <class Stack, class House>
void inbox_room<Stack, House>::drop_placed(peer_record& r, operation& op) {
  op.forget_memory();
  op.holder = holder::nobody;
  if (r.placed_bytes_ == 0) return;
  house().cancel_place(r.peer);
  r.placed_ = nullptr;
  const std::size_t bytes = r.placed_bytes_;
  if (r.placed_flags_ != 0)
    house().outbox().answer(r.peer, {.kind = wire::kind::matched, .ticket = r.placed_ticket_});
  if (op.done()) return;  // The answer found the peer dead.
  house().end(op, errc{});
  released(r.peer, bytes);
}

/// Completes a receive that matched by the header, when the body is whole.
template <class Stack, class House>
void inbox_room<Stack, House>::finish_placed(operation& op,
                                             std::span<const std::byte> payload) noexcept {
  if (!op.data.exists() ||
      (op.data.contiguous() && payload.data() == op.data.base)) {  // Dropped, or in place.
    const errc why = payload.size() > op.data.bytes ? errc::truncate : errc{};
    const peer_id source = op.peer;
    house().finish(op, why);
    released(source, payload.size());
    return;
  }
  deliver(op, op.peer, op.tag, payload);
}

}  // namespace mpx::inline v0::detail
