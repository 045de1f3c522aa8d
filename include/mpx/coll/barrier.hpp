// SPDX-License-Identifier: BSL-1.0
#pragma once
// barrier: nobody leaves before all have entered.

#include "mpx/coll/steps.hpp"

namespace mpx::inline v0::coll {

/// In round k each rank tells the rank 2^k above. Cost: log2(ranks) rounds of one empty message.
/// Source: Hensgen, Finkel, Manber 1988.
template <Steps S>
void dissemination(S& s) {
  const rank_t n = s.size();
  for (rank_t step = 1; step < n; step *= 2)
    s.exchange({}, (s.rank() + step) % n, {}, (s.rank() - step % n + n) % n);
}

/// See collectives::barrier.
struct barrier_call {
  static constexpr const char* name = "barrier";

  detail::collective_failure check(rank_t, rank_t) const noexcept { return {}; }
  template <Steps S>
  void operator()(S& s) const {
    dissemination(s);
  }
};

}  // namespace mpx::inline v0::coll
