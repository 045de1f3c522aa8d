// SPDX-License-Identifier: BSL-1.0
#pragma once
// Properties of a transport that depend on the peer: posts to far peers of a NearFarTransport may
// be pending, and RMA with near peers differs from RMA with far ones.

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
/// True if gets and puts with this peer are copies by the CPU, which sender and receiver can share:
/// see CpuCopyTransport.
template <Transport T>
[[MPX_ALWAYS_INLINE]] constexpr bool copies_by_cpu([[maybe_unused]] const T& t,
                                                   [[maybe_unused]] peer_id peer) noexcept {
  if constexpr (!CpuCopyTransport<T>) {
    return false;
  } else if constexpr (NearFarTransport<T> && RegisteredTransport<T>) {
    return t.is_near(peer);
  } else {
    return true;
  }
}
/// True if memory that this peer reaches is registered: see RegisteredTransport.
template <Transport T>
[[MPX_ALWAYS_INLINE]] constexpr bool registers_for([[maybe_unused]] const T& t,
                                                   [[maybe_unused]] peer_id peer) noexcept {
  if constexpr (!RegisteredTransport<T>) {
    return false;
  } else if constexpr (NearFarTransport<T>) {
    return !t.is_near(peer);
  } else {
    return true;
  }
}

}  // namespace mpx::inline v0
