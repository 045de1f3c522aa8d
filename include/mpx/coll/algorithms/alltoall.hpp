// SPDX-License-Identifier: BSL-1.0
#pragma once
// alltoall, alltoallv and alltoallw: each rank sends a block to each rank.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Starts all messages at once. Each rank begins with the rank above it.
template <Steps S>
void alltoall_linear(S& s, const blocks& in, const blocks& out) {
  const rank_t n = s.size();
  for (rank_t i = 1; i < n; ++i) {
    const rank_t from = around(s.rank() - i, n);
    s.start_receive(out[from], from);
  }
  for (rank_t i = 1; i < n; ++i) {
    const rank_t to = around(s.rank() + i, n);
    s.start_send(in[to], to);
  }
  s.copy(out[s.rank()], in[s.rank()]);
  s.finish();
}

/// Exchanges with one rank after the other. Cost: size - 1 rounds.
template <Steps S>
void alltoall_pairwise(S& s, const blocks& in, const blocks& out) {
  const rank_t n = s.size();
  s.copy(out[s.rank()], in[s.rank()]);
  for (rank_t i = 1; i < n; ++i) {
    const rank_t to = around(s.rank() + i, n);
    const rank_t from = around(s.rank() - i, n);
    s.exchange(in[to], to, out[from], from);
  }
}

/// Exchanges each block with the block of its rank, in place. The partner of a rank in round i is
/// the one whose number adds up with its own to i, modulo size.
template <Steps S>
void alltoall_in_place(S& s, const blocks& data) {
  const rank_t n = s.size();
  const rank_t me = s.rank();
  std::size_t most = 0;
  for (rank_t r = 0; r < n; ++r) {
    const std::size_t bytes = data.bytes_of(r);
    if (r != me && bytes > most) most = bytes;
  }
  const memory copy = s.scratch(most);
  if (copy.base == nullptr) return;
  for (rank_t i = 0; i < n; ++i) {
    const rank_t other = around(i - me, n);
    if (other == me) continue;
    const memory block = data[other];
    const memory out = slice(copy, 0, block.bytes);
    s.copy(out, block);
    s.exchange(out, other, block, other);
  }
}

/// In round k, sends all blocks whose distance has bit k set to the rank 2^k above.
/// Cost: log2(size) rounds of half of all blocks. Source: Bruck et al. 1997.
template <Steps S>
void alltoall_bruck(S& s, const blocks& in, const blocks& out) {
  const rank_t n = s.size();
  const rank_t me = s.rank();
  const std::size_t bytes = out.bytes_of(0);
  const auto half = static_cast<std::size_t>(n + 1) / 2;
  const blocks all{s.scratch(bytes * static_cast<std::size_t>(n)).base, bytes, bytes};
  const memory going = s.scratch(bytes * half);
  const memory coming = s.scratch(bytes * half);
  if (all.base == nullptr || going.base == nullptr || coming.base == nullptr) return;
  for (rank_t i = 0; i < n; ++i) s.copy(all[i], in[around(me + i, n)]);
  for (rank_t bit = 1; bit < n; bit *= 2) {
    std::size_t at = 0;
    for (rank_t i = bit; i < n; ++i)
      if ((i & bit) != 0) s.copy(slice(going, bytes * at++, bytes), all[i]);
    s.exchange(slice(going, 0, bytes * at), around(me + bit, n), slice(coming, 0, bytes * at),
               around(me - bit, n));
    at = 0;
    for (rank_t i = bit; i < n; ++i)
      if ((i & bit) != 0) s.copy(all[i], slice(coming, bytes * at++, bytes));
  }
  for (rank_t i = 0; i < n; ++i) s.copy(out[around(me - i, n)], all[i]);
}

/// See collectives::alltoall.
struct alltoall_call {
  static constexpr const char* name = "alltoall";
  const char* called() const noexcept { return variable ? "alltoallv" : name; }

  blocks in;
  blocks out;
  bool in_place;  // `in` is ignored.
  bool variable;  // Block lengths differ, perhaps at other ranks only.

  question ask(rank_t, rank_t size) const noexcept {
    return {operation::alltoall, out.bytes, size, true, !variable};
  }
  collective_failure check(rank_t rank, rank_t size) const noexcept {
    collective_failure wrong = check_blocks(out, size);
    if (in_place || wrong.why != errc{}) return wrong;
    wrong = check_blocks(in, size);
    if (wrong.why == errc{}) wrong = check_room(in.bytes_of(rank), out.bytes_of(rank), out.unit);
    return wrong;
  }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    const blocks to = placed(s, out);
    if (in_place && c.by != algorithm::bruck) return alltoall_in_place(s, to);
    const blocks from = in_place ? to : placed(s, in);
    if (c.by == algorithm::bruck) return alltoall_bruck(s, from, to);
    if (c.by == algorithm::linear) return alltoall_linear(s, from, to);
    alltoall_pairwise(s, from, to);
  }
};

}  // namespace mpx::inline v0::coll
