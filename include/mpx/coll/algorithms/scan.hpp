// SPDX-License-Identifier: BSL-1.0
#pragma once
// scan and exscan: combine the elements of all ranks up to this one, or below it.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Passes the combination from rank to rank. `before`: receives the result of the ranks below, if
/// there are any. `upto`: holds this rank's elements, and receives the result that includes them.
template <Steps S>
void scan_linear(S& s, const memory& before, const memory& upto, const reduction& op) {
  if (s.rank() > 0) {
    s.receive(before, s.rank() - 1);
    s.combine(op, upto, before, upto);
  }
  if (s.rank() + 1 < s.size()) s.send(upto, s.rank() + 1);
}

/// In round k, sends the combination of the last 2^k ranks to the rank 2^k above. Cost: log2(size)
/// rounds; the order of ranks is kept. Source: Hillis, Steele 1986.
template <Steps S>
void scan_recursive_doubling(S& s, const memory& before, const memory& upto, const reduction& op) {
  const rank_t n = s.size();
  const rank_t me = s.rank();
  const memory theirs = s.scratch(upto.bytes);
  bool any = false;
  for (rank_t distance = 1; distance < n; distance *= 2) {
    if (me + distance < n) s.start_send(upto, me + distance);
    if (me >= distance) s.start_receive(theirs, me - distance);
    s.finish();
    if (me < distance) continue;
    if (before.base != nullptr && any) s.combine(op, before, theirs, before);
    if (before.base != nullptr && !any) s.copy(before, theirs);
    any = true;
    s.combine(op, upto, theirs, upto);
  }
}

/// See collectives::scan and exscan.
struct scan_call {
  static constexpr const char* name = "scan";
  const char* called() const noexcept { return exclusive ? "exscan" : name; }

  memory in;  // Equal to `out`: in place.
  memory out;
  bool exclusive;
  const reduction* op = nullptr;

  question ask(rank_t, rank_t size) const noexcept {
    return {operation::scan, in.bytes, size, op->commutative};
  }
  collective_failure check(rank_t, rank_t) const noexcept {
    return check_room(in.bytes, out.bytes, op->element_bytes);
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    const memory upto = exclusive ? s.scratch(in.bytes) : out;
    s.copy(upto, in);
    if (c.by == algorithm::linear)
      return scan_linear(s, exclusive ? out : s.scratch(in.bytes), upto, *op);
    scan_recursive_doubling(s, exclusive ? out : memory(), upto, *op);
  }
};

}  // namespace mpx::inline v0::coll
