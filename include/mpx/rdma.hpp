// SPDX-License-Identifier: BSL-1.0
#pragma once
// Stacks over network cards that access the memory of peers. A program includes this and a card:
//   mpx::environment<mpx::rdma_stack<mpx::nic::via>> env;

#include "mpx/macros/begin.hpp"

#include "mpx/engine/axes/stack.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/transport/rdma.hpp"

namespace mpx::inline v0 {

/// Protocol over a card. A card that reads fetches long messages. Other cards write them into
/// memory that the receiver registers when it has matched, so that no memory stays registered until
/// then.
template <Nic Card>
using rdma_protocol =
    protocol::tiny_short_long<40, 16 * 1024,
                              ReadingNic<Card> ? long_path::automatic : long_path::put>;

/// Stack over a card.
template <Nic Card>
using rdma_stack = stack<transport::rdma<Card>, rdma_protocol<Card>>;

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
