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
/// True if the peer is not one of the near peers of a NearFarTransport.
template <Transport T>
[[MPX_ALWAYS_INLINE]] constexpr bool is_not_near([[maybe_unused]] const T& t,
                                                 [[maybe_unused]] peer_id peer) noexcept {
  if constexpr (NearFarTransport<T>) return !t.is_near(peer);
  return true;
}
/// True if a post to this peer may return `pending`.
template <Transport T>
[[MPX_ALWAYS_INLINE]] constexpr bool may_pend(const T& t, peer_id peer) noexcept {
  return posts_pend<T> && is_not_near(t, peer);
}
/// True if memory that this peer reaches is registered: see RegisteredTransport.
template <Transport T>
[[MPX_ALWAYS_INLINE]] constexpr bool registers_for(const T& t, peer_id peer) noexcept {
  return RegisteredTransport<T> && is_not_near(t, peer);
}
/// True if gets and puts with this peer are copies by the CPU, which sender and receiver can share:
/// see CpuCopyTransport.
template <Transport T>
[[MPX_ALWAYS_INLINE]] constexpr bool copies_by_cpu(const T& t, peer_id peer) noexcept {
  return CpuCopyTransport<T> && !registers_for(t, peer);
}

}  // namespace mpx::inline v0
