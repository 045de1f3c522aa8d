// SPDX-License-Identifier: BSL-1.0
// Collectives among neighbours: grids with and without ends, of ones and twos, graphs with edges
// that are there twice; every form; errors.
// release: tsan

#include <atomic>
#include <chrono>
#include <cstring>

#include <mpx/datatype.hpp>

#include "coll/neighbors.hpp"
#include "coll/orders.hpp"

namespace {

/// Every second integer; counts its owners.
class every_second final : public mpx::layout {
 public:
  void pack(const std::byte* base, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = base[place(offset + i)];
  }
  void unpack(std::byte* base, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    for (std::size_t i = 0; i < from.size(); ++i) base[place(offset + i)] = from[i];
  }
  const mpx::layout* keep() const noexcept override {
    ++kept;
    return this;
  }
  void drop() const noexcept override { --kept; }

  mutable std::atomic<int> kept = 0;

 private:
  static std::size_t place(std::size_t i) noexcept {
    return i / sizeof(int) * 2 * sizeof(int) + i % sizeof(int);
  }
};

}  // namespace

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

TEST_CASE("neighbor: prepared calls match in the order of preparation") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    auto ring = mpx::cart_create(world, {{world.size(), true}}, mpx::keep_ranks);
    const mpx::rank_t me = ring.rank(), n = ring.size();
    const mpx::rank_t left = (me + n - 1) % n, right = (me + 1) % n;
    const std::array<int, 2> out{10 * me, 10 * me + 1}, more{100 * me, 100 * me + 1};
    std::array<int, 2> in{}, too{};
    auto one = ring.neighbor_alltoall(out, in, mpx::prepare);
    auto other = ring.neighbor_alltoall(more, too, mpx::prepare);
    for (int i = 0; i < 20; ++i) {
      in = too = {};
      orders::run_both(one, other, (me + i) % 2 != 0);
      CHECK(in == std::array{10 * left + 1, 10 * right});
      CHECK(too == std::array{100 * left + 1, 100 * right});
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
      refused([&] { CHECK(ring.neighbor_alltoall(std::span(out).first(5), ec).size() == 4); });
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
      CHECK(ranks::contains(
          ranks::text_of([&] { ring.neighbor_alltoall(std::span(out).first(5), in); }),
          ": a buffer of 5 elements has not the same number for each of 2 neighbours"));
      world.barrier();
      // Of different lengths at the ends of an edge.
      const std::size_t mine = ring.rank() == 0 ? 2 : 6;
      std::vector<int> room(12);
      ring.neighbor_allgather(std::span(out).first(mine), room, ec);
      // A rank that finds the error tells its neighbours, which may not have looked yet.
      if (ring.rank() == 1) CHECK((ec == mpx::errc::count || ec == mpx::errc::peer_lost));
      CHECK(world.allreduce(ec == mpx::errc::count ? 1 : 0, mpx::max) == 1);
    });
  }
}

TEST_CASE("neighbor: blocks that a layout spreads, short and long") {
  for (const std::size_t size : {3u, 30'000u}) {
    ranks::run<ranks::inproc>(3, [size](auto world) {
      const auto ring = mpx::cart_create(world, {{3, true}});
      const every_second apart;
      std::vector<int> out(4 * size);
      std::vector<int> in(4 * size, -1);
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = 1'000'000 * ring.rank() + static_cast<int>(i);
      const auto block = [&](std::vector<int>& of, std::size_t i) {
        return mpx::memory(reinterpret_cast<std::byte*>(of.data() + 2 * i * size),
                           size * sizeof(int), &apart);
      };
      const std::array<mpx::memory, 2> from{block(out, 0), block(out, 1)};
      const std::array<mpx::memory, 2> to{block(in, 0), block(in, 1)};
      const auto right = [&] {
        bool all = true;
        for (std::size_t i = 0; i < in.size(); ++i) {
          // Data from below was the sender's second block, data from above its first.
          const std::size_t there = (i + 2 * size) % in.size();
          const mpx::rank_t source = ring.sources()[i / (2 * size)];
          const int expected = 1'000'000 * source + static_cast<int>(there);
          all = all && in[i] == (i % 2 == 0 ? expected : -1);
        }
        std::fill(in.begin(), in.end(), -1);
        return all;
      };
      ring.neighbor_alltoallw(from, to);
      CHECK(right());
      auto again = ring.neighbor_alltoallw_init(from, to);
      for (int round = 0; round < 3; ++round) {
        again.start();
        again.wait();
        CHECK(right());
      }
      ring.ineighbor_alltoallw(from, to).wait();
      CHECK(right());
      world.barrier();
      CHECK(apart.kept == 0);
    });
  }
}

TEST_CASE("neighbor_alltoallw takes lists of views") {
  ranks::run<ranks::inproc>(3, [](auto world) {
    const auto ring = mpx::cart_create(world, {{3, true}});
    const int me = ring.rank();
    std::array<int, 12> table{};  // Four rows of three columns.
    auto m = mpx::matrix(table.data(), 4, 3);
    std::array out{mpx::column(m, 0), mpx::column(m, 1)};
    std::array<std::array<int, 4>, 2> in{};
    const auto fresh = [&] {
      for (std::size_t i = 0; i < 12; ++i) table[i] = 100 * me + static_cast<int>(i);
      in = {};
    };
    const auto right = [&] {
      bool all = true;
      for (int i = 0; i < 4; ++i) {
        const auto at = static_cast<std::size_t>(i);
        all = all && in[0][at] == 100 * ring.sources()[0] + 3 * i + 1 &&
              in[1][at] == 100 * ring.sources()[1] + 3 * i;
      }
      return all;
    };
    fresh();
    ring.neighbor_alltoallw(out, in);
    CHECK(right());
    fresh();
    ring.ineighbor_alltoallw(out, in).wait();
    CHECK(right());
    fresh();
    auto again = ring.neighbor_alltoallw_init(out, in);
    again.start();
    again.wait();
    CHECK(right());
    // And those of all: the columns of each rank.
    const auto three = [&](auto& of) {
      return std::array{mpx::column(of, 0), mpx::column(of, 1), mpx::column(of, 2)};
    };
    std::array<int, 12> got{};
    auto g = mpx::matrix(got.data(), 4, 3);
    auto from = three(m);
    auto to = three(g);
    world.alltoallw(from, to);
    bool all = true;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t i = 0; i < 4; ++i)
        all = all && g(i, r) == 100 * static_cast<int>(r) + 3 * static_cast<int>(i) + me;
    CHECK(all);
    const std::array pieces{mpx::memory_of(from[0]), mpx::memory_of(from[1]),
                            mpx::memory_of(from[2])};
    const std::array places{mpx::memory_of(to[0]), mpx::memory_of(to[1]), mpx::memory_of(to[2])};
    got = {};
    world.alltoallw(pieces, places);
    CHECK(g(3, 2) == 200 + 9 + me);
  });
}

