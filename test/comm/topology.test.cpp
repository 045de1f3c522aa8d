// SPDX-License-Identifier: BSL-1.0
// release: tsan
// Grids and graphs as communicators: creation with and without reordering, sub-grids, neighbours,
// errors that reach every rank.

#include <array>
#include <mpx/topology.hpp>
#include <numeric>

#include "comm/ranks.hpp"

namespace {

using grid_ranks = std::vector<mpx::rank_t>;

/// Checks the ranks of `comm`: each sends its rank to each.
template <class Comm>
bool is_whole(const Comm& comm, mpx::rank_t size) {
  if (comm.size() != size) return false;
  std::vector<int> seen(static_cast<std::size_t>(size), 0);
  seen[static_cast<std::size_t>(comm.rank())] = comm.rank() + 1;
  comm.allreduce(std::span(seen), std::plus<>{});
  for (std::size_t r = 0; r < seen.size(); ++r)
    if (seen[r] != static_cast<int>(r) + 1) return false;
  return true;
}

/// Each rank sends its own rank along every edge, and receives that of the edge's source.
template <class Comm>
bool edges_meet(const Comm& comm) {
  std::vector<mpx::rank_t> got(comm.sources().size(), -7);
  std::vector<mpx::request<typename Comm::stack_type>> requests;
  const mpx::rank_t me = comm.rank();
  for (std::size_t i = 0; i < got.size(); ++i)
    requests.push_back(comm.irecv(got[i], comm.sources()[i], 5));
  for (const mpx::rank_t to : comm.destinations()) requests.push_back(comm.isend(me, to, 5));
  mpx::wait_all(requests);
  for (std::size_t i = 0; i < got.size(); ++i)
    if (comm.sources()[i] != mpx::proc_null && got[i] != comm.sources()[i]) return false;
  return true;
}

}  // namespace

TEST_CASE("topology: grids at every number of ranks") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const mpx::rank_t n = world.size();
    const auto dims = mpx::dims_create<2>(n);
    for (const mpx::placement place :
         {mpx::keep_ranks, mpx::reorder, mpx::reorder_by(world.rank() % 2)}) {
      const auto grid = mpx::cart_create(world, {{dims[0], true}, {dims[1], false}}, place);
      CHECK(grid);
      CHECK(is_whole(grid, n));
      CHECK(edges_meet(grid));
      if (!place.reorders) CHECK(grid.rank() == world.rank());
      const auto [row, column] = grid.template coords<2>();
      CHECK(grid.rank({row, column}) == grid.rank());
      CHECK(grid.coords() == grid_ranks{row, column});
      CHECK(grid.coords(grid.rank()) == grid.coords());
      const auto down = grid.shift(0);
      CHECK(down.destination == grid.rank({row + 1, column}));
      const auto right = grid.shift(1, 1);
      CHECK((right.destination == mpx::proc_null) == (column == dims[1] - 1));
      int mine = grid.rank();
      int from_above = -1;
      grid.sendrecv(mine, down.destination, 1, from_above, down.source, 1);
      CHECK(from_above == down.source);

      const auto rows = grid.sub({false, true});
      CHECK(is_whole(rows, dims[1]));
      CHECK(rows.rank() == column);
      CHECK(edges_meet(rows));
      CHECK(rows.allreduce(row, std::plus<>{}) == row * dims[1]);
      const auto alone = rows.sub({false});
      CHECK(alone.size() == 1);
      CHECK(alone.dims().empty());
      CHECK(edges_meet(alone));
      // Messages of one do not reach another.
      int x = 1;
      int y = 2;
      auto from_grid = grid.irecv(y, grid.rank(), 3);
      rows.send(x, rows.rank(), 3);
      CHECK(!from_grid.test());
      CHECK(rows.template recv<int>(rows.rank(), 3) == 1);
      grid.send(x, grid.rank(), 3);
      from_grid.wait();
      CHECK(y == 1);
    }
  });
}

TEST_CASE("topology: a grid of fewer ranks, of none of its dimensions, of ones and twos") {
  ranks::run<ranks::inproc>(7, [](auto world) {
    const auto grid = mpx::cart_create(world, {{2, true}, {3, true}});
    CHECK(static_cast<bool>(grid) == (world.rank() < 6));
    if (grid) {
      CHECK(is_whole(grid, 6));
      CHECK(edges_meet(grid));
    } else {
      CHECK(grid.size() == 0);
      CHECK(grid.rank() == mpx::proc_null);
      CHECK(grid.sources().empty());
    }
    const auto point = mpx::cart_create(world, std::initializer_list<mpx::cart_dimension>{});
    CHECK(static_cast<bool>(point) == (world.rank() == 0));
    const auto small = mpx::cart_create(world, {{1, true}, {2, true}});
    if (small) CHECK(edges_meet(small));
  });
}

