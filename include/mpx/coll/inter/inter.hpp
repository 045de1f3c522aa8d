// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives of an intercommunicator: the input of one group goes to the other group. Their steps
// run over the ranks of both groups; within a group, the algorithms for a single group are used.

#include <cstddef>
#include <cstdint>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/coll/node/node_map.hpp"

namespace mpx::inline v0 {

/// Root argument of a collective on an intercommunicator, passed by the root itself. The other
/// ranks of its group pass mpx::proc_null.
inline constexpr rank_t this_root = -3;

}  // namespace mpx::inline v0

namespace mpx::inline v0::coll {

/// The ranks of the local (here) and the remote (there) group, numbered among the ranks of both.
struct sides {
  rank_t here_first = 0;
  rank_t here = 0;  // Number of ranks.
  rank_t there_first = 0;
  rank_t there = 0;

  rank_t remote(rank_t r) const noexcept { return there_first + r; }
};

/// Returns the error of the root argument of an intercommunicator collective.
inline collective_failure check_inter_root(rank_t root, const sides& of) noexcept {
  if (root == this_root || root == proc_null || (root >= 0 && root < of.there)) [[likely]]
    return {};
  return wrong_argument(errc::root,
                        "a root is a rank of the remote group, mpx::this_root or mpx::proc_null");
}
/// These calls have one algorithm each, so the policy's answer is not used.
inline question one_way(rank_t size) noexcept { return {operation::barrier, 0, size}; }

/// Returns `b`, blocks of the remote ranks, with displacements.
template <Steps S>
blocks placed_remote(S& s, const blocks& b, const sides& of) {
  steps_among<S> there(s, {.size = of.there, .first = of.there_first});
  return placed(there, b);
}
/// Returns the blocks one after the other: `b` itself if they are so, else scratch memory.
template <Steps S>
blocks packed_remote(S& s, const blocks& b, const sides& of) {
  if (b.regular() && b.how == nullptr) return b;
  blocks packed{s.scratch(b.total(of.there)).base, b.bytes, b.bytes};
  packed.counts = b.counts;
  packed.unit = b.unit;
  if (b.pieces != nullptr) {  // Their lengths become counts of bytes.
    const memory table = s.scratch(static_cast<std::size_t>(of.there) * sizeof(std::int64_t));
    if (table.base == nullptr) return packed;
    auto* const counts = reinterpret_cast<std::int64_t*>(table.base);
    for (rank_t r = 0; r < of.there; ++r) counts[r] = static_cast<std::int64_t>(b.bytes_of(r));
    packed.counts = {counts, true};
    packed.unit = 1;
  }
  return placed_remote(s, packed, of);
}
/// True if blocks of `bytes` are gathered or scattered by a tree within the group of `ranks`.
template <class Stack>
bool by_tree(operation what, std::size_t bytes, rank_t ranks, bool variable) noexcept {
  question q{what, bytes, ranks, true, !variable};
  q.near = SharedMemoryTransport<typename Stack::transport_type>;
  return decide<typename Stack::collective_type>(q, algorithm::automatic).by == algorithm::binomial;
}
/// Runs the steps of `what` within this rank's group.
template <class Stack, class What, Steps S>
void within(S& s, const What& what, const sides& of) {
  if (of.here == 1 && std::same_as<What, bcast_call>) return;
  steps_among<S> here(s,
                      {.size = of.here, .self = s.rank() - of.here_first, .first = of.here_first});
  question q = what.ask(here.rank(), here.size());
  q.near = SharedMemoryTransport<typename Stack::transport_type>;
  what(here, decide<typename Stack::collective_type>(q, algorithm::automatic));
}
/// Combines the input of this rank's group at its rank 0. Returns the result there, no memory
/// elsewhere.
template <class Stack, Steps S>
memory reduced_within(S& s, const memory& in, const reduction& op, const sides& of) {
  if (of.here == 1) return in;
  const bool first = s.rank() == of.here_first;
  const memory sum = first ? s.scratch(in.bytes) : memory();
  within<Stack>(s, reduce_call{in, sum, 0, &op}, of);
  return sum;
}

/// See inter_collectives::bcast.
template <class Stack>
struct inter_bcast {
  static constexpr const char* name = "bcast (inter)";

  sides of;
  memory data;
  rank_t root;

