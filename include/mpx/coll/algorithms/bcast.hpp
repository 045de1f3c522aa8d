// SPDX-License-Identifier: BSL-1.0
#pragma once
// bcast: sends a message from the root to all ranks.

#include "mpx/coll/algorithms/among.hpp"
#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/mesh.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// A tree whose nodes have `radix` - 1 children on each level; binomial with radix 2.
/// Cost: as many rounds of the whole message as `size` has digits to that radix.
template <Steps S>
void bcast_tree(S& s, const memory& data, rank_t root, rank_t radix = 2) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);  // The root is 0 in the tree.
  rank_t step = 1;
  while (step < n && me / step % radix == 0) step *= radix;
  if (me != 0) s.receive(data, around(me - me / step % radix * step + root, n));
  for (step /= radix; step > 0; step /= radix)
    for (rank_t i = 1; i < radix; ++i)
      if (me + i * step < n) s.start_send(data, around(me + i * step + root, n));
  s.finish();
}

/// Passes segments along a chain of ranks: one segment is sent on while the next one is received.
/// Cost: as many rounds as ranks and segments together.
template <Steps S>
void bcast_chain(S& s, const memory& data, rank_t root, std::size_t segment) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  const rank_t from = around(s.rank() - 1, n);
  const rank_t to = around(s.rank() + 1, n);
  const std::size_t segments = (data.bytes + segment - 1) / segment;
  const auto piece = [&](std::size_t i) {
    const std::size_t at = i * segment;
    return slice(data, at, at + segment < data.bytes ? segment : data.bytes - at);
  };
  if (me != 0 && segments > 0) s.start_receive(piece(0), from);
  for (std::size_t i = 0; i <= segments; ++i) {  // Round i: piece i arrives, piece i - 1 is sent.
    if (me != 0 && i + 1 < segments) s.start_receive_ahead(piece(i + 1), from);
    if (me + 1 < n && i > 0) s.start_send(piece(i - 1), to);
    s.finish();
  }
}

/// Scatters the parts of a message down a binomial tree. Part i goes to the rank i above the root.
template <Steps S>
void scatter_parts(S& s, const parts& part, rank_t root) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  const auto span_of = [n](rank_t first, rank_t bit) { return first + bit <= n ? bit : n - first; };
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  if (me != 0) s.receive(part.range(me, span_of(me, bit)), around(me - bit + root, n));
  for (bit /= 2; bit > 0; bit /= 2)
    if (me + bit < n)
      s.start_send(part.range(me + bit, span_of(me + bit, bit)), around(me + bit + root, n));
  s.finish();
}
/// Passes these parts round a ring, from one at each rank to all of them.
template <Steps S>
void collect_parts(S& s, const parts& part, rank_t root) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  const rank_t left = around(s.rank() - 1, n);
  const rank_t right = around(s.rank() + 1, n);
  if (n > 1) s.start_receive(part[around(me - 1, n)], left);
  for (rank_t i = 0; i + 1 < n; ++i) {
    if (i + 2 < n) s.start_receive_ahead(part[around(me - i - 2, n)], left);
    s.start_send(part[around(me - i, n)], right);
    s.finish();
  }
}
/// Scatters the message in parts, then collects them.
/// Cost: every rank sends and receives about two messages' worth. Source: van de Geijn 1994.
template <Steps S>
void bcast_scatter_allgather(S& s, const memory& data, rank_t root) {
  const parts part{data, 1, static_cast<std::size_t>(s.size())};
  scatter_parts(s, part, root);
  collect_parts(s, part, root);
}

/// Scatters the message in the root's row, sends each part down its column by a tree, and collects
/// the parts in each row.
/// Cost: log2(size) rounds and those of a ring of a row; of each column a tree of one part.
template <Steps S>
void bcast_long_short(S& s, const memory& data, rank_t root) {
  const mesh m(s.rank(), s.size());
  const parts part{data, 1, static_cast<std::size_t>(m.columns())};
  const rank_t corner = m.column_of(root);
  steps_among<S> row(s, m.in_row());
  steps_among<S> column(s, m.in_column());
  if (m.row() == m.row_of(root)) scatter_parts(row, part, corner);
  bcast_tree(column, part[around(m.column() - corner, m.columns())], m.row_of(root));
  collect_parts(row, part, corner);
}
/// Sends the message along the root's row by a tree; then scatters and collects it in each column.
template <Steps S>
void bcast_short_long(S& s, const memory& data, rank_t root) {
  const mesh m(s.rank(), s.size());
  steps_among<S> row(s, m.in_row());
  steps_among<S> column(s, m.in_column());
  if (m.row() == m.row_of(root)) bcast_tree(row, data, m.column_of(root));
  bcast_scatter_allgather(column, data, m.row_of(root));
}

/// See collectives::bcast.
struct bcast_call {
  static constexpr const char* name = "bcast";

  memory data;
  rank_t root;

  question ask(rank_t, rank_t size) const noexcept { return {operation::bcast, data.bytes, size}; }
  collective_failure check(rank_t, rank_t size) const noexcept { return check_root(root, size); }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    if (s.size() == 1) return;
    if (c.by == algorithm::binomial) return bcast_tree(s, data, root);
    if (c.by == algorithm::knomial) return bcast_tree(s, data, root, 4);
    if (c.by == algorithm::linear) return bcast_tree(s, data, root, s.size());
    const memory all = data.contiguous() ? data : s.scratch(data.bytes);
    if (s.rank() == root) s.copy(all, data);
    if (c.by == algorithm::chain) {
      bcast_chain(s, all, root, c.segment_bytes);
    } else if (c.by == algorithm::long_short) {
      bcast_long_short(s, all, root);
    } else if (c.by == algorithm::short_long) {
      bcast_short_long(s, all, root);
    } else {
      bcast_scatter_allgather(s, all, root);
    }
    if (s.rank() != root) s.copy(data, all);
  }
};

}  // namespace mpx::inline v0::coll
