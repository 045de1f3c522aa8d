// SPDX-License-Identifier: BSL-1.0
// Collectives among neighbours: grids with and without ends, of ones and twos, graphs with edges
// that are there twice; every form; errors.

#include "coll/neighbors.hpp"

TEST_CASE("neighbor: every kind of topology at every number of ranks") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    neighbors::exchange_everywhere(world, std::array<std::size_t, 3>{0, 1, 5000});
  });
}
TEST_CASE("neighbor: small rings, under a lock, late posts") {
  ranks::run<ranks::late>(4, [](auto world) {
    neighbors::exchange_everywhere(world, std::array<std::size_t, 2>{3, 3000});
  });
}

TEST_CASE("neighbor: back to back, with skewed ranks and many in flight") {
  ranks::run<ranks::inproc>(4, [](auto world) {
    const auto grid = mpx::cart_create(world, {{2, true}, {2, true}});
    using blocks = neighbors::all_blocks<std::remove_cvref_t<decltype(grid)>>;
    std::vector<blocks> all(20, blocks(grid, 7));
    for (int round = 0; round < 20; ++round) {
      if (round % 4 == grid.rank()) std::this_thread::sleep_for(std::chrono::microseconds(200));
      std::vector<mpx::request<ranks::inproc>> requests;
      for (blocks& b : all) requests.push_back(grid.ineighbor_alltoall(b.out, b.in));
      blocks between(grid, 3);
      grid.neighbor_alltoall(between.out, between.in);
      CHECK(between.right());
      std::swap(requests.front(), requests.back());
      mpx::wait_all(requests);
      for (blocks& b : all) CHECK(b.right());
    }
  });
}

TEST_CASE("neighbor: errors are known on all ranks that wait") {
  for (const mpx::rank_t n : {1, 2, 4}) {
    ranks::run<ranks::inproc>(n, [n](auto world) {
      const auto ring = mpx::cart_create(world, {{n, true}});
      std::error_code ec;
      std::vector<int> out(6);
      std::vector<int> in(6);
      const auto refused = [&](auto call) {
        call();
        CHECK(ec == mpx::errc::argument);
      };
      refused([&] { ring.neighbor_alltoall(std::span(out).first(5), in, ec); });
      refused([&] { ring.neighbor_alltoall(out, std::span(in).first(3), ec); });
      refused([&] { ring.neighbor_allgather(out, std::span(in).first(5), ec); });
      const neighbors::lengths one(1, 1);
      const neighbors::lengths two(2, 1);
      const neighbors::lengths far(2, 7);
      const neighbors::lengths most(2, ~std::size_t{0});
      refused([&] { ring.neighbor_allgatherv(out, in, one, {}, ec); });
      refused([&] { ring.neighbor_allgatherv(out, in, far, {}, ec); });
      refused([&] { ring.neighbor_allgatherv(out, in, most, {}, ec); });
      refused([&] { ring.neighbor_allgatherv(out, in, two, one, ec); });
      refused([&] { ring.neighbor_allgatherv(out, in, two, most, ec); });
      refused([&] { ring.neighbor_alltoallw({}, {}, ec); });
      auto none = ring.neighbor_alltoall(std::span(out).first(5), in, mpx::start(ec));
      CHECK(ec == mpx::errc::argument);
      CHECK(ranks::contains(
          ranks::text_of([&] { ring.neighbor_alltoall(std::span(out).first(5), in); }),
          "neighbor_alltoall on rank " + std::to_string(ring.rank())));
      world.barrier();
      // Of different lengths at the ends of an edge.
      const std::size_t mine = ring.rank() == 0 ? 2 : 6;
      std::vector<int> room(12);
      ring.neighbor_allgather(std::span(out).first(mine), room, ec);
      if (ring.rank() == 1) CHECK(ec == mpx::errc::count);
      world.barrier();
    });
  }
}