  question ask(rank_t, rank_t size) const noexcept { return one_way(size); }
  bool gives() const noexcept { return root == this_root; }
  bool gets() const noexcept { return root >= 0; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    for (rank_t r = 0; gives() && r < of.there; ++r) send(data, of.remote(r));
    if (gets()) receive(data, of.remote(root));
  }
  collective_failure check(rank_t, rank_t) const noexcept { return check_inter_root(root, of); }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    if (root == proc_null) return;
    if (root == this_root) return static_cast<void>(s.send(data, of.remote(0)));
    if (s.rank() == of.here_first) s.receive(data, of.remote(root));
    within<Stack>(s, bcast_call{data, 0}, of);
  }
};

/// See inter_collectives::gather.
template <class Stack>
struct inter_gather {
  static constexpr const char* name = "gather (inter)";
  const char* called() const noexcept { return variable ? "gatherv (inter)" : name; }

  sides of;
  memory in;   // At the group that sends.
  blocks out;  // At the root.
  rank_t root;
  bool variable;

  question ask(rank_t, rank_t size) const noexcept { return one_way(size); }
  bool gives() const noexcept { return root >= 0; }
  bool gets() const noexcept { return root == this_root; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    if (gives()) send(in, of.remote(root));
    for (rank_t r = 0; gets() && r < of.there; ++r)
      receive(memory(nullptr, out.bytes_of(r)), of.remote(r));
  }
  collective_failure check(rank_t, rank_t) const noexcept {
    const collective_failure wrong = check_inter_root(root, of);
    return wrong.why != errc{} || root != this_root ? wrong : check_blocks(out, of.there);
  }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    if (root == proc_null) return;
    const bool here = root == this_root;
    const rank_t givers = here ? of.there : of.here;
    const bool tree =
        by_tree<Stack>(operation::gather, here ? out.bytes : in.bytes, givers, variable);
    if (here) return take(s, tree);
    if (!tree) return static_cast<void>(s.send(in, of.remote(root)));
    const auto n = static_cast<std::size_t>(of.here);
    const bool first = s.rank() == of.here_first;
    const blocks all{first ? s.scratch(n * in.bytes).base : nullptr, in.bytes, in.bytes};
    within<Stack>(s, gather_call{in, all, 0, false}, of);
    if (first) s.send(all.range(0, of.here), of.remote(root));
  }

 private:
  template <Steps S>
  void take(S& s, bool tree) const {
    const blocks to = placed_remote(s, out, of);
    if (tree) {
      const blocks all = packed_remote(s, to, of);
      s.receive(all.range(0, of.there), of.remote(0));
      for (rank_t r = 0; !to.regular() && r < of.there; ++r) s.copy(to[r], all[r]);
      return;
    }
    for (rank_t r = 0; r < of.there; ++r) s.start_receive(to[r], of.remote(r));
    s.finish();
  }
};

/// See inter_collectives::scatter.
template <class Stack>
struct inter_scatter {
  static constexpr const char* name = "scatter (inter)";
  const char* called() const noexcept { return variable ? "scatterv (inter)" : name; }

  sides of;
  blocks in;   // At the root.
  memory out;  // At the group that receives.
  rank_t root;
  bool variable;

  question ask(rank_t, rank_t size) const noexcept { return one_way(size); }
  bool gives() const noexcept { return root == this_root; }
  bool gets() const noexcept { return root >= 0; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    if (gets()) receive(out, of.remote(root));
    for (rank_t r = 0; gives() && r < of.there; ++r)
      send(memory(nullptr, in.bytes_of(r)), of.remote(r));
  }
  collective_failure check(rank_t, rank_t) const noexcept {
    const collective_failure wrong = check_inter_root(root, of);
    return wrong.why != errc{} || root != this_root ? wrong : check_blocks(in, of.there);
  }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    if (root == proc_null) return;
    const bool here = root == this_root;
    const rank_t takers = here ? of.there : of.here;
    const bool tree =
        by_tree<Stack>(operation::scatter, here ? in.bytes : out.bytes, takers, variable);
    if (here) return give(s, tree);
    if (!tree) return static_cast<void>(s.receive(out, of.remote(root)));
    const auto n = static_cast<std::size_t>(of.here);
    const bool first = s.rank() == of.here_first;
    const blocks all{first ? s.scratch(n * out.bytes).base : nullptr, out.bytes, out.bytes};
    if (first) s.receive(all.range(0, of.here), of.remote(root));
    within<Stack>(s, scatter_call{all, out, 0, false}, of);
  }

 private:
  template <Steps S>
  void give(S& s, bool tree) const {
    const blocks from = placed_remote(s, in, of);
    if (tree) {
      const blocks all = packed_remote(s, from, of);
      for (rank_t r = 0; !from.regular() && r < of.there; ++r) s.copy(all[r], from[r]);
      return static_cast<void>(s.send(all.range(0, of.there), of.remote(0)));
    }
    for (rank_t r = 0; r < of.there; ++r) s.start_send(from[r], of.remote(r));
    s.finish();
  }
};

