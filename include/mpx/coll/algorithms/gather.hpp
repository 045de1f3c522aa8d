// SPDX-License-Identifier: BSL-1.0
#pragma once
// gather and gatherv: gather a block of each rank at the root.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Receives all blocks at the root at once.
template <Steps S>
void gather_linear(S& s, const memory& in, const blocks& out, rank_t root) {
  if (s.rank() != root) return static_cast<void>(s.send(in, root));
  for (rank_t r = 0; r < s.size(); ++r)
    if (r != root) s.start_receive(out[r], r);
  s.copy(out[root], in);
  s.finish();
}

/// Gathers along a binomial tree: each node collects the blocks below it. `bytes`: length of a
/// block.
template <Steps S>
void gather_binomial(S& s, const memory& in, const blocks& out, rank_t root, std::size_t bytes) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  rank_t span = 1;
  while (span < n && (me & span) == 0) span *= 2;
  const rank_t most = me + span <= n ? span : n - me;
  if (most == 1 && me != 0) return static_cast<void>(s.send(in, around(me - span + root, n)));
  const bool direct = me == 0 && root == 0;  // The tree's order is rank order.
  blocks all{nullptr, bytes, bytes};
  if (direct) {
    all = out;
  } else {
    all.base = s.scratch(static_cast<std::size_t>(most) * bytes).base;
  }
  if (all.base == nullptr && bytes != 0) return;
  for (rank_t bit = 1; bit < span && me + bit < n; bit *= 2)
    s.start_receive(all.range(bit, me + 2 * bit <= n ? bit : n - me - bit),
                    around(me + bit + root, n));
  s.copy(all[0], in);
  s.finish();
  if (me != 0) {
    s.send(all.range(0, most), around(me - span + root, n));
  } else if (!direct) {
    s.copy(out.range(root, n - root), all.range(0, n - root));
    s.copy(out.range(0, root), all.range(n - root, root));
  }
}

/// See collectives::gather.
struct gather_call {
  static constexpr const char* name = "gather";
  const char* called() const noexcept { return variable ? "gatherv" : name; }

  memory in;   // At the root without a base: in place.
  blocks out;  // At the root.
  rank_t root;
  bool variable;  // Block lengths differ.

  question ask(rank_t rank, rank_t size) const noexcept {
    return {operation::gather, rank == root ? out.bytes : in.bytes, size, true, !variable};
  }
  collective_failure check(rank_t rank, rank_t size) const noexcept {
    collective_failure wrong = check_root(root, size);
    if (wrong.why == errc{} && rank == root) wrong = check_blocks(out, size);
    if (wrong.why == errc{} && rank == root && in.exists())
      wrong = check_room(in.bytes, out.bytes_of(root), out.unit);
    return wrong;
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    const bool here = s.rank() == root;
    const blocks to = here ? placed(s, out) : out;
    const memory from = here && !in.exists() ? to[root] : in;
    if (c.by == algorithm::binomial && (!here || to.regular()))
      return gather_binomial(s, from, to, root, here ? to.bytes : in.bytes);
    if (c.by != algorithm::binomial) return gather_linear(s, from, to, root);
    // Other ranks use the tree, but the blocks at this root have a layout.
    const blocks packed{s.scratch(to.bytes_of(0) * static_cast<std::size_t>(s.size())).base,
                        to.bytes_of(0), to.bytes_of(0)};
    if (packed.base == nullptr) return;
    gather_binomial(s, from, packed, root, packed.bytes);
    for (rank_t r = 0; r < s.size(); ++r)
      if (r != root || in.exists()) s.copy(to[r], packed[r]);
  }
};

}  // namespace mpx::inline v0::coll
