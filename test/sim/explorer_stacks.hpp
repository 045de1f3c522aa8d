// SPDX-License-Identifier: BSL-1.0
#pragma once
// The stacks that the explorer plays over.

#include <mpx/sim.hpp>

#include "transport/late_sim_stacks.hpp"

namespace explorer {

using mpx::long_path;
using mpx::transport::basic_sim;
using mpx::transport::sim_rma;

/// Tickets without generations: an answer that comes too late would be taken for the next
/// operation's at once.
template <std::size_t Tiny, std::size_t Short, long_path By, std::size_t Fragment>
struct sized : mpx::protocol::tiny_short_long<Tiny, Short, By, Fragment> {
  static constexpr unsigned generation_bits = 0;
};

/// A network card, everything else by default but sizes.
using by_get = mpx::stack<mpx::transport::sim, mpx::waiting::sleep,
                          sized<40, 1024, long_path::automatic, 2048>>;
using by_put = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::matching::list,
                          sized<40, 1024, long_path::put, 2048>>;
/// No RMA, and a sender may send what it likes.
using by_packets = mpx::stack<basic_sim<sim_rma::none>, mpx::waiting::sleep, mpx::flow::unlimited,
                              sized<40, 512, long_path::packets, 700>>;
/// Copies by the kernel: the path learner, both sides copying at once, several messages at once.
/// Shares of the unexpected memory move.
using by_copy = mpx::stack<basic_sim<sim_rma::cpu, 4096, 8>, mpx::waiting::sleep,
                           sized<40, 1024, long_path::automatic, 2048>,
                           mpx::flow::zeno<1, 16384, 512, 16>, mpx::trace::counters>;
/// Everything as small as it goes: a channel of one packet of 64 bytes.
using tiny = mpx::stack<basic_sim<sim_rma::nic, 64, 1, 8>, mpx::waiting::sleep,
                        sized<8, 64, long_path::automatic, 64>, mpx::flow::credits<4096, 1024, 16>,
                        mpx::trace::counters>;
/// As above by packets, with a locking endpoint.
using oversubscribed = mpx::stack<basic_sim<sim_rma::none, 128, 2, 16>, mpx::waiting::sleep,
                                  mpx::threading::multiple, sized<16, 128, long_path::packets, 100>,
                                  mpx::flow::credits<4096, 512, 16>, mpx::trace::counters>;

/// Bodies of long messages are sent unrequested, and the rest is fetched in any way.
using pushes = mpx::stack<basic_sim<sim_rma::cpu, 4096, 8>, mpx::waiting::sleep,
                          mpx::matching::portals, sized<40, 1024, long_path::eager, 2048>>;

/// Every post is pending, completions come late and in any order, bodies are placed.
using late_stacks::late;
using late_get =
    mpx::stack<late<basic_sim<sim_rma::nic, 4096, 8>, late_stacks::all>, mpx::waiting::sleep,
               sized<40, 1024, long_path::automatic, 1024>, mpx::flow::credits<16384, 4096, 16>>;
/// Some posts are pending, one at a time to a peer, over a channel of two packets.
using late_narrow = mpx::stack<late<basic_sim<sim_rma::none, 128, 2, 16>, late_stacks::narrow>,
                               mpx::waiting::sleep, sized<16, 128, long_path::packets, 100>,
                               mpx::flow::credits<4096, 512, 16>, mpx::trace::counters>;

/// As above with bodies that are sent unrequested, and a card.
using late_pushes = mpx::stack<late<basic_sim<sim_rma::nic, 128, 2, 16>, late_stacks::narrow>,
                               mpx::waiting::sleep, sized<16, 128, long_path::eager, 100>,
                               mpx::flow::credits<4096, 512, 16>, mpx::trace::counters>;

}  // namespace explorer