/// See inter_collectives::allgather. The incoming blocks are distributed over the ranks of a
/// group, each block to one rank, and then gathered within the group. Cost: one round more than an
/// allgather of the group.
template <class Stack>
struct inter_allgather {
  static constexpr const char* name = "allgather (inter)";

  sides of;
  memory in;
  blocks out;  // Of the remote ranks.

  question ask(rank_t, rank_t size) const noexcept { return one_way(size); }
  static bool gives() noexcept { return true; }
  static bool gets() noexcept { return true; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    for (rank_t r = 0; r < of.there; ++r) {
      send(in, of.remote(r));
      receive(memory(nullptr, out.bytes_of(r)), of.remote(r));
    }
  }
  collective_failure check(rank_t, rank_t) const noexcept { return check_blocks(out, of.there); }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    const rank_t me = s.rank() - of.here_first;
    const blocks to = placed_remote(s, out, of);
    const bool in_order = to.regular() || (out.counts && !out.displacements);
    const blocks all = in_order ? to : packed_remote(s, to, of);
    for (rank_t r = dealt(me, of.there, of.here); r < dealt(me + 1, of.there, of.here); ++r)
      s.start_receive(all[r], of.remote(r));
    s.start_send(in, of.remote(taker(me, of.here, of.there)));
    s.finish();
    if (of.here > 1) pass_round(s, all);
    for (rank_t r = 0; !in_order && r < of.there; ++r) s.copy(to[r], all[r]);
  }

 private:
  /// The first of `blocks` blocks that rank r of `takers` receives.
  static rank_t dealt(rank_t r, rank_t blocks, rank_t takers) noexcept {
    return static_cast<rank_t>(std::int64_t{r} * blocks / takers);
  }
  /// The rank that receives block b.
  static rank_t taker(rank_t b, rank_t blocks, rank_t takers) noexcept {
    return static_cast<rank_t>(((std::int64_t{b} + 1) * takers - 1) / blocks);
  }
  template <Steps S>
  void pass_round(S& s, const blocks& all) const {
    if (of.there == 1) return within<Stack>(s, bcast_call{all[0], of.here - 1}, of);
    if (!all.counts && of.there % of.here == 0) {
      const std::size_t bytes = all.bytes * static_cast<std::size_t>(of.there / of.here);
      return within<Stack>(s, allgather_call{{}, {all.base, bytes, bytes}}, of);
    }
    const auto n = static_cast<std::size_t>(of.here);
    const memory table = s.scratch(2 * n * sizeof(std::int64_t));
    if (table.base == nullptr) return;
    auto* const counts = reinterpret_cast<std::int64_t*>(table.base);
    std::int64_t at = 0;
    for (rank_t h = 0; h < of.here; ++h) {
      counts[n + static_cast<std::size_t>(h)] = at;
      std::int64_t& count = counts[h] = 0;
      for (rank_t r = dealt(h, of.there, of.here); r < dealt(h + 1, of.there, of.here); ++r)
        count += static_cast<std::int64_t>(all.bytes_of(r));
      at += count;
    }
    blocks dealt_out;
    dealt_out.base = all.base;
    dealt_out.counts = {counts, true};
    dealt_out.displacements = {counts + n, true};
    within<Stack>(s, allgather_call{{}, dealt_out}, of);
  }
};

/// See inter_collectives::alltoall.
template <class Stack>
struct inter_alltoall {
  static constexpr const char* name = "alltoall (inter)";
  const char* called() const noexcept { return variable ? "alltoallv (inter)" : name; }

  sides of;
  blocks in;
  blocks out;
  bool variable;

  question ask(rank_t, rank_t) const noexcept {
    return {operation::alltoall, out.bytes, of.here > of.there ? of.here : of.there, true,
            !variable};
  }
  static bool gives() noexcept { return true; }
  static bool gets() noexcept { return true; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    for (rank_t r = 0; r < of.there; ++r) {
      send(memory(nullptr, in.bytes_of(r)), of.remote(r));
      receive(memory(nullptr, out.bytes_of(r)), of.remote(r));
    }
  }
  collective_failure check(rank_t, rank_t) const noexcept {
    const collective_failure wrong = check_blocks(out, of.there);
    return wrong.why != errc{} ? wrong : check_blocks(in, of.there);
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    const blocks from = placed_remote(s, in, of);
    const blocks to = placed_remote(s, out, of);
    const rank_t n = of.here > of.there ? of.here : of.there;
    const rank_t me = s.rank() - of.here_first;
    for (rank_t i = 0; i < n; ++i) {
      const rank_t source = around(me - i, n);
      const rank_t target = around(me + i - n, n);
      if (source < of.there) s.start_receive(to[source], of.remote(source));
      if (target < of.there) s.start_send(from[target], of.remote(target));
      if (c.by == algorithm::pairwise) s.finish();
    }
    s.finish();
  }
};

