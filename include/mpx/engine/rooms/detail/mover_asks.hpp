// SPDX-License-Identifier: BSL-1.0
#pragma once
// Long messages whose sender moves some of the data, or all: what the receiver asks of it. Included
// by mover.hpp.

#include "mpx/engine/rooms/mover.hpp"

namespace mpx::inline v0::detail {

template <class Stack, class House>
[[gnu::noinline]] void mover_room<Stack, House>::ask(operation& op, std::size_t from, bool stores) {
  wire::clearance c{
      .bytes = op.limit, .from = from, .memory = {}, .ticket = op.ticket, .reserved = 0};
  if constexpr (RmaTransport<transport_type>) {
    if (stores) c.memory = house().transport().expose(op.peer, op.data.piece(0, op.limit));
  }
  op.stage = stage::streaming;
  op.own = c.memory;
  op.exposed = c.memory.key != 0;
  op.transferred = from;
  op.control_bytes = sizeof c;
  std::memcpy(op.control, &c, sizeof c);
  house().outbox().answer({.kind = wire::kind::clear, .ticket = op.remote_ticket}, op);
}

template <class Stack, class House>
bool mover_room<Stack, House>::split(operation& op, const remote_memory& from) {
  if constexpr (CopyingTransport<transport_type>) {
    auto& transport = house().transport();
    const std::size_t half = op.limit / 2 / cache_line_bytes * cache_line_bytes;
    {
      // Once the sender has begun there is no way back: nobody shall take this memory away, and
      // first see whether it can be fetched.
      const auto held = transport.hold(op.peer, from);
      if (!held || !transport.get_held(op.peer, from, 0, op.data.piece(0, cache_line_bytes)))
        return false;
      ask(op, half, true);
      if (op.done()) return true;
      if (!transport.get_held(op.peer, from, 0, op.data.piece(0, half))) {
        house().peers().lose(op.peer, errc::peer_lost);  // It was there a moment ago.
        return true;
      }
    }
    charge_time(op);
    house().trace().on(event::bytes_got, half);
    house().outbox().answer(op.peer, {.kind = wire::kind::finished, .ticket = op.remote_ticket});
    return true;
  }
  return false;
}

}  // namespace mpx::inline v0::detail
