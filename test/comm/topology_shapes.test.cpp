// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Grids and graphs as numbers: sizes of a grid, coordinates and neighbours of ranks, and reordering
// so that neighbours are on one node.

#include <array>
#include <limits>
#include <mpx/comm/topology/cart.hpp>
#include <mpx/comm/topology/dims.hpp>
#include <mpx/comm/topology/graph.hpp>
#include <mpx/comm/topology/reorder.hpp>
#include <numeric>
#include <random>
#include <set>

#include "comm/ranks.hpp"

namespace {

using dims_of = std::vector<mpx::rank_t>;

/// All ways to write n as `count` factors that do not grow.
void each_split(mpx::rank_t n, std::size_t count, mpx::rank_t cap, dims_of& so_far,
                std::vector<dims_of>& all) {
  if (count == 0) {
    if (n == 1) all.push_back(so_far);
    return;
  }
  for (mpx::rank_t d = 1; d <= std::min(cap, n); ++d) {
    if (n % d != 0) continue;
    so_far.push_back(d);
    each_split(n / d, count - 1, d, so_far, all);
    so_far.pop_back();
  }
}

dims_of made_dims(mpx::rank_t n, dims_of dims) {
  mpx::dims_create(n, dims);
  return dims;
}
std::error_code dims_failure(mpx::rank_t n, dims_of dims) {
  std::error_code ec;
  const dims_of before = dims;
  mpx::dims_create(n, dims, ec);
  if (ec) CHECK(dims == before);
  return ec;
}

/// Checks that `by` names each rank once, and returns what lies between nodes.
std::int64_t cut_of(const mpx::detail::weighted_graph& g, const std::vector<mpx::rank_t>& nodes,
                    const mpx::detail::players& by) {
  std::set<mpx::rank_t> seen(by.begin(), by.end());
  CHECK(seen.size() == by.size());
  CHECK(*seen.begin() == 0);
  CHECK(*seen.rbegin() == static_cast<mpx::rank_t>(by.size()) - 1);
  return mpx::detail::weight_between_nodes(g, nodes, by);
}
mpx::detail::players as_they_are(mpx::rank_t n) {
  mpx::detail::players p(static_cast<std::size_t>(n));
  std::iota(p.begin(), p.end(), 0);
  return p;
}
std::vector<mpx::rank_t> nodes_of(mpx::rank_t n, mpx::rank_t a_node) {
  std::vector<mpx::rank_t> nodes(static_cast<std::size_t>(n));
  for (std::size_t r = 0; r < nodes.size(); ++r) nodes[r] = static_cast<mpx::rank_t>(r) / a_node;
  return nodes;
}

}  // namespace

TEST_CASE("dims_create: as close to each other as can be, and largest first") {
  for (mpx::rank_t n = 1; n <= 130; ++n) {
    for (std::size_t count = 1; count <= 4; ++count) {
      std::vector<dims_of> all;
      dims_of none;
      each_split(n, count, n, none, all);
      CHECK(made_dims(n, dims_of(count, 0)) == *std::min_element(all.begin(), all.end()));
    }
  }
  CHECK(mpx::dims_create<2>(6) == std::array<mpx::rank_t, 2>{3, 2});
  CHECK(mpx::dims_create<2>(7) == std::array<mpx::rank_t, 2>{7, 1});
  CHECK(mpx::dims_create<3>(6, {0, 3, 0}) == std::array<mpx::rank_t, 3>{2, 3, 1});
  CHECK(made_dims(24, {0, 2, 0, 3}) == dims_of{2, 2, 2, 3});
  CHECK(made_dims(6, {2, 3}) == dims_of{2, 3});
  CHECK(made_dims(1, {}) == dims_of{});
}