TEST_CASE("topology: reordering brings a node's ranks together") {
  ranks::run<ranks::inproc>(8, [](auto world) {
    const std::uint64_t node = static_cast<std::uint64_t>(world.rank()) % 2;  // Dealt out.
    const auto grid = mpx::cart_create(world, {{4}, {2}}, mpx::reorder_by(node));
    // Edges that leave this rank's node, of all.
    const auto leaving = [&](const auto& comm) {
      std::vector<std::uint64_t> nodes(8, 0);
      nodes[static_cast<std::size_t>(comm.rank())] = node;
      comm.allreduce(std::span(nodes), std::plus<>{});
      int count = 0;
      for (const mpx::rank_t to : comm.destinations())
        count += to != mpx::proc_null && nodes[static_cast<std::size_t>(to)] != node;
      return comm.allreduce(count, std::plus<>{});
    };
    CHECK(leaving(mpx::cart_create(world, {{4}, {2}})) == 8);
    CHECK(leaving(grid) == 4);  // One border of two.
    // A ring, first of ranks that are dealt out.
    const mpx::rank_t left = (world.rank() + 7) % 8;
    const mpx::rank_t right = (world.rank() + 1) % 8;
    const mpx::graph_neighbors ring{{left, right}, {left, right}, {}, {}};
    CHECK(leaving(mpx::dist_graph_create_adjacent(world, ring)) == 16);
    const auto near = mpx::dist_graph_create_adjacent(world, ring, mpx::reorder_by(node));
    CHECK(leaving(near) == 4);
    CHECK(edges_meet(near));
    CHECK(near.neighbors().sources == grid_ranks{(near.rank() + 7) % 8, (near.rank() + 1) % 8});
  });
}

TEST_CASE("topology: graphs at every number of ranks") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const mpx::rank_t n = world.size();
    // A star with a loop at its middle, and every ray twice.
    std::vector<grid_ranks> star(static_cast<std::size_t>(n));
    star[0].push_back(0);
    for (mpx::rank_t r = 1; r < n; ++r) {
      star[0].insert(star[0].end(), 2, r);
      star[static_cast<std::size_t>(r)] = {0, 0};
    }
    for (const mpx::placement place : {mpx::keep_ranks, mpx::reorder_by(world.rank() / 2)}) {
      const auto graph = mpx::graph_create(world, mpx::graph_topology(star), place);
      CHECK(is_whole(graph, n));
      CHECK(edges_meet(graph));
      const auto mine = graph.neighbors();
      CHECK(grid_ranks(mine.begin(), mine.end()) == star[static_cast<std::size_t>(graph.rank())]);
      CHECK(graph.neighbors(0).size() == static_cast<std::size_t>(2 * n - 1));

      // Every rank gives the edges of the rank above, with their weights: r to r + 1 and r + 2.
      const mpx::rank_t of = (world.rank() + 1) % n;
      const std::array edges{mpx::graph_edge{of, (of + 1) % n, of + 1},
                             mpx::graph_edge{of, (of + 2) % n, of + 2}};
      const auto dist = mpx::dist_graph_create(world, edges, true, place);
      CHECK(is_whole(dist, n));
      CHECK(edges_meet(dist));
      const mpx::rank_t me = dist.rank();
      CHECK(dist.neighbors().weighted());
      CHECK(dist.neighbors().destinations == grid_ranks{(me + 1) % n, (me + 2) % n});
      CHECK(dist.neighbors().destination_weights == std::vector<int>{me + 1, me + 2});
      grid_ranks sources = dist.neighbors().sources;
      std::sort(sources.begin(), sources.end());
      grid_ranks expected{(me + n - 1) % n, (me + 2 * n - 2) % n};
      std::sort(expected.begin(), expected.end());
      CHECK(sources == expected);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const mpx::rank_t from = dist.neighbors().sources[i];
        const int w = dist.neighbors().source_weights[i];
        CHECK((((from + 1) % n == me && w == from + 1) || ((from + 2) % n == me && w == from + 2)));
      }
      const auto plain = mpx::dist_graph_create(world, std::span(edges).first(1), false, place);
      CHECK(!plain.neighbors().weighted());
      CHECK(plain.sources().size() == 1);
    }
    const auto none = mpx::dist_graph_create_adjacent(world, {});
    CHECK(none.sources().empty());
    CHECK(is_whole(none, n));
  });
}

