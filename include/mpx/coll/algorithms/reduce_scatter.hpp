// SPDX-License-Identifier: BSL-1.0
#pragma once
// reduce_scatter and reduce_scatter_block: combines the elements of all ranks; each rank gets a
// block of the result.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/reduce_parts.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Halves the vector in each round, beginning with the rank whose number differs in the highest
/// bit: each of two partners keeps half of the blocks that both had. `work(first, count)`: blocks
/// of the vector, which is overwritten.
/// Requires: a power of two of ranks; the operation commutes. Cost: log2(size) rounds, one vector
/// sent.
template <Steps S, class Work>
void reduce_scatter_recursive_halving(S& s, const reduction& op, Work work) {
  const rank_t n = s.size();
  rank_t first = 0;
  const memory theirs = s.scratch(work(0, n).bytes);
  if (theirs.base == nullptr) return;
  for (rank_t bit = n / 2; bit > 0; bit /= 2) {
    const bool upper = (s.rank() & bit) != 0;
    const memory give = work(upper ? first : first + bit, bit);
    if (upper) first += bit;
    const memory keep = work(first, bit);
    const memory come = slice(theirs, 0, keep.bytes);
    s.exchange(give, s.rank() ^ bit, come, s.rank() ^ bit);
    s.combine(op, keep, keep, come);
  }
}

/// See collectives::reduce_scatter.
struct reduce_scatter_call {
  static constexpr const char* name = "reduce_scatter";
  const char* called() const noexcept { return in.counts ? name : "reduce_scatter_block"; }

  blocks in;   // One after the other.
  memory out;  // Its base may be that of `in`: in place.
  const reduction* op = nullptr;

  bool is_in_place() const noexcept { return in.base == out.base && in.how == out.how; }
  question ask(rank_t, rank_t size) const noexcept {
    return {operation::reduce_scatter, in.total(size), size, op->commutative, !in.counts};
  }
  collective_failure check(rank_t rank, rank_t size) const noexcept {
    const collective_failure wrong = check_blocks(in, size);
    if (wrong.why != errc{}) return wrong;
    if (is_in_place() && in.bytes_of(rank) <= out.bytes) return {};
    return check_room(in.bytes_of(rank), out.bytes, op->element_bytes);
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    const rank_t n = s.size();
    const rank_t me = s.rank();
    const blocks from = placed(s, in);
    const memory mine = slice(out, 0, from.bytes_of(me));
    if (c.by == algorithm::pairwise) {
      // In place, parts that other ranks get must not be overwritten; a layout hides if it is so.
      const bool apart = in.how != nullptr || (is_in_place() && me != 0);
      const memory sum = apart ? s.scratch(mine.bytes) : mine;
      reduce_parts_pairwise(s, sum, *op, [&](rank_t r) { return from[r]; });
      return s.copy(mine, sum);
    }
    const memory work = s.scratch(from.total(n));
    if (work.base == nullptr) return;
    s.copy(work, {from.base, work.bytes, from.how});
    blocks at = from;
    at.base = work.base;
    at.how = nullptr;
    if (c.by == algorithm::recursive_halving) {
      reduce_scatter_recursive_halving(s, *op, [&](rank_t first, rank_t count) -> memory {
        const memory begin = at[first];
        const memory last = at[first + count - 1];
        return {begin.base, static_cast<std::size_t>(last.base + last.bytes - begin.base)};
      });
    } else {
      std::size_t most = 0;
      for (rank_t r = 0; r < n; ++r)
        if (at.bytes_of(r) > most) most = at.bytes_of(r);
      // The ring leaves part r + 1 at rank r; here that part is block r.
      reduce_parts_ring(s, *op, most, c.segment_bytes,
                        [&](rank_t r) { return at[around(r - 1, n)]; });
    }
    s.copy(mine, at[me]);
  }
};

}  // namespace mpx::inline v0::coll
