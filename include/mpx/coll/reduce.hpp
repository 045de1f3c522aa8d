// SPDX-License-Identifier: BSL-1.0
#pragma once
// reduce: the combination of every rank's elements, at the root.

#include "mpx/coll/bcast.hpp"
#include "mpx/coll/steps.hpp"

namespace mpx::inline v0::coll {

/// What is wrong with the place of a result: it must be as long as what is combined.
inline mpx::detail::collective_failure check_lengths(const memory& in, const memory& out,
                                                     const reduction& op) noexcept {
  using mpx::detail::collective_failure;
  if (in.bytes == out.bytes) return {};
  return {errc::argument,
          collective_failure::cause::out,
          false,
          0,
          in.bytes / op.element_bytes,
          out.bytes / op.element_bytes};
}

/// A binomial tree of ranks first .. , which numbers them from `first` on: what it gets is in order
/// from there. `result` is written there only; without one elsewhere, scratch memory is.
/// Returns where the result is at `first`.
template <Steps S>
void reduce_binomial(S& s, const memory& in, const memory& result, rank_t first,
                     const reduction& op) {
  const rank_t n = s.size();
  const rank_t me = (s.rank() - first + n) % n;
  if (me % 2 == 1) {
    s.send(in, (me - 1 + first) % n);
    return;
  }
  const memory sum = result.base != nullptr ? result : s.scratch(in.bytes);
  s.copy(sum, in);
  if (me + 1 >= n && me == 0) return;
  const memory theirs = s.scratch(in.bytes);
  for (rank_t bit = 1; bit < n; bit *= 2) {
    if ((me & bit) != 0) {
      s.send(sum, (me - bit + first) % n);
      return;
    }
    if (me + bit >= n) continue;
    s.receive(theirs, (me + bit + first) % n);
    s.combine(op, sum, theirs);
  }
}

/// See collectives::reduce.
struct reduce_call {
  static constexpr const char* name = "reduce";

  memory in;
  memory out;  // At the root; the same as `in`: in place. Elsewhere: none, or scratch memory.
  rank_t root;
  const reduction* op = nullptr;

  mpx::detail::collective_failure check(rank_t rank, rank_t size) const noexcept {
    const auto wrong = check_root(root, size);
    return wrong.why != errc{} || rank != root ? wrong : check_lengths(in, out, *op);
  }
  template <Steps S>
  void operator()(S& s) const {
    const rank_t first = op->commutative ? root : 0;
    // What does not commute is combined at rank 0, in order, and sent from there.
    const memory at_first = s.rank() != first     ? memory()
                            : out.base != nullptr ? out
                                                  : s.scratch(in.bytes);
    reduce_binomial(s, in, at_first, first, *op);
    if (first == root) return;
    if (s.rank() == first) s.send(at_first, root);
    if (s.rank() == root) s.receive(out, first);
  }
};

}  // namespace mpx::inline v0::coll
