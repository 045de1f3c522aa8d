// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Collectives of buffers that layouts spread: by every algorithm in every form, between threads;
// what is kept of a layout; what is an error.

#include "coll/layouts.hpp"

#include <algorithm>
#include <mpx/intercommunicator.hpp>
#include <mpx/topology.hpp>
#include <numeric>

#include "comm/ranks.hpp"

namespace {

/// Segments so small that there are many.
struct smaller_segments {
  using policy_axis = mpx::collective_axis;
  static constexpr std::string_view name = "smaller_segments";
  static constexpr mpx::coll::choice choose(const mpx::coll::question& q) noexcept {
    return {mpx::coll::by_size::choose(q).by, 1000};
  }
};
constexpr std::size_t few_lengths[] = {1, 100};

using spread_stack = mpx::stack<mpx::transport::inproc, smaller_segments>;

}  // namespace

// In the simulator, where ranks cost no threads, all run at all sizes: test/sim/layouts.test.cpp.
TEST_CASE("layouts: every collective by every algorithm, at once") {
  ranks::run_at_all_counts<spread_stack>(
      [](auto world) { spread::everything(world, suite::form::at_once, 100, few_lengths); });
}
TEST_CASE("layouts: every collective by every algorithm, started and prepared") {
  for (const mpx::rank_t n : {2, 3, 8})
    ranks::run<spread_stack>(n, [n](auto world) {
      const auto f = n == 3 ? suite::form::prepared : suite::form::started;
      spread::everything(world, f, 200, few_lengths);
    });
}

