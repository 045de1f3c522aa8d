// SPDX-License-Identifier: BSL-1.0
#pragma once
// scatter and scatterv: send a block from the root to each rank.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Sends all blocks from the root at once.
template <Steps S>
void scatter_linear(S& s, const blocks& in, const memory& out, rank_t root) {
  if (s.rank() != root) return static_cast<void>(s.receive(out, root));
  for (rank_t r = 0; r < s.size(); ++r)
    if (r != root) s.start_send(in[r], r);
  s.copy(out, in[root]);
  s.finish();
}

/// Scatters along a binomial tree: each node passes on the blocks for the nodes below it. `bytes`:
/// length of a block.
template <Steps S>
void scatter_binomial(S& s, const blocks& in, const memory& out, rank_t root, std::size_t bytes) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  rank_t span = 1;
  while (span < n && (me & span) == 0) span *= 2;
  const rank_t most = me + span <= n ? span : n - me;
  if (most == 1 && me != 0) return static_cast<void>(s.receive(out, around(me - span + root, n)));
  const bool direct = me == 0 && root == 0;
  blocks all{nullptr, bytes, bytes};
  if (direct) {
    all = in;
  } else {
    all.base = s.scratch(static_cast<std::size_t>(most) * bytes).base;
  }
  if (all.base == nullptr && bytes != 0) return;
  if (me != 0) {
    s.receive(all.range(0, most), around(me - span + root, n));
  } else if (!direct) {
    s.copy(all.range(0, n - root), in.range(root, n - root));
    s.copy(all.range(n - root, root), in.range(0, root));
  }
  rank_t bit = 1;
  while (2 * bit < span && me + 2 * bit < n) bit *= 2;
  for (; bit > 0; bit /= 2)
    if (bit < span && me + bit < n)
      s.start_send(all.range(bit, me + 2 * bit <= n ? bit : n - me - bit),
                   around(me + bit + root, n));
  s.copy(out, all[0]);
  s.finish();
}

/// See collectives::scatter.
struct scatter_call {
  static constexpr const char* name = "scatter";
  const char* called() const noexcept { return variable ? "scatterv" : name; }

  blocks in;   // At the root.
  memory out;  // At the root without a base: its block stays in place.
  rank_t root;
  bool variable;  // Block lengths differ.

  question ask(rank_t rank, rank_t size) const noexcept {
    return {operation::scatter, rank == root ? in.bytes : out.bytes, size, true, !variable};
  }
  collective_failure check(rank_t rank, rank_t size) const noexcept {
    collective_failure wrong = check_root(root, size);
    if (wrong.why == errc{} && rank == root) wrong = check_blocks(in, size);
    if (wrong.why == errc{} && rank == root && out.exists())
      wrong = check_room(in.bytes_of(root), out.bytes, in.unit);
    return wrong;
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    const bool here = s.rank() == root;
    blocks from = here ? placed(s, in) : in;
    const memory to = here && !out.exists() ? from[root] : out;
    if (c.by != algorithm::binomial) return scatter_linear(s, from, to, root);
    if (here && !from.regular()) {
      const std::size_t bytes = from.bytes_of(0);
      const blocks packed{s.scratch(bytes * static_cast<std::size_t>(s.size())).base, bytes, bytes};
      if (packed.base == nullptr) return;
      for (rank_t r = 0; r < s.size(); ++r) s.copy(packed[r], from[r]);
      from = packed;
    }
    scatter_binomial(s, from, to, root, here ? from.bytes : out.bytes);
  }
};

}  // namespace mpx::inline v0::coll
