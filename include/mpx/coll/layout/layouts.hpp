// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives on buffers with layouts. The bytes on the wire are those of a contiguous buffer,
// which other ranks may use. Data that is sent or received once is packed and unpacked by the
// messages themselves. Data that is passed on is packed once, in pieces where the algorithm uses
// pieces. Data that is combined is made contiguous first.

#include <cstddef>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/algorithms/scan.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/coll/layout/linear_layout.hpp"
#include "mpx/coll/node/node_calls.hpp"
#include "mpx/data/memory.hpp"

namespace mpx::inline v0::coll {

// --- Algorithms ----------------------------------------------------------------------------------

/// Returns `m` if it is contiguous, else scratch memory of its size; a copy of `m` if `filled`.
template <Steps S>
memory in_one_piece(S& s, const memory& m, bool filled) {
  if (m.contiguous()) return m;
  const memory all = s.scratch(m.bytes);
  if (filled && all.exists()) s.copy(all, m);
  return all;
}
/// Returns `b` if it has no layout, else contiguous blocks one after the other; copies if `filled`.
template <Steps S>
blocks in_one_piece(S& s, const blocks& b, bool filled) {
  if (b.how == nullptr) return b;
  blocks all{s.scratch(b.total(s.size())).base, b.bytes, b.bytes, b.counts, {}, b.unit};
  all = placed(s, all);
  for (rank_t r = 0; filled && all.base != nullptr && r < s.size(); ++r) s.copy(all[r], b[r]);
  return all;
}
template <Steps S>
void copy_blocks(S& s, const blocks& to, const blocks& from, rank_t but = -1) {
  for (rank_t r = 0; to.base != from.base && r < s.size(); ++r)
    if (r != but) s.copy(to[r], from[r]);
}

/// ring_of_blocks for blocks with a layout: each is passed on from one of three scratch pieces of
/// `most` bytes, and unpacked from there. `first`: this rank's own block. `here(i)`: the place of
/// block i in the result.
template <Steps S, class Block>
void ring_of_spread_blocks(S& s, const memory& first, std::size_t most, Block here) {
  const rank_t n = s.size();
  if (n == 1) return;
  const rank_t left = around(s.rank() - 1, n);
  const rank_t right = around(s.rank() + 1, n);
  if (n == 2) return static_cast<void>(s.exchange(first, right, here(1), left));
  const memory room[3] = {s.scratch(most), s.scratch(most), s.scratch(most)};
  if (s.failed()) return;
  const auto piece = [&](rank_t i) -> memory {
    const memory block = here(i);
    return i == n - 1 ? block : slice(room[i % 3], 0, block.bytes);
  };
  s.start_receive(piece(1), left);
  for (rank_t i = 0; i + 1 < n; ++i) {
    if (i + 2 < n) s.start_receive_ahead(piece(i + 2), left);
    s.start_send(i == 0 ? first : piece(i), right);
    if (i > 0) s.copy(here(i), piece(i));
    s.finish();
  }
}

/// Number of ranks to which a rank sends in bcast_tree.
inline rank_t tree_children(rank_t rank, rank_t n, rank_t root, rank_t radix) noexcept {
  const rank_t me = around(rank - root, n);
  rank_t children = 0;
  for (rank_t step = 1; step < n && me / step % radix == 0; step *= radix)
    for (rank_t i = 1; i < radix; ++i) children += me + i * step < n ? 1 : 0;
  return children;
}
template <Steps S>
void bcast_tree_spread(S& s, const memory& data, rank_t root, rank_t radix) {
  const bool sends = s.rank() == root;
  const rank_t uses = tree_children(s.rank(), s.size(), root, radix) + (sends ? 0 : 1);
  if (uses < 2) return bcast_tree(s, data, root, radix);
  const memory all = in_one_piece(s, data, sends);
  if (s.failed()) return;
  bcast_tree(s, all, root, radix);
  if (!sends) s.copy(data, all);
}
/// bcast_chain where segments are passed on from one of three scratch pieces.
template <Steps S>
void bcast_chain_spread(S& s, const memory& data, rank_t root, std::size_t segment) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  if (me == 0 || me + 1 == n) return bcast_chain(s, data, root, segment);
  const rank_t from = around(s.rank() - 1, n);
  const rank_t to = around(s.rank() + 1, n);
  const std::size_t segments = (data.bytes + segment - 1) / segment;
  const std::size_t most = segment < data.bytes ? segment : data.bytes;
  const memory room[3] = {s.scratch(most), s.scratch(most), s.scratch(most)};
  if (s.failed()) return;
  const auto bytes = [&](std::size_t i) {
    return (i + 1) * segment < data.bytes ? segment : data.bytes - i * segment;
  };
  const auto piece = [&](std::size_t i) { return slice(room[i % 3], 0, bytes(i)); };
  if (segments > 0) s.start_receive(piece(0), from);
  for (std::size_t i = 0; i <= segments; ++i) {
    if (i + 1 < segments) s.start_receive_ahead(piece(i + 1), from);
    if (i > 0) {
      s.start_send(piece(i - 1), to);
      s.copy(slice(data, (i - 1) * segment, bytes(i - 1)), piece(i - 1));
    }
    s.finish();
  }
}
template <Steps S>
void bcast_scatter_allgather_spread(S& s, const memory& data, rank_t root) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  const parts part{data, 1, static_cast<std::size_t>(n)};
  const auto span_of = [n](rank_t first, rank_t bit) { return first + bit <= n ? bit : n - first; };
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  const memory own_parts = part.range(me, span_of(me, bit));
  const memory own = me == 0 ? own_parts : s.scratch(own_parts.bytes);
  if (s.failed()) return;
  const std::size_t before = part.first(static_cast<std::size_t>(me));
  if (me != 0) s.receive(own, around(me - bit + root, n));
  for (bit /= 2; bit > 0; bit /= 2) {
    if (me + bit >= n) continue;
    const memory theirs = part.range(me + bit, span_of(me + bit, bit));
    const std::size_t at = part.first(static_cast<std::size_t>(me + bit)) - before;
    s.start_send(slice(own, at, theirs.bytes), around(me + bit + root, n));
  }
  if (me != 0) s.copy(own_parts, own);
  s.finish();
  ring_of_spread_blocks(s, slice(own, 0, part[me].bytes),
                        data.bytes / static_cast<std::size_t>(n) + 1,
                        [&](rank_t i) { return part[around(me - i, n)]; });
}

