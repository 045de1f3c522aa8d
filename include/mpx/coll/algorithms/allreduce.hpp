// SPDX-License-Identifier: BSL-1.0
#pragma once
// allreduce: combines the elements of all ranks at every rank, with equal bits.

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_parts.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Groups ranks into a power of two of units: the lowest ranks form pairs that act as one.
struct folded_ranks {
  explicit folded_ranks(rank_t n) noexcept {
    while (size * 2 <= n) size *= 2;
    pairs = n - size;
  }
  rank_t index_of(rank_t r) const noexcept { return r < 2 * pairs ? r / 2 : r - pairs; }
  rank_t rank_of(rank_t i) const noexcept { return i < pairs ? i * 2 : i + pairs; }

  rank_t size = 1;
  rank_t pairs = 0;
};

/// The second rank of a pair sends its data to the first, and receives the result from it; then it
/// returns true. The first rank combines the data, and returns false, as do ranks without a
/// partner.
template <Steps S>
bool fold(S& s, const memory& data, const memory& theirs, const reduction& op,
          const folded_ranks& f) {
  if (s.rank() >= 2 * f.pairs) return false;
  if (s.rank() % 2 == 1) {
    s.send(data, s.rank() - 1);
    s.receive(data, s.rank() - 1);
    return true;
  }
  s.receive(theirs, s.rank() + 1);
  s.combine(op, data, data, theirs);
  return false;
}
template <Steps S>
void unfold(S& s, const memory& data, const folded_ranks& f) {
  if (s.rank() < 2 * f.pairs) s.send(data, s.rank() + 1);
}
/// Combines with the data of a partner. Both sides use the same order of operands, so they get the
/// same bits.
template <Steps S>
void combine_with(S& s, const memory& mine, const memory& theirs, bool theirs_first,
                  const reduction& op) {
  if (theirs_first) {
    s.combine(op, mine, theirs, mine);
  } else {
    s.combine(op, mine, mine, theirs);
  }
}

/// In round k, exchanges the vector with the rank whose number differs in bit k.
/// Cost: log2(size) rounds, two more if size is not a power of two.
template <Steps S>
void allreduce_recursive_doubling(S& s, const memory& data, const reduction& op) {
  const memory theirs = s.scratch(data.bytes);
  if (s.size() == 2) {  // A single exchange.
    const rank_t other = 1 - s.rank();
    s.exchange(data, other, theirs, other);
    return combine_with(s, data, theirs, other == 0, op);
  }
  const folded_ranks f(s.size());
  if (theirs.base == nullptr || fold(s, data, theirs, op, f)) return;
  const rank_t me = f.index_of(s.rank());
  for (rank_t bit = 1; bit < f.size; bit *= 2) {
    const rank_t other = me ^ bit;
    s.exchange(data, f.rank_of(other), theirs, f.rank_of(other));
    combine_with(s, data, theirs, other < me, op);
  }
  unfold(s, data, f);
}

/// Halves the vector in each round: each of two partners keeps half of what both had. Then the
/// halves are gathered again. Near ranks come first, so that the result is in rank order, for any
/// operation.
/// Cost: 2 log2(size) rounds, two vectors sent. Source: Rabenseifner 2004.
template <Steps S>
void allreduce_recursive_halving(S& s, const memory& data, const reduction& op) {
  const folded_ranks f(s.size());
  const memory theirs = s.scratch(data.bytes);
  if (theirs.base == nullptr || fold(s, data, theirs, op, f)) return;
  const rank_t me = f.index_of(s.rank());
  const parts part{data, op.element_bytes, static_cast<std::size_t>(f.size)};
  rank_t first = 0;  // The parts that this rank keeps.
  rank_t count = f.size;
  for (rank_t bit = 1; bit < f.size; bit *= 2) {
    count /= 2;
    const bool upper = (me & bit) != 0;
    const memory give = part.range(upper ? first : first + count, count);
    if (upper) first += count;
    const memory keep = part.range(first, count);
    const memory come = slice(theirs, 0, keep.bytes);
    s.exchange(give, f.rank_of(me ^ bit), come, f.rank_of(me ^ bit));
    combine_with(s, keep, come, upper, op);
  }
  for (rank_t bit = f.size / 2; bit > 0; bit /= 2, count *= 2) {
    const rank_t sibling = (me & bit) != 0 ? first - count : first + count;
    s.exchange(part.range(first, count), f.rank_of(me ^ bit), part.range(sibling, count),
               f.rank_of(me ^ bit));
    first = sibling < first ? sibling : first;
  }
  unfold(s, data, f);
}

