// SPDX-License-Identifier: BSL-1.0
#pragma once
// Sink adapter for the near transport of `hybrid`, whose peers are numbered within the host.

#include <cstddef>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::transport::detail {

inline constexpr peer_id is_far = ~peer_id{0};

/// Forwards events of the near transport to the engine's sink and translates its peer numbers. If
/// `Filters` is true, packets of dropped peers are discarded.
template <class Sink, bool Filters>
struct near_sink {
  Sink& sink;
  const peer_id* peers;  // By number within the host; is_far if the peer was dropped.

  [[MPX_ALWAYS_INLINE]] void packet(peer_id source, const frame_header& header,
                                    std::span<const std::byte> payload) noexcept {
    if (Filters && peers[source] == is_far) return;
    sink.packet(peers[source], header, payload);
  }
  std::span<std::byte> place(peer_id source, const frame_header& header,
                             std::size_t bytes) noexcept {
    return sink.place(peers[source], header, bytes);
  }
  bool more_fragments() noexcept requires requires(Sink& s) { s.more_fragments(); }
  {
    return sink.more_fragments();
  }
  void complete(cookie_t cookie, bool ok) noexcept { sink.complete(cookie, ok); }
  void malformed(peer_id source) noexcept {
    if (peers[source] != is_far) sink.malformed(peers[source]);
  }
  void unreachable(peer_id source) noexcept {
    if (peers[source] != is_far) sink.unreachable(peers[source]);
  }
};

}  // namespace mpx::inline v0::transport::detail
