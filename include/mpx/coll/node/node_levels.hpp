// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives in two levels for communicators of several nodes: within each node, and between
// nodes.
//
// With *leaders*, one rank of each node takes part between nodes; a root leads its own node. With
// *parts*, each rank of a node has a part of the data, and exchanges it with the ranks that have
// the same part on other nodes. Each level is itself a collective among fewer ranks, by the
// algorithm that the policy chooses for it.

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/coll/node/node_map.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Fills in the properties of the nodes in a question to the policy.
inline void ask_of_nodes(question& q, const node_map& map) noexcept {
  q.nodes = map.nodes();
  q.node_ranks = map.most();
  q.in_order = map.in_order();
  q.even = map.even();
}

/// One call at one rank, in two levels. Requires: `offers_levels` holds for the call.
template <class Policy, Steps S>
class node_levels {
 public:
  node_levels(S& s, const node_map& map) noexcept : s_(s), map_(map) {}

  void run(const barrier_call& call, bool) {
    const some_ranks members = map_.members();
    steps_among<S> node(s_, members);
    static constexpr reduction nothing{};
    reduce_binomial(node, {}, {}, 0, nothing);
    if (members.self == 0) between(map_.leaders(0), call);
    within(bcast_call{{}, 0});
  }

  void run(const bcast_call& call, bool in_parts) {
    const bool here = s_.rank() == call.root;
    if (!in_parts) {
      if (leads(call.root)) between(map_.leaders(call.root), with_root(call, call.root));
      return within(bcast_call{call.data, map_.leader(call.root)});
    }
    const memory all = call.data.contiguous() ? call.data : s_.scratch(call.data.bytes);
    if (all.base == nullptr && all.bytes != 0) return;
    if (here) s_.copy(all, call.data);
    const parts part = parts_of(all, 1);
    const memory mine = part[map_.index()];
    const rank_t node = map_.node_of(call.root);
    if (map_.mine() == node) {
      steps_among<S> near(s_, map_.members());
      const rank_t root = map_.index_of(call.root);
      if (!here) near.start_receive(mine, root);
      for (rank_t i = 0; here && i < near.size(); ++i)
        if (i != root) near.start_send(part[i], i);
      near.finish();
    }
    between(map_.peers(), bcast_call{mine, node});
    allgather_parts(all, 1);
    if (!here) s_.copy(call.data, all);
  }

  void run(const reduce_call& call, bool in_parts) {
    const bool here = s_.rank() == call.root;
    const rank_t node = map_.node_of(call.root);
    if (!in_parts) {
      const bool leading = leads(call.root);
      const memory sum = here ? call.out : leading ? s_.scratch(call.in.bytes) : memory();
      within(reduce_call{call.in, sum, map_.leader(call.root), call.op});
      if (leading) between(map_.leaders(call.root), reduce_call{sum, sum, node, call.op});
      return;
    }
    const memory work = here ? call.out : s_.scratch(call.in.bytes);
    if (work.base == nullptr && work.bytes != 0) return;
    const memory mine = reduce_scatter_parts(call.in, work, *call.op);
    between(map_.peers(), reduce_call{mine, mine, node, call.op});
    if (map_.mine() != node) return;
    steps_among<S> near(s_, map_.members());
    const rank_t root = map_.index_of(call.root);
    const parts part = parts_of(work, call.op->element_bytes);
    if (!here) near.start_send(mine, root);
    for (rank_t i = 0; here && i < near.size(); ++i)
      if (i != root) near.start_receive(part[i], i);
    near.finish();
  }

  void run(const allreduce_call& call, bool in_parts) {
    if (!in_parts) {
      within(reduce_call{call.in, call.out, 0, call.op});
      if (map_.index() == 0)
        between(map_.leaders(map_.at(0)), allreduce_call{call.out, call.out, call.op});
      return within(bcast_call{call.out, 0});
    }
    const memory mine = reduce_scatter_parts(call.in, call.out, *call.op);
    between(map_.peers(), allreduce_call{mine, mine, call.op});
    allgather_parts(call.out, call.op->element_bytes);
  }