TEST_CASE("alltoallw of lists of buffers: an error at one rank is an error at all") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const mpx::rank_t n = world.size();
    const bool here = world.rank() == n - 1;  // The rank with the wrong argument.
    const auto grid = mpx::cart_create(world, {{n, true}});
    const auto all = static_cast<std::size_t>(n);
    std::vector<int> out(6 * all + 12, world.rank());
    std::vector<int> in(6 * all + 12);
    std::error_code ec;
    const auto told = [&](bool neighbor) {
      if (here) CHECK(ec == mpx::errc::datatype);
      if (!here && (!neighbor || n < 4)) CHECK(ec == mpx::errc::peer_lost);
    };
    const auto fail_on_all = [&](const auto& from, const auto& to) {
      for (int round = 0; round < 3; ++round) {  // Their node has met in later ones.
        const std::span<const std::ranges::range_value_t<decltype(from)>> around_from(from);
        const std::span<const std::ranges::range_value_t<decltype(to)>> around_to(to);
        const auto all_from = around_from.first(all);
        const auto all_to = around_to.first(all);
        const auto two_from = around_from.first(2);
        const auto two_to = around_to.first(2);
        world.alltoallw(all_from, all_to, ec);
        told(false);
        auto started = world.ialltoallw(all_from, all_to, ec);
        if (!ec) started.wait(ec);
        told(false);
        grid.neighbor_alltoallw(two_from, two_to, ec);
        told(true);
        auto around = grid.ineighbor_alltoallw(two_from, two_to, ec);
        if (!ec) around.wait(ec);
        told(true);
        CHECK(world.allreduce(1, mpx::sum) == n);
        CHECK(world.allgather(world.rank()).back() == n - 1);
      }
    };
    const auto ints = mpx::datatype::of<int>();
    std::vector<mpx::typed_buffer<true>> good;
    std::vector<mpx::typed_buffer<true>> null;
    std::vector<mpx::strided_view<int, 1>> apart;
    std::vector<mpx::strided_view<int, 1>> overlapping;
    for (std::size_t i = 0; i < all + 2; ++i) {
      good.push_back(mpx::buffer(&in[3 * i], 3, ints));
      null.push_back(mpx::buffer(&out[3 * i], 3, here && i == 0 ? mpx::datatype() : ints));
      apart.push_back(mpx::strided(&out[3 * i], 3, 1));
      overlapping.push_back(mpx::strided(&in[3 * i], 3, here && i == 0 ? 0 : 1));
    }
    fail_on_all(null, good);
    fail_on_all(good, null);
    fail_on_all(apart, overlapping);
  });
}

// Offsets that another rank publishes are checked: the reader would store to the memory that it has
// read.
TEST_CASE("neighbours: a block outside of the published memory is refused") {
  using mpx::coll::edge_entry;
  using mpx::coll::find_edge;
  alignas(64) std::array<std::byte, 1024> shown{};
  const auto list = [&](std::size_t i, edge_entry edge) {
    std::memcpy(shown.data() + i * sizeof edge, &edge, sizeof edge);
  };
  const auto find = [&](mpx::rank_t to, std::uint32_t k, std::size_t bytes = 1024) {
    return find_edge({shown.data(), bytes}, to, k);
  };
  list(0, {64, 3});
  list(1, {1, 256});
  list(2, {0, 128});
  list(3, {1, 576});
  CHECK(find(1, 0).base == shown.data() + 64);
  CHECK(find(0, 0).base == shown.data() + 320);
  CHECK(find(1, 1).base == shown.data() + 448);
  CHECK(find(1, 1).bytes == 576);
  CHECK(find(1, 2).base == nullptr);
  CHECK(find(1, 1, 1023).base == nullptr);  // It ends behind the last byte;
  CHECK(find(0, 0, 319).base == nullptr);   // it begins there;
  CHECK(find(1, 0, 4).base == nullptr);     // there is no list;
  CHECK(find(1, 0, std::size_t{1} << 40).base == nullptr);
  list(0, {-64, 3});  // it lies before what is shown;
  CHECK(find(1, 0).base == nullptr);
  list(0, {64, 0xffff'ffff});  // the list is longer than that.
  CHECK(find(7, 0).base == nullptr);
  CHECK(find(7, 0, 32).base == nullptr);
}