// --- Calls on contiguous copies ------------------------------------------------------------------

// `on_copies(s, call, run)` calls run(whole): `whole` is `call` with contiguous copies in place of
// the buffers that have a layout. For algorithms that do not support layouts.

template <Steps S, class Run>
void on_copies(S& s, const bcast_call& b, Run&& run) {
  bcast_call whole = b;
  whole.data = in_one_piece(s, b.data, s.rank() == b.root);
  if (s.failed()) return;
  run(whole);
  if (s.rank() != b.root && b.data.how != nullptr) s.copy(b.data, whole.data);
}
template <Steps S, class Run>
void on_copies(S& s, const gather_call& g, Run&& run) {
  const bool here = s.rank() == g.root;
  gather_call whole = g;
  const blocks to = here ? placed(s, g.out) : g.out;
  whole.in = in_one_piece(s, g.in.exists() || !here ? g.in : to[g.root], true);
  if (here) whole.out = in_one_piece(s, to, false);
  if (s.failed()) return;
  run(whole);
  if (here) copy_blocks(s, to, whole.out);
}
template <Steps S, class Run>
void on_copies(S& s, const scatter_call& g, Run&& run) {
  scatter_call whole = g;
  if (s.rank() == g.root) whole.in = in_one_piece(s, placed(s, g.in), true);
  whole.out = in_one_piece(s, g.out, false);
  if (s.failed()) return;
  run(whole);
  if (g.out.how != nullptr) s.copy(g.out, whole.out);
}
template <Steps S, class Run>
void on_copies(S& s, const allgather_call& g, Run&& run) {
  const blocks to = placed(s, g.out);
  allgather_call whole = g;
  whole.in = in_one_piece(s, g.in.exists() ? g.in : to[s.rank()], true);
  whole.out = in_one_piece(s, to, false);
  if (s.failed()) return;
  run(whole);
  copy_blocks(s, to, whole.out, g.in.exists() ? -1 : s.rank());
}
template <Steps S, class Run>
void on_copies(S& s, const alltoall_call& a, Run&& run) {
  alltoall_call whole = a;
  const blocks to = placed(s, a.out);
  whole.out = in_one_piece(s, to, a.in_place);
  if (!a.in_place) whole.in = in_one_piece(s, placed(s, a.in), true);
  if (s.failed()) return;
  run(whole);
  copy_blocks(s, to, whole.out);
}
/// True if the call writes its result at this rank.
template <class Call>
bool has_result(const Call& c, rank_t rank) noexcept {
  if constexpr (requires { c.root; }) {
    return rank == c.root;
  } else if constexpr (requires { c.exclusive; }) {
    return !c.exclusive || rank > 0;
  } else {
    return true;
  }
}
/// As on_copies, with a contiguous copy of the result only.
template <Steps S, class Call, class Run>
void on_copied_result(S& s, const Call& c, Run&& run) {
  Call whole = c;
  const bool here = has_result(c, s.rank());
  if constexpr (requires { c.in.regular(); }) whole.out.bytes = c.in.bytes_of(s.rank());
  const memory out = whole.out;
  constexpr bool rooted = requires { c.root; };
  if (here || !rooted) {
    whole.out = in_one_piece(s, out, false);
  } else if (out.how != nullptr) {
    whole.out = memory();
  }
  if (s.failed()) return;
  run(whole);
  if (here && out.how != nullptr) s.copy(out, whole.out);
}
template <Steps S, class Call, class Run>
requires requires(const Call& c) { c.op; }
void on_copies(S& s, const Call& c, Run&& run) {
  Call whole = c;
  if constexpr (requires { c.in.regular(); }) {
    if (c.in.how != nullptr) whole.in = in_one_piece(s, placed(s, c.in), true);
  } else {
    whole.in = in_one_piece(s, c.in, true);
  }
  if (!s.failed()) on_copied_result(s, whole, run);
}

