// SPDX-License-Identifier: BSL-1.0
#pragma once
// Posts that complete at once. With some transports only posts to far peers can be pending.

#include <span>

#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0 {

/// Posts a packet such that the post is never pending; returns `retry` if it would be.
/// Requires: posts of this transport are never pending, or only those to far peers.
template <Transport T>
[[MPX_ALWAYS_INLINE]] inline outcome post_at_once(T& t, peer_id peer, const frame_header& header,
                                                  std::span<const std::byte> payload) noexcept {
  if constexpr (NearFarTransport<T>) {
    return t.post_near(peer, header, payload);
  } else {
    return t.post(peer, header, payload, 0);
  }
}
/// True if a post to this peer may return `pending`.
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