  void run(const reduce_scatter_call& call, bool) {
    // For each rank of this node, the blocks of the ranks with the same index on all nodes.
    const blocks packed = packed_for_members(call.in);
    const memory sum = s_.scratch(packed.bytes);
    if (packed.base == nullptr || sum.base == nullptr) return;
    within(reduce_scatter_call{packed, sum, call.op});
    between(map_.peers(), reduce_scatter_call{{sum.base, call.in.bytes, call.in.bytes},
                                              slice(call.out, 0, call.in.bytes),
                                              call.op});
  }

  void run(const allgather_call& call, bool in_parts) {
    const blocks out = placed(s_, call.out);
    const memory mine = call.in.base != nullptr ? call.in : out[s_.rank()];
    if (in_parts) return allgather_in_parts(out, mine);
    // All blocks, ordered by nodes: in the result itself if its order is the same, else in scratch
    // memory.
    const bool direct = out.regular() && map_.in_order();
    const rank_t ranks = s_.size();
    const memory all = direct ? out.range(0, ranks) : s_.scratch(out.total(ranks));
    const memory table = s_.scratch(static_cast<std::size_t>(map_.nodes()) * sizeof(std::int64_t));
    if ((all.base == nullptr && all.bytes != 0) || table.base == nullptr) return;
    auto* const counts = reinterpret_cast<std::int64_t*>(table.base);
    std::size_t begin = 0;  // Offset of this node's blocks.
    for (rank_t k = 0; k < map_.nodes(); ++k) {
      std::size_t sum = 0;
      for (rank_t at = map_.begin_of(k); at < map_.begin_of(k) + map_.size_of(k); ++at)
        sum += out.bytes_of(map_.at(at));
      counts[k] = static_cast<std::int64_t>(sum);
      if (k < map_.mine()) begin += sum;
    }
    gather_in_node(out, mine, slice(all, begin, static_cast<std::size_t>(counts[map_.mine()])));
    if (map_.index() == 0) {
      blocks of_nodes{all.base, static_cast<std::size_t>(counts[0]),
                      static_cast<std::size_t>(counts[0])};
      if (out.counts || out.pieces != nullptr || !map_.even()) of_nodes.counts = {counts, true};
      between(map_.leaders(map_.at(0)), allgather_call{{}, of_nodes});
    }
    within(bcast_call{all, 0});
    if (!direct) take_in_order(out, all);
  }

  void run(const gather_call& call, bool) {
    const bool here = s_.rank() == call.root;
    const blocks out = here ? placed(s_, call.out) : call.out;
    const memory mine = here && call.in.base == nullptr ? out[call.root] : call.in;
    const std::size_t bytes = here ? out.bytes_of(call.root) : mine.bytes;
    const bool direct = here && out.regular() && map_.in_order();
    const rank_t node = map_.node_of(call.root);
    blocks all{out.base, bytes, bytes};  // Blocks of all ranks, ordered by nodes, at the root,
    if (here && !direct) all.base = s_.scratch(bytes * static_cast<std::size_t>(s_.size())).base;
    memory own;  // and blocks of this node, at its leader.
    if (here) {
      if (all.base == nullptr && bytes != 0) return;
      own = all.range(map_.begin_of(node), map_.size_of(node));
    } else if (leads(call.root)) {
      own = s_.scratch(bytes * static_cast<std::size_t>(map_.size_of(map_.mine())));
      if (own.base == nullptr) return;
    }
    within(gather_call{mine, {own.base, bytes, bytes}, map_.leader(call.root), false});
    if (!leads(call.root)) return;
    steps_among<S> far(s_, map_.leaders(call.root));
    if (!here) return far.send(own, node);
    for (rank_t k = 0; k < far.size(); ++k)
      if (k != node) far.start_receive(all.range(map_.begin_of(k), map_.size_of(k)), k);
    far.finish();
    if (direct) return;
    for (rank_t at = 0; at < s_.size(); ++at)
      if (map_.at(at) != call.root || call.in.base != nullptr) s_.copy(out[map_.at(at)], all[at]);
  }

