// SPDX-License-Identifier: BSL-1.0
// Collective calls in shared memory: calls never mix, sleeping ranks are woken, no rank waits for
// one that is gone, and all memory is returned.

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "coll/suite.hpp"
#include "comm/ranks.hpp"

namespace {

constexpr auto shared = mpx::coll::algorithm::shared;

using asleep = mpx::stack<mpx::waiting::sleep>;
using asleep_in_threads = mpx::stack<mpx::waiting::sleep, mpx::threading::multiple>;

struct gone : std::exception {};

int sum_of_ranks(mpx::rank_t n) { return n * (n - 1) / 2; }

/// Calls of all kinds, one after the other, each rank late in its own way.
template <class World>
bool meets(const World& world, int rounds) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t me = world.rank();
  const auto w = world.with(shared);
  bool right = true;
  for (int i = 0; i < rounds; ++i) {
    if ((i * 7 + me) % 29 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    const mpx::rank_t root = i % n;
    int x = me == root ? i : -1;
    w.bcast(x, root);
    right = right && x == i;
    right = right && w.allreduce(me + i, std::plus<>{}) == sum_of_ranks(n) + n * i;
    const int sum = w.reduce(i, std::plus<>{}, root);
    right = right && (me != root || sum == n * i);
    for (int k = 0; k < i % 3; ++k) w.bcast(x, 0);
    right = right && x == i;
    std::vector<int> all(static_cast<std::size_t>(n));
    w.allgather(me * i, all);
    for (mpx::rank_t r = 0; r < n; ++r) right = right && all[static_cast<std::size_t>(r)] == r * i;
    for (mpx::rank_t r = 0; r < n; ++r) all[static_cast<std::size_t>(r)] = me * 100 + r + i;
    std::vector<int> part(1);
    w.reduce_scatter_block(all, part, std::plus<>{});
    right = right && part[0] == sum_of_ranks(n) * 100 + n * (me + i);
    w.alltoall(mpx::in_place, all);  // Data that a late rank has not read must stay.
    for (mpx::rank_t r = 0; r < n; ++r)
      right = right && all[static_cast<std::size_t>(r)] == r * 100 + me + i;
    if (i % 4 == 0) w.barrier();
    if (i % 5 == 0) {  // Pieces, and what goes by messages in between.
      std::vector<int> many(20'000, me + i);
      w.allreduce(many, std::plus<>{});
      right = right && many.front() == sum_of_ranks(n) + n * i && many.back() == many.front();
      world.barrier(mpx::start).wait();
    }
  }
  return right;
}

}  // namespace

TEST_CASE_TEMPLATE("calls back to back never mix, however late a rank is", Stack, ranks::inproc,
                   ranks::shm, ranks::multiple) {
  for (const mpx::rank_t n : {2, 3, 8})
    ranks::run<Stack>(n, [](auto world) { CHECK(meets(world, 60)); });
}

/// As many calls later, all of which went other ways.
template <class World>
void skip_calls(const World& world, std::uint32_t to) {
  using stack = typename World::stack_type;
  world.barrier(mpx::start).wait();
  mpx::detail::collective_channel<stack>(world, {"skip"}, false).state().collective_serial = to;
}

TEST_CASE("node: a rank that has published nothing for long still knows the ranks that have left") {
  ranks::run<ranks::shm>(3, [](auto world) {
    int x = world.rank();
    world.bcast(x, 2);  // Rank 2 shows here,
    CHECK(x == 2);
    constexpr std::uint32_t eighth = 0x1000'0000;  // and again after 5 and 6 eighths of all
    std::uint32_t k = 0;                           // serials, of which half can be compared.
    for (const std::uint32_t last : {5u, 11u}) {
      while (k++ < last) {
        skip_calls(world, k * eighth - 3);
        for (int i = 0; i < 6; ++i) {
          x = world.rank() == 0 ? i : -1;
          world.bcast(x, 0);
          CHECK(x == i);
        }
      }
      for (int i = 0; i < 9; ++i) {
        std::array<int, 1000> much{};
        much.fill(world.rank() == 2 ? i : -1);
        world.bcast(much, 2);
        CHECK(much.back() == i);
        x = world.rank();
        world.bcast(x, 2);
        CHECK(x == 2);
      }
      --k;
    }
    CHECK(world.allreduce(1, std::plus<>{}) == 3);
  });
}

TEST_CASE_TEMPLATE("node: sleeping ranks are woken", Stack, asleep, asleep_in_threads) {
  for (const mpx::rank_t n : {2, 5}) {
    const auto start = std::chrono::steady_clock::now();
    ranks::run<Stack>(n, [](auto world) { CHECK(meets(world, 60)); });
    // A sleep without wake-up takes a tenth of a second, and there are hundreds.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5 * ranks::slowdown));
  }
}

TEST_CASE("node: threads make calls in communicators of their own, at once") {
  ranks::run<asleep_in_threads>(3, [](auto world) {
    auto other = world.dup();
    bool right = true;
    std::thread beside([&] { right = meets(other, 40); });
    const bool here = meets(world, 40);
    beside.join();
    CHECK(here);
    CHECK(right);
  });
}

TEST_CASE_TEMPLATE("node: calls of a part of the job's ranks", Stack, ranks::inproc, ranks::shm) {
  ranks::run<Stack>(7, [](auto world) {
    auto half = world.split(world.rank() % 2, -world.rank());
    CHECK(meets(half, 15));
    CHECK(meets(world, 5));
    half.free();
  });
}

TEST_CASE_TEMPLATE("node: no rank waits for a rank that is gone", Stack, ranks::inproc, ranks::shm,
                   asleep) {
  for (const bool bcast : {false, true}) {
    int lost = 0;
    std::mutex counting;
    const auto body = [&](auto world) {
      world.with(shared).barrier();
      if (world.rank() == 2) throw gone();
      const mpx::errc why = ranks::errc_of([&] {
        int x = 0;
        if (bcast) world.with(shared).bcast(x, 2);
        if (!bcast) static_cast<void>(world.with(shared).allreduce(1, std::plus<>{}));
      });
      const std::lock_guard lock(counting);
      lost += why == mpx::errc::peer_lost ? 1 : 0;
    };
    CHECK_THROWS_AS(ranks::run<Stack>(4, body), gone);
    CHECK(lost == 3);
  }
}

/// Choices that are known at run time only, as of scripts/tune. Its ranks are threads of one process.
struct tuned {
  using policy_axis = mpx::collective_axis;
  static constexpr std::string_view name = "tuned_in_a_test";
  static constexpr std::size_t sent_bytes = 24;
  static inline std::atomic<int> asked{0};
  static mpx::coll::choice choose(const mpx::coll::question& q) noexcept {
    ++asked;
    if (q.bytes == sent_bytes) return {mpx::coll::fallback(q.of)};
    return {shared};
  }
};

TEST_CASE(
    "node: a policy of a program's own is not asked again by each short call in shared memory") {
  for (const mpx::rank_t n : {2, 3}) {
    ranks::run<mpx::stack<mpx::transport::inproc, tuned>>(n, [n](auto world) {
      const mpx::rank_t me = world.rank();
      const auto size = static_cast<std::size_t>(n);
      std::vector<int> all(size);
      std::vector<int> out(size, me);
      const auto round = [&](int i) {
        world.barrier();
        int x = me == i % n ? i : -1;
        world.bcast(x, i % n);
        CHECK(x == i);
        world.allgather(me + i, all);
        for (mpx::rank_t r = 0; r < n; ++r) CHECK(all[static_cast<std::size_t>(r)] == r + i);
        world.alltoall(out, all);
        for (mpx::rank_t r = 0; r < n; ++r) CHECK(all[static_cast<std::size_t>(r)] == r);
      };
      round(0);
      round(1);
      world.barrier();
      const int before = tuned::asked;
      for (int i = 2; i < 50; ++i) round(i);
      CHECK(tuned::asked == before);
      world.barrier();
      // What the policy sends is sent, although shorter calls are not.
      for (int i = 0; i < 10; ++i) {
        std::array<char, tuned::sent_bytes> text{};
        if (me == 0) text.back() = 'x';
        world.bcast(text, 0);
        CHECK(text.back() == 'x');
        CHECK(world.allreduce(i, std::plus<>{}) == n * i);
      }
      CHECK(tuned::asked >= before + 10 * n);
    });
  }
}

TEST_CASE("node: a rank whose policy sends learns that others use shared memory") {
  ::alarm(100);  // It would wait for ever.
  for (const mpx::rank_t n : {2, 3, 4}) {
    ranks::run<mpx::stack<mpx::transport::inproc, tuned>>(n, [n](auto world) {
      world.barrier();
      for (mpx::rank_t odd = 0; odd < n; ++odd) {
        const std::size_t bytes = world.rank() == odd ? tuned::sent_bytes : 100;
        std::vector<char> data(bytes, 1);
        std::vector<char> all(bytes * static_cast<std::size_t>(n));
        CHECK(ranks::errc_of([&] { world.allreduce(data, mpx::max); }) != mpx::errc{});
        CHECK(ranks::errc_of([&] { world.allgather(data, all); }) != mpx::errc{});
        CHECK(world.allreduce(1, std::plus<>{}) == n);
      }
    });
  }
  ::alarm(0);
}

TEST_CASE("node: an exception of an operation ends this call at all ranks, and no other") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const mpx::rank_t n = world.size();
    const auto w = world.with(shared);
    for (int i = 0; i < 10; ++i) {
      const auto throws = [](int, int) -> int { throw std::runtime_error("no"); };
      try {
        static_cast<void>(w.allreduce(1, throws));
        CHECK(n == 1);
      } catch (const std::runtime_error& e) {  // An mpx::error is one as well.
        CHECK(n > 1);
      }
      if (i % 2 == 0) CHECK(w.allreduce(1, std::plus<>{}) == n);
    }
    w.barrier();
  });
}

