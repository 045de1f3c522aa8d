// SPDX-License-Identifier: BSL-1.0
#pragma once
// Medium messages sent eagerly in request-reply patterns (ADR 0036). Included by outbox.hpp.

#include "mpx/engine/rooms/outbox.hpp"

namespace mpx::inline v0::detail {

/// True if the message, which is longer than the eager threshold, is sent eagerly without an
/// announcement: the peer has answered each of the last messages with one of its own, and no other
/// long message is under way to it. (If several are, the receiver is busy, and its gets save the
/// sender's time.) The gain depends on the machine, so the statistics in `turn_` decide. If the
/// environment has lowered the eager threshold, all longer messages are announced.
template <class Stack, class House>
[[gnu::noinline]] bool outbox_room<Stack, House>::is_sent_eagerly(peer_record& r,
                                                                  const operation& op) noexcept {
  constexpr std::uint8_t turns = turns_before<protocol_type>;
  static_assert(turns == 1 || turns % 8 == 0, "the halves of a try are looked at by fours");
  if constexpr (sends_unasked<transport_type, protocol_type>) {
    constexpr std::size_t most_short = protocol_type::short_bytes_ceiling;
    constexpr std::size_t most =
        lesser(4 * most_short, unasked_bytes_max<transport_type, protocol_type>);
    const std::size_t bytes = op.data.bytes;
    if (r.announced_ != 0 || !r.turns_.is_turn_after(turns) || !house().rendezvous().idle(r))
      return false;
    if (bytes > most || house().protocol().short_bytes_max() != most_short || op.flags != 0 ||
        !op.data.contiguous())
      return false;
    if constexpr (NearFarTransport<transport_type>)
      if (!house().transport().is_near(op.peer)) return false;
    if (r.turn_.empty() && !r.turn_.try_extend(2)) return false;
    r.turns_.begin();
    return r.turn_[bytes > 2 * most_short].begin(r.turns_.total(), house().now_ns(), turns);
  }
  return false;
}

}  // namespace mpx::inline v0::detail
