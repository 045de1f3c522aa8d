// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: address
// timeout: 300
// Calls that all ranks make, and in which std has no memory left for one of them: all of them come
// back, and the communicator they were made on is as good as before.

#include "scarce.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "standard.hpp"

namespace {

using job = mpx::stack<mpx::transport::basic_inproc<64, 16 * 1024>, mpx::waiting::sleep,
                       mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::automatic, 2048>,
                       mpx::flow::credits<64 * 1024, 4 * 1024, 16>>;
using world_of_job = mpx::communicator<job>;
using neighbors = mpx::graph_neighbors;

constexpr mpx::rank_t ranks = 3;
constexpr unsigned seconds_for_all = 60;

/// Result of a call at each rank: "" if it succeeded.
struct ends {
  std::vector<std::string> of = std::vector<std::string>(ranks);
  std::uint64_t asked = 0;  // By the rank that was refused something.
  bool in_step = true;      // The ranks can still talk to each other.

  bool all_alike() const {
    for (const std::string& one : of)
      if (one.empty() != of[0].empty()) return false;
    return true;
  }
};

/// All ranks make the call that `prepare(world)` gives, in which allocation number `first` (to
/// `last`) of `poor` is refused.
template <class Prepare>
ends with_a_poor_rank(const Prepare& prepare, mpx::rank_t poor, std::uint64_t first,
                      std::uint64_t last) {
  ends all;
  mpx::run_threads<job>(ranks, [&](mpx::environment<job>& env) {
    const world_of_job world = env.world();
    auto call = prepare(world);
    world.barrier();
    std::error_code ec;
    bool thrown = false;
    if (world.rank() == poor) standard::refuse(first, last);
    try {
      ec = call();
    } catch (const std::exception&) {  // Of what says so itself.
      thrown = true;
    }
    if (world.rank() == poor) all.asked = standard::stop();
    all.of[static_cast<std::size_t>(world.rank())] = thrown ? "thrown" : ec ? ec.message() : "";
    const int sum = world.allreduce(1, std::plus<>{}, ec);
    if (world.rank() == poor) all.in_step = !ec && sum == ranks;
  });
  return all;
}

/// Each allocation of each rank fails once, alone and with all that follow.
template <class Prepare>
void each_poor_rank(const char* what, const Prepare& prepare) {
  static const char* playing = nullptr;
  playing = what;
  std::signal(SIGALRM, [](int) {
    char text[100];
    const int n = std::snprintf(text, sizeof text, "alone: %s hangs\n", playing);
    if (::write(2, text, static_cast<std::size_t>(n)) >= 0) ::_exit(1);
  });
  INFO(std::string(what));
  std::uint64_t runs = 0;
  for (mpx::rank_t poor = 0; poor < ranks; ++poor)
    for (const bool for_good : {false, true})
      for (std::uint64_t n = 0, asked = 1; n < asked; ++n, ++runs) {
        CAPTURE(poor);
        CAPTURE(n);
        CAPTURE(for_good);
        ::alarm(seconds_for_all);
        const ends all = with_a_poor_rank(prepare, poor, n, for_good ? standard::never : n);
        asked = all.asked + 1;  // Until the run that lacks nothing.
        CAPTURE(all.of[0]);
        CAPTURE(all.of[1]);
        CAPTURE(all.of[2]);
        CHECK(all.all_alike());
        CHECK(all.in_step);
      }
  ::alarm(0);
  MESSAGE(std::string(what) << ": " << runs << " runs");
}

/// The neighbours of rank `r` in a ring; of rank `mistaken` one is none.
neighbors ring_of(mpx::rank_t r, mpx::rank_t mistaken = -1) {
  const mpx::rank_t left = (r + ranks - 1) % ranks;
  const mpx::rank_t right = r == mistaken ? ranks : (r + 1) % ranks;
  return {{left, right}, {left, right}, {1, 2}, {1, 2}};
}

}  // namespace

TEST_CASE("alone: a rank has no memory for a grid or a graph") {
  for (const mpx::placement place : {mpx::keep_ranks, mpx::reorder}) {
    each_poor_rank("cart_create", [=](const world_of_job& world) {
      return [=] {
        const mpx::cart_dimension dims[] = {{ranks, true}};
        std::error_code ec;
        (void)mpx::cart_create(world, dims, place, ec);
        return ec;
      };
    });
    const mpx::graph_topology line({{1}, {0, 2}, {1}});
    each_poor_rank("graph_create", [&](const world_of_job& world) {
      return [&, world] {
        std::error_code ec;
        (void)mpx::graph_create(world, line, place, ec);
        return ec;
      };
    });
  }
}

TEST_CASE("alone: a rank has no memory for its part of a graph") {
  for (const mpx::placement place : {mpx::keep_ranks, mpx::reorder}) {
    for (const mpx::rank_t mistaken : {-1, 1})
      each_poor_rank("dist_graph_create_adjacent", [=](const world_of_job& world) {
        return [=, own = ring_of(world.rank(), mistaken)]() mutable {
          std::error_code ec;
          (void)mpx::dist_graph_create_adjacent(world, std::move(own), place, ec);
          return ec;
        };
      });
    for (const bool mistaken : {false, true})
      each_poor_rank("dist_graph_create", [=](const world_of_job& world) {
        const mpx::rank_t r = world.rank();
        const mpx::graph_edge edge{r, mistaken && r == 1 ? ranks : (r + 1) % ranks, 3};
        return [=, edges = std::vector<mpx::graph_edge>(2, edge)] {
          std::error_code ec;
          (void)mpx::dist_graph_create(world, edges, true, place, ec);
          return ec;
        };
      });
  }
}

TEST_CASE("alone: a rank lacks memory for its neighbours' messages") {
  const mpx::cart_dimension dims[] = {{ranks, true}};
  each_poor_rank("neighbor_allgather", [&](const world_of_job& world) {
    return [grid = mpx::cart_create(world, dims)] {
      grid.neighbor_allgather(std::int64_t{5});
      return std::error_code();
    };
  });
}

TEST_CASE("alone: a rank lacks memory to connect its group to another group") {
  for (const mpx::rank_t cut : {1, 2})
    each_poor_rank("connect", [=](const world_of_job& world) {
      const bool low = world.rank() < cut;
      return [=, half = world.split(low ? 0 : 1)] {
        std::error_code ec;
        const auto made =
            mpx::intercommunicator<job>::connect(half, 0, world, low ? cut : 0, 5, ec);
        if (made) made.barrier(ec);  // A communicator that lacks a rank is revoked.
        return ec;
      };
    });
}
