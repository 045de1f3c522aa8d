// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// alone: yes
// Collectives whose operation, elements and places are known at run time only: mpx::any_operation, and
// lists of memory for gatherw, scatterw, allgatherw and alltoallw in place.

#include <doctest/doctest.h>

#include <cstring>
#include <mpx/datatype.hpp>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <vector>

#include "comm/ranks.hpp"

namespace {

/// Elements of two ints: (a, b) op (c, d) = (a + c, d). It is associative and does not commute.
void sum_and_last(void* calls, std::byte* out, const std::byte* left, const std::byte* right,
                  std::size_t bytes) {
  ++*static_cast<int*>(calls);
  for (std::size_t at = 0; at < bytes; at += 8) {
    int a[2], b[2];
    std::memcpy(a, left + at, 8);
    std::memcpy(b, right + at, 8);
    b[0] += a[0];
    std::memcpy(out + at, b, 8);
  }
}

template <class Comm>
void reduce_in_all_ways(const Comm& world, std::size_t n) {
  const int me = world.rank();
  const int size = world.size();
  int calls = 0;
  const mpx::any_operation op{sum_and_last, &calls, 8, false};
  std::vector<int> in(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    in[2 * i] = me + static_cast<int>(i);
    in[2 * i + 1] = me;
  }
  // Every other pair of ints, as an element with a hole.
  const auto spread =
      mpx::datatype::resized(mpx::datatype::contiguous(2, mpx::datatype::of<int>()), 0, 16);
  std::vector<int> out(4 * n, -1);
  const auto result = mpx::buffer(out.data(), static_cast<std::int64_t>(n), spread);
  const auto given = std::as_bytes(std::span(in));
  const auto holds = [&](int from_ranks) {
    for (std::size_t i = 0; i < n; ++i) {
      const int sum = from_ranks * (from_ranks - 1) / 2 + from_ranks * static_cast<int>(i);
      if (out[4 * i] != sum || out[4 * i + 1] != from_ranks - 1 || out[4 * i + 2] != -1)
        return false;
    }
    return true;
  };
  const auto typed =
      mpx::buffer(given.data(), static_cast<std::int64_t>(2 * n), mpx::datatype::of<int>());
  world.allreduce(typed, result, op);
  CHECK(holds(size));
  out.assign(4 * n, -1);
  world.reduce(typed, result, op, size - 1);
  CHECK((me != size - 1 || holds(size)));
  out.assign(4 * n, -1);
  auto started = world.iallreduce(typed, result, op);
  started.wait();
  CHECK(holds(size));
  out.assign(4 * n, -1);
  world.scan(typed, result, op);
  CHECK(holds(me + 1));
  std::vector<std::byte> bytes(given.begin(), given.end());
  world.allreduce(std::span(bytes), op);  // In place.
  int first[2];
  std::memcpy(first, bytes.data(), 8);
  CHECK(first[0] == size * (size - 1) / 2);
  CHECK(first[1] == size - 1);
  CHECK((calls > 0 || size == 1));
}

/// Squares of a board: block r has r % 3 rows of 3 ints, and their rows interleave.
struct board {
  explicit board(int ranks) : squares(static_cast<std::size_t>(30 * ranks), 0) {
    for (int r = 0; r < ranks; ++r) {
      shapes.push_back(mpx::datatype::vector(1 + r % 3, 3, 3 * ranks, mpx::datatype::of<int>()));
      buffers.push_back(mpx::buffer(squares.data() + std::size_t{3} * static_cast<std::size_t>(r),
                                    1, shapes.back()));
    }
    for (const auto& b : buffers) pieces.push_back(mpx::memory_of(b));
  }
  static std::size_t ints(int r) { return 3 * (1 + static_cast<std::size_t>(r) % 3); }
  bool holds(int r, int value) const {
    std::vector<int> got(ints(r));
    mpx::pack(buffers[static_cast<std::size_t>(r)], std::as_writable_bytes(std::span(got)));
    for (const int g : got)
      if (g != value) return false;
    return true;
  }
  std::vector<int> squares;
  std::vector<mpx::datatype> shapes;
  std::vector<mpx::typed_buffer<true>> buffers;
  std::vector<mpx::memory> pieces;
};

}  // namespace

