// SPDX-License-Identifier: BSL-1.0
#pragma once
// Creation of the block of shared memory of a communicator, by its first call that asks for one.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "mpx/comm/collective_channel.hpp"
#include "mpx/engine/base/node_block.hpp"
#include "mpx/engine/endpoint/endpoint_blocks.hpp"

namespace mpx::inline v0::coll {

/// Makes the block of a communicator's ranks. All ranks call together. Returns nullptr if there is
/// none, on which all ranks agree, or if the call has failed.
template <class Stack>
[[gnu::noinline]] node_state* make_node(mpx::detail::collective_channel<Stack>& c) {
  using blocks_of = mpx::detail::shared_blocks<Stack>;
  constexpr std::uint64_t reached = 1;  // Capabilities, combined over all ranks.
  constexpr std::uint64_t roomy = 2;
  constexpr std::uint64_t barrier = 4;
  auto& e = c.endpoint_of();
  const rank_t n = c.size();
  const bool leads = c.rank() == 0;
  const std::size_t bytes = node_block::bytes(n);
  const auto as_memory = [](std::uint64_t& word) {
    return memory(reinterpret_cast<std::byte*>(&word), sizeof word);
  };
  std::uint64_t name = leads ? blocks_of::make(e, bytes) : 0;
  std::byte* base = leads ? blocks_of::at(e, c.peer_of(0), name, bytes) : nullptr;
  if (base != nullptr) std::memset(base, 0, node_block::flags_bytes(n));
  if (leads) {
    for (rank_t r = 1; r < n; ++r) c.start_send(as_memory(name), r);
    c.finish();
  } else {
    c.receive(as_memory(name), 0);
    base = blocks_of::at(e, c.peer_of(0), name, bytes);
  }
  const std::uint64_t name_of_own = leads ? name : 0;
  auto* const made = new (std::nothrow) node_state;
  std::uint64_t can = (base != nullptr && made != nullptr ? reached : 0u) |
                      (blocks_of::oversubscribed(e) ? 0u : roomy) |
                      (platform::register_heavy_barrier() ? barrier : 0u);
  if (leads) {
    for (rank_t r = 1; r < n; ++r) {
      std::uint64_t theirs = 0;
      c.receive(as_memory(theirs), r);
      can &= theirs;
    }
    for (rank_t r = 1; r < n; ++r) c.start_send(as_memory(can), r);
    c.finish();
  } else {
    c.send(as_memory(can), 0);
    c.receive(as_memory(can), 0);
  }
  if (c.failed() || (can & reached) == 0) {
    delete made;
    if (leads && name != 0 && !c.failed()) blocks_of::free(e, name);
    return nullptr;
  }
  made->block = node_block(base, n);
  made->own = name_of_own;
  made->oversubscribed = (can & roomy) == 0;
  made->fenced = (can & barrier) == 0;
  made->claiming_pays = !made->oversubscribed && platform::claiming_pays();
  made->prefetch_pays = !made->oversubscribed && platform::owning_early_pays();
  return made;
}

template <class Stack>
[[MPX_ALWAYS_INLINE]] inline node_state* node_of(mpx::detail::collective_channel<Stack>& c) {
  mpx::detail::communicator_state& state = c.state();
  if (!state.node_tried) [[unlikely]] {
    state.node_tried = true;
    state.node = make_node(c);
    if (c.failed()) state.node_tried = false;  // No rank has one: the next call tries again.
  }
  return state.node;
}

}  // namespace mpx::inline v0::coll