/// Each rank of a row combines a part of the row's vectors; parts are combined in each column by
/// recursive doubling; then each row collects its parts.
template <Steps S>
void allreduce_long_short(S& s, const memory& in, const memory& out, const reduction& op) {
  const mesh m(s.rank(), s.size());
  steps_among<S> row(s, m.in_row());
  steps_among<S> column(s, m.in_column());
  const auto n = static_cast<std::size_t>(m.columns());
  const parts part{in, op.element_bytes, n};
  const parts result{out, op.element_bytes, n};
  const memory mine = result[m.column()];
  reduce_parts_pairwise(row, mine, op, [&](rank_t r) { return part[r]; });
  allreduce_recursive_doubling(column, mine, op);
  ring_of_blocks(row, [&](rank_t i) { return result[around(m.column() - i, m.columns())]; });
}
/// The first rank of each row gets the row's sum by a tree; these combine parts and collect them;
/// then each sends the result along its row.
template <Steps S>
void allreduce_short_long(S& s, const memory& in, const memory& out, const reduction& op) {
  const mesh m(s.rank(), s.size());
  steps_among<S> row(s, m.in_row());
  steps_among<S> column(s, m.in_column());
  reduce_binomial(row, in, m.column() == 0 ? out : memory(), 0, op);
  if (m.column() == 0) {
    const auto n = static_cast<std::size_t>(m.rows());
    const memory all = s.scratch(out.bytes);
    if (all.base == nullptr && out.bytes != 0) return;
    s.copy(all, out);
    const parts part{all, op.element_bytes, n};
    const parts result{out, op.element_bytes, n};
    reduce_parts_pairwise(column, result[m.row()], op, [&](rank_t r) { return part[r]; });
    ring_of_blocks(column, [&](rank_t i) { return result[around(m.row() - i, m.rows())]; });
  }
  bcast_tree(row, out, 0);
}

/// See collectives::allreduce.
struct allreduce_call {
  static constexpr const char* name = "allreduce";

  memory in;  // Equal to `out`: in place.
  memory out;
  const reduction* op = nullptr;

  question ask(rank_t, rank_t size) const noexcept {
    return {operation::allreduce, in.bytes, size, op->commutative};
  }
  collective_failure check(rank_t, rank_t) const noexcept {
    return check_room(in.bytes, out.bytes, op->element_bytes);
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    if (c.by == algorithm::binomial) {
      const memory work = s.rank() == 0 ? out : memory();
      reduce_binomial(s, in, work, 0, *op);
      return bcast_tree(s, out, 0);
    }
    const auto n = static_cast<std::size_t>(s.size());
    const parts result{out, op->element_bytes, n};
    if (c.by == algorithm::pairwise) {
      const parts part{in, op->element_bytes, n};
      reduce_parts_pairwise(s, result[s.rank()], *op, [&](rank_t r) { return part[r]; });
      return ring_of_blocks(s, [&](rank_t i) { return result[around(s.rank() - i, s.size())]; });
    }
    if (c.by == algorithm::long_short) return allreduce_long_short(s, in, out, *op);
    if (c.by == algorithm::short_long) return allreduce_short_long(s, in, out, *op);
    s.copy(out, in);
    if (c.by == algorithm::recursive_doubling) return allreduce_recursive_doubling(s, out, *op);
    if (c.by == algorithm::recursive_halving) return allreduce_recursive_halving(s, out, *op);
    reduce_parts_ring(s, *op, out.bytes / n + op->element_bytes, c.segment_bytes,
                      [&](rank_t r) { return result[r]; });
    ring_of_blocks(
        s, [&](rank_t i) { return result[around(around(s.rank() + 1, s.size()) - i, s.size())]; });
  }
};

}  // namespace mpx::inline v0::coll
