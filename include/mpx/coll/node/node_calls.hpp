// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives in a block of shared memory: an overload of `run_in_block` for each operation.

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/node/block_call.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::coll {

/// Bytes of the largest number of whole units that fit in `bytes`; one unit at least.
constexpr std::size_t whole_units(std::size_t bytes, std::size_t unit) noexcept {
  return unit >= bytes ? unit : bytes / unit * unit;
}
/// Calls `work(at, bytes, number)` for each piece of whole units of at most `piece_bytes`; once if
/// there is nothing to publish.
template <class Work>
void for_pieces(std::size_t bytes, std::size_t unit, std::size_t piece_bytes, Work&& work) {
  const std::size_t piece_max = whole_units(piece_bytes, unit);
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < bytes || number == 0; at += piece_max)
    work(at, bytes - at < piece_max ? bytes - at : piece_max, number++);
}

/// Each rank publishes that it has arrived.
template <class Stack>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>&,
                  const barrier_call&) {
  if (node.publish(nullptr, 0)) node.consume_each(0);
}

/// True if two ranks should send a long message: then both of them may copy a part of it.
template <class Stack>
bool sends_between_two(const block_call<Stack>& node, std::size_t bytes, rank_t ranks) noexcept {
  return ranks == 2 && bytes > 65536 && !node.oversubscribed();
}

/// The root publishes its message in pieces, up to four ahead of the slowest reader; or it
/// announces that it sends a message.
template <class Stack>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const bcast_call& call) {
  node.expect(call.root);
  if (c.rank() != call.root) {
    if (c.size() == 2 && node.wait_if_selective(call.root))
      return static_cast<void>(c.receive(call.data, call.root));
  } else if (sends_between_two(node, call.data.bytes, c.size())) {
    node.announce_messages(all_ranks);
    return static_cast<void>(c.send(call.data, 1 - call.root));
  }
  if (c.rank() == call.root) node.finish_reading();
  for_pieces(call.data.bytes, 1, node_stream_bytes,
             [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
               if (c.rank() == call.root) return node.publish_part(call.data, at, bytes, i);
               const memory piece = node.consume(call.root, bytes, i, call.data.bytes - at);
               if (piece.base != nullptr) call.data.write(at, piece.piece(0, bytes));
               node.claim_if_sole_reader(piece);
               if (bytes < call.data.bytes - at) node.finish_reading_piece(i);
             });
}

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
/// Combines the elements of all ranks into `out`, in rank order. Those of rank r lie at
/// `published(r)`.
template <class Channel>
void combine_all(Channel& c, const memory& out, const reduction& op,
                 mpx::detail::function_ref<memory(rank_t)> published) {
  memory sum = published(0);
  for (rank_t r = 1; r < c.size(); ++r) {
    const memory theirs = published(r);
    if (c.failed()) return;
    c.combine(op, out, sum, theirs);
    sum = out;
  }
}

/// Each rank combines a part of every piece. The ranks that want the result copy the parts: `root`,
/// or all ranks if it is any_source. Piece 2k publishes a window of `in`, piece 2k + 1 this rank's
/// part of the result. A rank that publishes a piece has read all pieces before it, but for the
/// exception below.
template <class Stack>
void reduce_in_parts(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                     const memory& in, const memory& out, const reduction& op, rank_t root) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const std::size_t piece_max = whole_units(node_piece_bytes, op.element_bytes);
  const auto bytes_at = [&](std::size_t at) {
    return in.bytes - at < piece_max ? in.bytes - at : piece_max;
  };
  const bool wants = root == any_source || root == me;
  std::uint32_t i = 0;
  node.publish_part(in, 0, bytes_at(0), 0);
  for (std::size_t at = 0; at < in.bytes && !c.failed(); at += piece_max, i += 2) {
    const parts part{slice(in, at, bytes_at(at)), op.element_bytes, static_cast<std::size_t>(n)};
    const auto bytes_of = [&](rank_t r) { return part[r].bytes; };
    const auto first_of = [&](rank_t r) { return part.first(static_cast<std::size_t>(r)); };
    const auto published = [&](rank_t r) {
      return node.consume(r, part.all.bytes, i, in.bytes - at);
    };
    for (rank_t r = 0; r < n; ++r) published(r);
    // A rank that has published this window has read the previous window, but perhaps not yet all
    // parts of its result.
    node.note_all_reached(i == 0 ? 0 : i - 1);
    const memory sum = node.make_part(bytes_of(me), i + 1);
    const auto mine = [&](rank_t r) {
      const memory all = published(r);
      return c.failed() ? memory() : slice(all, first_of(me), sum.bytes);
    };
    combine_all(c, sum, op, mine);
    node.claim_lines_of_each(mine);
    node.publish_made(sum.bytes, i + 1);
    if (const std::size_t next = at + piece_max; next < in.bytes)
      node.publish_part(in, next, bytes_at(next), i + 2);
    if (!wants) continue;
    for (rank_t k = 0; k < n; ++k) {
      const rank_t r = around(me + k, n);
      const memory made = node.consume(r, bytes_of(r), i + 1);
      if (c.failed()) return;
      c.copy(slice(out, at + first_of(r), made.bytes), made);
      if (r != me && root == me) node.claim_lines(made);  // Else other ranks read it as well.
    }
    node.note_all_reached(i + 1);
  }
}

