// SPDX-License-Identifier: BSL-1.0
#pragma once
// Programs over network cards that write into their peers' memory: include this, and the card.
//   mpx::environment<mpx::rdma_stack<mpx::nic::via>> env;

#include "mpx/macros/begin.hpp"

#include "mpx/engine/stack.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/transport/rdma.hpp"

namespace mpx::inline v0 {

/// Long messages are fetched by a card that reads; else they are written into memory that the
/// receiver offers when it has matched, so that nobody keeps memory registered until then.
template <Nic Card>
using rdma_protocol =
    protocol::tiny_short_long<40, 16 * 1024,
                              ReadingNic<Card> ? long_path::automatic : long_path::put>;

/// A stack over a card.
template <Nic Card>
using rdma_stack = stack<transport::rdma<Card>, rdma_protocol<Card>>;

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
