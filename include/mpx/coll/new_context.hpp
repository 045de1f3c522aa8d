// SPDX-License-Identifier: BSL-1.0
#pragma once
// The context of a new communicator, agreed by the ranks of another.

#include <span>

#include "mpx/coll/bcast.hpp"
#include "mpx/comm/collective_channel.hpp"

namespace mpx::inline v0::coll {

/// Agrees on the context of a new communicator. Rank 0 numbers it.
template <class Channel>
errc new_context(Channel& c, context_id& context) {
  context = 0;
  if (c.rank() == 0) {
    const std::uint32_t serial = c.lead();
    context = serial << 1;
  }
  bcast_tree(c, std::as_writable_bytes(std::span(&context, 1)), 0);
  if (c.failed()) return c.why();
  c.over();
  return context == 0 ? c.no_context() : errc{};
}

}  // namespace mpx::inline v0::coll
