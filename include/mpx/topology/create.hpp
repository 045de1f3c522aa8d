// SPDX-License-Identifier: BSL-1.0
#pragma once
// Creation of grids and graphs of ranks. Each call is collective over the communicator that is
// passed. No rank is left waiting for one that has failed.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "mpx/topology/communicators.hpp"
#include "mpx/topology/maker.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Error text: no grid of `ranks` ranks has these dimensions.
[[gnu::noinline, gnu::cold]] inline std::string misfit_text(std::span<const cart_dimension> dims,
                                                            rank_t ranks) {
  std::string s = "dimensions {";
  std::int64_t positions = 1;
  bool positive = true;
  bool counted = true;
  for (const cart_dimension& d : dims) {
    append(s, &d == dims.data() ? "%d" : ", %d", d.size);
    positive = positive && d.size > 0;
    counted = counted && !__builtin_mul_overflow(positions, std::int64_t{d.size}, &positions);
  }
  if (!positive) return s + "}: each is 1 or more";
  if (!counted) return s + "} make more positions than can be counted";
  append(s, "} make %lld positions, the communicator has %d rank%s", 0ll + positions, ranks,
         ranks == 1 ? "" : "s");
  return s;
}
[[gnu::noinline, gnu::cold]] inline std::string no_rank_text(rank_t rank, rank_t ranks) {
  return formatted("%d is no rank: ranks here are 0 .. %d", rank, ranks - 1);
}
/// Error text for the neighbours that a rank has passed; empty if they are valid.
[[gnu::noinline, gnu::cold]] inline std::string wrong_text(const graph_neighbors& n, rank_t ranks) {
  const auto look = [&](const std::vector<int>& weights, std::size_t count, const char* of) {
    if (!weights.empty() && weights.size() != count)
      return formatted("%zu weights for %zu %s: give one for each, or none", weights.size(), count,
                       of);
    for (const int w : weights)
      if (w < 0) return formatted("a weight of %s is %d: none is negative", of, w);
    return std::string();
  };
  std::string s = look(n.source_weights, n.sources.size(), "sources");
  if (s.empty()) s = look(n.destination_weights, n.destinations.size(), "destinations");
  for (const auto* those : {&n.sources, &n.destinations})
    for (const rank_t r : *those)
      if (s.empty() && (r < 0 || r >= ranks)) s = no_rank_text(r, ranks);
  return s;
}
/// Error text for edges; empty if they are valid.
[[gnu::noinline, gnu::cold]] inline std::string wrong_text(std::span<const graph_edge> edges,
                                                           rank_t ranks) {
  for (const graph_edge& e : edges) {
    std::string s = formatted("the edge from %d to %d", e.source, e.destination);
    for (const rank_t r : {e.source, e.destination})
      if (r < 0 || r >= ranks) return s + ": " + no_rank_text(r, ranks);
    if (e.weight < 0)
      return formatted("%s has the weight %d: none is negative", s.c_str(), e.weight);
  }
  return {};
}

inline weighted_graph graph_of(const graph_topology& shape) {
  weighted_graph g;
  g.first.push_back(0);
  for (rank_t r = 0; r < shape.size(); ++r) {
    for (const rank_t to : shape.neighbors(r)) g.edges.push_back({to, 1});
    g.first.push_back(g.edges.size());
  }
  return g;
}

/// Creates a topology. The ranks first compare a `fingerprint` of their arguments, and `reorders`:
/// ranks with different arguments would take different steps from there on. `own`: the error of
/// this rank's arguments. The neighbourhood and the assignment of ranks are made by `keep()` if
/// ranks keep their numbers, else by `renumber(ec)`. The latter also takes collective steps, and
/// throws only after all of them.
template <class Made, class Stack, class Keep, class Renumber>
Made create_agreed(const topology_maker<Stack>& make, std::uint64_t fingerprint, bool reorders,
                   errc own, const players& by, const std::shared_ptr<neighborhood>& around,
                   Keep&& keep, Renumber&& renumber, std::error_code& ec) {
  fingerprint = hashed(fingerprint, reorders);
  group members;
  if (own == errc{} && !reorders)
    own = caught([&] {
      keep();
      members = make.members(by);
    });
  bool agreed = make.agree(fingerprint, own == errc{}, ec);
  if (agreed && reorders) {
    std::error_code lost;
    own = caught([&] {
      renumber(lost);
      if (!lost) members = make.members(by);
    });
    agreed = make.agree(fingerprint, own == errc{} && !lost, ec);
    if (lost) ec = lost;
  }
  if (own != errc{}) ec = own;
  communicator<Stack> made = agreed && !ec ? make.create(members, ec) : communicator<Stack>();
  if (ec) return {};
  return {made, around};
}

