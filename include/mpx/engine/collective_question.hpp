// SPDX-License-Identifier: BSL-1.0
#pragma once
// What is asked of who chooses algorithms of collectives, and which algorithms an operation has.

#include <cstddef>
#include <cstdint>

#include "mpx/core/types.hpp"

namespace mpx::inline v0::coll {

/// The collectives that have algorithms to choose among.
enum class operation : std::uint8_t {
  barrier,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
};

/// What an algorithm is called, whatever the operation. Which operations have it: `offers`.
enum class algorithm : std::uint8_t {
  automatic,           ///< As the stack's policy says.
  linear,              ///< All messages at once, or from rank to rank.
  binomial,            ///< A minimum spanning tree: for what is short.
  knomial,             ///< A tree of radix 4.
  chain,               ///< From rank to rank, in segments that follow each other.
  scatter_allgather,   ///< A part to each, then a ring of parts.
  ring,                ///< A bucket that goes round, in segments where it is combined.
  recursive_doubling,  ///< In round k with the rank at distance 2^k, all there is.
  recursive_halving,   ///< The same with half as much in each round; back for the result.
  bruck,               ///< In round k all that is to go 2^k further: log2 rounds.
  pairwise,            ///< With one rank after the other.
  dissemination,       ///< In round k a word to the rank 2^k above.
  shared,              ///< Straight in memory that all ranks share; a blocking call only.
  leaders,             ///< Within each node, and between them one rank of each.
  node_parts,          ///< The same, but each rank of a node has a part of what goes between them.
};
inline constexpr int algorithms = static_cast<int>(algorithm::node_parts) + 1;  ///< How many.

/// What is asked of a policy: the same at every rank of a call.
struct question {
  operation of{};           ///< gatherv and the like ask as gather does.
  std::size_t bytes = 0;    ///< Of the message or vector; of one block where each rank has one.
  rank_t ranks = 1;         ///< How many take part.
  bool commutative = true;  ///< Whether the operation commutes.
  bool regular = true;      ///< Whether all blocks have one length, known everywhere.
  bool near = false;        ///< Whether all ranks share memory,
  bool meets = false;       ///< and can wait for each other there: not in a call that is started;
  bool reads = false;       ///< and copy from each other's memory.
  bool crowded = false;     ///< Whether those that meet outnumber their cores.
  rank_t nodes = 0;         ///< On how many nodes the ranks are; 0: that is not known.
  rank_t node_ranks = 1;    ///< Ranks of the largest.
  bool in_order = false;    ///< All ranks of one node, then all of the next;
  bool even = false;        ///< and all nodes have as many.
};

/// What is longer is read where it lies, if it can be.
inline constexpr std::size_t shared_direct_bytes = 32768;
/// Of blocks of so much whether that is faster is learnt, where it is not known.
inline constexpr std::size_t shared_learnt_bytes = 262144;
inline constexpr std::size_t shared_piece_bytes = 16384;  ///< What a rank shows at a time.

/// Whether ranks that share memory had better read what is long where it lies. Where they outnumber
/// cores it is the kernel that copies, and two copies through memory of all cost less.
constexpr bool reads_directly(const question& q) noexcept {
  if (!q.reads) return false;
  switch (q.of) {
    case operation::gather:
    case operation::scatter: return q.regular && q.bytes > shared_direct_bytes;
    default: break;
  }
  if (q.crowded) return false;
  switch (q.of) {
    case operation::bcast:
    case operation::reduce:
    case operation::allreduce:
    case operation::reduce_scatter: return q.bytes > shared_direct_bytes;
    case operation::allgather: return q.regular && q.bytes > shared_direct_bytes;
    case operation::alltoall:
      return q.regular && q.bytes > shared_piece_bytes / static_cast<std::size_t>(q.ranks);
    default: return false;
  }
}

/// What a policy answers.
struct choice {
  algorithm by{};                     ///< If the call does not have it, `fallback` is used.
  std::size_t segment_bytes = 65536;  ///< Of what goes in segments.
};

/// Whether a call as in `q` can be done in shared memory.
/// Cost: where `q.of` is a constant, comparisons of the number of ranks.
[[MPX_ALWAYS_INLINE]] constexpr bool offers_shared(const question& q) noexcept {
  if (!q.meets || q.ranks < 2 || q.ranks > 64) return false;
  switch (q.of) {
    case operation::barrier:
    case operation::bcast:
    case operation::reduce:
    case operation::allreduce:
    case operation::reduce_scatter: return true;
    case operation::allgather:
    case operation::alltoall: return q.regular;
    default: return reads_directly(q);
  }
}
/// Whether a call as in `q` can be done in two levels: within nodes, and between them.
constexpr bool offers_levels(const question& q, bool in_parts) noexcept {
  if (q.nodes < 2 || q.node_ranks < 2 || (in_parts && !q.even)) return false;
  switch (q.of) {
    case operation::barrier: return !in_parts;
    case operation::bcast: return true;
    case operation::gather:
    case operation::scatter: return !in_parts && q.regular;
    case operation::allgather: return !in_parts || q.regular;
    case operation::alltoall: return in_parts && q.regular;
    case operation::reduce:
    case operation::allreduce: return q.commutative || q.in_order;
    case operation::reduce_scatter: return in_parts && q.regular;
    default: return false;
  }
}
/// Whether a call as in `q` can be done by messages, by `a`.
constexpr bool offers_messages(const question& q, algorithm a) noexcept {
  using enum algorithm;
  if (a == leaders || a == node_parts) return offers_levels(q, a == node_parts);
  const bool power = (q.ranks & (q.ranks - 1)) == 0;
  switch (q.of) {
    case operation::barrier:
      return a == dissemination || a == binomial || (a == recursive_doubling && power);
    case operation::bcast:
      return a == binomial || a == knomial || a == chain || a == scatter_allgather || a == linear;
    case operation::gather:
    case operation::scatter: return a == linear || (a == binomial && q.regular);
    case operation::allgather:
      return a == ring || a == bruck || (a == recursive_doubling && power && q.regular);
    case operation::alltoall: return a == linear || a == pairwise || (a == bruck && q.regular);
    case operation::reduce: return a == binomial || a == pairwise;
    case operation::allreduce:
      return a == recursive_doubling || a == recursive_halving || a == pairwise || a == binomial ||
             (a == ring && q.commutative);
    case operation::reduce_scatter:
      return a == pairwise || (a == ring && q.commutative) ||
             (a == recursive_halving && q.commutative && power);
    case operation::scan: return a == recursive_doubling || a == linear;
  }
  return false;
}
/// Whether a call as in `q` can be done by `a`.
[[MPX_ALWAYS_INLINE]] constexpr bool offers(const question& q, algorithm a) noexcept {
  return a == algorithm::shared ? offers_shared(q) : offers_messages(q, a);
}
/// What can always be done.
constexpr algorithm fallback(operation o) noexcept {
  using enum algorithm;
  switch (o) {
    case operation::barrier: return dissemination;
    case operation::bcast: return binomial;
    case operation::gather:
    case operation::scatter: return linear;
    case operation::allgather: return ring;
    case operation::alltoall: return pairwise;
    case operation::reduce: return binomial;
    case operation::allreduce:
    case operation::scan: return recursive_doubling;
    case operation::reduce_scatter: return pairwise;
  }
  return linear;
}

}  // namespace mpx::inline v0::coll
