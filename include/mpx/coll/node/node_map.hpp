// SPDX-License-Identifier: BSL-1.0
#pragma once
// The nodes of a communicator as its transport reports them, and steps among a subset of its ranks.

#include <cstddef>
#include <cstdint>
#include <new>

#include "mpx/coll/algorithms/among.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/node_map.hpp"
#include "mpx/engine/endpoint/endpoint_blocks.hpp"

namespace mpx::inline v0::coll {

/// The nodes of a communicator, computed by the first call. Returns nullptr if memory is out.
/// Cost: once, a query of the transport for each rank; no message.
template <class Stack>
const node_map* nodes_of(mpx::detail::endpoint<Stack>& e, mpx::detail::communicator_state& state,
                         rank_t self) noexcept {
  using blocks_of = mpx::detail::shared_blocks<Stack>;
  if (state.nodes == nullptr) [[unlikely]] {
    auto* const made = new (std::nothrow) node_map;
    if (made == nullptr) return nullptr;
    const auto number = [&](rank_t r) -> std::size_t {
      return blocks_of::node_of(e,
                                state.ranks == nullptr ? world_peer(r) : state.ranks->peer_of(r));
    };
    if (!made->make(self, state.size, blocks_of::peers(e), number)) {
      delete made;
      return nullptr;
    }
    state.nodes = made;
  }
  return state.nodes;
}

}  // namespace mpx::inline v0::coll
