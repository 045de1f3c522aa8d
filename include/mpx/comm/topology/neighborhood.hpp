// SPDX-License-Identifier: BSL-1.0
#pragma once
// Whom a rank exchanges messages with in neighbour collectives, and in which order.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mpx/comm/topology/cart.hpp"
#include "mpx/comm/topology/graph.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// A rank's neighbours. Both lists may hold proc_null, and a rank several times; then the messages
/// between two ranks are matched in the order of the lists.
///
/// In a grid a message to the neighbour below comes from the one above there: where both are one
/// rank, its messages are taken in pairs, the second first (`crossed`).
struct neighborhood {
  std::vector<rank_t> sources;       // Whom it receives from.
  std::vector<rank_t> destinations;  // Whom it sends to.
  bool crossed = false;

  neighborhood() = default;
  neighborhood(std::vector<rank_t> from, std::vector<rank_t> to, bool in_pairs = false)
      : sources(std::move(from)), destinations(std::move(to)), crossed(in_pairs) {}
  neighborhood(const neighborhood&) = delete;
  neighborhood& operator=(const neighborhood&) = delete;
  virtual ~neighborhood() = default;  // By the handles that share it.

  /// Which source the k-th receive is from.
  std::size_t receive(std::size_t k) const noexcept { return crossed ? k ^ 1 : k; }
};

/// That of a rank that has no part in a topology.
inline const neighborhood& no_neighborhood() noexcept {
  static const neighborhood none;
  return none;
}

struct cart_neighborhood final : neighborhood {
  cart_neighborhood(cart_topology g, rank_t rank)
      : neighborhood(beside(g, rank), beside(g, rank), true), grid(std::move(g)) {}
  cart_topology grid;

 private:
  static std::vector<rank_t> beside(const cart_topology& g, rank_t rank) {
    return rank == proc_null ? std::vector<rank_t>() : g.neighbors(rank);
  }
};

struct graph_neighborhood final : neighborhood {
  graph_neighborhood(graph_topology g, rank_t rank)
      : neighborhood(rank == proc_null ? std::vector<rank_t>() : g.sources(rank), beside(g, rank)),
        graph(std::move(g)) {}
  graph_topology graph;

 private:
  static std::vector<rank_t> beside(const graph_topology& g, rank_t rank) {
    if (rank == proc_null) return {};
    const auto n = g.neighbors(rank);
    return {n.begin(), n.end()};
  }
};

struct dist_graph_neighborhood final : neighborhood {
  explicit dist_graph_neighborhood(graph_neighbors n)
      : neighborhood(n.sources, n.destinations), mine(std::move(n)) {}
  graph_neighbors mine;
};

}  // namespace mpx::inline v0::detail