// These ranks have met before, and their elements lie in one piece: the shortest way is near.
TEST_CASE_TEMPLATE("layouts: contiguous data works with every algorithm at every length", Stack,
                   ranks::inproc, ranks::shm) {
  for (const mpx::rank_t n : {2, 3})
    ranks::run<Stack>(n, [n](auto world) {
      const mpx::rank_t me = world.rank();
      const auto typed = [](std::vector<int>& v) {
        return mpx::buffer(v.data(), std::ssize(v), mpx::datatype::of<int>());
      };
      const auto strided = [](std::vector<int>& v) {
        return mpx::strided(v.data(), std::ssize(v), 1);
      };
      const auto counted = [](std::size_t size, int from) {
        std::vector<int> v(size);
        std::iota(v.begin(), v.end(), from);
        return v;
      };
      world.barrier();
      world.barrier();
      for (const std::size_t size : {1, 512, 513, 4096, 4097, 16384, 16385, 80'000}) {
        CAPTURE(size);
        for (mpx::rank_t root = 0; root < n; ++root) {
          auto data = me == root ? counted(size, root) : std::vector<int>(size);
          world.bcast(typed(data), root);
          CHECK(data == counted(size, root));
        }
        auto mine = counted(size, me);
        std::vector<int> all(n * size), sums(size);
        world.allgather(typed(mine), typed(all));
        for (mpx::rank_t r = 0; r < n; ++r)
          CHECK(std::ranges::equal(std::span(all).subspan(r * size, size), counted(size, r)));
        world.allreduce(strided(mine), strided(sums), mpx::sum);
        std::vector<int> due(size);
        for (int i = 0; i < std::ssize(due); ++i) due[i] = n * i + n * (n - 1) / 2;
        CHECK(sums == due);
        auto given = counted(n * size, me * 1000);
        world.alltoall(typed(given), typed(all));
        for (mpx::rank_t r = 0; r < n; ++r)
          CHECK(std::ranges::equal(std::span(all).subspan(r * size, size),
                                   counted(size, r * 1000 + me * static_cast<int>(size))));
        world.reduce_scatter_block(strided(given), strided(sums), mpx::sum);
        for (int& x : due) x += n * me * static_cast<int>(size) + 999 * n * (n - 1) / 2;
        CHECK(sums == due);
      }
    });
}

TEST_CASE("layouts: data that does not fit is an error at all ranks, with the reason") {
  ranks::run<spread_stack>(3, [](auto world) {
    using mpx::datatype;
    const mpx::rank_t me = world.rank();
    std::vector<int> data(100, 1);
    const auto type = datatype::vector(10, 1, 2, datatype::of<int>());
    const auto onto_itself = datatype::vector(10, 2, 1, datatype::of<int>());
    const auto good = mpx::buffer(data.data(), 1, type);
    // Rank 1 has a wrong buffer, the others a right one: all learn of it.
    const auto all_fail = [&](const char* why, auto&& call) {
      const std::string text = ranks::text_of([&] { call(); });
      CAPTURE(text);
      if (me == 1) CHECK(ranks::contains(text, why));
      CHECK(text != "");
    };
    const auto one = [&](const auto& wrong) { return me == 1 ? wrong : good; };
    all_fail("the count is negative",
             [&] { world.allgather(one(mpx::buffer(data.data(), -1, type)), data); });
    all_fail("the datatype is null", [&] {
      std::vector<int> all(30);
      world.allgather(one(mpx::buffer(data.data(), 1, datatype())), all);
    });
    const std::int64_t huge = std::int64_t{1} << 61;
    all_fail("beyond the address space",
             [&] { world.alltoall(one(mpx::buffer(data.data(), huge, type)), data); });
    all_fail("bytes that lie at the same place", [&] {
      std::vector<int> all(60, 2);
      const std::vector<int> mine(20, me);
      if (me == 1) {
        world.allgather(mine, mpx::buffer(data.data(), 3, onto_itself));
      } else {
        world.allgather(mine, all);
      }
    });
    all_fail("elements that lie at the same place", [&] {
      world.allreduce(mpx::strided(data.data(), 10, me == 1 ? 0 : 2), std::plus<>{});
    });
    all_fail("elements", [&] {  // As long as two blocks, not three.
      std::vector<int> all(30);
      world.allgather(good, mpx::strided(all.data(), me == 1 ? 20u : 30u, 1));
    });
    all_fail("negative", [&] {
      std::vector<int> all(30);
      const std::vector<int> counts{10, me == 1 ? -10 : 10, 10};
      world.allgatherv(good, mpx::strided(all.data(), 30, 1), counts);
    });
    all_fail("beyond the buffer", [&] {
      std::vector<int> all(60);
      const std::vector<int> counts{10, 10, 10};
      const std::vector<int> displacements{0, me == 1 ? 21 : 10, 20};
      world.allgatherv(good, mpx::strided(all.data(), 30, 2), counts, displacements);
    });
    // The same where calls are started, and with codes.
    std::error_code ec;
    std::vector<int> all(30);
    auto r = world.iallgather(one(mpx::buffer(data.data(), -1, type)), all, ec);
    if (me == 1) CHECK(ec == mpx::errc::datatype);
    if (me != 1) r.wait(ec);
    if (me != 1) CHECK(ec == mpx::errc::peer_lost);
    auto never = world.bcast_init(mpx::buffer(data.data(), 1, datatype()), 0, ec);
    CHECK(ec == mpx::errc::datatype);
    CHECK(!never);
    // Send data may overlap; an argument that does not count is not read.
    world.bcast(
        me == 0 ? mpx::buffer(data.data(), 1, onto_itself) : mpx::buffer(data.data(), 2, type), 0);
    if (me == 0) {
      world.gather(good, all, 0);
    } else {
      world.gather(good, mpx::buffer(data.data(), -1, type), 0);
    }
    CHECK(world.allreduce(1, std::plus<>{}) == 3);
  });
}

TEST_CASE("layouts: blocks of a datatype without bytes are empty at any displacement") {
  ranks::run_at_all_counts<spread_stack>([](auto world) {
    using mpx::datatype;
    const auto n = static_cast<std::size_t>(world.size());
    std::vector<int> data(2 * n, 7);
    const auto none =
        mpx::buffer(data.data(), world.size(), datatype::contiguous(0, datatype::of<int>()));
    const auto one = mpx::buffer(data.data(), 1, datatype::contiguous(0, datatype::of<int>()));
    const std::vector<int> counts(n, 1), far(n, 1000), before(n, -1000);
    for (const auto f : {suite::form::at_once, suite::form::started, suite::form::prepared}) {
      const auto runs = [&](auto&& call) { suite::in_form(f, call); };
      runs([&](auto&& how) { return world.alltoall(none, none, how); });
      runs([&](auto&& how) { return world.alltoallv(none, counts, none, counts, how); });
      runs([&](auto&& how) {
        return world.alltoallv(none, counts, far, none, counts, before, how);
      });
      runs([&](auto&& how) { return world.gatherv(one, none, counts, 0, how); });
      runs([&](auto&& how) { return world.gatherv(one, none, counts, before, 0, how); });
      runs([&](auto&& how) { return world.scatterv(none, counts, one, 0, how); });
      runs([&](auto&& how) { return world.scatterv(none, counts, far, one, 0, how); });
      runs([&](auto&& how) { return world.allgatherv(one, none, counts, how); });
      runs([&](auto&& how) { return world.allgatherv(one, none, counts, far, how); });
    }
    CHECK(data == std::vector<int>(2 * n, 7));
    if (n < 2) return;
    const std::vector<int> wrong(n, world.rank() == 1 ? -1 : 1);
    const std::string text = ranks::text_of([&] { world.alltoallv(none, wrong, none, counts); });
    if (world.rank() == 1) CHECK(ranks::contains(text, "a count is negative"));
    CHECK(text != "");
  });
}

TEST_CASE("layouts: the place of a block of no elements may be any") {
  ranks::run_at_all_counts<spread_stack>([](auto world) {
    const mpx::rank_t me = world.rank(), n = world.size();
    const auto size = static_cast<std::size_t>(n);
    // Each rank gives to those of its parity alone.
    std::vector<int> counts(size), displacements(size), in(2 * size), out(2 * size, -1),
        due(2 * size, -1);
    for (mpx::rank_t r = 0; r < n; ++r) {
      const auto i = static_cast<std::size_t>(r);
      counts[i] = r % 2 == me % 2;
      displacements[i] = counts[i] != 0 ? r : r % 4 < 2 ? 1'000'000'000 : -1'000'000'000;
      if (counts[i] != 0) due[2 * i] = r * 100 + me;
      in[2 * i] = me * 100 + r;
    }
    const auto from = mpx::strided(in.data(), n, 2), to = mpx::strided(out.data(), n, 2);
    std::vector<int> plain_in(size), plain_out(size, -1), plain_due(size);
    for (std::size_t i = 0; i < size; ++i) plain_in[i] = in[2 * i], plain_due[i] = due[2 * i];
    for (const auto f : {suite::form::at_once, suite::form::started, suite::form::prepared}) {
      std::ranges::fill(out, -1);
      suite::in_form(f, [&](auto&& how) {
        return world.alltoallv(from, counts, displacements, to, counts, displacements, how);
      });
      CHECK(out == due);
      std::ranges::fill(plain_out, -1);
      suite::in_form(f, [&](auto&& how) {
        return world.alltoallv(plain_in, counts, displacements, plain_out, counts, displacements,
                               how);
      });
      CHECK(plain_out == plain_due);
    }
    // Of all ranks only the last has something.
    const std::vector<int> mine(me == n - 1 ? 1 : 0, 5);
    std::vector<int> lengths(size, 0), where(size, -77), all(1, 0);
    lengths.back() = 1, where.back() = 0;
    world.allgatherv(mine, all, lengths, where);
    CHECK(all[0] == 5);
    all[0] = 0;
    world.gatherv(mine, all, lengths, where, 0);
    CHECK(all[0] == (me == 0 ? 5 : 0));
    std::vector<int> got(mine.size(), 0);
    all[0] = 6;
    world.scatterv(all, lengths, where, got, 0);
    CHECK(got == std::vector<int>(mine.size(), 6));
    // The neighbours of a ring, by lists: nothing comes from the left.
    auto ring = mpx::cart_create(world, {{n, true}}, mpx::keep_ranks);
    const std::vector<std::size_t> in_counts{0, 1}, out_counts{1, 0}, wild{std::size_t{1} << 60, 0},
        right{0, 99};
    const int sent = me;
    int come = -1;
    ring.neighbor_alltoallv(std::span(&sent, 1), out_counts, right, std::span(&come, 1), in_counts,
                            wild);
    CHECK(come == (me + 1) % n);
  });
}

TEST_CASE("layouts: a started call outlives its datatypes and views, and may be dropped") {
  ranks::run_at_all_counts<spread_stack>([](auto world) {
    using mpx::datatype;
    constexpr std::size_t n = 20'000;
    const mpx::rank_t me = world.rank();
    std::vector<int> typed(2 * n, me), viewed(3 * n, me);
    auto a =
        world.ibcast(mpx::buffer(typed.data(), n, datatype::resized(datatype::of<int>(), 0, 8)), 0);
    auto b = world.iallreduce(mpx::strided(viewed.data(), n, 3), std::plus<>{});
    auto c = world.bcast_init(mpx::strided(viewed.data() + 1, n, 3), 0);
    c.start();
    a.wait();
    b.wait();
    c.wait();
    const int sum = world.size() * (world.size() - 1) / 2;
    bool right = true;
    for (std::size_t i = 0; i < n; ++i)
      right = right && typed[2 * i] == 0 && typed[2 * i + 1] == me && viewed[3 * i] == sum &&
              viewed[3 * i + 1] == 0 && viewed[3 * i + 2] == me;
    CHECK(right);
    if (world.size() == 1) return;
    // Rank 1 drops its part at once; what the others have begun ends, and touches nothing of it.
    auto part = world.dup();
    std::error_code ec;
    {
      const std::size_t all = n / 8 * static_cast<std::size_t>(world.size());
      std::vector<int> gone(n), gone_too(3 * all);
      auto r = part.iallgather(mpx::strided(gone.data(), n / 8, 8),
                               mpx::strided(gone_too.data(), all, 3), ec);
      if (me != 1) r.wait(ec);
    }
    CHECK((!ec || ec == mpx::errc::peer_lost));  // Its block may have gone before.
  });
}

TEST_CASE("layouts: drawn datatypes, other ones at every rank") {
  for (const mpx::rank_t n : {2, 3, 8})
    ranks::run<spread_stack>(n, [](auto world) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed)
        spread::drawn(world.with(static_cast<mpx::coll::algorithm>(seed * 2 % 13)),
                      static_cast<suite::form>(seed % 2), seed);
    });
}

