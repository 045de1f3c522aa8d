// SPDX-License-Identifier: BSL-1.0
#pragma once
// Long messages that come unasked, because the two ranks take turns. Included by outbox.hpp.

#include "mpx/engine/rooms/outbox.hpp"

namespace mpx::inline v0::detail {

/// A message that is longer than a short one, and not by much, need not be announced where the peer
/// has answered each of the last ones with one of its own and nothing else is under way to it: the
/// channel is empty. (Where several are under way at once the receiver has enough to do, and
/// fetching spares the sender's time.) Whether turns are shorter so depends on the machine.
template <class Stack, class House>
[[gnu::noinline]] bool outbox_room<Stack, House>::comes_unasked(peer_record& r,
                                                                const operation& op) noexcept {
  constexpr std::size_t ceiling = turn_bytes_ceiling<transport_type, protocol_type>;
  constexpr std::uint8_t turns = turns_before<protocol_type>;
  if constexpr (ceiling != 0) {
    if (r.announced_ != 0 || !r.turns_.is_turn_after(turns)) return false;
    const std::size_t bytes = op.data.bytes;
    if (op.flags != 0 || !op.data.contiguous() ||
        bytes > lesser(4 * house().protocol().short_bytes_max(), ceiling))
      return false;
    if constexpr (NearFarTransport<transport_type>)
      if (!house().transport().is_near(op.peer)) return false;
    r.turns_.begin();
    return r.turn_.begin(bytes, house().now_ns(), turns);
  }
  return false;
}

}  // namespace mpx::inline v0::detail
