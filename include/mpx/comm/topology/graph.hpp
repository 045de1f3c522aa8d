// SPDX-License-Identifier: BSL-1.0
#pragma once
// Graphs of ranks: one that every rank knows as a whole, and one of which each rank knows its own
// edges. Computed without communication.

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// A graph that every rank knows as a whole. Edges are directed, from a rank to its neighbours. An
/// edge may occur several times, and may lead back to its own rank.
class graph_topology {
 public:
  /// A graph without ranks.
  graph_topology() = default;
  /// A graph in which the neighbours of rank r are edges[ends[r - 1]] .. edges[ends[r] - 1], as in
  /// MPI_Graph_create.
  /// Errors: errc::topology if `ends` is not ascending, or does not end with the number of edges;
  /// errc::rank if an edge leads to no rank of the graph.
  graph_topology(std::span<const std::size_t> ends, std::span<const rank_t> edges,
                 std::source_location where = std::source_location::current())
      : ends_(ends.begin(), ends.end()), edges_(edges.begin(), edges.end()) {
    std::size_t before = 0;
    for (const std::size_t end : ends_) {
      if (end < before || end > edges_.size())
        throw error(errc::topology,
                    detail::formatted("a graph of %zu edges: the neighbours of a rank end at %zu, "
                                      "those of the rank before at %zu",
                                      edges_.size(), end, before),
                    where);
      before = end;
    }
    if (before != edges_.size())
      throw error(errc::topology,
                  detail::formatted("a graph of %zu edges, of which only %zu belong to a rank",
                                    edges_.size(), before),
                  where);
    for (const rank_t to : edges_)
      if (to < 0 || to >= size())
        throw error(errc::rank,
                    detail::formatted("a graph of %d ranks with an edge to %d", size(), to), where);
  }
  /// A graph in which neighbors[r] are the neighbours of rank r. Errors: errc::rank.
  explicit graph_topology(const std::vector<std::vector<rank_t>>& neighbors,
                          std::source_location where = std::source_location::current()) {
    std::vector<std::size_t> ends;
    std::vector<rank_t> edges;
    for (const std::vector<rank_t>& those : neighbors) {
      edges.insert(edges.end(), those.begin(), those.end());
      ends.push_back(edges.size());
    }
    *this = graph_topology(ends, edges, where);
  }

  /// Number of ranks.
  [[nodiscard]] rank_t size() const noexcept { return static_cast<rank_t>(ends_.size()); }
  /// For each rank, the end of its neighbours in `edges`.
  [[nodiscard]] std::span<const std::size_t> ends() const noexcept { return ends_; }
  /// Neighbours of all ranks.
  [[nodiscard]] std::span<const rank_t> edges() const noexcept { return edges_; }
  /// Returns the ranks to which the edges of `rank` lead, in the order of neighbour collectives.
  /// Errors: errc::rank. Source: MPI 4.1, 8.5.5.
  [[nodiscard]] std::span<const rank_t> neighbors(
      rank_t rank, std::source_location where = std::source_location::current()) const {
    if (rank < 0 || rank >= size())
      throw error(errc::rank, detail::formatted("neighbours of %d in a graph of %d", rank, size()),
                  where);
    const auto r = static_cast<std::size_t>(rank);
    const std::size_t first = r == 0 ? 0 : ends_[r - 1];
    return std::span(edges_).subspan(first, ends_[r] - first);
  }

  /// Returns the ranks whose edges lead to `rank`, in the order of neighbour collectives: first
  /// those that are also neighbours of `rank`, in the order of its neighbours and as often as edges
  /// in both directions match; then the others, by rank. If all edges exist in both directions,
  /// these are its neighbours.
  /// Errors: errc::rank. Cost: visits each edge.
  [[nodiscard]] std::vector<rank_t> sources(
      rank_t rank, std::source_location where = std::source_location::current()) const {
    const std::span<const rank_t> own = neighbors(rank, where);
    std::vector<rank_t> coming(ends_.size(), 0);
    for (rank_t r = 0; r < size(); ++r)
      for (const rank_t to : neighbors(r)) coming[static_cast<std::size_t>(r)] += to == rank;
    std::vector<rank_t> from;
    const auto take = [&](rank_t r) {
      rank_t& left = coming[static_cast<std::size_t>(r)];
      if (left == 0) return false;
      --left;
      from.push_back(r);
      return true;
    };
    for (const rank_t r : own) take(r);
    for (rank_t r = 0; r < size(); ++r)
      while (take(r)) continue;
    return from;
  }

  /// True if both are equal.
  friend bool operator==(const graph_topology&, const graph_topology&) = default;

 private:
  std::vector<std::size_t> ends_;
  std::vector<rank_t> edges_;
};

/// The edges of one rank of a distributed graph: its sources and destinations, with weights if
/// these were given. The order is that of neighbour collectives. A rank may occur several times.
struct graph_neighbors {
  /// The ranks that send to this one.
  std::vector<rank_t> sources;
  /// The ranks that this one sends to.
  std::vector<rank_t> destinations;
  std::vector<int> source_weights;       ///< Empty, or one for each source.
  std::vector<int> destination_weights;  ///< Empty, or one for each destination.

  /// True if the edges have weights.
  [[nodiscard]] bool weighted() const noexcept {
    return !source_weights.empty() || !destination_weights.empty();
  }
  /// True if both are equal.
  friend bool operator==(const graph_neighbors&, const graph_neighbors&) = default;
};

/// Edge of a distributed graph; any rank may pass it.
struct graph_edge {
  /// The edge begins at this rank ...
  rank_t source;
  /// ... and ends at this one.
  rank_t destination;
  /// Amount of data along the edge, for reordering.
  int weight = 1;

  /// True if both are equal.
  friend bool operator==(const graph_edge&, const graph_edge&) = default;
};

namespace detail {

/// Returns errc{} if `n` is valid for a communicator of `size` ranks.
inline errc check_neighbors(const graph_neighbors& n, rank_t size) noexcept {
  const auto fits = [](const std::vector<int>& weights, const std::vector<rank_t>& ranks) {
    if (!weights.empty() && weights.size() != ranks.size()) return false;
    for (const int w : weights)
      if (w < 0) return false;
    return true;
  };
  if (!fits(n.source_weights, n.sources) || !fits(n.destination_weights, n.destinations))
    return errc::argument;
  for (const auto* ranks : {&n.sources, &n.destinations})
    for (const rank_t r : *ranks)
      if (r < 0 || r >= size) return errc::rank;
  return errc{};
}

}  // namespace detail

}  // namespace mpx::inline v0