TEST_CASE_TEMPLATE("sizes and forms that do not agree are an error", Stack, ranks::inproc,
                   ranks::shm) {
  ranks::run<Stack>(2, [](auto world) {
    world.barrier();
    std::vector<int> data(world.rank() == 0 ? 10 : 100'000);
    const mpx::errc why = ranks::errc_of([&] { world.allreduce(data, std::plus<>{}); });
    CHECK(why == (world.rank() == 0 ? mpx::errc::truncate : mpx::errc::count));
    // Also if the root sends a message instead, as the data is long.
    for (const mpx::rank_t longer : {0, 1}) {
      data.resize(world.rank() == longer ? 100'000 : 10);
      const auto root = mpx::rank_t{0};
      const mpx::errc got = ranks::errc_of([&] { world.bcast(data, root); });
      if (world.rank() != root)
        CHECK(got == (longer == root ? mpx::errc::truncate : mpx::errc::count));
    }
    std::error_code ec;
    if (world.rank() == 0) {
      world.barrier(ec);
      CHECK(ec == mpx::errc::count);
    } else {
      world.barrier(mpx::start).wait(ec);
      CHECK((!ec || ec == mpx::errc::peer_lost));
    }
    CHECK(world.allreduce(1, std::plus<>{}) == 2);
  });
}

/// Calls of `bytes` at this rank, whatever others have. `failed(why, all)`: what came of one; if
/// `all`, of one in which each rank gets something of every other one.
template <class World, class Failed>
void make_all(const World& world, std::size_t bytes, Failed&& failed) {
  const auto w = world.with(shared);
  const auto n = static_cast<std::size_t>(world.size());
  std::vector<unsigned char> own(bytes, 1);
  std::vector<unsigned char> out(bytes);
  std::vector<unsigned char> blocks(bytes * n, 1);
  std::vector<unsigned char> all(bytes * n);
  const auto plus = std::plus<>{};
  const auto make = [&](bool meets_all, auto&& call) {
    const std::string text = ranks::text_of(call);
    failed(text, meets_all);
  };
  for (const mpx::rank_t root : {0, world.size() - 1}) {
    make(false, [&] { w.bcast(own, root); });
    make(false, [&] { w.reduce(own, out, plus, root); });
  }
  make(true, [&] { w.allreduce(own, out, plus); });
  make(true, [&] { w.allgather(own, all); });
  make(true, [&] { w.alltoall(blocks, all); });
  make(true, [&] { w.reduce_scatter_block(blocks, out, plus); });
}

TEST_CASE_TEMPLATE("lengths that differ by whole pieces are an error that names them", Stack,
                   ranks::inproc, ranks::shm) {
  constexpr std::size_t piece = mpx::coll::node_stream_bytes;
  constexpr std::size_t lengths[][2] = {{piece, 4 * piece},      // Of bcast and reduce,
                                        {4 * piece, piece},      // which may be ahead of others.
                                        {2 * piece, piece},      // Of some elements,
                                        {4 * piece, 8 * piece},  // and of all of them.
                                        {8 * piece, 20 * piece}};
  for (const mpx::rank_t n : {2, 3, 8}) {
    ranks::run<Stack>(n, [&lengths, n](auto world) {
      world.barrier();
      for (const auto& [one, others] : lengths) {
        for (const mpx::rank_t odd : {0, n - 1}) {
          make_all(world, world.rank() == odd ? one : others,
                   [&](const std::string& why, bool all) {
                     const bool names = ranks::contains(why, " bytes of room for a message of ") ||
                                        ranks::contains(why, "sizes must agree on all ranks");
                     const bool left = ranks::contains(why, "has left this call with an error");
                     CAPTURE(why);
                     CHECK((why.empty() || names || left));
                     const int failed = world.allreduce(why.empty() ? 0 : 1, std::plus<>{});
                     CHECK(failed >= (all ? n : 1));
                     CHECK(world.allreduce(names ? 1 : 0, std::plus<>{}) >= 1);
                   });
        }
      }
    });
  }
}

TEST_CASE("gathered and scattered blocks of lengths that differ are an error") {
  constexpr std::size_t lengths[][2] = {{10, 32776}, {32776, 10}};
  for (const mpx::rank_t n : {3, 4}) {
    ranks::run<ranks::shm>(n, [&lengths, n](auto world) {
      world.barrier();
      for (const auto& [one, others] : lengths) {
        for (const mpx::rank_t odd : {0, n - 1}) {
          const std::size_t bytes = world.rank() == odd ? one : others;
          std::vector<unsigned char> own(bytes, 1);
          std::vector<unsigned char> all(bytes * static_cast<std::size_t>(n), 1);
          for (const int variant : {0, 1, 2, 3}) {
            auto fresh = world.dup();
            const auto& on = variant < 2 ? world : fresh;  // Also as the first call.
            const std::string why = ranks::text_of([&] {
              if (variant % 2 == 0) on.gather(own, all, 0);
              if (variant % 2 == 1) on.scatter(all, own, 0);
            });
            const bool says = ranks::contains(why, "another rank has given another size") ||
                              ranks::contains(why, "sizes must agree on all ranks") ||
                              ranks::contains(why, " bytes of room for a message of ");
            CAPTURE(why);
            CHECK((why.empty() || says || ranks::contains(why, "has left this call")));
            CHECK(world.allreduce(says ? 1 : 0, std::plus<>{}) >= 1);
            fresh.free();
          }
        }
      }
    });
  }
}

TEST_CASE_TEMPLATE("memory where ranks met is used again", Stack, ranks::inproc, ranks::shm) {
  ranks::run<Stack>(3, [](auto world) {
    bool right = true;
    for (int i = 0; i < 300; ++i) {  // Far more than there is memory for at once.
      auto copy = world.dup();
      const int sum = copy.with(shared).allreduce(i, std::plus<>{});
      right = right && sum == 3 * i;
      copy.free();
    }
    CHECK(right);
  });
}

/// Elements `from` .. of what all give by suite::of, combined.
static bool are_of_all(const std::vector<suite::matrix>& v, mpx::rank_t n, std::size_t from = 0) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] != suite::product(0, n - 1, from + i)) return false;
  return true;
}