TEST_CASE("topology: an error if only some ranks ask for reordering") {
  for (const mpx::rank_t n : {2, 3, 8}) {
    ranks::run<ranks::inproc>(n, [n](auto world) {
      const mpx::placement place = world.rank() == 0 ? mpx::reorder : mpx::keep_ranks;
      std::error_code ec;
      const auto differ = [&] {
        CHECK(ec == mpx::errc::topology);
        CHECK(world.allreduce(1, mpx::sum) == n);
      };
      (void)mpx::cart_create(world, {{n, true}}, place, ec);
      differ();
      (void)mpx::graph_create(world, mpx::graph_topology(std::vector<grid_ranks>(2)), place, ec);
      differ();
      (void)mpx::dist_graph_create_adjacent(world, {}, place, ec);
      differ();
      const std::array edges{mpx::graph_edge{0, 1}};
      (void)mpx::dist_graph_create(world, edges, false, place, ec);
      differ();
      if (world.rank() == 0)
        (void)mpx::cart_create(world, {{n, true}}, mpx::reorder, ec);
      else
        (void)mpx::dist_graph_create_adjacent(world, {}, mpx::reorder, ec);
      differ();
    });
  }
}

TEST_CASE("topology: edges of a graph may be directed") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const mpx::rank_t n = world.size();
    // Rank r has an edge to each rank above it, rank 0 two to the last one, and this one to itself.
    std::vector<grid_ranks> edges(static_cast<std::size_t>(n));
    for (mpx::rank_t r = 0; r < n; ++r)
      for (mpx::rank_t to = n - 1; to > r; --to) edges[static_cast<std::size_t>(r)].push_back(to);
    edges.front().push_back(n - 1);
    edges.back().push_back(n - 1);
    for (const auto place : {mpx::keep_ranks, mpx::reorder}) {
      const auto graph = mpx::graph_create(world, mpx::graph_topology(edges), place);
      CHECK(edges_meet(graph));
      const mpx::rank_t me = graph.rank();
      const auto to = graph.destinations(), from = graph.sources();
      CHECK(grid_ranks(to.begin(), to.end()) == edges[static_cast<std::size_t>(me)]);
      std::size_t due = static_cast<std::size_t>(me);
      if (me == n - 1) due += 2;  // One more of rank 0, and its own.
      CHECK(from.size() == due);
      // Each block is the one that its sender has for that edge.
      std::vector<int> out, in(from.size(), -1);
      for (const mpx::rank_t r : to) out.push_back(me * 100 + r);
      graph.neighbor_alltoall(out, in);
      for (std::size_t i = 0; i < in.size(); ++i) CHECK(in[i] == from[i] * 100 + me);
      const int mine = me;
      std::vector<int> all(from.size(), -1);
      graph.neighbor_allgather(std::span(&mine, 1), all);
      CHECK(all == std::vector<int>(from.begin(), from.end()));
    }
  });
}

TEST_CASE("topology: a duplicate of a grid or a graph has the same neighbours") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const mpx::rank_t n = world.size();
    const auto same = [&](const auto& a, const auto& b) {
      CHECK(std::ranges::equal(a.sources(), b.sources()));
      CHECK(std::ranges::equal(a.destinations(), b.destinations()));
      CHECK(a.context() != b.context());
      CHECK(edges_meet(b));
    };
    const auto check = [&](auto made) {
      const auto twin = made.dup();
      same(made, twin);
      auto started = made;  // The old one stays valid until then.
      made.dup(started, mpx::start).wait();
      same(made, started);
      auto named = decltype(made)();
      made.idup(named).wait();
      same(made, named);
      std::error_code ec;
      same(made, made.dup(ec));
      CHECK(!ec);
      return twin;
    };
    const auto grid = mpx::cart_create(world, {{n, true}}, mpx::keep_ranks);
    CHECK(check(grid).dims()[0].periodic);
    CHECK(check(grid).shift(0).destination == grid.shift(0).destination);
    const mpx::graph_topology shape(
        std::vector<grid_ranks>(static_cast<std::size_t>(n), grid_ranks{0}));
    CHECK(check(mpx::graph_create(world, shape)).topology() == shape);
    const mpx::graph_neighbors mine{{world.rank()}, {world.rank()}, {5}, {6}};
    CHECK(check(mpx::dist_graph_create_adjacent(world, mine)).neighbors() == mine);
    const mpx::communicator<ranks::inproc> plain = grid.dup();
    CHECK(plain.size() == n);
  });
}

