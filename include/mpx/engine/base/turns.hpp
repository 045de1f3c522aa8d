// SPDX-License-Identifier: BSL-1.0
#pragma once
// Conditions under which long messages may be sent eagerly in request-reply patterns
// (engine/components/outbox.hpp).

#include <cstddef>

#include "mpx/core/numbers.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0::detail {

/// True if the channel copies what is posted and the program has not chosen another rendezvous
/// protocol.
template <class Transport, class Protocol>
inline constexpr bool sends_long_eagerly =
    (NearFarTransport<Transport> || (!posts_pend<Transport> && !StreamTransport<Transport>)) &&
    (Protocol::long_by == long_path::automatic || Protocol::long_by == long_path::packets);

/// Longest message sent so, in bytes. Both sides derive it from what their fingerprints contain,
/// whatever protocol the sender has chosen.
template <class Transport, class Protocol>
inline constexpr std::size_t eager_long_bytes_max =
    lesser(4 * eager_bytes_ceiling<Protocol>, Transport::traits.packet_bytes_max);

}  // namespace mpx::inline v0::detail