TEST_CASE_TEMPLATE("node: operands keep their order with every algorithm", Stack, ranks::inproc,
                   ranks::shm) {
  // In a line; in a piece; in some; in parts, each combined by one; in more pieces than caches
  // hold.
  for (const std::size_t length : {1u, 10u, 700u, 10'000u, 50'000u}) {
    for (const mpx::rank_t n : {2, 3}) {
      ranks::run<Stack>(n, [length, n](auto world) {
        CAPTURE(length);
        const auto w = world.with(shared);
        const mpx::rank_t me = w.rank();
        std::vector<suite::matrix> own(length);
        for (std::size_t i = 0; i < length; ++i) own[i] = suite::of(me, i);
        std::vector<suite::matrix> out(length);
        for (mpx::rank_t root = 0; root < n; ++root) {
          out.assign(length, suite::matrix{});
          w.reduce(own, out, suite::times{}, root);
          CHECK((me != root || are_of_all(out, n)));
          out = own;
          w.reduce(out, suite::times{}, root);  // In place.
          CHECK((me != root || are_of_all(out, n)));
        }
        out.assign(length, suite::matrix{});
        w.allreduce(own, out, suite::times{});
        CHECK(are_of_all(out, n));
        out = own;
        w.allreduce(out, suite::times{});
        CHECK(are_of_all(out, n));
        std::vector<suite::matrix> blocks(length * static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = suite::of(me, i);
        out.assign(length, suite::matrix{});
        w.reduce_scatter_block(blocks, out, suite::times{});
        CHECK(are_of_all(out, n, length * static_cast<std::size_t>(me)));
      });
    }
  }
}