/// Creates a topology that all ranks know as a whole. `Around` is its neighbourhood. `shape`, a
/// grid or a graph, is valid unless `own` is an error.
template <class Made, class Around, class Shape, class Stack>
Made create_known(const communicator<Stack>& comm, const Shape& shape, std::uint64_t fingerprint,
                  errc own, const placement& place, std::error_code& ec,
                  std::source_location where) {
  const topology_maker<Stack> make(comm, where);
  std::shared_ptr<neighborhood> around;
  players by;
  const auto place_here = [&] {
    rank_t mine = proc_null;
    for (std::size_t r = 0; r < by.size(); ++r)
      if (by[r] == comm.rank()) mine = static_cast<rank_t>(r);
    around = std::make_shared<Around>(shape, mine);
  };
  const auto keep = [&] {
    by = make.as_they_are(shape.size());
    place_here();
  };
  const auto renumber = [&](std::error_code& lost) {
    const std::vector<rank_t> nodes = make.nodes(place, lost);
    if (lost) return;
    if constexpr (std::is_same_v<Shape, cart_topology>) {
      by = reordered(shape, nodes);
    } else {
      by = reordered(graph_of(shape), nodes);
    }
    place_here();
  };
  return create_agreed<Made>(make, fingerprint, place.reorders, own, by, around, keep, renumber,
                             ec);
}

/// The edges of one rank as a list of numbers, to be sent to other ranks.
inline std::vector<std::int64_t> told(const graph_neighbors& n) {
  std::vector<std::int64_t> all{static_cast<std::int64_t>(n.sources.size()),
                                static_cast<std::int64_t>(n.destinations.size()),
                                !n.source_weights.empty(), !n.destination_weights.empty()};
  all.insert(all.end(), n.sources.begin(), n.sources.end());
  all.insert(all.end(), n.destinations.begin(), n.destinations.end());
  all.insert(all.end(), n.source_weights.begin(), n.source_weights.end());
  all.insert(all.end(), n.destination_weights.begin(), n.destination_weights.end());
  return all;
}
/// Decodes the edges of the first rank in `all`, and removes its numbers from `all`.
inline graph_neighbors understood(std::span<const std::int64_t>& all) {
  const auto sources = static_cast<std::size_t>(all[0]);
  const auto destinations = static_cast<std::size_t>(all[1]);
  std::size_t at = 4;
  const auto take = [&](std::size_t n) {
    const auto piece = all.subspan(at, n);
    at += n;
    return std::vector<int>(piece.begin(), piece.end());
  };
  graph_neighbors n;
  n.sources = take(sources);
  n.destinations = take(destinations);
  n.source_weights = take(all[2] != 0 ? sources : 0);
  n.destination_weights = take(all[3] != 0 ? destinations : 0);
  all = all.subspan(at);
  return n;
}

/// Creates a distributed graph. `mine`: the edges of this rank, which are left unchanged if `own`
/// is an error.
template <class Stack>
dist_graph_communicator<Stack> create_own(const communicator<Stack>& comm, graph_neighbors&& mine,
                                          errc own, const placement& place, std::error_code& ec,
                                          std::source_location where) {
  const topology_maker<Stack> make(comm, where);
  std::shared_ptr<neighborhood> around;
  players by;
  std::vector<std::int64_t> numbers;  // Before the ranks agree: so all send, or none.
  if (own == errc{} && place.reorders) own = caught([&] { numbers = told(mine); });
  const auto keep = [&] {
    by = make.as_they_are(comm.size());
    around = std::make_shared<dist_graph_neighborhood>(std::move(mine));
  };
  const auto renumber = [&](std::error_code& lost) {
    const std::vector<rank_t> nodes = make.nodes(place, lost);
    std::error_code untold;
    const std::vector<std::int64_t> all = make.gather(numbers, untold);
    if (!lost) lost = untold;
    if (lost) return;
    const rank_t ranks = comm.size();
    weighted_graph g;
    g.first.push_back(0);
    std::span<const std::int64_t> rest = all;
    for (rank_t r = 0; r < ranks; ++r) {
      const graph_neighbors n = understood(rest);
      for (std::size_t i = 0; i < n.destinations.size(); ++i)
        g.edges.push_back({n.destinations[i], n.destination_weights.empty()
                                                  ? std::int64_t{1}
                                                  : n.destination_weights[i]});
      g.first.push_back(g.edges.size());
    }
    by = reordered(g, nodes);
    rest = all;
    for (const rank_t who : by) {
      graph_neighbors n = understood(rest);
      if (who == comm.rank()) mine = std::move(n);
    }
    around = std::make_shared<dist_graph_neighborhood>(std::move(mine));
  };
  return create_agreed<dist_graph_communicator<Stack>>(make, 1, place.reorders, own, by, around,
                                                       keep, renumber, ec);
}

