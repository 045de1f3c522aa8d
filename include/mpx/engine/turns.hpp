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
inline constexpr bool takes_turns =
    (NearFarTransport<Transport> || (!posts_pend<Transport> && !PlacingTransport<Transport>)) &&
    (Protocol::long_by == long_path::automatic || Protocol::long_by == long_path::packets);

/// The longest of them, in bytes; 0: none does.
template <class Transport, class Protocol>
inline constexpr std::size_t turn_bytes_ceiling =
    takes_turns<Transport, Protocol>
        ? lesser(4 * Protocol::short_bytes_ceiling, Transport::traits.packet_bytes_max)
        : 0;

}  // namespace mpx::inline v0::detail