/// True if each rank should combine a part of the vector, instead of one rank or each rank
/// combining all of it. Where ranks outnumber cores, parts cost one meeting more.
template <class Stack>
bool combines_parts(const block_call<Stack>& node, std::size_t bytes, rank_t ranks,
                    bool everywhere) noexcept {
  // With two ranks, one of them has its elements in its cache and fetches the others at one
  // transfer a line. Parts are faster in this range only, until caches are full.
  if (ranks == 2)
    return !everywhere && !node.oversubscribed() && bytes > 131072 && bytes <= 1048576;
  if (!node.oversubscribed()) return bytes > 8192;
  return ranks <= 8 ? bytes > 131072 : everywhere && bytes > 32768;
}

/// All other ranks publish their elements, and the root combines them.
template <class Stack>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const reduce_call& call) {
  if (combines_parts(node, call.in.bytes, c.size(), false))
    return reduce_in_parts(node, c, call.in, call.out, *call.op, call.root);
  if (c.rank() != call.root) node.finish_reading();
  for_pieces(call.in.bytes, call.op->element_bytes, node_stream_bytes,
             [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
               if (c.rank() != call.root) return node.publish_part(call.in, at, bytes, i);
               const memory out = slice(call.out, at, bytes);
               const auto published = [&](rank_t r) {
                 return node.consume(r, bytes, i, call.in.bytes - at);
               };
               if (c.size() == 2) {
                 combine_outwards(c, out, in_one_piece(c, slice(call.in, at, bytes), out), *call.op,
                                  published);
               } else {
                 const memory own = node.keep_part(call.in, at, bytes, i);  // `in` may be `out`.
                 combine_all(c, out, *call.op,
                             [&](rank_t r) { return r == call.root ? own : published(r); });
               }
               node.claim_lines_of_each(published);
               node.finish_reading_piece(i);
             });
  if (c.rank() == call.root) node.note_all_reached();
}

/// Each rank publishes its elements, and combines all of them, or a part of a long vector. Where
/// ranks outnumber cores, the last rank to arrive combines for all.
template <class Stack>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const allreduce_call& call) {
  if (combines_parts(node, call.in.bytes, c.size(), true))
    return reduce_in_parts(node, c, call.in, call.out, *call.op, any_source);
  for_pieces(
      call.in.bytes, call.op->element_bytes, node_piece_bytes,
      [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
        node.publish_part(call.in, at, bytes, i);
        node.prefetch_next(bytes, i);
        const memory out = slice(call.out, at, bytes);
        const auto published = [&](rank_t r) {
          return node.consume(r, bytes, i, call.in.bytes - at);
        };
        if (node.oversubscribed()) {
          c.copy(out, node.combine_by_last(
                          bytes,
                          [&](const memory& sum) { combine_all(c, sum, *call.op, published); }, i));
        } else if (c.size() == 2) {
          combine_outwards(c, out, in_one_piece(c, slice(call.in, at, bytes), out), *call.op,
                           published);
          node.claim_lines_of_each(published);
        } else {
          combine_all(c, out, *call.op, published);
        }
        node.note_all_reached(i);
      });
}