// --- Steps of `spread_call` by operation, for linear layouts -------------------------------------

template <Steps S>
void run_spread(S& s, const bcast_call& b, const choice& c) {
  if (s.size() == 1) return;
  if (c.by == algorithm::binomial) return bcast_tree_spread(s, b.data, b.root, 2);
  if (c.by == algorithm::knomial) return bcast_tree_spread(s, b.data, b.root, 4);
  if (c.by == algorithm::linear) return bcast_tree_spread(s, b.data, b.root, s.size());
  if (c.by == algorithm::chain) return bcast_chain_spread(s, b.data, b.root, c.segment_bytes);
  if (c.by == algorithm::scatter_allgather)
    return bcast_scatter_allgather_spread(s, b.data, b.root);
  on_copies(s, b, [&](const bcast_call& whole) { whole(s, c); });
}
template <Steps S>
void run_spread(S& s, const gather_call& g, const choice& c) {
  if (c.by == algorithm::linear || c.by == algorithm::binomial) return g(s, c);
  on_copies(s, g, [&](const gather_call& whole) { whole(s, c); });
}
template <Steps S>
void run_spread(S& s, const scatter_call& g, const choice& c) {
  if (c.by == algorithm::linear || c.by == algorithm::binomial) return g(s, c);
  on_copies(s, g, [&](const scatter_call& whole) { whole(s, c); });
}
template <Steps S>
void run_spread(S& s, const allgather_call& g, const choice& c) {
  if (c.by == algorithm::bruck) return g(s, c);
  if (c.by != algorithm::ring)
    return on_copies(s, g, [&](const allgather_call& whole) { whole(s, c); });
  const blocks to = placed(s, g.out);
  const rank_t n = s.size();
  const rank_t me = s.rank();
  std::size_t most = 0;
  for (rank_t r = 0; r < n; ++r)
    if (to.bytes_of(r) > most) most = to.bytes_of(r);
  if (g.in.exists()) s.copy(to[me], g.in);
  const memory first = g.in.exists() ? g.in : to[me];
  if (to.how == nullptr)
    return ring_of_blocks(s, [&](rank_t i) { return i == 0 ? first : to[around(me - i, n)]; });
  ring_of_spread_blocks(s, first, most, [&](rank_t i) { return to[around(me - i, n)]; });
}
template <Steps S>
void run_spread(S& s, const alltoall_call& a, const choice& c) {
  if (c.by == algorithm::linear || c.by == algorithm::pairwise || c.by == algorithm::bruck)
    return a(s, c);
  on_copies(s, a, [&](const alltoall_call& whole) { whole(s, c); });
}