/// Sends all edges to both their ends. The edges of one rank are ordered by the rank that passed
/// them, and in the order in which it passed them.
template <class Stack>
graph_neighbors bring_home(const communicator<Stack>& comm, std::span<const graph_edge> edges,
                           bool weighted, errc& own, std::error_code& ec,
                           std::source_location where) {
  const topology_maker<Stack> make(comm, where);
  graph_neighbors mine;
  std::vector<std::int64_t> numbers;
  own = caught([&] {
    for (const graph_edge& e : edges) {
      if (e.source < 0 || e.source >= comm.size() || e.destination < 0 ||
          e.destination >= comm.size())
        throw error(errc::rank, "");
      if (e.weight < 0) throw error(errc::argument, "");
      for (const std::int64_t x : {e.source, e.destination, rank_t{e.weight}}) numbers.push_back(x);
    }
  });
  if (own != errc{}) numbers.clear();
  const errc met = caught([&] {
    const std::vector<std::int64_t> all = make.gather(numbers, ec);
    for (std::size_t i = 0; i + 2 < all.size(); i += 3) {
      const auto weight = static_cast<int>(all[i + 2]);
      if (all[i + 1] == comm.rank()) {
        mine.sources.push_back(static_cast<rank_t>(all[i]));
        if (weighted) mine.source_weights.push_back(weight);
      }
      if (all[i] == comm.rank()) {
        mine.destinations.push_back(static_cast<rank_t>(all[i + 1]));
        if (weighted) mine.destination_weights.push_back(weight);
      }
    }
  });
  if (own == errc{}) own = met;
  return mine;
}

}  // namespace detail

/// Makes a grid of ranks. Collective over `comm`. Ranks beyond the size of the grid get an empty
/// communicator (operator bool).
/// Requires: equal arguments at all ranks, except `place.node`.
/// Errors: errc::dims if there is no grid with these dimensions, or it has more ranks than `comm`;
/// errc::topology if another rank had an error, passed other dimensions, or does not reorder where
/// this one does; the errors of dup.
/// Cost: a few collectives; with `reorder` memory for a few numbers for each rank.
/// Source: MPI 4.1, 8.5.1.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
cart_communicator<Stack> cart_create(const communicator<Stack>& comm,
                                     std::span<const cart_dimension> dims,
                                     placement place = keep_ranks, How&& how = {},
                                     std::source_location where = std::source_location::current()) {
  std::error_code ec;
  errc own = cart_topology::check(dims);
  cart_topology grid;
  std::uint64_t fingerprint = 1;
  for (const cart_dimension& d : dims)
    fingerprint = detail::hashed(fingerprint, static_cast<std::uint64_t>(d.size) << 1 | d.periodic);
  if (own == errc{}) own = detail::caught([&] { grid = cart_topology(dims); });
  if (own == errc{} && grid.size() > comm.size()) own = errc::dims;
  auto made = detail::create_known<cart_communicator<Stack>, detail::cart_neighborhood>(
      comm, grid, fingerprint, own, place, ec, where);
  detail::end_creation(how, ec, "cart_create", comm.rank(), where, [&] {
    return ec == errc::dims ? detail::misfit_text(dims, comm.size()) : std::string();
  });
  return made;
}
/// Makes a grid with dimensions given as a list in braces.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
cart_communicator<Stack> cart_create(const communicator<Stack>& comm,
                                     std::initializer_list<cart_dimension> dims,
                                     placement place = keep_ranks, How&& how = {},
                                     std::source_location where = std::source_location::current()) {
  return cart_create(comm, std::span(dims.begin(), dims.size()), place, std::forward<How>(how),
                     where);
}

namespace detail {
template <class Stack>
inline constexpr bool each_dimension_says_whether_it_is_periodic = false;
}  // namespace detail

