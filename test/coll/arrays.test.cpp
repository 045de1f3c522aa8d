// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// alone: yes
// Arrays of arrays, and types that are not trivially copyable, in collectives.

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/ranks.hpp"

namespace {

using triple = std::array<double, 3>;

TEST_CASE("an array of arrays is reduced element by element, or as the operation requires") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const double size = world.size();
    double m[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    world.allreduce(m, std::plus<>{});
    CHECK(m[2][2] == 9 * size);
    double sum[3][3] = {};
    world.allreduce(m, sum, mpx::max);
    CHECK(sum[0][1] == 2 * size);
    std::vector<triple> v(4, triple{1, 2, 3});
    world.allreduce(v, mpx::sum);
    CHECK(v[3] == triple{size, 2 * size, 3 * size});
    world.iallreduce(v, mpx::max).wait();
    CHECK(v[3][2] == 3 * size);
    int calls = 0;
    world.allreduce(v, [&](const triple& a, const triple& b) {
      ++calls;
      return triple{a[0] + b[0], 0, 0};
    });
    CHECK(v[0][0] == size * size);
    CHECK(calls % 4 == 0);  // Once for each triple.
    double to[2][3] = {{1, 1, 1}, {1, 1, 1}};
    mpx::reduce_local(m, m, std::plus<>{});
    mpx::reduce_local(std::span(m[0]), to[1], std::plus<>{});
    CHECK(to[1][0] == 1 + m[0][0]);
  });
}

TEST_CASE("pairs and tuples travel, also in results that size themselves") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    using pair = std::pair<int, double>;
    const auto all = world.allgather(pair(world.rank(), 0.5));
    CHECK(all.back() == pair(world.size() - 1, 0.5));
    std::vector<std::tuple<int, char>> some(3, {world.rank(), 'a'});
    world.bcast(some, 0);
    CHECK(std::get<0>(some[2]) == 0);
    const int next = (world.rank() + 1) % world.size();
    const int last = (world.rank() + world.size() - 1) % world.size();
    auto sending = world.isend(all, next, 1);
    std::vector<pair> in(all.size());
    CHECK(world.recv(in, last, 1).template count<pair>() == all.size());
    sending.wait();
    CHECK(in == all);
  });
}

TEST_CASE("counts of neighbourhood calls are any integers; a negative one is an error") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const auto ring = mpx::cart_create(world, {{world.size(), true}});
    std::vector<int> out(4, world.rank()), in(4, -1);
    const std::vector<int> counts{1, 2}, displacements{3, 0};
    const unsigned other_counts[2] = {2, 1};
    ring.neighbor_alltoallv(out, counts, displacements, in, other_counts, {});
    const int last = (world.rank() + world.size() - 1) % world.size();
    CHECK(in[0] == last);
    CHECK(in[3] == -1);
    std::error_code ec;
    ring.neighbor_alltoallv(out, std::vector{-1, 2}, {}, in, other_counts, {}, ec);
    CHECK(ec == mpx::errc::argument);
  });
}

}  // namespace