TEST_CASE_TEMPLATE("an operation that is known at run time combines elements of any layout", Stack,
                   ranks::inproc, ranks::shm) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    for (const std::size_t n : {1, 9, 3000}) reduce_in_all_ways(world, n);
  });
}

TEST_CASE("blocks of different layouts are gathered and scattered by lists of memory") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const int me = world.rank();
    const int size = world.size();
    for (const int root : {0, size - 1}) {
      board all(size);
      const std::vector<int> mine(board::ints(me), 10 + me);
      world.gatherw(mine, all.pieces, root);
      for (int r = 0; r < size; ++r) CHECK((me != root || all.holds(r, 10 + r)));
      std::vector<int> back(board::ints(me), -1);
      world.scatterw(all.pieces, back, root);
      CHECK(back == mine);
      board started(size);
      world.gatherw(mine, started.pieces, root, mpx::start).wait();
      CHECK((me != root || started.holds(size - 1, 9 + size)));
      if (me == root)
        world.gatherw(mpx::in_place, all.pieces, root);
      else
        world.gatherw(mine, all.pieces, root);
    }
    board all(size);
    const std::vector<int> mine(board::ints(me), 20 + me);
    world.allgatherw(mine, all.pieces);
    for (int r = 0; r < size; ++r) CHECK(all.holds(r, 20 + r));
  });
}

TEST_CASE("blocks are exchanged in place, at displacements and in lists of memory") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const int me = world.rank();
    const int size = world.size();
    // Block r of rank s has (r + s) % 3 elements at the place of its mirror image.
    std::vector<int> counts, places;
    for (int r = 0; r < size; ++r) {
      counts.push_back((r + me) % 3);
      places.push_back(3 * (size - 1 - r));
    }
    std::vector<int> data(static_cast<std::size_t>(3 * size), -1);
    const auto fill = [&] {
      for (int r = 0; r < size; ++r)
        for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
          data[static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i)] = 100 * me + r;
    };
    const auto holds = [&] {
      for (int r = 0; r < size; ++r)
        for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
          if (data[static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i)] !=
              100 * r + me)
            return false;
      return true;
    };
    fill();
    world.alltoallv(mpx::in_place, data, counts, places);
    CHECK(holds());
    fill();
    std::vector<mpx::memory> pieces;
    for (std::size_t r = 0; r < counts.size(); ++r)
      pieces.push_back(mpx::memory_of(std::span(data).subspan(
          static_cast<std::size_t>(places[r]), static_cast<std::size_t>(counts[r]))));
    world.alltoallw(mpx::in_place, pieces);
    CHECK(holds());
  });
}

TEST_CASE("lists of memory between two groups") {
  for (const mpx::rank_t n : {2, 5})
    ranks::run<ranks::inproc>(n, [](auto world) {
      const bool low = world.rank() < world.size() / 2;
      auto local = world.split(low ? 0 : 1);
      auto inter = mpx::intercommunicator<typename decltype(world)::stack_type>::connect(
          local, 0, world, low ? world.size() / 2 : 0);
      board theirs(inter.remote_size());
      const std::vector<int> mine(board::ints(inter.rank()), 10 + inter.rank());
      inter.allgatherw(mine, theirs.pieces);
      for (int r = 0; r < inter.remote_size(); ++r) CHECK(theirs.holds(r, 10 + r));
      const mpx::rank_t root = !low                ? mpx::rank_t{0}
                               : local.rank() == 0 ? mpx::rank_t{mpx::this_root}
                                                   : mpx::rank_t{mpx::proc_null};
      board all(inter.remote_size());
      inter.gatherw(mine, all.pieces, root);
      if (root == mpx::this_root)
        for (int r = 0; r < inter.remote_size(); ++r) CHECK(all.holds(r, 10 + r));
      std::vector<int> back(board::ints(inter.rank()), -1);
      inter.scatterw(all.pieces, back, root);
      CHECK((low || back == mine));
      inter.free();
      local.free();
    });
}

TEST_CASE("a topology is put over a duplicate that was made without it") {
  ranks::run<ranks::inproc>(4, [](auto world) {
    auto ring = mpx::cart_create(world, {{4, true}});
    auto plain = static_cast<const mpx::communicator<ranks::inproc>&>(ring).dup();
    const auto again = ring.over(plain);
    CHECK(again == plain);
    CHECK(again.neighbor_allgather(again.rank())[0] == (again.rank() + 3) % 4);
    plain.free();
    ring.free();
  });
}
