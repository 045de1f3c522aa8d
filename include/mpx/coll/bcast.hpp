// SPDX-License-Identifier: BSL-1.0
#pragma once
// bcast: a message from the root to all.

#include "mpx/coll/steps.hpp"

namespace mpx::inline v0::coll {

/// What is wrong with a root.
inline mpx::detail::collective_failure check_root(rank_t root, rank_t size) noexcept {
  using mpx::detail::collective_failure;
  if (root >= 0 && root < size) return {};
  return {errc::root, collective_failure::cause::root, false, root};
}

/// A binomial tree: log2(ranks) rounds of the whole message.
template <Steps S>
void bcast_binomial(S& s, const memory& data, rank_t root) {
  const rank_t n = s.size();
  const rank_t me = (s.rank() - root + n) % n;  // The root is 0 in the tree.
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  if (me != 0) s.receive(data, (me - bit + root) % n);
  for (bit /= 2; bit > 0; bit /= 2)
    if (me + bit < n) s.start_send(data, (me + bit + root) % n);
  s.finish();
}

/// See collectives::bcast.
struct bcast_call {
  static constexpr const char* name = "bcast";

  memory data;
  rank_t root;

  mpx::detail::collective_failure check(rank_t, rank_t size) const noexcept {
    return check_root(root, size);
  }
  template <Steps S>
  void operator()(S& s) const {
    bcast_binomial(s, data, root);
  }
};

}  // namespace mpx::inline v0::coll
