// SPDX-License-Identifier: BSL-1.0
// release: tsan
// compilers: both
// Collectives at every number of ranks, over every stack: results, errors, and that calls never
// mix.

#include <atomic>
#include <cmath>
#include <limits>

#include "comm/ranks.hpp"

namespace {

/// Composition of 2 x 2 matrices modulo 2^64: associative, and it does not commute.
struct matrix {
  std::uint64_t m[4];  // Without optimisation std::array would take longest of all.
  friend bool operator==(const matrix&, const matrix&) = default;
};
matrix operator*(const matrix& a, const matrix& b) {
  return {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
           a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
}
matrix of(mpx::rank_t rank, std::size_t i) {
  const auto r = static_cast<std::uint64_t>(rank);
  return {{r + 2, i + 3, 5 * r + 1, 7 * i + r}};
}
matrix product(mpx::rank_t n, std::size_t i) {
  matrix p = of(0, i);
  for (mpx::rank_t r = 1; r < n; ++r) p = p * of(r, i);
  return p;
}

double value_of(mpx::rank_t rank, std::size_t i) {
  return std::ldexp(1.0 / (3.0 + static_cast<double>(i)), (rank * 7) % 40);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("barrier: no rank leaves before all have entered", Stack, barrier) {
  for (const mpx::rank_t n : ranks::counts) {
    std::atomic<int> entered = 0;
    ranks::run<Stack>(n, [&](auto world) {
      bool right = true;
      for (int round = 1; round <= 20; ++round) {
        ++entered;
        world.barrier();
        right = right && entered >= round * world.size();
      }
      CHECK(right);
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(barrier, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("bcast: from every root, at all sizes", Stack, bcast) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    for (mpx::rank_t root = 0; root < world.size(); ++root) {
      for (const std::size_t bytes : ranks::sizes<Stack>()) {
        const std::uint64_t seed = bytes + static_cast<std::uint64_t>(root);
        if (bytes > 100'000 && root % 4 != 1) continue;
        std::vector<std::byte> data(bytes);
        if (world.rank() == root) ranks::fill(data, seed);
        world.bcast(data, root);
        CHECK(ranks::holds(data, seed));
      }
      double x = world.rank() == root ? 2.5 : 0;
      world.bcast(x, root);
      CHECK(x == 2.5);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(bcast, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("reduce and allreduce: in rank order", Stack, reduce) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    const mpx::rank_t n = world.size();
    const mpx::rank_t me = world.rank();
    const auto times = [](const matrix& a, const matrix& b) { return a * b; };
    for (mpx::rank_t root = 0; root < n; ++root) {
      const matrix one = world.reduce(of(me, 0), times, root);
      if (me == root) CHECK(one == product(n, 0));
      if (me != root) CHECK(one == of(me, 0));
    }
    CHECK(world.allreduce(of(me, 1), times) == product(n, 1));
    for (const std::size_t length : {0u, 1u, 17u, 200u, 5000u}) {
      std::vector<matrix> mine(length);
      for (std::size_t i = 0; i < length; ++i) mine[i] = of(me, i);
      std::vector<matrix> all = mine;
      world.allreduce(std::span(all), times);
      const mpx::rank_t root = static_cast<mpx::rank_t>(length) % n;
      world.reduce(std::span(mine), times, root);
      bool right = true;
      for (std::size_t i = 0; i < length; ++i) {
        const matrix expected = product(n, i);
        right = right && all[i] == expected && (me != root || mine[i] == expected);
      }
      CHECK(right);
    }
    const auto larger = [](int a, int b) { return a > b ? a : b; };
    CHECK(world.allreduce(me, larger) == n - 1);
    CHECK(world.allreduce(me, std::plus<>{}) == n * (n - 1) / 2);
    CHECK(world.allreduce(true, std::logical_and<>{}));
    CHECK(!world.allreduce(me != 0, std::logical_and<>{}));
  });
}
TEST_CASE_TEMPLATE_APPLY(reduce, ranks::all_stacks);

TEST_CASE_TEMPLATE("allreduce: the same bits everywhere, and every time", Stack, ranks::inproc,
                   ranks::shm, ranks::tiny, ranks::multiple) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    constexpr std::size_t length = 1000;
    std::vector<double> first;
    for (int round = 0; round < 5; ++round) {
      std::vector<double> sums(length);
      for (std::size_t i = 0; i < length; ++i) sums[i] = value_of(world.rank(), i);
      world.allreduce(std::span(sums), std::plus<>{});
      if (round == 0) first = sums;
      CHECK(std::memcmp(sums.data(), first.data(), length * sizeof(double)) == 0);
      std::vector<double> roots = sums;
      world.bcast(roots, 0);
      CHECK(std::memcmp(sums.data(), roots.data(), length * sizeof(double)) == 0);
    }
  });
}

// Of a NaN and a number, and of zeros of both signs, max and min have two answers.
TEST_CASE_TEMPLATE("allreduce: max and min have the same bits at all ranks", Stack, ranks::inproc,
                   ranks::shm) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    const auto same = [&](std::vector<double> mine, auto op) {
      for (int by = 0; by < mpx::coll::algorithms; ++by) {
        CAPTURE(by);
        auto forced = world.with(static_cast<mpx::coll::algorithm>(by));
        std::vector<double> first = mine, second = mine, out(mine.size());
        forced.allreduce(first, op);
        forced.allreduce(mine, out, op);
        CHECK(std::memcmp(out.data(), first.data(), out.size() * sizeof(double)) == 0);
        world.allreduce(second, op, mpx::start).wait();
        for (const auto* result : {&out, &second}) {
          std::vector<double> roots = *result;
          world.bcast(roots, 0);
          CHECK(std::memcmp(result->data(), roots.data(), roots.size() * sizeof(double)) == 0);
        }
      }
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t size : {1, 100, 3000, 30'000}) {
      CAPTURE(size);
      std::vector<double> some(size, world.rank());
      std::vector<double> zeros(size, world.rank() % 2 == 0 ? 0.0 : -0.0);
      for (std::size_t i = world.rank(); i < size; i += world.size()) some[i] = nan;
      same(some, mpx::max);
      same(zeros, mpx::min);
    }
  });
}

// The first call of a communicator goes another way than later ones. (Of more ranks the order of
// what commutes is the algorithm's.)
TEST_CASE_TEMPLATE("reduce_scatter: two ranks get the same bits by every algorithm", Stack,
                   ranks::inproc, ranks::shm) {
  ranks::run<Stack>(2, [](auto world) {
    const auto me = static_cast<std::size_t>(world.rank());
    const auto n = static_cast<std::size_t>(world.size());
    for (const std::size_t size : {1, 100, 3000}) {
      CAPTURE(size);
      std::vector<double> zeros(size * n, me % 2 == 0 ? 0.0 : -0.0);
      std::vector<double> some(size * n, static_cast<double>(me));
      for (std::size_t i = me; i < some.size(); i += n)
        some[i] = std::numeric_limits<double>::quiet_NaN();
      auto fresh = world.dup();
      std::vector<double> first(size), later(size);
      for (const auto& mine : {some, zeros}) {
        fresh.reduce_scatter_block(mine, first, mpx::max);
        for (int again = 0; again < 3; ++again) {
          world.reduce_scatter_block(mine, later, mpx::max);
          CHECK(std::memcmp(later.data(), first.data(), size * sizeof(double)) == 0);
        }
        fresh = world.dup();
      }
    }
  });
}

TEST_CASE_TEMPLATE("a root that is no rank", Stack, ranks::inproc, ranks::multiple) {
  ranks::run<Stack>(3, [](auto world) {
    int x = 1;
    for (const mpx::rank_t wrong : {3, -1, -2}) {
      const std::string at = " on rank " + std::to_string(world.rank()) + " with root " +
                             std::to_string(wrong) + ", communicator 0: ranks here are 0 .. 2";
      const auto is = [&](const std::string& text, const std::string& operation) {
        CAPTURE(text);
        CHECK(ranks::contains(text, operation + at));
        CHECK(ranks::contains(text, "root out of range"));
      };
      is(ranks::text_of([&] { world.bcast(x, wrong); }), "bcast");
      is(ranks::text_of([&] { world.reduce(x, std::plus<>{}, wrong); }), "reduce");
      is(ranks::text_of([&] { world.reduce(std::span(&x, 1), std::plus<>{}, wrong); }), "reduce");
      std::error_code ec;
      world.bcast(x, wrong, ec);
      CHECK(ec == mpx::errc::root);
      world.reduce(x, std::plus<>{}, wrong, ec);
      CHECK(ec == mpx::errc::root);
    }
    CHECK(world.allreduce(1, std::plus<>{}) == 3);  // All is well again.
  });
}

TEST_CASE_TEMPLATE("sizes that do not agree are an error", Stack, ranks::inproc, ranks::listed,
                   ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t length : {10u, 50'000u}) {
      const bool leaf = world.rank() == 1;
      std::vector<int> more(length + (leaf ? 1 : 0));
      std::vector<int> less(length - (leaf ? 1 : 0));
      const auto result = [](auto body) { return ranks::errc_of(body); };
      const auto none = mpx::errc{};
      CHECK(result([&] { world.bcast(more, 0); }) == (leaf ? mpx::errc::count : none));
      CHECK(result([&] { world.bcast(less, 0); }) == (leaf ? mpx::errc::truncate : none));
      const std::string text = ranks::text_of([&] { world.bcast(more, 0); });
      CAPTURE(text);
      if (leaf) CHECK(ranks::contains(text, "sizes must agree on all ranks"));
      // Rank 0 receives from rank 1; of what is long, both combine a part.
      const auto is = [&](mpx::errc got, mpx::errc of_root) {
        if (length > 1000) return leaf || got != none;
        return got == (leaf ? none : of_root);
      };
      CHECK(is(result([&] { world.reduce(std::span(more), std::plus<>{}, 0); }),
               mpx::errc::truncate));
      CHECK(is(result([&] { world.reduce(std::span(less), std::plus<>{}, 0); }), mpx::errc::count));
      CHECK(world.allreduce(1, std::plus<>{}) == 2);
    }
  });
}

TEST_CASE_TEMPLATE_DEFINE("collectives back to back, point-to-point in between", Stack, mixed) {
  for (const mpx::rank_t n : {2, 3, 7}) {
    ranks::run<Stack>(n, [](auto world) {
      const mpx::rank_t n = world.size();
      const mpx::rank_t me = world.rank();
      const mpx::rank_t next = (me + 1) % n;
      const mpx::rank_t previous = (me + n - 1) % n;
      auto other = world.dup();
      bool right = true;
      for (int round = 0; round < 60; ++round) {
        // Pending all the while, with wildcards that must not see what collectives send.
        std::vector<std::byte> in(round % 7 == 0 ? 30'000 : 10);
        auto wild = world.irecv(in);
        int x = me + round;
        other.bcast(x, round % n);
        right = right && x == round % n + round;
        const int sum = world.allreduce(me + round, std::plus<>{});
        right = right && sum == n * (n - 1) / 2 + n * round;
        const auto seed = static_cast<std::uint64_t>(me + 100 * round);
        world.send(ranks::message(in.size(), seed), next, round);
        double y = round;
        world.bcast(y, 0);
        const mpx::status s = wild.wait();
        right = right && s.source() == previous && s.tag() == round &&
                ranks::holds(in, static_cast<std::uint64_t>(previous + 100 * round));
        const int all = other.reduce(1, std::plus<>{}, round % n);
        right = right && all == (me == round % n ? n : 1);
      }
      CHECK(right);
      CHECK(!world.iprobe());
      CHECK(!other.iprobe());
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(mixed, ranks::all_stacks);

TEST_CASE_TEMPLATE("dup: at the limit of communicators, and beyond it", Stack, ranks::inproc,
                   ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    constexpr int most = 8191;
    auto last = world;
    bool right = true;
    for (int i = 1; i <= most; ++i) {
      last = (i % 2 == 0 ? world : last).dup();
      right = right && last.context() == static_cast<mpx::context_id>(i);
    }
    CHECK(right);
    CHECK(ranks::errc_of([&] { (void)world.dup(); }) == mpx::errc::communicator);
    const std::string text = ranks::text_of([&] { (void)last.dup(); });
    CAPTURE(text);
    CHECK(ranks::contains(text, "the limit of communicators is reached"));
    std::error_code ec;
    (void)world.dup(ec);
    CHECK(ec == mpx::errc::communicator);
    const mpx::rank_t other = 1 - world.rank();
    int x = 0;
    last.sendrecv(world.rank(), other, 1, x, other, 1);
    CHECK(x == other);
    CHECK(last.allreduce(1, std::plus<>{}) == 2);
    CHECK(world.allreduce(1, std::plus<>{}) == 2);
  });
}
