// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives of ranks that meet in shared memory, an overload for each call that can be.

#include "mpx/coll/allgather.hpp"
#include "mpx/coll/allreduce.hpp"
#include "mpx/coll/alltoall.hpp"
#include "mpx/coll/barrier.hpp"
#include "mpx/coll/bcast.hpp"
#include "mpx/coll/node.hpp"
#include "mpx/coll/node_direct.hpp"
#include "mpx/coll/reduce.hpp"
#include "mpx/engine/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Calls `work(at, bytes, number)` for each piece of whole units that a rank shows at a time; once
/// if there is nothing.
template <class Work>
void for_pieces(std::size_t bytes, std::size_t unit, Work&& work) {
  const std::size_t most = node_piece_bytes / unit * unit;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < bytes || number == 0; at += most)
    work(at, bytes - at < most ? bytes - at : most, number++);
}

/// Everybody shows that it is here.
template <class Stack>
void meet_direct(node_call<Stack>&, mpx::detail::collective_channel<Stack>&, const barrier_call&) {}
template <class Stack>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c, const barrier_call&) {
  node.show({});
  if (node.crowded()) {
    node.meet(0, [](const memory&) {});
  } else {
    for (rank_t r = 0; r < c.size(); ++r)
      if (r != c.rank()) node.see(r, 0);
  }
  node.met();
}

/// The root shows its message, up to four pieces ahead of whoever reads it.
template <class Stack>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
          const bcast_call& call) {
  if (c.rank() == call.root) node.leave_call();
  for_pieces(call.data.bytes, 1, [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
    if (c.rank() == call.root) return node.show_part(call.data, at, bytes, i);
    const memory piece = node.see(call.root, bytes, i);
    if (piece.base != nullptr) call.data.write(at, piece.piece(0, bytes));
    node.leave_piece(i);
  });
}

/// `out` = all ranks' elements, combined in their order. What one rank shows lies at `shown(r)`.
template <class Channel, class Shown>
void combine_all(Channel& c, const memory& out, const reduction& op, Shown&& shown) {
  for (rank_t r = 0; r < c.size(); ++r) {
    const memory theirs = shown(r);
    if (c.failed()) return;
    if (r == 0)
      c.copy(out, theirs);
    else
      c.combine(op, out, theirs);
  }
}

/// All others show their elements, and the root combines them.
template <class Stack>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
          const reduce_call& call) {
  if (c.rank() != call.root) node.leave_call();
  for_pieces(call.in.bytes, call.op->element_bytes,
             [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
               if (c.rank() != call.root) return node.show_part(call.in, at, bytes, i);
               const memory own =
                   node.keep_part(call.in, at, bytes, i);  // It may be where the result goes.
               combine_all(c, slice(call.out, at, bytes), *call.op,
                           [&](rank_t r) { return r == call.root ? own : node.see(r, bytes, i); });
               node.leave_piece(i);
             });
  if (c.rank() == call.root) node.met();
}

/// Everybody shows its elements, and combines all; or where ranks outnumber cores, the last to come
/// does, for all.
template <class Stack>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
          const allreduce_call& call) {
  for_pieces(
      call.in.bytes, call.op->element_bytes,
      [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
        node.show_part(call.in, at, bytes, i);
        const memory out = slice(call.out, at, bytes);
        const auto shown = [&](rank_t r) { return node.see(r, bytes, i); };
        if (node.crowded()) {
          c.copy(out,
                 node.meet(
                     bytes, [&](const memory& sum) { combine_all(c, sum, *call.op, shown); }, i));
        } else if (c.size() == 2) {
          c.copy(out, slice(call.in, at, bytes));
          const memory theirs = shown(1 - c.rank());
          if (theirs.base == nullptr) return;
          if (c.rank() == 0)
            c.combine(*call.op, out, theirs);
          else
            c.combine_first(*call.op, out, theirs);
        } else {
          combine_all(c, out, *call.op, shown);
        }
        node.leave_piece(i);
      });
  node.met();
}

/// Everybody shows its block, and copies all others.
template <class Stack>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
          const allgather_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const memory mine = call.in.exists() ? call.in : call.out[me];
  for_pieces(call.out.bytes, 1, [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
    node.show_part(mine, at, bytes, i);
    if (node.crowded()) node.meet(0, [](const memory&) {}, i);
    for (rank_t k = 1; k < n; ++k) {
      const rank_t r = around(me + k, n);
      const memory theirs = node.see(r, bytes, i);
      if (theirs.base == nullptr) return;
      call.out[r].write(at, theirs.piece(0, bytes));
    }
    node.leave_piece(i);
  });
  if (call.in.exists()) c.copy(call.out[me], call.in);
  node.met();
}

/// Everybody shows all its blocks, and copies those that are for it.
template <class Stack>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
          const alltoall_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const std::size_t bytes = call.out.bytes;
  const std::size_t all = bytes * static_cast<std::size_t>(n);
  const blocks& from = call.in_place ? call.out : call.in;
  node.show_blocks(from, bytes);
  if (node.crowded()) node.meet(0, [](const memory&) {});
  for (rank_t k = call.in_place ? 1 : 0; k < n; ++k) {
    const rank_t r = around(me + k, n);
    const memory theirs = node.see(r, all);
    if (theirs.base == nullptr) return;
    c.copy(call.out[r], slice(theirs, bytes * static_cast<std::size_t>(me), bytes));
  }
  node.met();
}

/// Calls of `What` can be made in shared memory, over the transport of `Stack`.
template <class Stack, class What>
concept MeetsInNode = BlockTransport<typename Stack::transport_type> &&
                      requires(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                               const What& call) { meet_direct(node, c, call); };

/// Makes a call in shared memory, if that can be. Returns whether it did, or has failed.
template <class Stack, class What>
bool run_in_node(mpx::detail::collective_channel<Stack>& c, const What& call, const question& q) {
  const bool direct = reads_directly(q);
  constexpr bool has_pieces = requires(node_call<Stack>& node) { meet(node, c, call); };
  if constexpr (requires { call.op; })
    if (!direct && call.op->element_bytes > node_piece_bytes) return false;
  node_state* const state = node_of(c);
  if (state == nullptr) return c.failed();
  // A bcast goes in pieces at any size: so whoever is told another one finds out.
  if (direct && !state->reads && q.of != operation::bcast) return false;
  node_call<Stack> node(c, *state);
  if (c.failed()) return true;
  if (direct && state->reads) {
    meet_direct(node, c, call);
  } else {
    if constexpr (has_pieces) meet(node, c, call);
  }
  return true;
}

}  // namespace mpx::inline v0::coll
