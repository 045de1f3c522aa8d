// SPDX-License-Identifier: BSL-1.0
#pragma once
// The axis of collective policies: the choice of an algorithm for a call, from properties that all
// ranks know alike.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/engine/axes/collective_question.hpp"
#include "mpx/engine/axes/collective_table.hpp"

namespace mpx::inline v0 {

/// Axis of collective policies in a stack.
struct collective_axis {};

/// Chooses algorithms.
/// - `name`: part of the stack's fingerprint.
/// - `choose(question)`: depends on its argument alone, and so is the same at every rank of a job.
///   It is called in every collective call, so it should cost a few comparisons.
template <class P>
concept CollectivePolicy = requires(const coll::question& q) {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::choose(q) } noexcept -> std::same_as<coll::choice>;
};

/// A policy whose name other policies share, such as those that scripts/tune makes.
/// - `choices_hash`: part of the fingerprint, too; differs if the choices differ.
template <class P>
concept HashedCollectivePolicy = CollectivePolicy<P> && requires {
  { P::choices_hash } -> std::convertible_to<std::uint64_t>;
};

/// A policy that carries out blocking calls by means of its own, in place of messages. Started and
/// prepared calls go by messages.
/// - `carry(channel, what, by)`: carries out the call `what`, of the algorithm `by` or the policy's
///   choice. All ranks call it, as `channel` is that of a communicator's call. Reports failures to
///   `channel`. Returns false if calls like `what` go by messages, on which all ranks agree.
/// - `leave(endpoint)`: releases what `carry` has made. Called when an environment ends.
template <class P>
concept CarryingCollectivePolicy = CollectivePolicy<P> && P::carries_calls;

namespace coll {

/// The default: few rounds for short data; for long data each byte is sent as few times as
/// possible.
struct by_size {
  using policy_axis = collective_axis;
  static constexpr std::string_view name = "by_size";

  /// Chooses by operation, size and distribution of the ranks.
  /// Source: Thakur, Rabenseifner, Gropp 2005, for the algorithms; the thresholds are those of one
  /// node.
  [[MPX_ALWAYS_INLINE]] static constexpr choice choose(const question& q) noexcept {
    return offers_shared(q) ? choice{algorithm::shared} : by_messages(q);
  }

 private:
  static constexpr choice by_messages(const question& q) noexcept {
    using enum algorithm;
    const bool power = (q.ranks & (q.ranks - 1)) == 0;
    const std::size_t all = q.bytes * static_cast<std::size_t>(q.ranks);
    if (!q.near) return far(q);
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
  /// The choice if latency exceeds the time to send further messages: the fastest algorithm in the
  /// simulator (bench/algorithms.py).
  static constexpr choice far(const question& q) noexcept {
    using enum algorithm;
    spread over = spread::far;
    if (q.nodes == 1) over = spread::near;
    if (q.nodes > 1 && q.node_ranks > 1) over = q.node_ranks <= 32 ? spread::few : spread::many;
    algorithm by = in_table(q, over);
    if (offers(q, by)) return {by};
    if (by == node_parts && offers(q, leaders) && q.of != operation::allgather) return {leaders};
    if (over == spread::few || over == spread::many) by = in_table(q, spread::far);
    if (offers(q, by)) return {by};
    // The table's choice needs a power of two, a commutative operation, or blocks of one length.
    switch (q.of) {
      case operation::allgather: return {q.bytes <= 4096 ? bruck : ring};
      case operation::reduce_scatter:
        return {offers(q, ring) && q.bytes > 16384 && q.ranks > 16 ? ring : pairwise};
      default: return {fallback(q.of)};
    }
  }
  static constexpr algorithm in_table(const question& q, spread over) noexcept {
    for (const table_entry& e : collective_table)
      if (e.of == q.of && e.over == over && q.bytes <= e.bytes && q.ranks <= e.ranks) return e.by;
    return algorithm::automatic;
  }
};
static_assert(CollectivePolicy<by_size>);

/// True if a policy is known at compile time to choose shared memory wherever a call offers it: the
/// default.
template <class P>
inline constexpr bool prefers_shared = std::same_as<P, by_size>;

/// The algorithm of a call: `wanted`, else the policy's. If the call does not offer it: the
/// fallback.
template <class Policy>
[[MPX_ALWAYS_INLINE]] constexpr choice decide(const question& q, algorithm wanted) noexcept {
  choice c = Policy::choose(q);
  if (wanted != algorithm::automatic) c.by = wanted;
  if (!offers(q, c.by)) c.by = fallback(q.of);
  return c;
}

}  // namespace coll

namespace detail {

/// Part of a policy's contribution to the stack's fingerprint beside its name.
template <class P>
constexpr std::uint64_t choices_hash = 0;
template <HashedCollectivePolicy P>
constexpr std::uint64_t choices_hash<P> = P::choices_hash;

}  // namespace detail

}  // namespace mpx::inline v0
