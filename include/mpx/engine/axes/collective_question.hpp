// SPDX-License-Identifier: BSL-1.0
#pragma once
// Input and result of collective policies, and the algorithms that each operation offers.

#include <cstddef>
#include <cstdint>

#include "mpx/core/types.hpp"

namespace mpx::inline v0::coll {

/// Collectives with a choice of algorithms.
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
inline constexpr int operations = static_cast<int>(operation::scan) + 1;  ///< Number of them.

/// Names of algorithms, for all operations. `offers` says which operations have which.
enum class algorithm : std::uint8_t {
  automatic,           ///< The choice of the stack's policy.
  linear,              ///< All messages at once, or from rank to rank.
  binomial,            ///< A minimum spanning tree, for short data.
  knomial,             ///< A tree of radix 4.
  chain,               ///< From rank to rank, in pipelined segments.
  scatter_allgather,   ///< Scatters parts, then a ring of parts.
  ring,                ///< Parts travel round a ring, in segments if combined.
  recursive_doubling,  ///< Round k: exchanges all data with the rank at distance 2^k.
  recursive_halving,   ///< As above, with half the data per round; then back.
  bruck,               ///< Round k: sends all data that travels 2^k further; log2 rounds.
  pairwise,            ///< Exchanges with one rank after the other.
  dissemination,       ///< Round k: sends a word to the rank 2^k above.
  shared,              ///< Through memory shared by all ranks; blocking calls only.
  leaders,             ///< Within each node, and between one leader of each node.
  node_parts,          ///< Two levels; each rank of a node handles a part.
  long_short,  ///< A mesh of ranks: for long data along its rows, for short data along its columns.
  short_long,  ///< A mesh of ranks: for short data along its rows, for long data along its columns.
};
inline constexpr int algorithms = static_cast<int>(algorithm::short_long) + 1;  ///< Number of them.

/// Properties of a call on which a policy decides; the same at every rank of the call.
struct question {
  operation of{};               ///< gatherv and similar calls count as gather.
  std::size_t bytes = 0;        ///< Of the message or vector; of one block if each rank has one.
  rank_t ranks = 1;             ///< Number of ranks.
  bool commutative = true;      ///< True if the operation commutes.
  bool regular = true;          ///< True if all blocks have one length, known everywhere.
  bool near = false;            ///< True if all ranks share memory,
  bool meets = false;           ///< and can wait for each other there (blocking calls only).
  bool oversubscribed = false;  ///< True if ranks outnumber their cores.
  rank_t nodes = 0;             ///< Number of nodes; 0: not known.
  rank_t node_ranks = 1;        ///< Ranks of the largest node.
  bool in_order = false;        ///< Each node's ranks are consecutive.
  bool even = false;            ///< `in_order`, and all nodes have the same number of ranks.
};

/// Answer of a policy.
struct choice {
  algorithm by{};                     ///< If the call does not offer it, `fallback` is used.
  std::size_t segment_bytes = 65536;  ///< Size of segments, if any.
};

/// True if a call like `q` can run through shared memory.
/// Cost: comparisons of the number of ranks, if `q.of` is a constant.
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
    default: return false;
  }
}
/// True if a call like `q` can run in two levels: within nodes, and between them.
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
/// True if a call like `q` can run by messages with algorithm `a`.
constexpr bool offers_messages(const question& q, algorithm a) noexcept {
  using enum algorithm;
  if (a == leaders || a == node_parts) return offers_levels(q, a == node_parts);
  const bool power = (q.ranks & (q.ranks - 1)) == 0;
  const bool in_mesh = a == long_short || a == short_long;
  switch (q.of) {
    case operation::barrier:
      return a == dissemination || a == binomial || (a == recursive_doubling && power);
    case operation::bcast:
      return a == binomial || a == knomial || a == chain || a == scatter_allgather || a == linear ||
             in_mesh;
    case operation::gather:
    case operation::scatter: return a == linear || (a == binomial && q.regular);
    case operation::allgather:
      return a == ring || a == bruck || (a == recursive_doubling && power && q.regular) ||
             (in_mesh && q.regular);
    case operation::alltoall: return a == linear || a == pairwise || (a == bruck && q.regular);
    case operation::reduce: return a == binomial || a == pairwise;
    case operation::allreduce:
      return a == recursive_doubling || a == recursive_halving || a == pairwise || a == binomial ||
             in_mesh || (a == ring && q.commutative);
    case operation::reduce_scatter:
      return a == pairwise || (a == ring && q.commutative) ||
             (a == recursive_halving && q.commutative && power);
    case operation::scan: return a == recursive_doubling || a == linear;
  }
  return false;
}
/// True if a call like `q` can run with algorithm `a`.
[[MPX_ALWAYS_INLINE]] constexpr bool offers(const question& q, algorithm a) noexcept {
  return a == algorithm::shared ? offers_shared(q) : offers_messages(q, a);
}
/// The algorithm that every call of `o` offers.
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
