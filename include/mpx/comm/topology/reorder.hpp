// SPDX-License-Identifier: BSL-1.0
#pragma once
// Assignment of ranks to positions of a topology, so that neighbours share a node if possible.
// Every rank computes the same from data that all ranks know: the node of each rank.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mpx/comm/topology/cart.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// The assignment: players[v] is the old rank that becomes rank v.
using players = std::vector<rank_t>;

/// An edge from a rank, with its cost if it crosses nodes.
struct weighted_edge {
  rank_t to;
  std::int64_t weight;
};
/// A graph. The edges of rank v are edges[first[v]] .. edges[first[v + 1] - 1].
struct weighted_graph {
  std::vector<std::size_t> first;
  std::vector<weighted_edge> edges;

  rank_t size() const noexcept { return static_cast<rank_t>(first.size() - 1); }
  std::span<const weighted_edge> of(rank_t v) const noexcept {
    const auto i = static_cast<std::size_t>(v);
    return std::span(edges).subspan(first[i], first[i + 1] - first[i]);
  }
};

/// Returns the weight of all edges whose ends are on different nodes. `nodes`: the node of each old
/// rank.
inline std::int64_t weight_between_nodes(const weighted_graph& g, std::span<const rank_t> nodes,
                                         const players& by) noexcept {
  const auto node_of = [&](rank_t v) {
    return nodes[static_cast<std::size_t>(by[static_cast<std::size_t>(v)])];
  };
  std::int64_t sum = 0;
  for (rank_t v = 0; v < g.size(); ++v)
    for (const weighted_edge& e : g.of(v))
      if (node_of(v) != node_of(e.to)) sum += e.weight;
  return sum;
}

inline weighted_graph graph_of(const cart_topology& grid) {
  weighted_graph g;
  g.first.push_back(0);
  for (rank_t r = 0; r < grid.size(); ++r) {
    for (const rank_t to : grid.neighbors(r))
      if (to != proc_null) g.edges.push_back({to, 1});
    g.first.push_back(g.edges.size());
  }
  return g;
}

/// Returns ranks 0 .. count - 1 grouped by node: nodes in the order of their first rank, the ranks
/// of a node in ascending order.
inline players by_node(std::span<const rank_t> nodes, rank_t count) {
  std::vector<std::pair<rank_t, rank_t>> first;  // Each node with its first rank.
  for (std::size_t r = 0; r < nodes.size(); ++r)
    first.emplace_back(nodes[r], static_cast<rank_t>(r));
  std::sort(first.begin(), first.end());
  first.erase(std::unique(first.begin(), first.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first; }),
              first.end());
  const auto first_of = [&](rank_t r) {
    const std::pair<rank_t, rank_t> least(nodes[static_cast<std::size_t>(r)], -1);
    return std::lower_bound(first.begin(), first.end(), least)->second;
  };
  players ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::sort(ranks.begin(), ranks.end(), [&](rank_t a, rank_t b) {
    const rank_t node_a = first_of(a);
    const rank_t node_b = first_of(b);
    return node_a != node_b ? node_a < node_b : a < b;
  });
  return ranks;
}

/// Returns the positions of a grid, tile by tile.
inline std::vector<rank_t> tiled_order(const cart_topology& grid, std::span<const rank_t> tile) {
  const auto dims = grid.dims();
  std::vector<rank_t> order;
  order.reserve(static_cast<std::size_t>(grid.size()));
  std::vector<rank_t> corner(dims.size(), 0);
  std::vector<rank_t> at(dims.size());
  // Advances `x` from `low` to below `end` in steps of `step`, the last dimension first. Returns
  // false at the end.
  const auto next = [&](std::vector<rank_t>& x, auto low, auto end, auto step) {
    for (std::size_t d = dims.size(); d-- > 0;) {
      if ((x[d] += step(d)) < end(d)) return true;
      x[d] = low(d);
    }
    return false;
  };
  do {
    at = corner;
    do {
      rank_t rank = 0;
      for (std::size_t d = 0; d < dims.size(); ++d) rank = rank * dims[d].size + at[d];
      order.push_back(rank);
    } while (next(
        at, [&](std::size_t d) { return corner[d]; },
        [&](std::size_t d) { return std::min(corner[d] + tile[d], dims[d].size); },
        [](std::size_t) { return 1; }));
  } while (next(
      corner, [](std::size_t) { return 0; }, [&](std::size_t d) { return dims[d].size; },
      [&](std::size_t d) { return tile[d]; }));
  return order;
}

/// Calls `take` for tiles of exactly `cells` cells that fit in the grid; for at most 256 of them.
template <class Take>
void each_tile(std::span<const cart_dimension> dims, rank_t cells, Take&& take) {
  constexpr int most = 256;
  std::vector<rank_t> tile(dims.size(), 1);
  int tried = 0;
  const auto go = [&](auto&& self, std::size_t d, rank_t left) -> void {
    if (tried == most) return;
    if (d == dims.size()) {
      if (left == 1) {
        ++tried;
        take(std::span<const rank_t>(tile));
      }
      return;
    }
    for (rank_t f = 1; f <= left && f <= dims[d].size; ++f) {
      if (left % f != 0) continue;
      tile[d] = f;
      self(self, d + 1, left / f);
    }
  };
  go(go, 0, cells);
}

