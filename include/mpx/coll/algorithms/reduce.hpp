// SPDX-License-Identifier: BSL-1.0
#pragma once
// reduce: combines the elements of all ranks at the root.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/reduce_parts.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Combines along a binomial tree that numbers ranks from `first` on; the result is at `first`, in
/// that order. `result`: memory for the result at `first`; at other ranks memory to work in, or
/// none.
template <Steps S>
void reduce_binomial(S& s, const memory& in, const memory& result, rank_t first,
                     const reduction& op) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - first, n);
  if (me % 2 == 1) return static_cast<void>(s.send(in, around(s.rank() - 1, n)));
  const memory sum = result.base != nullptr ? result : s.scratch(in.bytes);
  s.copy(sum, in);
  if (me + 1 >= n && me == 0) return;
  const memory theirs = s.scratch(in.bytes);
  for (rank_t bit = 1; bit < n; bit *= 2) {
    if ((me & bit) != 0) return static_cast<void>(s.send(sum, around(s.rank() - bit, n)));
    if (me + bit >= n) continue;
    s.receive(theirs, around(s.rank() + bit, n));
    s.combine(op, sum, sum, theirs);
  }
}

/// For long vectors: each rank combines a part, and sends it to the root.
template <Steps S>
void reduce_pairwise(S& s, const memory& in, const memory& out, rank_t root, const reduction& op) {
  const auto n = static_cast<std::size_t>(s.size());
  const parts part{in, op.element_bytes, n};
  const bool here = s.rank() == root;
  const parts result{out, op.element_bytes, n};
  const memory sum = here ? result[root] : s.scratch(part[s.rank()].bytes);
  reduce_parts_pairwise(s, sum, op, [&](rank_t r) { return part[r]; });
  if (!here) return static_cast<void>(s.send(sum, root));
  for (rank_t r = 0; r < s.size(); ++r)
    if (r != root) s.start_receive(result[r], r);
  s.finish();
}

/// See collectives::reduce.
struct reduce_call {
  static constexpr const char* name = "reduce";

  memory in;
  memory out;  // At the root; equal to `in`: in place. Elsewhere none, or memory to work in.
  rank_t root;
  const reduction* op = nullptr;

  question ask(rank_t, rank_t size) const noexcept {
    return {operation::reduce, in.bytes, size, op->commutative};
  }
  collective_failure check(rank_t rank, rank_t size) const noexcept {
    const collective_failure wrong = check_root(root, size);
    if (wrong.why != errc{} || rank != root) return wrong;
    return check_room(in.bytes, out.bytes, op->element_bytes);
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    if (c.by == algorithm::pairwise) return reduce_pairwise(s, in, out, root, *op);
    // Operations that do not commute are combined at rank 0, in rank order, and sent from there.
    const rank_t first = op->commutative ? root : 0;
    const bool needs_room = s.rank() == first && out.base == nullptr;
    const memory result = needs_room ? s.scratch(in.bytes) : out;
    reduce_binomial(s, in, result, first, *op);
    if (first == root) return;
    if (s.rank() == first) s.send(result, root);
    if (s.rank() == root) s.receive(out, first);
  }
};

}  // namespace mpx::inline v0::coll