/// Each rank publishes its block, and copies the blocks of the others.
template <class Stack>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const allgather_call& call) {
  const rank_t me = c.rank();
  const memory mine = call.in.exists() ? call.in : call.out[me];
  const bool copies = call.in.exists() && call.in.contiguous() && call.in.base != call.out[me].base;
  const auto take = [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
    node.publish_part(mine, at, bytes, i);
    node.prefetch_next(bytes, i);
    // Copied while it is still in the cache, as other ranks arrive.
    if (copies) call.out[me].write(at, mine.piece(at, bytes));
    node.consume_each(bytes, i, call.out.bytes - at, [&](rank_t r, const memory& theirs) {
      call.out[r].write(at, theirs.piece(0, bytes));
      node.claim_if_sole_reader(theirs);
    });
  };
  for_pieces(call.out.bytes, 1, node_piece_bytes, take);
  if (call.in.exists() && !copies) c.copy(call.out[me], call.in);
}

/// Calls `work(at, bytes, number)` for each window of whole units of blocks; the longest block has
/// `longest` bytes. A rank publishes one window for every other rank at a time. Calls once if there
/// is nothing.
template <class Work>
void for_windows(std::size_t longest, std::size_t unit, rank_t ranks, Work&& work) {
  const std::size_t room =
      whole_units(node_piece_bytes / static_cast<std::size_t>(ranks - 1), unit);
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < longest || number == 0; at += room)
    work(at, longest - at < room ? longest - at : room, number++);
}

/// Each rank publishes a window of all its blocks, and copies the windows for itself.
template <class Stack>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const alltoall_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const blocks& from = call.in_place ? call.out : call.in;
  for_windows(call.out.bytes, 1, n, [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
    const std::size_t bytes_left = call.out.bytes - at;
    node.publish_windows(from, at, bytes, i, bytes_left);
    node.consume_windows(bytes, i, bytes_left, [&](rank_t r, const memory& theirs) {
      call.out[r].write(at, theirs.piece(0, bytes));
      node.claim_lines(theirs);
    });
  });
  if (!call.in_place) c.copy(call.out[me], call.in[me]);
}

/// As for alltoall, but each rank combines the windows for itself, in rank order.
template <class Stack>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const reduce_scatter_call& call) {
  const rank_t n = c.size();
  const rank_t me = c.rank();
  const blocks in = placed(c, call.in);
  const memory own = in[me];
  const memory mine = slice(call.out, 0, own.bytes);
  // In place, the result overlaps blocks that have not been published yet.
  const memory sum =
      in.base == call.out.base && own.base != mine.base ? c.scratch(own.bytes) : mine;
  std::size_t longest = 0;
  for (rank_t r = 0; r < n; ++r)
    if (in.bytes_of(r) > longest) longest = in.bytes_of(r);
  if (c.failed()) return;
  for_windows(longest, call.op->element_bytes, n,
              [&](std::size_t at, std::size_t bytes, std::uint32_t i) {
                node.publish_windows(in, at, bytes, i, longest - at);
                node.wait_for_all_if_oversubscribed(i);
                const std::size_t bytes_left = own.bytes > at ? own.bytes - at : 0;
                const memory to = slice(sum, at, bytes_left < bytes ? bytes_left : bytes);
                const memory given = bytes_left == 0 ? memory() : slice(own, at, to.bytes);
                const auto theirs = [&](rank_t r) {
                  return memory{node.consume_window(r, bytes, i, longest - at).base, to.bytes};
                };
                combine_outwards(c, to, in_one_piece(c, given, to), *call.op, theirs);
                node.claim_lines_of_each(theirs);
                node.note_all_reached(i);
              });
  c.copy(mine, sum);
}

/// Calls of `What` can be made in shared memory: the transport of `Stack` offers blocks, and there
/// is a `run_in_block` for the call.
template <class Stack, class What>
concept RunsInBlock = SharedMemoryTransport<typename Stack::transport_type> &&
                      requires(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                               const What& call) { run_in_block(node, c, call); };

/// True if an element fits in the window that a rank publishes for each other rank.
template <class What>
bool fits_in_node([[maybe_unused]] const What& call, [[maybe_unused]] rank_t ranks) noexcept {
  if constexpr (requires { call.op; })
    return call.op->element_bytes <= node_piece_bytes / static_cast<std::size_t>(ranks);
  return true;
}
/// The policy's choice for a call that cannot use shared memory.
template <class Policy>
choice without_node(question q, algorithm by) noexcept {
  q.meets = false;
  return decide<Policy>(q, by);
}

/// Makes a call in the block of `state`.
template <class Stack, class What>
void run_in_node(mpx::detail::collective_channel<Stack>& c, const What& call, node_state& state) {
  block_call<Stack> node(c, state);
  if (!c.failed()) run_in_block(node, c, call);
}

}  // namespace mpx::inline v0::coll