/// See inter_collectives::reduce.
template <class Stack>
struct inter_reduce {
  static constexpr const char* name = "reduce (inter)";

  sides of;
  memory in;   // At the group that sends.
  memory out;  // At the root.
  rank_t root;
  const reduction* op = nullptr;

  question ask(rank_t, rank_t size) const noexcept { return one_way(size); }
  bool gives() const noexcept { return root >= 0; }
  bool gets() const noexcept { return root == this_root; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    if (gives()) send(in, of.remote(root));
    for (rank_t r = 0; gets() && r < of.there; ++r) receive(out, of.remote(r));
  }
  collective_failure check(rank_t, rank_t) const noexcept { return check_inter_root(root, of); }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    if (root == proc_null) return;
    if (root == this_root) return static_cast<void>(s.receive(out, of.remote(0)));
    const memory sum = reduced_within<Stack>(s, in, *op, of);
    if (s.rank() == of.here_first) s.send(sum, of.remote(root));
  }
};

/// See inter_collectives::allreduce.
template <class Stack>
struct inter_allreduce {
  static constexpr const char* name = "allreduce (inter)";

  sides of;
  memory in;
  memory out;  // Equal to `in`: in place.
  const reduction* op = nullptr;

  question ask(rank_t, rank_t size) const noexcept { return one_way(size); }
  static bool gives() noexcept { return true; }
  static bool gets() noexcept { return true; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    for (rank_t r = 0; r < of.there; ++r) {
      send(in, of.remote(r));
      receive(out, of.remote(r));
    }
  }
  collective_failure check(rank_t, rank_t) const noexcept {
    return check_room(in.bytes, out.bytes, op->element_bytes);
  }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    memory sum = reduced_within<Stack>(s, in, *op, of);
    if (s.rank() == of.here_first) {
      if (sum.base == out.base && sum.base != nullptr) {
        sum = s.scratch(in.bytes);
        s.copy(sum, in);
      }
      s.exchange(sum, of.remote(0), out, of.remote(0));
    }
    within<Stack>(s, bcast_call{out, 0}, of);
  }
};

/// See inter_collectives::reduce_scatter.
template <class Stack>
struct inter_reduce_scatter {
  static constexpr const char* name = "reduce_scatter (inter)";

  sides of;
  blocks in;   // In blocks of the local ranks: the remote group's result is scattered so.
  memory out;  // May be part of `in`.
  const reduction* op = nullptr;

  question ask(rank_t, rank_t size) const noexcept { return one_way(size); }
  static bool gives() noexcept { return true; }
  static bool gets() noexcept { return true; }
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    const memory all(nullptr, in.total(of.here));
    for (rank_t r = 0; r < of.there; ++r) {
      send(all, of.remote(r));
      receive(all, of.remote(r));
    }
  }
  collective_failure check(rank_t, rank_t) const noexcept {
    const collective_failure wrong = check_blocks(in, of.here);
    if (wrong.why != errc{}) return wrong;
    if (in.total(of.here) != in.room)
      return check_room(in.room, in.total(of.here), op->element_bytes);
    return check_room(in.bytes_of(mine), out.bytes, op->element_bytes);
  }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    const std::size_t bytes = in.total(of.here);
    const memory sum = reduced_within<Stack>(s, {in.base, bytes}, *op, of);
    blocks coming = in;
    coming.base = nullptr;
    if (s.rank() == of.here_first) {
      const memory theirs = of.here == 1 && out.base != in.base ? out : s.scratch(bytes);
      coming.base = theirs.base;
      coming.room = bytes;
      s.exchange(sum, of.remote(0), theirs, of.remote(0));
      if (of.here == 1) return s.copy(out, theirs);
    }
    within<Stack>(s, scatter_call{coming, out, 0, static_cast<bool>(in.counts)}, of);
  }
  rank_t mine = 0;  // This rank in the local group.
};

}  // namespace mpx::inline v0::coll