TEST_CASE("dims_create: large numbers and many dimensions take no time") {
  constexpr mpx::rank_t most = std::numeric_limits<mpx::rank_t>::max();  // A prime.
  CHECK(made_dims(most, {0, 0}) == dims_of{most, 1});
  CHECK(made_dims(1 << 30, {0, 0, 0}) == dims_of{1 << 10, 1 << 10, 1 << 10});
  CHECK(made_dims(1'102'701'600, {0, 0}).front() == 33'264);  // The most divisors.
  for (const mpx::rank_t n : {1'102'701'600, 1 << 30, 1'000'000'007, 2'147'483'646}) {
    for (const std::size_t count : {3u, 5u, 8u, 13u, 31u, 64u}) {
      const dims_of d = made_dims(n, dims_of(count, 0));
      std::int64_t product = 1;
      for (const mpx::rank_t x : d) product *= x;
      CHECK(product == n);
      CHECK(std::is_sorted(d.rbegin(), d.rend()));
    }
  }
}

TEST_CASE("dims_create: errors leave all as it was") {
  CHECK(dims_failure(7, {0, 3, 0}) == mpx::errc::dims);
  CHECK(dims_failure(0, {0}) == mpx::errc::dims);
  CHECK(dims_failure(-4, {0}) == mpx::errc::dims);
  CHECK(dims_failure(4, {-1, 0}) == mpx::errc::dims);
  CHECK(dims_failure(8, {2, 2}) == mpx::errc::dims);
  CHECK(dims_failure(2, {}) == mpx::errc::dims);
  CHECK(!dims_failure(8, {2, 4}));
  const std::string text = ranks::text_of([] { made_dims(7, {0, 3}); });
  CHECK(ranks::contains(text, "dims_create of 7 ranks in 2 dimensions: 0 3"));
}

TEST_CASE("cart: coordinates and ranks, row-major") {
  const mpx::cart_topology grid({{3, false}, {2, true}, {4, false}});
  CHECK(grid.size() == 24);
  mpx::rank_t next = 0;
  for (mpx::rank_t i = 0; i < 3; ++i)
    for (mpx::rank_t j = 0; j < 2; ++j)
      for (mpx::rank_t k = 0; k < 4; ++k, ++next) {
        CHECK(grid.rank({i, j, k}) == next);
        CHECK(grid.coords(next) == dims_of{i, j, k});
        CHECK(grid.rank({i, j + 2, k}) == next);
        CHECK(grid.rank({i, j - 4, k}) == next);
      }
  std::error_code ec;
  const auto fails = [&](const dims_of& at) {
    CHECK(grid.rank(at, ec) == mpx::proc_null);
    return ec;
  };
  CHECK(fails({3, 0, 0}) == mpx::errc::argument);
  CHECK(fails({0, 0, -1}) == mpx::errc::argument);
  CHECK(fails({0, 0}) == mpx::errc::dims);
  dims_of at(3);
  grid.coords(24, at, ec);
  CHECK(ec == mpx::errc::rank);
  grid.coords(-1, at, ec);
  CHECK(ec == mpx::errc::rank);
  grid.coords(0, std::span(at).first(2), ec);
  CHECK(ec == mpx::errc::dims);
  CHECK(ranks::contains(ranks::text_of([&] { (void)grid.coords(24); }),
                        "coords of 24 in a Cartesian grid of 3 (2) 4: ranks here are 0 .. 23"));
  CHECK(ranks::contains(ranks::text_of([&] { (void)grid.rank({0, 0, 9}); }),
                        "rank: coordinate 9 of dimension 2 is outside of 0 .. 3"));
  const mpx::cart_topology point;
  CHECK(point.size() == 1);
  CHECK(point.coords(0).empty());
  CHECK(point.rank(std::span<const mpx::rank_t>()) == 0);
  CHECK(point.neighbors(0).empty());
  CHECK_THROWS_AS((mpx::cart_topology{{2, false}, {0, false}}), mpx::error);
  CHECK_THROWS_AS((mpx::cart_topology{{1 << 16, false}, {1 << 15, false}}), mpx::error);
}

TEST_CASE("cart: shift, with and without an end") {
  const mpx::cart_topology grid({{3, true}, {4, false}});
  constexpr mpx::rank_t no = mpx::proc_null;
  using shifted = mpx::cart_shifted;
  CHECK(grid.shift(0, 0) == shifted{8, 4});
  CHECK(grid.shift(0, 0, -1) == shifted{4, 8});
  CHECK(grid.shift(0, 0, 3) == shifted{0, 0});
  CHECK(grid.shift(5, 0, 4) == shifted{1, 9});
  CHECK(grid.shift(0, 1) == shifted{no, 1});
  CHECK(grid.shift(3, 1) == shifted{2, no});
  CHECK(grid.shift(5, 1, 2) == shifted{no, 7});
  CHECK(grid.shift(5, 1, 0) == shifted{5, 5});
  for (const mpx::rank_t far :
       {std::numeric_limits<mpx::rank_t>::max(), std::numeric_limits<mpx::rank_t>::min()}) {
    CHECK(grid.shift(5, 1, far) == shifted{no, no});
    const mpx::rank_t on = ((far % 3) + 3) % 3;
    CHECK(grid.shift(5, 0, far) == shifted{(1 - on + 3) % 3 * 4 + 1, (1 + on) % 3 * 4 + 1});
  }
  std::error_code ec;
  CHECK(grid.shift(12, 0, 1, ec) == shifted{no, no});
  CHECK(ec == mpx::errc::rank);
  static_cast<void>(grid.shift(0, 2, 1, ec));
  CHECK(ec == mpx::errc::dims);
  CHECK(ranks::contains(ranks::text_of([&] { (void)grid.shift(0, 3); }),
                        "shift along dimension 3: this grid has dimensions 0 .. 1"));
  // A dimension of one or two that has no end: both neighbours are the same.
  const mpx::cart_topology small({{1, true}, {2, true}});
  CHECK(small.neighbors(0) == dims_of{0, 0, 1, 1});
  CHECK(small.neighbors(1) == dims_of{1, 1, 0, 0});
}

TEST_CASE("cart: sub-grids share out all ranks") {
  const mpx::cart_topology grid({{3, true}, {2, false}, {4, false}});
  for (int which = 0; which < 8; ++which) {
    const std::array keep{(which & 1) != 0, (which & 2) != 0, (which & 4) != 0};
    const mpx::cart_topology sub = grid.sub(keep);
    std::set<std::pair<mpx::rank_t, mpx::rank_t>> seen;
    for (mpx::rank_t r = 0; r < grid.size(); ++r) {
      const auto in = grid.sub_of(r, keep);
      seen.emplace(in.grid, in.rank);
      CHECK((in.rank >= 0 && in.rank < sub.size()));
      CHECK((in.grid >= 0 && in.grid < grid.size() / sub.size()));
      // Its place there is that here, without what is left out.
      dims_of kept;
      for (std::size_t d = 0; d < 3; ++d)
        if (keep[d]) kept.push_back(grid.coords(r)[d]);
      CHECK(sub.coords(in.rank) == kept);
    }
    CHECK(seen.size() == 24);
  }
  CHECK_THROWS_AS((void)grid.sub(std::array{true, false}), mpx::error);
}

TEST_CASE("graph: neighbours and ranks that are none") {
  const mpx::graph_topology g(std::vector<std::size_t>{2, 3, 3, 6}, dims_of{1, 3, 0, 0, 0, 3});
  CHECK(g.size() == 4);
  const auto of = [&](mpx::rank_t r) {
    const auto n = g.neighbors(r);
    return dims_of(n.begin(), n.end());
  };
  CHECK(of(0) == dims_of{1, 3});
  CHECK(of(1) == dims_of{0});
  CHECK(of(2).empty());
  CHECK(of(3) == dims_of{0, 0, 3});
  CHECK(g == mpx::graph_topology({{1, 3}, {0}, {}, {0, 0, 3}}));
  CHECK_THROWS_AS((void)g.neighbors(4), mpx::error);
  using ends = std::vector<std::size_t>;
  CHECK_THROWS_AS((mpx::graph_topology(ends{2, 1}, dims_of{0, 1})), mpx::error);
  CHECK_THROWS_AS((mpx::graph_topology(ends{1, 3}, dims_of{0, 1})), mpx::error);
  CHECK_THROWS_AS((mpx::graph_topology(ends{1, 1}, dims_of{0, 1})), mpx::error);
  CHECK_THROWS_AS((mpx::graph_topology(ends{1, 2}, dims_of{0, 2})), mpx::error);
}

TEST_CASE("reorder: a node's ranks get a block of the grid") {
  struct expectation {
    mpx::cart_topology grid;
    mpx::rank_t a_node;
    std::int64_t before;
    std::int64_t after;
  };
  // Counted by hand, each edge from both its ends: 8 x 8 by nodes of 16 are rows of 2 x 8, with 3
  // borders of 8 edges, or blocks of 4 x 4, with two borders.
  for (const auto& [grid, a_node, before, after] :
       {expectation{{{8, false}, {8, false}}, 16, 48, 32},
        expectation{{{8, true}, {8, true}}, 16, 64, 64},
        expectation{{{8, false}, {8, false}, {8, false}}, 64, 896, 384},
        expectation{{{4, false}, {4, false}}, 8, 8, 8},
        expectation{{{2, false}, {12, false}}, 6, 28, 12}, expectation{{{16, false}}, 4, 6, 6}}) {
    const auto g = mpx::detail::graph_of(grid);
    const auto nodes = nodes_of(grid.size(), a_node);
    CHECK(cut_of(g, nodes, as_they_are(grid.size())) == before);
    CHECK(cut_of(g, nodes, mpx::detail::reordered(grid, nodes)) == after);
    CHECK(cut_of(g, nodes, mpx::detail::reordered(g, nodes)) <= before);
  }
}

TEST_CASE("reorder: ranks dealt out to nodes one by one are brought together") {
  const mpx::cart_topology grid({{8, false}, {8, false}});
  const auto g = mpx::detail::graph_of(grid);
  std::vector<mpx::rank_t> nodes(64);
  for (std::size_t r = 0; r < nodes.size(); ++r) nodes[r] = static_cast<mpx::rank_t>(r % 4);
  CHECK(cut_of(g, nodes, as_they_are(64)) == 112);  // Every edge along a row.
  CHECK(cut_of(g, nodes, mpx::detail::reordered(grid, nodes)) == 32);
  CHECK(cut_of(g, nodes, mpx::detail::reordered(g, nodes)) <= 56);
}

TEST_CASE("reorder: never more between nodes than before") {
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t n) { return static_cast<mpx::rank_t>(random() % n); };
  std::int64_t before_all = 0;
  std::int64_t after_all = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<mpx::cart_dimension> dims(1 + random() % 3);
    for (auto& d : dims) d = {1 + below(7), random() % 2 == 0};
    const mpx::cart_topology grid(dims);
    // Some ranks more than the grid has; nodes of any sizes, in pieces or not.
    std::vector<mpx::rank_t> nodes(static_cast<std::size_t>(grid.size() + below(5)));
    const mpx::rank_t kinds = 1 + below(6);
    mpx::rank_t node = 0;
    const bool scattered = random() % 2 == 0;
    for (auto& n : nodes)
      n = scattered ? below(static_cast<std::uint32_t>(kinds)) : (node += random() % 4 == 0);
    const auto g = mpx::detail::graph_of(grid);
    const std::int64_t before = cut_of(g, nodes, as_they_are(grid.size()));
    const std::int64_t after = cut_of(g, nodes, mpx::detail::reordered(grid, nodes));
    CHECK(after <= before);
    before_all += before;
    after_all += after;

    mpx::detail::weighted_graph any{{0}, {}};
    for (mpx::rank_t v = 0; v < grid.size(); ++v) {
      for (mpx::rank_t e = below(5); e > 0; --e)
        any.edges.push_back({below(static_cast<std::uint32_t>(grid.size())), below(9)});
      any.first.push_back(any.edges.size());
    }
    CHECK(cut_of(any, nodes, mpx::detail::reordered(any, nodes)) <=
          cut_of(any, nodes, as_they_are(grid.size())));
  }
  CHECK(after_all * 10 < before_all * 9);
}
