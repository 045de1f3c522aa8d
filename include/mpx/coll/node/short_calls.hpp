// SPDX-License-Identifier: BSL-1.0
#pragma once
// Short collectives among ranks that share a block of memory, without a channel unless a rank is
// late. `make_short` is overloaded for each operation; the general forms are in node_calls.hpp.

#include <concepts>
#include <source_location>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/node/block_call.hpp"
#include "mpx/comm/point_to_point.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

// Larger payloads do not benefit from this path.
inline constexpr std::size_t short_bytes_max = 2048;
// Limit for all blocks that a rank publishes together, one for each other rank.
inline constexpr std::size_t short_blocks_bytes_max = 16384;

/// Offset of block r of blocks of equal length.
constexpr std::size_t block_at(rank_t r, std::size_t bytes) noexcept {
  return static_cast<std::size_t>(r) * bytes;
}
/// True if n blocks of equal length lie one after the other, without a layout, in a buffer of
/// exactly that size.
[[MPX_ALWAYS_INLINE]] inline bool is_plain(const blocks& b, rank_t n) noexcept {
  return b.regular() && b.how == nullptr && b.room == block_at(n, b.bytes);
}

// --- One short call at one rank ------------------------------------------------------------------
// Each `make_short` returns false, and has done nothing, if the call must be made in another way.
// Else the call has been made, or has failed. All of it is inlined, so that the members of the
// block_call stay in registers.

/// Cost: the root copies, and stores two words; each other rank polls one flag, and copies.
template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool make_short(block_call<Stack>& node,
                                             const bcast_call& call) noexcept {
  const std::size_t bytes = call.data.bytes;
  if (bytes > short_bytes_max || !call.data.contiguous() || call.root < 0 ||
      call.root >= node.size())
    return false;
  node.begin_short();
  node.expect(call.root);
  if (node.rank() == call.root) {
    node.publish(call.data.base, bytes);
  } else if (const memory published = node.consume(call.root, bytes); published.base != nullptr) {
    node.copy(call.data.base, published.base, bytes);
    node.claim_if_sole_reader(published);
  }
  return true;
}
template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool make_short(block_call<Stack>& node,
                                             const barrier_call&) noexcept {
  node.begin_short();
  if (node.publish(nullptr, 0)) node.consume_each(0);
  return true;
}
template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool make_short(block_call<Stack>& node,
                                             const allgather_call& call) noexcept {
  const rank_t n = node.size();
  const rank_t me = node.rank();
  const std::size_t bytes = call.out.bytes;
  const memory& in = call.in;
  if (bytes > short_bytes_max || !is_plain(call.out, n) || !in.contiguous() ||
      (in.exists() && in.bytes != bytes))
    return false;
  node.begin_short();
  std::byte* const own = call.out.base + block_at(me, bytes);
  const std::byte* const mine = in.exists() ? in.base : own;
  if (!node.publish(mine, bytes)) return true;
  node.prefetch_next(bytes);
  if (mine != own) node.copy(own, mine, bytes);
  node.consume_each(bytes, 0, bytes,
                    [&](rank_t r, const memory& theirs) __attribute__((always_inline)) {
                      node.copy(call.out.base + block_at(r, bytes), theirs.base, bytes);
                      node.claim_if_sole_reader(theirs);
                    });
  return true;
}
template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool make_short(block_call<Stack>& node,
                                             const alltoall_call& call) noexcept {
  const rank_t n = node.size();
  const rank_t me = node.rank();
  const blocks& from = call.in_place ? call.out : call.in;
  const std::size_t bytes = call.out.bytes;
  if (bytes > short_bytes_max || block_at(n - 1, bytes) > short_blocks_bytes_max ||
      !is_plain(call.out, n) || !is_plain(from, n) || from.bytes != bytes)
    return false;
  node.begin_short();
  if (!node.publish_blocks(from.base, bytes)) return true;
  std::byte* const out = call.out.base;
  if (!call.in_place) node.copy(out + block_at(me, bytes), from.base + block_at(me, bytes), bytes);
  node.consume_windows(bytes, 0, bytes,
                       [&](rank_t r, const memory& theirs) __attribute__((always_inline)) {
                         node.copy(out + block_at(r, bytes), theirs.base, bytes);
                         node.claim_lines(theirs);
                       });
  return true;
}
/// Only for operations that never throw: an exception can be handled only by a call with a channel.
/// `never_throws` is set for known operations on numbers only, and these commute.
template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool make_short(block_call<Stack>& node,
                                             const allreduce_call& call) noexcept {
  const rank_t n = node.size();
  const std::size_t bytes = call.in.bytes;
  const reduction& op = *call.op;
  // If ranks outnumber cores, node_calls.hpp lets one rank combine for all.
  if (bytes > short_bytes_max || node.oversubscribed() || !op.never_throws ||
      call.out.bytes != bytes || !call.in.contiguous() || !call.out.contiguous())
    return false;
  node.begin_short();
  std::byte* const out = call.out.base;
  if (!node.publish(call.in.base, bytes)) return true;
  node.prefetch_next(bytes);
  // Copied now, while the other rank's data is on its way: later the cache misses would add to
  // the latency.
  if (n == 2 && out != call.in.base) node.copy(out, call.in.base, bytes);
  if (!node.consume_each(bytes)) return true;
  const auto published = [&](rank_t r)
                             __attribute__((always_inline)) { return node.published_by(r, bytes); };
  if (n == 2) {
    const rank_t me = node.rank();
    const memory theirs = published(1 - me);
    op.apply(op.context, out, me == 0 ? out : theirs.base, me == 0 ? theirs.base : out, bytes);
    node.claim_lines(theirs);
  } else {
    op.apply(op.context, out, published(0).base, published(1).base, bytes);
    for (rank_t r = 2; r < n; ++r) op.apply(op.context, out, out, published(r).base, bytes);
  }
  return true;
}
/// For operations that never throw, as for allreduce.
template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool make_short(block_call<Stack>& node,
                                             const reduce_scatter_call& call) noexcept {
  const rank_t n = node.size();
  const rank_t me = node.rank();
  const std::size_t bytes = call.in.bytes;
  const std::size_t all = block_at(n - 1, bytes);
  const reduction& op = *call.op;
  if (bytes > short_bytes_max || all > short_blocks_bytes_max || !op.never_throws ||
      call.is_in_place() || call.out.bytes != bytes || !is_plain(call.in, n) ||
      !call.out.contiguous())
    return false;
  node.begin_short();
  if (!node.publish_blocks(call.in.base, bytes)) return true;
  std::byte* const out = call.out.base;
  node.copy(out, call.in.base + block_at(me, bytes), bytes);
  if (!node.consume_each(all)) return true;
  const auto theirs = [&](rank_t r) __attribute__((always_inline)) {
    return node.window_of(node.published_by(r, all), r, bytes);
  };
  // In the order of combine_outwards, so that results do not depend on the way.
  for (rank_t r = me - 1; r >= 0; --r) op.apply(op.context, out, theirs(r).base, out, bytes);
  for (rank_t r = me + 1; r < n; ++r) op.apply(op.context, out, out, theirs(r).base, bytes);
  if (node.claims_lines(bytes)) node.claim_lines_of_each(theirs);
  return true;
}