/// `sends_only`: the algorithm only sends and copies this rank's input, but does not combine it.
template <Steps S, class Call>
void run_combining(S& s, const Call& r, const choice& c, bool sends_only) {
  const auto run = [&](const Call& whole) { whole(s, c); };
  if (sends_only) return on_copied_result(s, r, run);
  on_copies(s, r, run);
}
template <Steps S>
void run_spread(S& s, const reduce_call& r, const choice& c) {
  if (c.by != algorithm::pairwise) return run_combining(s, r, c, c.by == algorithm::binomial);
  // As reduce_pairwise: only the part that this rank combines is contiguous.
  const rank_t root = r.root;
  const bool here = s.rank() == root;
  const parts part{r.in, r.op->element_bytes, static_cast<std::size_t>(s.size())};
  const parts result{r.out, r.op->element_bytes, static_cast<std::size_t>(s.size())};
  const memory sum = s.scratch(part[s.rank()].bytes);
  if (s.failed()) return;
  reduce_parts_pairwise(s, sum, *r.op, [&](rank_t i) { return part[i]; });
  if (!here) return static_cast<void>(s.send(sum, root));
  for (rank_t i = 0; i < s.size(); ++i)
    if (i != root) s.start_receive(result[i], i);
  s.copy(result[root], sum);
  s.finish();
}
template <Steps S>
void run_spread(S& s, const allreduce_call& r, const choice& c) {
  if (c.by != algorithm::pairwise)
    return run_combining(s, r, c,
                         c.by == algorithm::recursive_doubling || c.by == algorithm::ring ||
                             c.by == algorithm::recursive_halving || c.by == algorithm::binomial);
  const rank_t n = s.size();
  const rank_t me = s.rank();
  const parts part{r.in, r.op->element_bytes, static_cast<std::size_t>(n)};
  const parts result{r.out, r.op->element_bytes, static_cast<std::size_t>(n)};
  const memory sum = s.scratch(part[me].bytes);
  if (s.failed()) return;
  reduce_parts_pairwise(s, sum, *r.op, [&](rank_t i) { return part[i]; });
  s.copy(result[me], sum);
  ring_of_spread_blocks(s, sum, r.out.bytes / static_cast<std::size_t>(n) + r.op->element_bytes,
                        [&](rank_t i) { return result[around(me - i, n)]; });
}
template <Steps S>
void run_spread(S& s, const reduce_scatter_call& r, const choice& c) {
  run_combining(s, r, c,
                c.by == algorithm::pairwise || c.by == algorithm::ring ||
                    c.by == algorithm::recursive_halving);
}
template <Steps S>
void run_spread(S& s, const scan_call& r, const choice& c) {
  run_combining(s, r, c, c.by == algorithm::recursive_doubling || c.by == algorithm::linear);
}
/// Calls with a single algorithm, whose messages pack and unpack parts.
template <Steps S, class Call>
void run_spread(S& s, const Call& c, const choice& by) {
  c(s, by);
}

/// A call whose buffers have linear layouts, or none. `fault`: the error of its buffers.
template <class Call>
struct spread_call : Call {
  errc fault{};
  const char* fault_text = nullptr;

  collective_failure check(rank_t rank, rank_t size) const noexcept {
    if (fault == errc::no_resources) return {fault, collective_failure::cause::memory};
    if (fault != errc{}) return wrong_argument(fault, fault_text);
    return Call::check(rank, size);
  }
  const Call& without_layouts() const noexcept { return *this; }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    run_spread(s, static_cast<const Call&>(*this), c);
  }
};

/// In shared memory, pieces are packed and unpacked directly; the result of a reduction is made
/// contiguous first.
template <class Stack, class Call>
requires requires(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const Call& call) { run_in_block(node, c, call); }
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const spread_call<Call>& call) {
  const auto run = [&](const Call& whole) { run_in_block(node, c, whole); };
  if constexpr (requires { call.op; }) {
    on_copied_result(c, call.without_layouts(), run);
  } else {
    run(call);
  }
}

}  // namespace mpx::inline v0::coll