  void run(const scatter_call& call, bool) {
    const bool here = s_.rank() == call.root;
    const blocks in = here ? placed(s_, call.in) : call.in;
    const memory mine = here && call.out.base == nullptr ? in[call.root] : call.out;
    const std::size_t bytes = here ? in.bytes_of(call.root) : mine.bytes;
    const bool direct = here && in.regular() && map_.in_order();
    const rank_t node = map_.node_of(call.root);
    blocks all{in.base, bytes, bytes};
    if (here && !direct) {
      all.base = s_.scratch(bytes * static_cast<std::size_t>(s_.size())).base;
      if (all.base == nullptr) return;
      for (rank_t at = 0; at < s_.size(); ++at) s_.copy(all[at], in[map_.at(at)]);
    }
    memory own;
    if (here) {
      own = all.range(map_.begin_of(node), map_.size_of(node));
      steps_among<S> far(s_, map_.leaders(call.root));
      for (rank_t k = 0; k < far.size(); ++k)
        if (k != node) far.start_send(all.range(map_.begin_of(k), map_.size_of(k)), k);
      far.finish();
    } else if (leads(call.root)) {
      own = s_.scratch(bytes * static_cast<std::size_t>(map_.size_of(map_.mine())));
      if (own.base == nullptr) return;
      steps_among<S> far(s_, map_.leaders(call.root));
      far.receive(own, node);
    }
    within(scatter_call{{own.base, bytes, bytes}, mine, map_.leader(call.root), false});
  }

  void run(const alltoall_call& call, bool) {
    const blocks out = placed(s_, call.out);
    const blocks in = call.in_place ? out : placed(s_, call.in);
    const auto most = static_cast<std::size_t>(map_.most());
    const auto nodes = static_cast<std::size_t>(map_.nodes());
    const std::size_t bytes = out.bytes_of(0);
    // First within the node, to the rank that has the same index as the receiver on its node.
    const blocks going = packed_for_members(in);
    const blocks here{s_.scratch(bytes * nodes * most).base, bytes * nodes, bytes * nodes};
    const bool direct = out.regular() && !call.in_place;
    const blocks there{s_.scratch(bytes * nodes * most).base, bytes * most, bytes * most};
    const blocks coming{direct ? out.base : going.base, bytes * most, bytes * most};
    if (going.base == nullptr || here.base == nullptr || there.base == nullptr) return;
    within(alltoall_call{going, here, false, false});
    for (rank_t k = 0; k < map_.nodes(); ++k)
      for (rank_t i = 0; i < map_.most(); ++i)
        s_.copy(slice(there[k], bytes * static_cast<std::size_t>(i), bytes),
                slice(here[i], bytes * static_cast<std::size_t>(k), bytes));
    between(map_.peers(), alltoall_call{there, coming, false, false});
    if (direct) return;
    const blocks all{coming.base, bytes, bytes};
    for (rank_t r = 0; r < s_.size(); ++r)
      if (!call.in_place || r != s_.rank()) s_.copy(out[r], all[r]);
  }

 private:
  bool leads(rank_t root) const noexcept { return map_.index() == map_.leader(root); }
  bcast_call with_root(const bcast_call& call, rank_t root) const noexcept {
    return {call.data, map_.node_of(root)};
  }

  template <class Call>
  void within(const Call& call) {
    among(map_.members(), call, 1, map_.size_of(map_.mine()));
  }
  template <class Call>
  void between(const some_ranks& ranks, const Call& call) {
    among(ranks, call, ranks.size, 1);
  }
  template <class Call>
  void among(const some_ranks& ranks, const Call& call, rank_t nodes, rank_t node_ranks) {
    steps_among<S> some(s_, ranks);
    question q = call.ask(some.rank(), some.size());
    q.nodes = nodes;
    q.node_ranks = node_ranks;
    q.in_order = q.even = true;
    call(some, decide<Policy>(q, algorithm::automatic));
  }

  // --- Parts, one for each rank of a node --------------------------------------------------------

