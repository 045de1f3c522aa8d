// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank's private state of a connected ring: one object for each peer and direction.

#include <cstdint>

#include "mpx/core/memory.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/detail/line_ring.hpp"

namespace mpx::inline v0::transport::detail {

struct ring_sender : mpx::detail::allocated {
  ring_producer ring;
  peer_id peer = 0;
  bool blocked_on_space = false;
};

struct ring_receiver : mpx::detail::allocated {
  ring_consumer ring;
  peer_id source = 0;
  bool hot = false;
  bool hungry = false;  // True if the producer waits for space.
  std::uint64_t active_at = 0;
};

/// Returns true if the sink says that more packets of the current message follow; false if it has
/// no `more_fragments`.
template <class Sink>
bool message_goes_on([[maybe_unused]] Sink& sink) noexcept {
  if constexpr (requires { sink.more_fragments(); }) return sink.more_fragments();
  return false;
}

}  // namespace mpx::inline v0::transport::detail