/// Assigns ranks to the positions of `grid`. `nodes`: the node of each rank; the first grid.size()
/// ranks take part. The weight between nodes is never more than without reordering.
/// Cost: a few hundred passes over the grid at most.
inline players reordered(const cart_topology& grid, std::span<const rank_t> nodes) {
  const weighted_graph g = graph_of(grid);
  players best(static_cast<std::size_t>(grid.size()));
  std::iota(best.begin(), best.end(), 0);
  std::int64_t least = weight_between_nodes(g, nodes, best);
  const players ranks = by_node(nodes.first(best.size()), grid.size());
  const auto consider = [&](const std::vector<rank_t>& order) {
    players by(ranks.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      by[static_cast<std::size_t>(order[i])] = ranks[i];
    const std::int64_t weight = weight_between_nodes(g, nodes, by);
    if (weight >= least) return;
    least = weight;
    best = std::move(by);
  };
  // Tiles have as many cells as a node has ranks. If nodes differ, both the largest and the
  // smallest number are tried.
  rank_t smallest = grid.size();
  rank_t largest = 1;
  for (std::size_t i = 0, end = 0; i < ranks.size(); i = end) {
    const auto node = [&](std::size_t at) { return nodes[static_cast<std::size_t>(ranks[at])]; };
    for (end = i; end < ranks.size() && node(end) == node(i);) ++end;
    smallest = std::min(smallest, static_cast<rank_t>(end - i));
    largest = std::max(largest, static_cast<rank_t>(end - i));
  }
  if (largest == 1 || smallest == grid.size()) return best;  // One rank a node, or one node.
  const auto by_tiles = [&](std::span<const rank_t> tile) { consider(tiled_order(grid, tile)); };
  each_tile(grid.dims(), largest, by_tiles);
  if (smallest != largest) {
    each_tile(grid.dims(), smallest, by_tiles);
    const std::vector<rank_t> rows(grid.dims().size(), 1);
    by_tiles(rows);
  }
  return best;
}

/// Assigns ranks to the positions of a graph that has at most as many ranks as there are `nodes`.
/// The weight between nodes is never more than without reordering. Greedy: for each node it grows a
/// part of the graph, always adding the position with the largest weight to that part.
/// Cost: quadratic in ranks, plus the edges.
inline players reordered(const weighted_graph& g, std::span<const rank_t> nodes) {
  const auto n = static_cast<std::size_t>(g.size());
  players best(n);
  std::iota(best.begin(), best.end(), 0);
  const players ranks = by_node(nodes.first(n), g.size());
  weighted_graph back;  // Edges reversed: a message has a cost in both directions.
  back.first.assign(n + 1, 0);
  for (const weighted_edge& e : g.edges) ++back.first[static_cast<std::size_t>(e.to) + 1];
  std::partial_sum(back.first.begin(), back.first.end(), back.first.begin());
  back.edges.resize(g.edges.size());
  std::vector<std::size_t> filled(back.first.begin(), back.first.end() - 1);
  for (rank_t v = 0; v < g.size(); ++v)
    for (const weighted_edge& e : g.of(v))
      back.edges[filled[static_cast<std::size_t>(e.to)]++] = {v, e.weight};

  std::vector<std::int64_t> ties(n, 0);   // Weight to the part that grows.
  std::vector<std::int64_t> loose(n, 0);  // Weight to positions without a node.
  for (rank_t v = 0; v < g.size(); ++v)
    for (const weighted_graph* half : {&g, static_cast<const weighted_graph*>(&back)})
      for (const weighted_edge& e : half->of(v))
        loose[static_cast<std::size_t>(v)] += e.to == v ? 0 : e.weight;
  std::vector<bool> taken(n, false);
  players by(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto node = [&](std::size_t at) { return nodes[static_cast<std::size_t>(ranks[at])]; };
    if (i == 0 || node(i) != node(i - 1)) std::fill(ties.begin(), ties.end(), 0);
    std::size_t next = n;  // Largest tie; of equal ones the least loose weight.
    for (std::size_t v = 0; v < n; ++v)
      if (!taken[v] &&
          (next == n || ties[v] > ties[next] || (ties[v] == ties[next] && loose[v] < loose[next])))
        next = v;
    taken[next] = true;
    by[next] = ranks[i];
    for (const weighted_graph* half : {&g, static_cast<const weighted_graph*>(&back)})
      for (const weighted_edge& e : half->of(static_cast<rank_t>(next))) {
        ties[static_cast<std::size_t>(e.to)] += e.weight;
        loose[static_cast<std::size_t>(e.to)] -= e.weight;
      }
  }
  if (weight_between_nodes(g, nodes, by) < weight_between_nodes(g, nodes, best)) best = by;
  return best;
}

}  // namespace mpx::inline v0::detail
