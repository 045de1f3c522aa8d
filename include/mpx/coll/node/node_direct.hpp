// SPDX-License-Identifier: BSL-1.0
#pragma once
// Long collectives among ranks that share a node: each rank lends its buffers to the others, which
// read directly from them. In a reduction each rank combines a part.

#include <cstddef>
#include <cstdint>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/coll/node/block_call.hpp"
#include "mpx/core/function_ref.hpp"

namespace mpx::inline v0::coll {

/// Returns `m` if it is contiguous, else a copy of it in `at`, which has the same size.
template <class Channel>
memory in_one_piece(Channel& c, const memory& m, const memory& at) {
  if (m.contiguous()) return m;
  if (at.base != nullptr) c.copy(at, m);
  return at;
}
/// Combines the elements of all ranks into `out`, in rank order, beginning with `own`, this rank's,
/// which may be the same memory as `out`. Those of rank r are `theirs(r)`.
template <class Channel>
void combine_outwards(Channel& c, const memory& out, const memory& own, const reduction& op,
                      mpx::detail::function_ref<memory(rank_t)> theirs) {
  memory sum = own;
  for (rank_t r = c.rank() - 1; r >= 0 && !c.failed(); --r) {
    c.combine(op, out, theirs(r), sum);
    sum = out;
  }
  for (rank_t r = c.rank() + 1; r < c.size() && !c.failed(); ++r) {
    c.combine(op, out, sum, theirs(r));
    sum = out;
  }
}

/// Memory that a rank lends to the others for one call, as long as this object lives: `in`, its
/// input, and `out`, where it makes results for others. The destructor waits until all ranks have
/// left the call.
/// Requires: both are contiguous, or empty.
template <class Stack>
class node_loan {
  using channel = mpx::detail::collective_channel<Stack>;
  using blocks_of = mpx::detail::shared_blocks<Stack>;

 public:
  /// `total`: the bytes of the call, equal at every rank that lends.
  node_loan(block_call<Stack>& node, channel& c, std::size_t total) noexcept
      : node_(node), c_(c), total_(total) {}
  node_loan(const node_loan&) = delete;
  node_loan& operator=(const node_loan&) = delete;
  ~node_loan() {
    node_.leave_call();
    if (shown_) node_.wait_until_left();
    for (rank_t r = 0; shown_ && r < c_.size(); ++r) take_back(r, lent_[r]);
  }

  /// Lends `in` and `out` to all other ranks, or to rank `only`.
  void lend(const memory& in, const memory& out = {}, rank_t only = any_source) noexcept {
    if (c_.failed()) return;
    const rank_t n = c_.size();
    for (rank_t r = 0; r < n; ++r) {
      if (r == c_.rank() || (only != any_source && r != only)) continue;
      lent_[r].in = expose(r, in);
      lent_[r].out = expose(r, out);
      if (c_.failed()) break;
    }
    shown_ = true;
    if (!c_.failed()) node_.show_loan(lent_, total_);
  }
  /// Copies from the `in` of rank r, from `offset` on, as much as `into` holds.
  void read(rank_t r, std::size_t offset, const memory& into) noexcept {
    read(r, &loan::in, offset, into);
  }
  void read_out(rank_t r, std::size_t offset, const memory& into) noexcept {
    read(r, &loan::out, offset, into);
  }
  /// Combines into `to` the elements of all ranks, in rank order: `own` of this rank, and those
  /// that the others have lent, from `offset` on. `to` may be the same memory as `own`.
  void combine(const memory& to, const memory& own, std::size_t offset, const reduction& op) {
    const std::size_t most = op.element_bytes >= piece_bytes
                                 ? op.element_bytes
                                 : piece_bytes / op.element_bytes * op.element_bytes;
    const memory theirs = c_.scratch(most < to.bytes ? most : to.bytes);
    if (c_.failed()) return;
    for (std::size_t at = 0; at < to.bytes; at += most) {
      const std::size_t bytes = to.bytes - at < most ? to.bytes - at : most;
      const memory sum = slice(to, at, bytes);
      const memory one = slice(theirs, 0, bytes);
      combine_outwards(c_, sum, slice(own, at, bytes), op, [&](rank_t r) {
        read(r, offset + at, one);
        return one;
      });
    }
  }
  /// Publishes that `out` is complete; `wait_made` waits until rank r has published that.
  void made() noexcept { node_.show_part({}, 0, 0, 1); }
  void wait_made(rank_t r) noexcept { node_.see(r, 0, 1); }

