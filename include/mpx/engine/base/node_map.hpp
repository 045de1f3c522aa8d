// SPDX-License-Identifier: BSL-1.0
#pragma once
// Distribution of a communicator's ranks over nodes.

#include <cstddef>

#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::coll {

/// A subset of a communicator's ranks, numbered from 0; this rank is one of them.
struct some_ranks {
  rank_t size = 0;
  rank_t self = 0;
  rank_t first = 0;  // Rank i is first + i * stride,
  rank_t stride = 1;
  const rank_t* table = nullptr;   // or table[i],
  const rank_t* begins = nullptr;  // or table[begins[i]];
  rank_t except = -1;              // except for this i, which is `exception`.
  rank_t exception = 0;

  rank_t operator[](rank_t i) const noexcept {
    if (i == except) return exception;
    if (table == nullptr) return first + i * stride;
    return table[begins == nullptr ? i : begins[i]];
  }
};

/// The nodes of a communicator, numbered by their lowest ranks. No table is kept if all nodes have
/// the same number of consecutive ranks.
class node_map : public mpx::detail::allocated {
 public:
  rank_t nodes() const noexcept { return nodes_; }
  rank_t most() const noexcept { return most_; }  // Ranks of the largest node.
  rank_t mine() const noexcept { return mine_; }
  rank_t index() const noexcept { return index_; }  // Of this rank in its node.
  /// True if each node's ranks are consecutive.
  bool in_order() const noexcept { return in_order_; }
  /// True if each node's ranks are consecutive and all nodes have the same number.
  bool even() const noexcept { return node_of_.empty(); }

  rank_t node_of(rank_t r) const noexcept {
    return even() ? r / most_ : node_of_[static_cast<std::size_t>(r)];
  }
  rank_t size_of(rank_t node) const noexcept {
    return even() ? most_ : begin_of(node + 1) - begin_of(node);
  }
  /// Position of a node's first rank when all ranks are ordered by nodes.
  rank_t begin_of(rank_t node) const noexcept {
    return even() ? node * most_ : begins_[static_cast<std::size_t>(node)];
  }
  /// The rank at a position of that order.
  rank_t at(rank_t place) const noexcept {
    return even() ? place : by_node_[static_cast<std::size_t>(place)];
  }
  /// Number of rank r in its node.
  rank_t index_of(rank_t r) const noexcept {
    if (even()) return r % most_;
    rank_t i = begin_of(node_of(r));
    while (at(i) != r) ++i;
    return i - begin_of(node_of(r));
  }

  /// The ranks of this rank's node.
  some_ranks members() const noexcept {
    some_ranks s{size_of(mine_), index_, begin_of(mine_)};
    if (!even()) s.table = by_node_.begin() + s.first;
    return s;
  }
  /// One rank of each node: the lowest, or `root` in its own node.
  /// Requires: this rank is one of them.
  some_ranks leaders(rank_t root) const noexcept {
    some_ranks s{nodes_, mine_, 0, most_};
    if (!even()) {
      s.table = by_node_.begin();
      s.begins = begins_.begin();
    }
    s.except = node_of(root);
    s.exception = root;
    return s;
  }
  /// Number in its node of the leader that `leaders` chooses there.
  rank_t leader(rank_t root) const noexcept { return mine_ == node_of(root) ? index_of(root) : 0; }
  /// Ranks with this rank's number in their nodes.
  /// Requires: even().
  some_ranks peers() const noexcept { return {nodes_, mine_, index_, most_}; }

  /// Computes the map. `number(r)`, below `limit`, is equal for ranks of one node. Returns false if
  /// memory is exhausted.
  template <class Number>
  bool make(rank_t self, rank_t ranks, std::size_t limit, Number number) noexcept {
    const auto n = static_cast<std::size_t>(ranks);
    const auto index_at = [](rank_t i) { return static_cast<std::size_t>(i); };
    plain_array<rank_t> known;  // Node of a number, + 1.
    if (!known.try_extend(limit) || !node_of_.try_extend(n) || !by_node_.try_extend(n) ||
        !begins_.try_extend(n + 1))
      return false;
    in_order_ = true;
    for (rank_t r = 0; r < ranks; ++r) {
      rank_t& node = known[number(r)];
      const bool is_new = node == 0;
      if (is_new) node = ++nodes_;
      in_order_ = in_order_ && (is_new || node == nodes_);
      node_of_[index_at(r)] = node - 1;
      ++begins_[index_at(node)];
    }
    bool same = true;
    for (rank_t k = 0; k < nodes_; ++k) {
      const rank_t size = begins_[index_at(k + 1)];
      same = same && size == begins_[1];
      if (size > most_) most_ = size;
    }
    for (rank_t k = 0; k < nodes_; ++k) begins_[index_at(k + 1)] += begins_[index_at(k)];
    for (rank_t r = ranks; r-- > 0;)
      by_node_[index_at(--begins_[index_at(node_of_[index_at(r)] + 1)])] = r;
    // begins_[k + 1] is the begin of node k here, so the entries move down by one.
    for (rank_t k = 0; k < nodes_; ++k) begins_[index_at(k)] = begins_[index_at(k + 1)];
    begins_[index_at(nodes_)] = ranks;
    mine_ = node_of_[index_at(self)];
    index_ = index_of(self);
    if (in_order_ && same) {
      node_of_ = plain_array<rank_t>();
      by_node_ = plain_array<rank_t>();
      begins_ = plain_array<rank_t>();
    }
    return true;
  }

 private:
  rank_t nodes_ = 0;
  rank_t most_ = 0;
  rank_t mine_ = 0;
  rank_t index_ = 0;
  bool in_order_ = false;
  plain_array<rank_t> node_of_;
  plain_array<rank_t> by_node_;
  plain_array<rank_t> begins_;
};

}  // namespace mpx::inline v0::coll
