// SPDX-License-Identifier: BSL-1.0
#pragma once
// The axis of collectives: which algorithm a call uses, by what every rank knows of it alike.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// Where policies that choose algorithms of collectives sit in a stack.
struct collective_axis {};

namespace coll {

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
  bool meets = false;       ///< and can wait for each other there: not in a call that is started.
  rank_t nodes = 0;         ///< On how many nodes the ranks are; 0: that is not known.
  rank_t node_ranks = 1;    ///< Ranks of the largest.
  bool in_order = false;    ///< All ranks of one node, then all of the next;
  bool even = false;        ///< and all nodes have as many.
};

inline constexpr std::size_t shared_piece_bytes = 16384;  ///< What a rank shows at a time.

/// What a policy answers.
struct choice {
  algorithm by{};                     ///< If the call does not have it, `fallback` is used.
  std::size_t segment_bytes = 65536;  ///< Of what goes in segments.
};

/// Whether a call as in `q` can be done in shared memory.
constexpr bool offers_shared(const question& q) noexcept {
  if (!q.meets || q.ranks < 2 || q.ranks > 64) return false;
  const auto n = static_cast<std::size_t>(q.ranks);
  switch (q.of) {
    case operation::barrier:
    case operation::bcast:
    case operation::reduce:
    case operation::allreduce: return true;
    case operation::allgather: return q.regular;
    case operation::alltoall: return q.regular && q.bytes <= shared_piece_bytes / n;
    default: return false;
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
/// Whether a call as in `q` can be done by `a`.
constexpr bool offers(const question& q, algorithm a) noexcept {
  using enum algorithm;
  if (a == shared) return offers_shared(q);
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

}  // namespace coll

/// Chooses algorithms: `choose(question)` depends on its argument only, and is the same at every
/// rank of a job. It is asked at every call: a few comparisons.
template <class P>
concept CollectivePolicy = requires(const coll::question& q) {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::choose(q) } noexcept -> std::same_as<coll::choice>;
};

namespace coll {

/// The default: few rounds for what is short, every byte as few times as possible for what is long.
struct by_size {
  using policy_axis = collective_axis;
  static constexpr std::string_view name = "by_size";

  /// Bytes up to which ranks that share memory meet there.
  static constexpr std::size_t shared_most(operation of) noexcept {
    return of == operation::bcast ? 65536 : shared_piece_bytes;
  }
  /// Source: Thakur, Rabenseifner, Gropp 2005, for the kinds; the sizes are those of one node.
  static constexpr choice choose(const question& q) noexcept {
    using enum algorithm;
    const bool power = (q.ranks & (q.ranks - 1)) == 0;
    const std::size_t all = q.bytes * static_cast<std::size_t>(q.ranks);
    if (q.meets && q.bytes <= shared_most(q.of) && offers_shared(q)) return {shared};
    if (!q.near) return far(q, power);
    switch (q.of) {
      case operation::barrier: return {dissemination};
      case operation::bcast:
        if (q.bytes <= 16384 || q.ranks <= 2) return {binomial};
        return {q.bytes <= 524288 || q.ranks <= 4 ? scatter_allgather : chain};
      case operation::gather:
      case operation::scatter:
        return {q.regular && q.bytes <= 1024 && q.ranks > 4 ? binomial : linear};
      case operation::allgather:
        if (q.ranks <= 2 || all > 65536) return {ring};
        return {power && q.regular ? recursive_doubling : bruck};
      case operation::alltoall:
        if (q.regular && q.bytes <= 256 && q.ranks > 8) return {bruck};
        return {q.regular && q.bytes <= 4096 ? linear : pairwise};
      case operation::reduce: return {q.bytes <= 16384 ? binomial : pairwise};
      case operation::allreduce:
        if (q.bytes <= 8192) return {recursive_doubling};
        return {q.bytes <= 65536 ? recursive_halving : pairwise};
      case operation::reduce_scatter:
        return {q.bytes <= 8192 && power && q.commutative ? recursive_halving : pairwise};
      case operation::scan: return {recursive_doubling};
    }
    return {};
  }

 private:
  /// Between nodes a message's way there takes longer than to send the next ones. Of what was
  /// fastest in the simulator (bench/algorithms.py).
  static constexpr choice far(const question& q, bool power) noexcept {
    using enum algorithm;
    const std::size_t part = q.bytes / static_cast<std::size_t>(q.ranks);
    switch (q.of) {
      case operation::barrier: return {power ? recursive_doubling : dissemination};
      case operation::bcast:
        if (q.ranks <= 2 || q.bytes > 262144) return {binomial};
        return {q.ranks <= (q.bytes <= 16384 ? 32 : 8) ? linear : knomial};
      case operation::gather:
      case operation::scatter:
        return {q.regular && q.bytes <= 1024 && q.ranks > 32 ? binomial : linear};
      case operation::allgather:
        if (q.ranks <= 2 || (q.bytes > 8192 && q.ranks <= 8)) return {ring};
        if (power && q.regular) return {recursive_doubling};
        return {q.bytes <= 4096 ? bruck : ring};
      case operation::alltoall:
        if (q.regular && q.bytes <= 256 && q.ranks > 32) return {bruck};
        return {q.ranks <= 1024 ? linear : pairwise};
      case operation::reduce:
        if (q.ranks <= 2 || q.bytes <= 16384) return {binomial};
        if (q.ranks > 8 && (q.bytes <= 262144 || q.ranks > 128)) return {binomial};
        return {q.ranks <= 16 || part <= 16384 ? pairwise : binomial};
      case operation::allreduce:
        if (q.ranks <= 2 || q.bytes <= 16384) return {recursive_doubling};
        return {part <= 16384 && q.ranks <= 4 ? pairwise : recursive_halving};
      case operation::reduce_scatter:
        if (!power || !q.commutative || q.ranks <= 2) return {pairwise};
        return {q.bytes > 16384 && q.bytes <= 262144 && q.ranks <= 4 ? pairwise
                                                                     : recursive_halving};
      case operation::scan: return {recursive_doubling};
    }
    return {};
  }
};
static_assert(CollectivePolicy<by_size>);

/// The algorithm of a call: `wanted`, or the policy's, or, where it has no such, the fallback.
template <class Policy>
[[gnu::always_inline]] constexpr choice decide(const question& q, algorithm wanted) noexcept {
  choice c = Policy::choose(q);
  if (wanted != algorithm::automatic) c.by = wanted;
  if (!offers(q, c.by)) c.by = fallback(q.of);
  return c;
}

}  // namespace coll

}  // namespace mpx::inline v0
