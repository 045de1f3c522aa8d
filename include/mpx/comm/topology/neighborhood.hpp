// SPDX-License-Identifier: BSL-1.0
#pragma once
// The neighbours of a rank in neighbour collectives, and their order.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mpx/comm/topology/cart.hpp"
#include "mpx/comm/topology/graph.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// The neighbours of a rank. Both lists may contain proc_null, and a rank several times. Then
/// messages between two ranks match in the order of the lists.
///
/// In a grid, data sent to the lower neighbour arrives there from the upper one. If both are the
/// same rank, its messages must be received in pairs, the second first (`crossed`).
struct neighborhood {
  std::vector<rank_t> sources;       // Ranks to receive from.
  std::vector<rank_t> destinations;  // Ranks to send to.
  bool crossed = false;

  neighborhood() = default;
  neighborhood(std::vector<rank_t> from, std::vector<rank_t> to, bool in_pairs = false)
      : sources(std::move(from)), destinations(std::move(to)), crossed(in_pairs) {}
  neighborhood(const neighborhood&) = delete;
  neighborhood& operator=(const neighborhood&) = delete;
  virtual ~neighborhood() = default;  // Deleted through the base by the handles that share it.

  /// The index of the source of the k-th receive.
  std::size_t receive(std::size_t k) const noexcept { return crossed ? k ^ 1 : k; }
};

/// The neighbourhood of a rank that is not part of a topology.
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