TEST_CASE("topology: errors of a distributed graph are named") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    const auto says = [&](auto call, const char* part) {
      const std::string text = ranks::text_of(call);
      INFO(text);
      CHECK(ranks::contains(text, part));
    };
    const auto adjacent = [&](mpx::graph_neighbors n) {
      return [&world, n] { (void)mpx::dist_graph_create_adjacent(world, n); };
    };
    says(adjacent({{0}, {5}, {}, {}}), ": 5 is no rank: ranks here are 0 .. 1");
    says(adjacent({{-3}, {0}, {}, {}}), ": -3 is no rank");
    says(adjacent({{0}, {0}, {-1}, {}}), ": a weight of sources is -1: none is negative");
    says(adjacent({{0}, {0}, {}, {1, 2}}), ": 2 weights for 1 destinations: give one for each");
    const auto all = [&](mpx::graph_edge e) {
      return [&world, e] { (void)mpx::dist_graph_create(world, std::span(&e, 1)); };
    };
    says(all({0, 7}), ": the edge from 0 to 7: 7 is no rank: ranks here are 0 .. 1");
    says(all({0, 1, -2}), ": the edge from 0 to 1 has the weight -2: none is negative");
    world.barrier();
  });
}

TEST_CASE("topology: an error at one rank is an error at all, and no rank waits") {
  for (const mpx::rank_t n : {1, 2, 3, 8}) {
    ranks::run<ranks::inproc>(n, [n](auto world) {
      const bool wrong = world.rank() == n / 2;
      const auto failure = [&](auto call) {
        std::error_code ec;
        call(ec);
        return ec;
      };
      const std::error_code others = mpx::errc::topology;
      for (const mpx::placement place : {mpx::keep_ranks, mpx::reorder}) {
        const auto cart = [&](mpx::rank_t size) {
          return failure([&](auto& ec) { (void)mpx::cart_create(world, {{size}}, place, ec); });
        };
        CHECK(cart(n + 1) == mpx::errc::dims);
        CHECK(cart(wrong ? 0 : n) == (wrong ? std::error_code(mpx::errc::dims) : others));
        if (n > 1) CHECK(cart(wrong ? 1 : n) == others);
        const auto dist = [&](mpx::graph_neighbors mine) {
          return failure(
              [&](auto& ec) { (void)mpx::dist_graph_create_adjacent(world, mine, place, ec); });
        };
        CHECK(dist({{}, {wrong ? n : 0}, {}, {}}) ==
              (wrong ? std::error_code(mpx::errc::rank) : others));
        CHECK(dist({{}, {0}, {}, wrong ? std::vector<int>{1, 2} : std::vector<int>{1}}) ==
              (wrong ? std::error_code(mpx::errc::argument) : others));
        const std::array edges{mpx::graph_edge{0, wrong ? -1 : 0}};
        CHECK(failure([&](auto& ec) {
                (void)mpx::dist_graph_create(world, edges, false, place, ec);
              }) == (wrong ? std::error_code(mpx::errc::rank) : others));
        const mpx::graph_topology large(std::vector<grid_ranks>(static_cast<std::size_t>(n) + 1));
        CHECK(failure([&](auto& ec) { (void)mpx::graph_create(world, large, place, ec); }) ==
              others);
      }
      const auto grid = mpx::cart_create(world, {{n}});
      const std::vector<char> two(2, 1);
      const bool keep[] = {true, true};
      CHECK(failure([&](auto& ec) { (void)grid.sub(std::span(keep).first(wrong ? 2 : 1), ec); }) ==
            (wrong ? std::error_code(mpx::errc::dims) : others));
      CHECK(ranks::contains(ranks::text_of([&] { (void)mpx::cart_create(world, {{n}, {2}}); }),
                            ": dimensions {" + std::to_string(n) + ", 2} make " +
                                std::to_string(2 * n) + " positions, the communicator has " +
                                std::to_string(n) + " rank"));
      CHECK(is_whole(grid, n));  // All continue.
    });
  }
}
