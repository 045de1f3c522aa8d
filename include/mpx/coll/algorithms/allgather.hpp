// SPDX-License-Identifier: BSL-1.0
#pragma once
// allgather and allgatherv: gather a block of each rank at all ranks.

#include "mpx/coll/algorithms/among.hpp"
#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/mesh.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Passes blocks round a ring. The receive of the next block is posted before the current one has
/// arrived. `block(i)` is the block of the rank i below this one, 0 <= i < size.
/// Cost: size - 1 rounds of one block each.
template <Steps S>
void ring_of_blocks(S& s, mpx::detail::function_ref<memory(rank_t)> block) {
  const rank_t n = s.size();
  const rank_t left = around(s.rank() - 1, n);
  const rank_t right = around(s.rank() + 1, n);
  if (n == 2) return static_cast<void>(s.exchange(block(0), right, block(1), left));
  if (n > 1) s.start_receive(block(1), left);
  for (rank_t i = 0; i + 1 < n; ++i) {
    if (i + 2 < n) s.start_receive_ahead(block(i + 2), left);
    s.start_send(block(i), right);
    s.finish();
  }
}

/// In round k, exchanges all blocks with the rank whose number differs in bit k. Requires: a power
/// of two of ranks; regular blocks. Cost: log2(size) rounds, no copy.
template <Steps S>
void allgather_recursive_doubling(S& s, const blocks& out) {
  for (rank_t bit = 1; bit < s.size(); bit *= 2) {
    const rank_t other = s.rank() ^ bit;
    s.exchange(out.range(s.rank() & -bit, bit), other, out.range(other & -bit, bit), other);
  }
}

/// In round k, sends all blocks that this rank has to the rank 2^k below. Cost: log2(size) rounds
/// for any size, and a copy of everything. Source: Bruck et al. 1997.
template <Steps S>
void allgather_bruck(S& s, const blocks& out) {
  const rank_t n = s.size();
  const rank_t me = s.rank();
  const memory all = s.scratch(out.total(n));
  if (all.base == nullptr) return;
  // Blocks me, me + 1, ... one after the other.
  const auto bytes_from = [&](rank_t first, rank_t k) {
    if (!out.counts && out.pieces == nullptr) return out.bytes * static_cast<std::size_t>(k);
    std::size_t sum = 0;
    for (rank_t i = first; i < first + k; ++i) sum += out.bytes_of(around(me + i, n));
    return sum;
  };
  std::size_t have_bytes = out.bytes_of(me);
  s.copy(slice(all, 0, have_bytes), out[me]);
  for (rank_t have = 1; have < n;) {
    const rank_t more = 2 * have <= n ? have : n - have;
    const std::size_t more_bytes = bytes_from(have, more);
    s.exchange(slice(all, 0, bytes_from(0, more)), around(me - have, n),
               slice(all, have_bytes, more_bytes), around(me + have, n));
    have += more;
    have_bytes += more_bytes;
  }
  if (out.regular()) {
    s.copy(out.range(me, n - me), slice(all, 0, bytes_from(0, n - me)));
    return s.copy(out.range(0, me), slice(all, bytes_from(0, n - me), bytes_from(n - me, me)));
  }
  std::size_t at = out.bytes_of(me);
  for (rank_t i = 1; i < n; ++i) {
    const memory block = out[around(me + i, n)];
    s.copy(block, slice(all, at, block.bytes));
    at += block.bytes;
  }
}

/// Gathers blocks in each row of a mesh, then the blocks of whole rows in each column: one of these
/// by a ring, the other one by Bruck's algorithm.
/// Requires: regular blocks.
template <Steps S>
void allgather_in_mesh(S& s, const blocks& out, bool long_rows) {
  const mesh m(s.rank(), s.size());
  steps_among<S> row(s, m.in_row());
  steps_among<S> column(s, m.in_column());
  const auto all_of_row = [&](rank_t i) { return out.range(i * m.columns(), m.columns()); };
  const memory mine = all_of_row(m.row());
  const blocks here{.base = mine.base,
                    .bytes = out.bytes,
                    .stride = out.bytes,
                    .how = out.how,
                    .together = out.together};
  if (!long_rows) {
    allgather_bruck(row, here);
    return ring_of_blocks(column,
                          [&](rank_t i) { return all_of_row(around(m.row() - i, m.rows())); });
  }
  ring_of_blocks(row, [&](rank_t i) { return here[around(m.column() - i, m.columns())]; });
  allgather_bruck(column, {.base = out.base,
                           .bytes = mine.bytes,
                           .stride = mine.bytes,
                           .how = out.how,
                           .together = out.together});
}

/// See collectives::allgather.
struct allgather_call {
  static constexpr const char* name = "allgather";
  const char* called() const noexcept {
    return out.counts || out.pieces != nullptr ? "allgatherv" : name;
  }

  memory in;  // Without a base: in place.
  blocks out;

  question ask(rank_t, rank_t size) const noexcept {
    const bool regular = !out.counts && out.pieces == nullptr;
    return {operation::allgather,
            regular ? out.bytes : out.total(size) / static_cast<std::size_t>(size), size, true,
            regular};
  }
  collective_failure check(rank_t rank, rank_t size) const noexcept {
    collective_failure wrong = check_blocks(out, size);
    if (wrong.why == errc{} && in.exists())
      wrong = check_room(in.bytes, out.bytes_of(rank), out.unit);
    return wrong;
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    const blocks to = placed(s, out);
    const rank_t me = s.rank();
    if (in.exists()) s.copy(to[me], in);
    if (c.by == algorithm::bruck) return allgather_bruck(s, to);
    if (c.by == algorithm::recursive_doubling && to.regular())
      return allgather_recursive_doubling(s, to);
    if (c.by == algorithm::recursive_doubling) {  // Blocks have a layout, perhaps only here.
      const blocks packed{s.scratch(to.total(s.size())).base, to.bytes, to.bytes};
      if (packed.base == nullptr) return;
      s.copy(packed[me], to[me]);
      allgather_recursive_doubling(s, packed);
      for (rank_t r = 0; r < s.size(); ++r)
        if (r != me) s.copy(to[r], packed[r]);
      return;
    }
    if ((c.by == algorithm::long_short || c.by == algorithm::short_long) && to.regular())
      return allgather_in_mesh(s, to, c.by == algorithm::long_short);
    ring_of_blocks(s, [&](rank_t i) { return to[around(me - i, s.size())]; });
  }
};

}  // namespace mpx::inline v0::coll
