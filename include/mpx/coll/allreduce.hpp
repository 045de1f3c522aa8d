// SPDX-License-Identifier: BSL-1.0
#pragma once
// allreduce: the combination of every rank's elements, at every rank, the same bits.

#include "mpx/coll/bcast.hpp"
#include "mpx/coll/reduce.hpp"
#include "mpx/coll/steps.hpp"

namespace mpx::inline v0::coll {

/// In round k ranks exchange what they have with the one whose number differs in bit k. Ranks
/// beyond a power of two give theirs to a neighbour first, and get the result from it. The operands
/// of each combination are the same on both sides, so that the bits are.
/// Cost: log2(ranks) rounds of the whole message, two more if not a power of two.
template <Steps S>
void allreduce_recursive_doubling(S& s, const memory& data, const reduction& op) {
  const rank_t n = s.size();
  rank_t power = 1;
  while (power * 2 <= n) power *= 2;
  const rank_t rest = n - power;  // Pairs of ranks that act as one: 0 .. 2 * rest - 1.
  const rank_t me = s.rank();
  const bool paired = me < 2 * rest;
  if (paired && me % 2 == 1) {
    s.send(data, me - 1);
    s.receive(data, me - 1);
    return;
  }
  const memory theirs = s.scratch(data.bytes);
  if (paired) {
    s.receive(theirs, me + 1);
    s.combine(op, data, theirs);
  }
  const rank_t mine = paired ? me / 2 : me - rest;
  for (rank_t bit = 1; bit < power; bit *= 2) {
    const rank_t other = mine ^ bit;
    const rank_t to = other < rest ? other * 2 : other + rest;
    s.exchange(data, to, theirs, to);
    if (other > mine)
      s.combine(op, data, theirs);
    else
      s.combine_first(op, data, theirs);
  }
  if (paired) s.send(data, me + 1);
}

/// See collectives::allreduce.
struct allreduce_call {
  static constexpr const char* name = "allreduce";

  memory in;   // The same as `out`: in place.
  memory out;  // Everywhere.
  const reduction* op = nullptr;

  mpx::detail::collective_failure check(rank_t, rank_t) const noexcept {
    return check_lengths(in, out, *op);
  }
  template <Steps S>
  void operator()(S& s) const {
    s.copy(out, in);
    allreduce_recursive_doubling(s, out, *op);
  }
};

}  // namespace mpx::inline v0::coll
