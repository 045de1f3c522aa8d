// SPDX-License-Identifier: BSL-1.0
#pragma once
// Shared by tests of neighbourhood collectives: every kind of topology, in every form, with blocks
// that identify the edge along which they came.

#include <algorithm>
#include <array>
#include <mpx/topology.hpp>
#include <numeric>

#include "comm/ranks.hpp"

namespace neighbors {

using lengths = std::vector<std::size_t>;

/// Value of element i on the k-th edge from `from` to `to`, counted among edges of those two.
int along(mpx::rank_t from, mpx::rank_t to, int k, std::size_t i) {
  return from * 1'000'000 + to * 10'000 + k * 1000 + static_cast<int>(i);
}
/// For each neighbour of a list, how often it was there before.
std::vector<int> times_before(std::span<const mpx::rank_t> of) {
  std::vector<int> n;
  for (std::size_t i = 0; i < of.size(); ++i)
    n.push_back(static_cast<int>(
        std::count(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(i), of[i])));
  return n;
}

/// Which edge of its source an incoming one is, counted among those between the two.
template <class Comm>
std::vector<int> edge_at_source(const Comm& comm) {
  std::vector<int> n = times_before(comm.sources());
  if (!comm.around().crossed) return n;
  for (std::size_t i = 0; i + 1 < n.size(); i += 2)  // Data from above was sent below.
    if (comm.sources()[i] == comm.sources()[i + 1]) std::swap(n[i], n[i + 1]);
  return n;
}

template <class Comm>
struct all_blocks {
  all_blocks(const Comm& c, std::size_t each) : comm(c), size(each) {
    const auto to = times_before(c.destinations());
    for (std::size_t d = 0; d < to.size(); ++d)
      for (std::size_t i = 0; i < size; ++i)
        out.push_back(along(c.rank(), c.destinations()[d], to[d], i));
    in.assign(c.sources().size() * size, -1);
  }
  bool right() {
    const auto from = edge_at_source(comm);
    bool all = true;
    for (std::size_t s = 0; s < from.size(); ++s)
      for (std::size_t i = 0; i < size; ++i) {
        const mpx::rank_t source = comm.sources()[s];
        const int expected = source == mpx::proc_null ? -1 : along(source, comm.rank(), from[s], i);
        all = all && in[s * size + i] == expected;
      }
    std::fill(in.begin(), in.end(), -1);
    return all;
  }
  const Comm& comm;
  std::size_t size;
  std::vector<int> out;
  std::vector<int> in;
};

template <class Comm>
void exchange_in_all_forms(const Comm& comm, std::size_t size) {
  all_blocks<Comm> b(comm, size);
  comm.neighbor_alltoall(b.out, b.in);
  CHECK(b.right());
  comm.ineighbor_alltoall(b.out, b.in).wait();
  CHECK(b.right());
  auto again = comm.neighbor_alltoall_init(b.out, b.in);
  for (int round = 0; round < 3; ++round) {
    again.start();
    again.wait();
    CHECK(b.right());
  }
  std::error_code ec;
  comm.neighbor_alltoall(b.out, b.in, ec);
  CHECK(!ec);
  CHECK(b.right());

  // The same by counts, the blocks in reverse order, and by blocks of memory.
  const lengths out_counts(comm.destinations().size(), size);
  const lengths in_counts(comm.sources().size(), size);
  comm.neighbor_alltoallv(b.out, out_counts, {}, b.in, in_counts, {});
  CHECK(b.right());
  lengths backwards;
  for (std::size_t i = in_counts.size(); i-- > 0;) backwards.push_back(i * size);
  std::vector<int> reversed(b.in.size(), -1);
  comm.ineighbor_alltoallv(b.out, out_counts, {}, reversed, in_counts, backwards).wait();
  for (std::size_t i = 0; i < backwards.size(); ++i)
    std::copy_n(reversed.begin() + static_cast<std::ptrdiff_t>(backwards[i]), size,
                b.in.begin() + static_cast<std::ptrdiff_t>(i * size));
  CHECK(b.right());
  std::vector<mpx::memory> out_blocks;
  std::vector<mpx::memory> in_blocks;
  for (std::size_t i = 0; i < out_counts.size(); ++i)
    out_blocks.emplace_back(std::as_writable_bytes(std::span(b.out).subspan(i * size, size)));
  for (std::size_t i = 0; i < in_counts.size(); ++i)
    in_blocks.emplace_back(std::as_writable_bytes(std::span(b.in).subspan(i * size, size)));
  comm.neighbor_alltoallw(out_blocks, in_blocks);
  CHECK(b.right());
  auto w = comm.neighbor_alltoallw_init(out_blocks, in_blocks);
  w.start();
  w.wait();
  CHECK(b.right());
  auto v = comm.neighbor_alltoallv_init(b.out, out_counts, {}, b.in, in_counts, {});
  v.start();
  v.wait();
  CHECK(b.right());
}

template <class Comm>
void gather_in_all_forms(const Comm& comm) {
  const auto right = [&](const std::vector<int>& got, std::size_t each, int untouched) {
    bool all = got.size() == comm.sources().size() * each;
    for (std::size_t i = 0; all && i < got.size(); ++i) {
      const mpx::rank_t from = comm.sources()[i / each];
      all = got[i] == (from == mpx::proc_null ? untouched : 10 * from + static_cast<int>(i % each));
    }
    return all;
  };
  CHECK(right(comm.neighbor_allgather(10 * comm.rank()), 1, 0));
  std::error_code ec;
  CHECK(right(comm.neighbor_allgather(10 * comm.rank(), ec), 1, 0));
  if (comm.allreduce(comm.destinations().empty() ? 0 : 1, mpx::min) == 1) {
    const std::vector<int> same(comm.destinations().size(), 10 * comm.rank());
    CHECK(right(comm.neighbor_alltoall(same, ec), 1, 0));
    CHECK(right(comm.neighbor_alltoall(same), 1, 0));
  }
  CHECK(!ec);
  const std::array mine{10 * comm.rank(), 10 * comm.rank() + 1, 10 * comm.rank() + 2};
  std::vector<int> all(3 * comm.sources().size(), -1);
  comm.neighbor_allgather(mine, all);
  CHECK(right(all, 3, -1));
  std::fill(all.begin(), all.end(), -1);
  auto again = comm.neighbor_allgather_init(mine, all);
  again.start();
  again.wait();
  CHECK(right(all, 3, -1));
  std::fill(all.begin(), all.end(), -1);
  comm.ineighbor_allgather(mine, all).wait();
  CHECK(right(all, 3, -1));

  // As many as the sender's rank, and one.
  const std::vector<int> some(static_cast<std::size_t>(comm.rank()) + 1, comm.rank());
  lengths n;
  for (const mpx::rank_t from : comm.sources())
    n.push_back(from == mpx::proc_null ? 0 : static_cast<std::size_t>(from) + 1);
  std::vector<int> got(std::accumulate(n.begin(), n.end(), std::size_t{0}));
  const auto packed = [&] {
    std::size_t at = 0;
    for (std::size_t i = 0; i < n.size(); ++i)
      for (std::size_t k = 0; k < n[i]; ++k)
        if (got[at++] != comm.sources()[i]) return false;
    return true;
  };
  comm.neighbor_allgatherv(some, got, n);
  CHECK(packed());
  std::fill(got.begin(), got.end(), -1);
  auto v = comm.neighbor_allgatherv_init(some, got, n);
  v.start();
  v.wait();
  CHECK(packed());
  std::fill(got.begin(), got.end(), -1);
  comm.ineighbor_allgatherv(some, got, n).wait();
  CHECK(packed());
}

template <class World>
void exchange_everywhere(const World& world, std::span<const std::size_t> sizes) {
  const mpx::rank_t n = world.size();
  const auto over = [&](const auto& comm) {
    for (const std::size_t size : sizes) exchange_in_all_forms(comm, size);
    gather_in_all_forms(comm);
  };
  const auto dims = mpx::dims_create<2>(n);
  over(mpx::cart_create(world, {{dims[0], true}, {dims[1], true}}));
  over(mpx::cart_create(world, {{dims[0]}, {dims[1], true}, {1, true}}));
  over(mpx::cart_create(world, {{n}}, mpx::reorder_by(world.rank() % 2)));
  // Everyone beside everyone, twice, itself included.
  std::vector<mpx::rank_t> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  std::vector<mpx::rank_t> twice(all);
  twice.insert(twice.end(), all.rbegin(), all.rend());
  over(mpx::graph_create(world, mpx::graph_topology(std::vector<std::vector<mpx::rank_t>>(
                                    static_cast<std::size_t>(n), twice))));
  // To those above only; what is there twice comes in order.
  const mpx::rank_t up = (world.rank() + 1) % n;
  const mpx::rank_t down = (world.rank() + n - 1) % n;
  over(mpx::dist_graph_create_adjacent(
      world,
      mpx::graph_neighbors{{down, (down + n - 1) % n, down}, {up, up, (up + 1) % n}, {}, {}}));
  // The leaves of a tree receive from the root, and no rank sends back.
  mpx::graph_neighbors leaf{{0}, {}, {}, {}};
  if (world.rank() == 0) leaf = {{0}, all, {}, {}};
  over(mpx::dist_graph_create_adjacent(world, leaf));
}

}  // namespace neighbors
