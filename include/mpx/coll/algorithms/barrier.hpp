// SPDX-License-Identifier: BSL-1.0
#pragma once
// barrier: no rank leaves before all have entered.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// In round k, each rank sends to the rank 2^k above. Cost: log2(ranks) rounds of one empty
/// message.
/// Source: Hensgen, Finkel, Manber 1988.
template <Steps S>
void barrier_dissemination(S& s) {
  const rank_t n = s.size();
  for (rank_t step = 1; step < n; step *= 2)
    s.exchange({}, around(s.rank() + step, n), {}, around(s.rank() - step, n));
}

/// In round k, exchanges with the rank whose number differs in bit k. Requires: a power of two of
/// ranks.
template <Steps S>
void barrier_recursive_doubling(S& s) {
  for (rank_t bit = 1; bit < s.size(); bit *= 2) s.exchange({}, s.rank() ^ bit, {}, s.rank() ^ bit);
}

/// Up a binomial tree, and down again. Cost: 2 log2(ranks) rounds, 2 (ranks - 1) messages in all.
template <Steps S>
void barrier_binomial(S& s) {
  rank_t bit = 1;
  for (; bit < s.size() && (s.rank() & bit) == 0; bit *= 2)
    if (s.rank() + bit < s.size()) s.start_receive({}, s.rank() + bit);
  s.finish();
  if (s.rank() != 0) {
    s.send({}, s.rank() - bit);
    s.receive({}, s.rank() - bit);
  }
  for (bit /= 2; bit > 0; bit /= 2)
    if (s.rank() + bit < s.size()) s.start_send({}, s.rank() + bit);
  s.finish();
}

/// See collectives::barrier.
struct barrier_call {
  static constexpr const char* name = "barrier";

  question ask(rank_t, rank_t size) const noexcept { return {operation::barrier, 0, size}; }
  collective_failure check(rank_t, rank_t) const noexcept { return {}; }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    switch (c.by) {
      case algorithm::recursive_doubling: return barrier_recursive_doubling(s);
      case algorithm::binomial: return barrier_binomial(s);
      default: return barrier_dissemination(s);
    }
  }
};

}  // namespace mpx::inline v0::coll
