// SPDX-License-Identifier: BSL-1.0
#pragma once
// Posts, and whether they pend: of some transports only those to far peers do.

#include <span>

#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0 {

/// A post that does not pend: `retry` where it might. Requires: no peer's post pends, or only those
/// to far ones.
template <Transport T>
[[MPX_ALWAYS_INLINE]] inline outcome post_at_once(T& t, peer_id peer, const frame_header& header,
                                                  std::span<const std::byte> payload) noexcept {
  if constexpr (NearFarTransport<T>) {
    return t.post_near(peer, header, payload);
  } else {
    return t.post(peer, header, payload, 0);
  }
}
/// Whether a post to that peer may answer `pending`.
template <Transport T>
[[MPX_ALWAYS_INLINE]] constexpr bool may_pend([[maybe_unused]] const T& t,
                                              [[maybe_unused]] peer_id peer) noexcept {
  if constexpr (!posts_pend<T>) {
    return false;
  } else if constexpr (NearFarTransport<T>) {
    return !t.is_near(peer);
  } else {
    return true;
  }
}

}  // namespace mpx::inline v0