 private:
  static constexpr std::size_t piece_bytes = 32768;  // Stays in the cache.
  static constexpr std::size_t read_bytes = 262144;  // Each get holds the endpoint's lock.

  remote_memory expose(rank_t r, const memory& m) noexcept {
    if (m.bytes == 0) return {};
    const remote_memory lent = blocks_of::expose(c_.endpoint_of(), c_.peer_of(r), m);
    if (lent.key == 0) c_.no_memory();
    return lent;
  }
  void take_back(rank_t r, const remote_memory& m) noexcept {
    if (m.key != 0) blocks_of::withdraw(c_.endpoint_of(), c_.peer_of(r), m);
  }
  void take_back(rank_t r, const loan& l) noexcept {
    take_back(r, l.in);
    take_back(r, l.out);
  }
  void read(rank_t r, remote_memory loan::* which, std::size_t offset,
            const memory& into) noexcept {
    if (into.bytes == 0 || c_.failed()) return;
    const loan* const l = node_.see_loan(r, total_);
    if (l == nullptr) return;
    if (!into.contiguous()) return read_apart(r, l->*which, offset, into);
    for (std::size_t at = 0; at < into.bytes; at += read_bytes) {
      const std::size_t bytes = into.bytes - at < read_bytes ? into.bytes - at : read_bytes;
      if (!get(r, l->*which, offset + at, slice(into, at, bytes))) return node_.lose();
    }
  }
  void read_apart(rank_t r, const remote_memory& from, std::size_t offset,
                  const memory& into) noexcept {
    const memory piece = c_.scratch(piece_bytes);
    for (std::size_t at = 0; at < into.bytes && !c_.failed(); at += piece_bytes) {
      const std::size_t bytes = into.bytes - at < piece_bytes ? into.bytes - at : piece_bytes;
      if (!get(r, from, offset + at, slice(piece, 0, bytes))) return node_.lose();
      into.write(at, piece.piece(0, bytes));
    }
  }
  bool get(rank_t r, const remote_memory& from, std::size_t offset, const memory& into) noexcept {
    return blocks_of::get(c_.endpoint_of(), c_.peer_of(r), from, offset, into);
  }