/// True if the policy chooses shared memory for a short call of ranks that have a block. A short
/// call is regular, and its operation commutes, so for such calls the answer depends on the length
/// alone.
/// Cost: nothing for the default policy; else a comparison, if the last such call was as long.
template <class Policy, class What>
[[MPX_ALWAYS_INLINE]] inline bool chooses_block(node_state& s, const What& what, algorithm by,
                                                rank_t me, rank_t n) noexcept {
  if (by != algorithm::automatic || prefers_shared<Policy>)
    return by == algorithm::automatic || by == algorithm::shared;
  question q = what.ask(me, n);
  if (!q.regular || !q.commutative) return false;
  std::size_t& chosen = s.chosen_bytes[static_cast<std::size_t>(q.of)];
  if (chosen == q.bytes + 1) [[likely]]
    return true;
  ask_of_block(q, s);
  if (decide<Policy>(q, by).by != algorithm::shared) return false;
  chosen = q.bytes + 1;
  return true;
}

/// Makes the call if `make_short` can; then `outcome` describes its failure, if any. Returns false,
/// and has done nothing, if the call must be made in another way.
template <class Stack, class What>
[[MPX_ALWAYS_INLINE]] inline bool make_if_short(const mpx::detail::point_to_point<Stack>& on,
                                                const What& what, algorithm by, const char* name,
                                                std::source_location where,
                                                mpx::detail::collective_outcome& outcome) noexcept {
  using call_type = block_call<Stack>;
  call_type::opened::check(on, where);
  const mpx::detail::communicator_state& state = call_type::opened::state_of(on);
  node_state* const s = state.node;
  const tag_t serial = call_type::next(state);
  if (s == nullptr || !call_type::may_begin(*s, serial) ||
      !mpx::detail::shared_blocks<Stack>::undisturbed(on.endpoint_for_reports()) ||
      !chooses_block<typename Stack::collective_type>(*s, what, by, on.rank(), on.size()))
    return false;
  call_type node(on, *s, serial, name, where, outcome);
  return make_short(node, what);
}

}  // namespace mpx::inline v0::coll