  parts parts_of(const memory& all, std::size_t unit) const noexcept {
    return {all, unit, static_cast<std::size_t>(map_.most())};
  }
  /// The parts of `all` as blocks.
  blocks blocks_of(const memory& all, std::size_t unit) {
    const auto most = static_cast<std::size_t>(map_.most());
    blocks b{all.base, all.bytes / most, all.bytes / most};
    b.unit = unit;
    if (all.bytes % (most * unit) == 0) return b;
    const memory table = s_.scratch(most * sizeof(std::int64_t));
    if (table.base == nullptr) return b;
    auto* const counts = reinterpret_cast<std::int64_t*>(table.base);
    const parts part = parts_of(all, unit);
    for (std::size_t i = 0; i < most; ++i)
      counts[i] = static_cast<std::int64_t>(part[i].bytes / unit);
    b.counts = {counts, true};
    return b;
  }
  /// Combines the vectors of this node's ranks. Returns this rank's part of the result, which lies
  /// in `out` at the part's offset.
  memory reduce_scatter_parts(const memory& in, const memory& out, const reduction& op) {
    const memory mine = parts_of(out, op.element_bytes)[map_.index()];
    within(reduce_scatter_call{blocks_of(in, op.element_bytes), mine, &op});
    return mine;
  }
  /// Gathers the parts of this node's ranks at each of them.
  void allgather_parts(const memory& all, std::size_t unit) {
    within(allgather_call{{}, blocks_of(all, unit)});
  }

  // --- Blocks ------------------------------------------------------------------------------------

  /// For each rank of this node, the blocks of the ranks with the same index on all nodes.
  blocks packed_for_members(const blocks& in) {
    const auto most = static_cast<std::size_t>(map_.most());
    const auto nodes = static_cast<std::size_t>(map_.nodes());
    const blocks given = placed(s_, in);
    const std::size_t bytes = given.bytes_of(0);
    blocks packed{s_.scratch(bytes * nodes * most).base, bytes * nodes, bytes * nodes};
    if (packed.base == nullptr) return packed;
    for (rank_t i = 0; i < map_.most(); ++i)
      for (rank_t k = 0; k < map_.nodes(); ++k)
        s_.copy(slice(packed[i], bytes * static_cast<std::size_t>(k), bytes),
                given[k * map_.most() + i]);
    return packed;
  }
  /// Gathers the blocks of this node's ranks at its leader, in their order.
  void gather_in_node(const blocks& out, const memory& mine, const memory& all) {
    const some_ranks members = map_.members();
    if (!out.counts && out.pieces == nullptr)
      return within(gather_call{mine, {all.base, out.bytes, out.bytes}, 0, false});
    steps_among<S> near(s_, members);
    if (members.self != 0) return near.send(mine, 0);
    std::size_t at = mine.bytes;
    s_.copy(slice(all, 0, at), mine);
    for (rank_t i = 1; i < members.size; ++i) {
      const std::size_t bytes = out.bytes_of(members[i]);
      near.start_receive(slice(all, at, bytes), i);
      at += bytes;
    }
    near.finish();
  }
  /// Copies all blocks, ordered by nodes, to their places in the result.
  void take_in_order(const blocks& out, const memory& all) {
    std::size_t at = 0;
    for (rank_t i = 0; i < s_.size(); ++i) {
      const memory block = out[map_.at(i)];
      s_.copy(block, slice(all, at, block.bytes));
      at += block.bytes;
    }
  }
  void allgather_in_parts(const blocks& out, const memory& mine) {
    const auto nodes = static_cast<std::size_t>(map_.nodes());
    const auto most = static_cast<std::size_t>(map_.most());
    const std::size_t bytes = out.bytes;
    const blocks all{s_.scratch(bytes * nodes * most).base, bytes * nodes, bytes * nodes};
    if (all.base == nullptr) return;
    const memory own = all[map_.index()];
    between(map_.peers(), allgather_call{mine, {own.base, bytes, bytes}});
    within(allgather_call{{}, all});
    for (rank_t r = 0; r < s_.size(); ++r)
      s_.copy(out[r], slice(all[r % map_.most()], bytes * static_cast<std::size_t>(r / map_.most()),
                            bytes));
  }

  S& s_;
  const node_map& map_;
};

/// Calls of `What` can be made in two levels: the transport of `Stack` knows nodes, and node_levels
/// has a `run` for the call.
template <class Stack, class What>
concept HasLevels =
    NodeTransport<typename Stack::transport_type> &&
    requires(node_levels<typename Stack::collective_type, mpx::detail::schedule>& levels,
             const What& call) { levels.run(call, true); };

}  // namespace mpx::inline v0::coll