TEST_CASE("layouts: neighbours exchange the rims of a field in one call") {
  ranks::run_at_all_counts<spread_stack>([](auto world) {
    constexpr std::ptrdiff_t rows = 50, columns = 9;
    auto ring = mpx::cart_create(world, {{world.size(), true}}, mpx::keep_ranks);
    const mpx::rank_t me = ring.rank(), n = ring.size();
    std::vector<int> field(rows * columns, me);
    // The second and the last but one column go to the left and to the right.
    const auto rim = [&](std::ptrdiff_t first, std::ptrdiff_t apart) {
      return mpx::strided(field.data() + first, {2, rows}, {apart, columns});
    };
    const auto holds = [&](std::ptrdiff_t column, int value) {
      bool all = true;
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        all = all && field[static_cast<std::size_t>(i * columns + column)] == value;
      return all;
    };
    const auto is_right = [&] {
      const bool right = holds(0, (me + n - 1) % n) && holds(columns - 1, (me + 1) % n);
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        field[static_cast<std::size_t>(i * columns)] =
            field[static_cast<std::size_t>((i + 1) * columns - 1)] = -1;
      bool inside = true;
      for (std::ptrdiff_t c = 1; c + 1 < columns; ++c) inside = inside && holds(c, me);
      return right && inside;
    };
    const std::vector<std::size_t> counts{rows, rows};
    for (const auto f : {suite::form::at_once, suite::form::started, suite::form::prepared}) {
      suite::in_form(f, [&](auto&& how) {
        return ring.neighbor_alltoall(rim(1, columns - 3), rim(0, columns - 1), how);
      });
      CHECK(is_right());
      suite::in_form(f, [&](auto&& how) {
        return ring.neighbor_allgather(mpx::strided(field.data() + 1, rows, columns),
                                       rim(0, columns - 1), how);
      });
      CHECK(is_right());
      suite::in_form(f, [&](auto&& how) {
        return ring.neighbor_alltoallv(rim(1, columns - 3), counts, {}, rim(0, columns - 1), counts,
                                       {}, how);
      });
      CHECK(is_right());
      suite::in_form(f, [&](auto&& how) {
        return ring.neighbor_allgatherv(mpx::strided(field.data() + 1, rows, columns),
                                        rim(0, columns - 1), counts, {}, how);
      });
      CHECK(is_right());
    }
    std::error_code ec;
    ring.neighbor_alltoall(mpx::buffer(field.data(), -1, mpx::datatype::of<int>()),
                           rim(0, columns - 1), ec);
    CHECK(ec == mpx::errc::datatype);
  });
}

TEST_CASE("layouts: messages across an intercommunicator") {
  ranks::run<spread_stack>(4, [](auto world) {
    const auto half = world.split(world.rank() % 2, 0);
    using between = mpx::intercommunicator<spread_stack>;
    auto across = between::connect(half, 0, world, 1 - world.rank() % 2);
    std::vector<double> m(600, world.rank());
    const auto grid = mpx::matrix(m.data(), 30, 20);
    const mpx::rank_t other = half.rank();
    if (world.rank() % 2 == 0) {
      across.send(mpx::column(grid, 3), other, 1);
      across
          .isend(mpx::buffer(m.data(), 10,
                             mpx::datatype::vector(2, 1, 2, mpx::datatype::of<double>())),
                 other, 2)
          .wait();
    } else {
      across.recv(mpx::column(grid, 5), other, 1);
      std::vector<double> flat(20);
      across.recv(flat, other, 2);
      CHECK((m[5] == world.rank() - 1 && m[29 * 20 + 5] == m[5] && m[6] == world.rank()));
      CHECK(flat == std::vector<double>(20, world.rank() - 1));
    }
    across.free();
  });
}