  block_call<Stack>& node_;
  channel& c_;
  std::size_t total_;
  bool shown_ = false;
  loan lent_[node_ranks_max] = {};
};

/// Returns `m` if it is contiguous, else a copy in scratch memory.
template <class Channel>
memory in_one_piece(Channel& c, const memory& m) {
  return m.contiguous() ? m : in_one_piece(c, m, c.scratch(m.bytes));
}
template <class Channel>
memory in_one_piece(Channel& c, const blocks& b) {
  if (b.regular()) return b.range(0, c.size());
  const memory copy = c.scratch(b.total(c.size()));
  if (copy.base == nullptr) return copy;
  std::size_t at = 0;
  for (rank_t r = 0; r < c.size(); ++r) {
    const memory block = b[r];
    c.copy(slice(copy, at, block.bytes), block);
    at += block.bytes;
  }
  return copy;
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const bcast_call& call) {
  node_loan<Stack> loan(node, c, call.data.bytes);
  if (c.rank() == call.root)
    loan.lend(in_one_piece(c, call.data));
  else
    loan.read(call.root, 0, call.data);
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const gather_call& call) {
  if (c.rank() != call.root) {
    node_loan<Stack> loan(node, c, call.in.bytes);
    return loan.lend(in_one_piece(c, call.in), {}, call.root);
  }
  const blocks out = placed(c, call.out);
  node_loan<Stack> loan(node, c, out.bytes_of(call.root));
  for (rank_t r = 0; r < c.size(); ++r)
    if (r != call.root) loan.read(r, 0, out[r]);
  if (call.in.base != nullptr) c.copy(out[call.root], call.in);
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const scatter_call& call) {
  if (c.rank() != call.root) {
    node_loan<Stack> loan(node, c, call.out.bytes);
    return loan.read(call.root, call.out.bytes * static_cast<std::size_t>(c.rank()), call.out);
  }
  const blocks in = placed(c, call.in);
  node_loan<Stack> loan(node, c, in.bytes_of(call.root));
  loan.lend(in_one_piece(c, in));
  if (call.out.base != nullptr) c.copy(call.out, in[call.root]);
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const allgather_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  node_loan<Stack> loan(node, c, call.out.bytes);
  loan.lend(in_one_piece(c, call.in.base != nullptr ? call.in : call.out[me]));
  if (call.in.base != nullptr) c.copy(call.out[me], call.in);
  for (rank_t k = 1; k < n; ++k) loan.read(around(me + k, n), 0, call.out[around(me + k, n)]);
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const alltoall_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const std::size_t bytes = call.out.bytes;
  memory in;
  if (call.in_place) {  // The input is overwritten while other ranks read it.
    in = c.scratch(call.out.total(n));
    if (in.base == nullptr) return;
    const blocks copy{in.base, bytes, bytes};
    for (rank_t r = 0; r < n; ++r) c.copy(copy[r], call.out[r]);
  } else {
    in = in_one_piece(c, call.in);
  }
  node_loan<Stack> loan(node, c, bytes * static_cast<std::size_t>(n - 1));
  loan.lend(in);
  if (!call.in_place) c.copy(call.out[me], call.in[me]);
  for (rank_t k = 1; k < n; ++k) {
    const rank_t r = around(me + k, n);
    loan.read(r, bytes * static_cast<std::size_t>(me), call.out[r]);
  }
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const reduce_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const auto size = static_cast<std::size_t>(n);
  const parts part{call.in, call.op->element_bytes, size};
  const bool here = me == call.root;
  const parts result{call.out, call.op->element_bytes, size};
  const memory sum = here ? result[me] : c.scratch(part[me].bytes);
  node_loan<Stack> loan(node, c, call.in.bytes);
  loan.lend(call.in, here ? memory() : sum);
  loan.combine(sum, part[me], part.first(static_cast<std::size_t>(me)), *call.op);
  if (!here) return loan.made();
  for (rank_t k = 1; k < n; ++k) {
    const rank_t r = around(me + k, n);
    loan.wait_made(r);
    loan.read_out(r, 0, result[r]);
  }
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const allreduce_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const auto size = static_cast<std::size_t>(n);
  const parts part{call.in, call.op->element_bytes, size};
  const parts result{call.out, call.op->element_bytes, size};
  node_loan<Stack> loan(node, c, call.in.bytes);
  loan.lend(call.in, call.out);
  loan.combine(result[me], part[me], part.first(static_cast<std::size_t>(me)), *call.op);
  loan.made();
  for (rank_t k = 1; k < n; ++k) {
    const rank_t r = around(me + k, n);
    loan.wait_made(r);
    loan.read_out(r, part.first(static_cast<std::size_t>(r)), result[r]);
  }
}

template <class Stack>
void meet_direct(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                 const reduce_scatter_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const blocks in = placed(c, call.in);
  const memory own = in[me];
  const memory mine = slice(call.out, 0, own.bytes);
  const memory all{in.base, in.total(n)};
  // In place, the result overlaps the block that rank 0 reads from this rank.
  const bool apart = in.base == call.out.base && own.base != mine.base;
  const memory sum = apart ? c.scratch(own.bytes) : mine;
  {
    node_loan<Stack> loan(node, c, all.bytes);
    loan.lend(all);
    loan.combine(sum, own, static_cast<std::size_t>(own.base - in.base), *call.op);
  }
  c.copy(mine, sum);
}

}  // namespace mpx::inline v0::coll
