// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which long messages may come unasked where two ranks take turns (rooms/detail/outbox_turns.hpp).

#include <cstddef>

#include "mpx/core/numbers.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0::detail {

/// They do where the channel copies what is posted, and the program has not named another way.
template <class Transport, class Protocol>
inline constexpr bool sends_unasked =
    (NearFarTransport<Transport> || (!posts_pend<Transport> && !PlacingTransport<Transport>)) &&
    (Protocol::long_by == long_path::automatic || Protocol::long_by == long_path::packets);

/// None is longer, whatever way the sender has named: of what both sides' fingerprints say.
template <class Transport, class Protocol>
inline constexpr std::size_t unasked_bytes_max =
    lesser(4 * eager_bytes_ceiling<Protocol>, Transport::traits.packet_bytes_max);

}  // namespace mpx::inline v0::detail
