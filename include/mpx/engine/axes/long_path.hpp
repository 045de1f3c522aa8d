// SPDX-License-Identifier: BSL-1.0
#pragma once
// Choice of the rendezvous protocol by the stack's protocol, or by the transport if the protocol is
// `automatic`.

#include "mpx/core/types.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0::detail {

/// True if the bodies of long messages follow their announcements unrequested.
template <Protocol P>
inline constexpr bool pushes_long = P::long_by == long_path::eager;

/// True if the transport has the choice of how long data moves that a receiver asks for.
template <Protocol P>
inline constexpr bool long_by_transport =
    P::long_by == long_path::automatic || P::long_by == long_path::eager;

/// True if long messages between this rank and the peer are put by their sender.
template <Protocol P, Transport T>
bool moves_by_puts([[maybe_unused]] const T& transport, [[maybe_unused]] peer_id peer) noexcept {
  if constexpr (RegisteredTransport<T> && long_by_transport<P>) return transport.prefers_put(peer);
  return P::long_by == long_path::put;
}

}  // namespace mpx::inline v0::detail
