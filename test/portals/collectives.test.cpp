// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Collectives over portals: each operation by each algorithm and length, ranks that are early and
// late, fan-ins in a row that overlap, heaps that are full, calls that do not fit each other.

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>
#include <numeric>
#include <vector>

#include "comm/ranks.hpp"

namespace {

namespace po = mpx::portals;
namespace coll = mpx::coll;
using coll::algorithm;
using word = std::uint32_t;

template <class Stack>
using of = po::collectives<Stack>;
static_assert(coll::Steps<po::detail::collective_steps<mpx::stack<>>>);

std::vector<word> block(mpx::rank_t from, mpx::rank_t to, std::size_t n) {
  std::vector<word> b(n);
  for (std::size_t i = 0; i < n; ++i)
    b[i] = static_cast<word>(from * 1'000'003 + to * 10'007) + static_cast<word>(i);
  return b;
}
std::vector<word> all_blocks(mpx::rank_t n,
                             const std::function<std::vector<word>(mpx::rank_t)>& f) {
  std::vector<word> all;
  for (mpx::rank_t r = 0; r < n; ++r) {
    const auto b = f(r);
    all.insert(all.end(), b.begin(), b.end());
  }
  return all;
}

/// Lengths around a packet, the limit of short messages, and beyond.
constexpr std::size_t lengths[] = {0, 1, 100, 1024, 1025, 30'000};

template <class Comm>
void play(const Comm& world) {
  using stack = typename Comm::stack_type;
  of<stack> c(world);
  const mpx::rank_t n = world.size();
  const mpx::rank_t me = world.rank();
  for (const std::size_t length : lengths) {
    const mpx::rank_t root = static_cast<mpx::rank_t>(length % static_cast<std::size_t>(n));
    for (const algorithm by : {algorithm::automatic, algorithm::binomial, algorithm::knomial,
                               algorithm::chain, algorithm::scatter_allgather}) {
      auto x = me == root ? block(root, 0, length) : std::vector<word>(length);
      c.bcast(x, root, by);
      CHECK(x == block(root, 0, length));
    }
    for (const algorithm by : {algorithm::linear, algorithm::binomial}) {
      std::vector<word> out(length * static_cast<std::size_t>(n));
      c.gather(block(me, 1, length), out, root, by);
      if (me == root) CHECK(out == all_blocks(n, [&](auto r) { return block(r, 1, length); }));
      std::vector<word> in;
      if (me == root) in = all_blocks(n, [&](auto r) { return block(root, r, length); });
      std::vector<word> mine(length);
      c.scatter(in, mine, root, by);
      CHECK(mine == block(root, me, length));
    }
    for (const algorithm by :
         {algorithm::ring, algorithm::bruck, algorithm::recursive_doubling, algorithm::automatic}) {
      std::vector<word> out(length * static_cast<std::size_t>(n));
      c.allgather(block(me, 2, length), out, by);
      CHECK(out == all_blocks(n, [&](auto r) { return block(r, 2, length); }));
    }
    for (int again = 0; again < 2; ++again) {
      std::vector<word> out(length * static_cast<std::size_t>(n));
      c.allgather_bucket(block(me, 4 + again, length), out);
      CHECK(out == all_blocks(n, [&](auto r) { return block(r, 4 + again, length); }));
    }
    for (const algorithm by : {algorithm::linear, algorithm::pairwise, algorithm::bruck}) {
      const auto in = all_blocks(n, [&](auto r) { return block(me, r, length); });
      std::vector<word> out(in.size());
      c.alltoall(in, out, by);
      CHECK(out == all_blocks(n, [&](auto r) { return block(r, me, length); }));
    }
    c.barrier();
  }
}

TEST_CASE("collectives over portals: each algorithm, short and long") {
  for (const mpx::rank_t n : {1, 2, 3, 4, 7})
    ranks::run<ranks::inproc>(n, [](auto world) { play(world); });
  ranks::run<ranks::shm>(4, [](auto world) { play(world); });
}

TEST_CASE("collectives over portals: fan-ins in a row lose nothing, whoever is late") {
  // Leaves run far ahead of the root: the failure that the paper describes.
  ranks::run<ranks::shm>(5, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    of<stack> c(world, {.short_bytes_max = 1024, .heap_bytes = 16 * 1024});
    const auto n = static_cast<std::size_t>(world.size());
    for (const algorithm by : {algorithm::linear, algorithm::binomial}) {
      for (std::uint32_t i = 0; i < 200; ++i) {
        if (world.rank() == 0 && i % 50 == 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const std::size_t length = 1 + i % 300;  // Up to 1,200 bytes: some are long.
        std::vector<word> out(length * n);
        const auto mine = block(world.rank(), static_cast<mpx::rank_t>(i), length);
        c.gather(mine, out, 0, by);
        if (world.rank() == 0)
          CHECK(out == all_blocks(world.size(), [&](auto r) {
                  return block(r, static_cast<mpx::rank_t>(i), length);
                }));
      }
    }
    if (world.rank() == 0) CHECK(c.unexpected() > 0);
  });
}

TEST_CASE("collectives over portals: a full heap makes senders repeat") {
  ranks::run<ranks::inproc>(4, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    of<stack> c(world, {.short_bytes_max = 400, .heap_bytes = 4 * (400 + 256)});
    // The root takes four messages, and six come before it receives any.
    for (int i = 0; i < 20; ++i) {
      std::vector<word> out(400);
      const auto mine = block(world.rank(), i, 100);
      if (world.rank() == 0 && i == 0)
        while (c.dropped() == 0) world.progress();
      for (int k = 0; k < 2; ++k) c.gather(mine, out, 0, algorithm::linear);
      if (world.rank() == 0) CHECK(out == all_blocks(4, [&](auto r) { return block(r, i, 100); }));
    }
    const auto again = world.allreduce(c.sent_again(), mpx::sum);
    const auto dropped = world.allreduce(c.dropped(), mpx::sum);
    CHECK(again == dropped);
    CHECK(again > 0);
  });
}

TEST_CASE("collectives over portals: layouts are not packed") {
  ranks::run<ranks::inproc>(3, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    of<stack> c(world);
    /// Every second word.
    struct sparse final : mpx::layout {
      static std::size_t at(std::size_t i) noexcept { return i / 4 * 8 + i % 4; }
      void pack(const std::byte* base, std::size_t from,
                std::span<std::byte> into) const noexcept override {
        for (std::size_t i = 0; i < into.size(); ++i) into[i] = base[at(from + i)];
      }
      void unpack(std::byte* base, std::size_t to,
                  std::span<const std::byte> from) const noexcept override {
        for (std::size_t i = 0; i < from.size(); ++i) base[at(to + i)] = from[i];
      }
    } const every_second;
    for (const std::size_t length : {50u, 5000u}) {
      std::vector<word> x(2 * length);
      for (std::size_t i = 0; world.rank() == 1 && i < length; ++i)
        x[2 * i] = static_cast<word>(i + 1);
      c.run(
          coll::bcast_call{
              mpx::memory(reinterpret_cast<std::byte*>(x.data()), 4 * length, &every_second), 1},
          algorithm::binomial);
      bool right = true;
      for (std::size_t i = 0; i < length; ++i)
        right = right && x[2 * i] == i + 1 && x[2 * i + 1] == 0;
      CHECK(right);
    }
  });
}

TEST_CASE("collectives over portals: calls that do not fit fail at all ranks, and nobody waits") {
  for (const std::size_t wrong : {5u, 20u, 3000u}) {
    for (const std::size_t right : {10u, 2000u}) {
      ranks::run<ranks::inproc>(4, [&](auto world) {
        using stack = typename decltype(world)::stack_type;
        of<stack> c(world);
        std::vector<word> x(world.rank() == 2 ? wrong : right);
        mpx::errc why{};
        for (int i = 0; i < 3 && why == mpx::errc{}; ++i) {
          try {
            c.bcast(x, 0, algorithm::binomial);
            c.barrier();
          } catch (const mpx::error& e) {
            why = static_cast<mpx::errc>(e.code().value());
          }
        }
        CHECK((why == mpx::errc::count || why == mpx::errc::pending));
        world.barrier();
      });
    }
  }
}

TEST_CASE("collectives over portals: buckets of different lengths fail at all ranks") {
  ranks::run<ranks::inproc>(3, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    of<stack> c(world);
    const std::size_t n = world.rank() == 1 ? 10 : 20;
    std::vector<word> out(3 * n);
    mpx::errc why{};
    try {
      for (int i = 0; i < 2; ++i) c.allgather_bucket(std::vector<word>(n), out);
    } catch (const mpx::error& e) {
      why = static_cast<mpx::errc>(e.code().value());
    }
    CHECK((why == mpx::errc::count || why == mpx::errc::pending));
    world.barrier();
  });
}

}  // namespace