/// Does not compile, and explains how dimensions are given.
template <class Stack, class... Rest>
void cart_create(const communicator<Stack>&, std::initializer_list<rank_t>,
                 std::initializer_list<bool>, Rest&&...) {
  static_assert(detail::each_dimension_says_whether_it_is_periodic<Stack>,
                "a dimension is its size and whether it is periodic: "
                "cart_create(comm, {{2, true}, {2, true}})");
}
/// Does not compile, and explains how dimensions are given.
template <class Stack, std::ranges::range Sizes, class... Rest>
requires std::integral<std::ranges::range_value_t<Sizes>>
void cart_create(const communicator<Stack>&, const Sizes&, Rest&&...) {
  static_assert(detail::each_dimension_says_whether_it_is_periodic<Stack>,
                "dimensions are a range of mpx::cart_dimension, each its size and whether it is "
                "periodic: cart_create(comm, {{2, true}, {2, true}})");
}

/// Makes a graph of ranks that all know as a whole. Collective over `comm`. Ranks beyond the size
/// of the graph get an empty communicator (operator bool).
///
/// Edges are directed: in neighbour collectives a rank sends to its neighbours, and receives from
/// the ranks whose neighbour it is (graph_topology::sources). If all edges exist in both
/// directions, these are the same ranks in the same order. (Otherwise MPI leaves neighbour
/// collectives undefined.)
/// Requires: equal arguments at all ranks, except `place.node`.
/// Errors: errc::topology if it has more ranks than `comm`, or if another rank had an error or
/// passed another graph; the errors of dup.
/// Source: MPI 4.1, 8.5.3.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
graph_communicator<Stack> graph_create(
    const communicator<Stack>& comm, const graph_topology& graph, placement place = keep_ranks,
    How&& how = {}, std::source_location where = std::source_location::current()) {
  std::error_code ec;
  std::uint64_t fingerprint = 2;
  for (const std::size_t end : graph.ends()) fingerprint = detail::hashed(fingerprint, end);
  for (const rank_t to : graph.edges())
    fingerprint = detail::hashed(fingerprint, static_cast<std::uint64_t>(to));
  const errc own = graph.size() > comm.size() ? errc::topology : errc{};
  auto made = detail::create_known<graph_communicator<Stack>, detail::graph_neighborhood>(
      comm, graph, fingerprint, own, place, ec, where);
  detail::end_creation(how, ec, "graph_create", comm.rank(), where, [&] {
    return own != errc::topology ? std::string()
                                 : detail::formatted("the graph has %d ranks, the communicator %d",
                                                     graph.size(), comm.size());
  });
  return made;
}

/// Makes a graph of which each rank passes the edges that begin or end at itself. Collective over
/// `comm`.
/// Requires: if rank a names b as a destination, b names a as a source, as often.
/// Effects: with `reorder`, a rank gets the neighbours of the rank that it becomes.
/// Errors: errc::rank if a neighbour is no rank; errc::argument if a weight is negative, or their
/// number differs from that of neighbours; errc::topology if another rank had an error; the errors
/// of dup.
/// Cost: without `reorder` a dup and one allreduce; with it the whole graph at each rank.
/// Source: MPI 4.1, 8.5.4.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
dist_graph_communicator<Stack> dist_graph_create_adjacent(
    const communicator<Stack>& comm, graph_neighbors neighbors, placement place = keep_ranks,
    How&& how = {}, std::source_location where = std::source_location::current()) {
  std::error_code ec;
  const errc own = detail::check_neighbors(neighbors, comm.size());
  auto made = detail::create_own(comm, std::move(neighbors), own, place, ec, where);
  detail::end_creation(how, ec, "dist_graph_create_adjacent", comm.rank(), where, [&] {
    return own != errc{} ? detail::wrong_text(neighbors, comm.size()) : std::string();
  });
  return made;
}

/// Makes a graph of which each rank passes any edges, also between other ranks. Collective over
/// `comm`. `weighted`: true if the weights of neighbours are kept; equal at all ranks.
/// Errors: errc::rank if an end of an edge is no rank; errc::argument if a weight is negative;
/// errc::topology if another rank had an error; the errors of dup.
/// Cost: all edges are sent to all ranks.
/// Source: MPI 4.1, 8.5.4.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
dist_graph_communicator<Stack> dist_graph_create(
    const communicator<Stack>& comm, std::span<const graph_edge> edges, bool weighted = false,
    placement place = keep_ranks, How&& how = {},
    std::source_location where = std::source_location::current()) {
  std::error_code ec;
  errc own{};
  graph_neighbors mine = detail::bring_home(comm, edges, weighted, own, ec, where);
  const std::error_code lost = ec;
  auto made =
      detail::create_own(comm, std::move(mine), lost ? errc::topology : own, place, ec, where);
  if (lost) ec = lost;
  detail::end_creation(how, ec, "dist_graph_create", comm.rank(), where,
                       [&] { return detail::wrong_text(edges, comm.size()); });
  return made;
}

}  // namespace mpx::inline v0
