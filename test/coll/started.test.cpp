// SPDX-License-Identifier: BSL-1.0
// Collectives that are started or prepared: many under way, ended in any order, dropped, failed.
// release: tsan

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "coll/orders.hpp"
#include "comm/ranks.hpp"

namespace {

using requests = std::vector<mpx::request<ranks::shm>>;

int gauss(mpx::rank_t n) { return n * (n - 1) / 2; }

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("started collectives end in any order, and never mix", Stack,
                          many_started) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    constexpr std::size_t many = 50;
    const mpx::rank_t n = world.size();
    const mpx::rank_t me = world.rank();
    for (int round = 0; round < 3; ++round) {
      std::vector<mpx::request<Stack>> under_way;
      std::vector<std::vector<int>> data(many);
      std::vector<int> from_left(many, -1);
      for (std::size_t i = 0; i < many; ++i) {
        const auto root = static_cast<mpx::rank_t>(i) % n;
        data[i].assign(i % 5 == 4 ? 20'000 : i % 3, me + static_cast<int>(i));
        if (i % 4 == 0) under_way.push_back(world.barrier(mpx::start));
        if (i % 4 == 1) under_way.push_back(world.allreduce(data[i], std::plus<>{}, mpx::start));
        if (i % 4 == 2) under_way.push_back(world.bcast(data[i], root, mpx::start));
        if (i % 4 == 3) under_way.push_back(world.reduce(data[i], std::plus<>{}, root, mpx::start));
        // Messages in between, with wildcards that must not see what collectives send.
        under_way.push_back(world.irecv(from_left[i]));
        world.send(static_cast<int>(i), (me + 1) % n, static_cast<mpx::tag_t>(i));
      }
      for (std::size_t i = 0; i < under_way.size(); ++i)
        under_way[(i * 37 + static_cast<std::size_t>(me)) % under_way.size()].wait();
      bool right = true;
      for (std::size_t i = 0; i < many; ++i) {
        const auto root = static_cast<mpx::rank_t>(i) % n;
        const int sum = gauss(n) + n * static_cast<int>(i);
        right = right && from_left[i] == static_cast<int>(i);
        for (const int x : data[i]) {
          if (i % 4 == 1) right = right && x == sum;
          if (i % 4 == 2) right = right && x == root + static_cast<int>(i);
          if (i % 4 == 3 && me == root) right = right && x == sum;
        }
      }
      CHECK(right);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(many_started, std::tuple<ranks::shm, ranks::tiny, ranks::late>);

TEST_CASE_TEMPLATE("every rank starts them in an order of its own, messages in between", Stack,
                   ranks::shm, ranks::tiny) {
  for (mpx::rank_t n = 2; n <= 8; ++n)
    ranks::run<Stack>(n, [n](auto world) {
      orders::start_in_any(world, static_cast<std::uint64_t>(n), [](auto& r) {
        std::this_thread::sleep_for(std::chrono::microseconds(r.below(500)));
      });
    });
}

TEST_CASE("prepared collectives run repeatedly and at once") {
  ranks::run_at_all_counts<ranks::shm>([](auto world) {
    const mpx::rank_t n = world.size();
    int x = 0;
    std::vector<double> long_one(10'000);
    int kept = 7;  // Referenced by the operation.
    auto one =
        world.allreduce(x, [&kept](int a, int b) { return kept == 7 ? a + b : 0; }, mpx::prepare);
    auto other = world.bcast(long_one, n - 1, mpx::prepare);
    auto fence = world.barrier(mpx::prepare);
    CHECK(one.persistent());
    CHECK(!one);
    bool right = true;
    for (int i = 0; i < 200; ++i) {
      x = world.rank() + i;
      if (world.rank() == n - 1) std::fill(long_one.begin(), long_one.end(), 0.5 * i);
      one.start();
      other.start();
      fence.start();
      if (i == 0) CHECK(ranks::errc_of([&] { one.start(); }) == mpx::errc::request);
      if (i % 2 == 0) {
        fence.wait();
        one.wait();
        other.wait();
      } else {
        while (!other.test()) continue;
        one.wait();
        fence.wait();
      }
      right = right && x == gauss(n) + n * i && long_one.front() == 0.5 * i &&
              long_one.back() == 0.5 * i;
    }
    CHECK(right);
  });
}

// MPI 4.1, 6.13: persistent collectives go together by the order of their init calls.
TEST_CASE_TEMPLATE("prepared calls match in the order of preparation, not of starts", Stack,
                   ranks::shm, ranks::tiny, ranks::multiple) {
  for (const mpx::rank_t n : {2, 3, 4, 8})
    ranks::run<Stack>(n, [n](auto world) {
      const mpx::rank_t me = world.rank();
      constexpr std::size_t many = 5;
      for (const std::size_t length : {1u, 3000u}) {
        std::vector<std::vector<int>> data(many, std::vector<int>(length));
        int sum = 0, sum_of_squares = 0;
        std::vector<mpx::request<Stack>> all;
        for (std::size_t i = 0; i < many; ++i)
          all.push_back(world.bcast(data[i], static_cast<mpx::rank_t>(i) % n, mpx::prepare));
        all.push_back(world.allreduce(sum, std::plus<>{}, mpx::prepare));
        all.push_back(world.allreduce(sum_of_squares, std::plus<>{}, mpx::prepare));
        bool right = true;
        for (int round = 0; round < 60; ++round) {
          for (std::size_t i = 0; i < many; ++i)
            std::ranges::fill(data[i], me == static_cast<mpx::rank_t>(i) % n
                                           ? round * 100 + static_cast<int>(i)
                                           : -1);
          sum = me;
          sum_of_squares = me * me;
          // An order of its own at each rank and in each round, and other calls in between.
          std::vector<std::size_t> order(all.size());
          std::iota(order.begin(), order.end(), std::size_t{0});
          std::ranges::rotate(order, order.begin() + (me + round) % std::ssize(order));
          if (me % 2 == 0) std::ranges::reverse(order);
          int x = me;
          for (std::size_t k = 0; k < order.size(); ++k) {
            if (k == 3 && round % 3 == 0) world.bcast(x, 0);
            all[order[k]].start();
          }
          if (round % 4 == 0) right = right && world.allreduce(1, std::plus<>{}) == n;
          mpx::wait_all(all);
          for (std::size_t i = 0; i < many; ++i)
            right = right && std::ranges::count(data[i], round * 100 + static_cast<int>(i)) ==
                                 std::ssize(data[i]);
          int squares = 0;
          for (mpx::rank_t r = 0; r < n; ++r) squares += r * r;
          right = right && sum == n * (n - 1) / 2 && sum_of_squares == squares;
          if (round % 3 == 0) right = right && x == 0;
        }
        CHECK(right);
      }
    });
}

TEST_CASE("a rank that is ahead in starts of one prepared collective confuses no other call") {
  ranks::run<ranks::shm>(2, [](auto world) {
    int a = 0, b = 0;
    auto one = world.bcast(a, 0, mpx::prepare);
    auto other = world.bcast(b, 0, mpx::prepare);
    constexpr int rounds = 400;
    const auto run = [&](auto& r, int& value, int first) {
      bool right = true;
      for (int i = 0; i < rounds; ++i) {
        value = world.rank() == 0 ? first + i : -1;
        r.start();
        r.wait();
        right = right && value == first + i;
      }
      CHECK(right);
    };
    if (world.rank() == 0) {  // Its messages wait at rank 1.
      run(one, a, 1000);
      run(other, b, 2000);
    } else {
      run(other, b, 2000);
      run(one, a, 1000);
    }
  });
}

TEST_CASE("a collective that cannot be prepared at one rank leaves the ranks in step") {
  ranks::run<ranks::shm>(3, [](auto world) {
    std::error_code ec;
    int x = -1, y = -1;
    std::vector<int> some(world.rank() == 1 ? 4u : 3u), block(1);
    auto never = world.alltoall_init(some, some, ec);
    CHECK((ec == mpx::errc::argument) == (world.rank() == 1));
    auto one = world.bcast(x, 0, mpx::prepare);
    auto other = world.bcast(y, 0, mpx::prepare);
    if (world.rank() == 0) x = 1, y = 2;
    orders::run_both(one, other, world.rank() == 2);
    CHECK(x == 1);
    CHECK(y == 2);
  });
}

TEST_CASE("started collectives with all_of, wait_any, error codes, tokens") {
  ranks::run_at_all_counts<ranks::shm>([](auto world) {
    const mpx::rank_t n = world.size();
    int a = world.rank();
    int b = 1;
    std::error_code ec;
    auto both = mpx::all_of(world.allreduce(a, std::plus<>{}, mpx::start(ec)),
                            world.allreduce(b, std::plus<>{}, mpx::start));
    CHECK(!both.cancel());
    both.wait(ec);
    CHECK(!ec);
    CHECK(a == gauss(n));
    CHECK(b == n);
    requests some;
    for (int i = 0; i < 5; ++i) some.push_back(world.barrier(mpx::start));
    int ended = 0;
    while (mpx::wait_any(some)) ++ended;
    CHECK(ended == 5);
    int wrong = 1;
    const mpx::rank_t no_root = n;
    CHECK(ranks::errc_of([&] { (void)world.bcast(wrong, no_root, mpx::start); }) ==
          mpx::errc::root);
    (void)world.bcast(wrong, -1, mpx::start(ec));
    CHECK(ec == mpx::errc::root);
    CHECK(ranks::contains(ranks::text_of([&] { (void)world.bcast(wrong, n, mpx::start); }),
                          "with root " + std::to_string(n)));
    CHECK(world.allreduce(1, std::plus<>{}) == n);
  });
}

TEST_CASE("an exception of an operation is thrown where its call ends") {
  struct thrown {};
  ranks::run_at_all_counts<ranks::shm>([](auto world) {
    const mpx::rank_t n = world.size();
    const auto bad = [](int, int) -> int { throw thrown(); };
    int x = 1;
    int thrown_here = 0;
    auto r = world.allreduce(x, bad, mpx::start);
    try {
      r.wait();
      CHECK(n == 1);
    } catch (const thrown&) {
      ++thrown_here;
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::peer_lost);
      CHECK(ranks::contains(e.what(), "allreduce on rank " + std::to_string(world.rank())));
    }
    CHECK(!r);
    CHECK(world.allreduce(thrown_here, std::plus<>{}) >= (n > 1 ? 1 : 0));
    std::error_code ec;
    world.allreduce(x, bad, mpx::start).wait(ec);
    CHECK((n == 1 ? !ec : ec == mpx::errc::operation || ec == mpx::errc::peer_lost));
    (void)world.allreduce(1, bad, ec);
    CHECK((n == 1 ? !ec : ec == mpx::errc::operation || ec == mpx::errc::peer_lost));
    CHECK(world.allreduce(1, std::plus<>{}) == n);
  });
}

TEST_CASE("a dropped collective is abandoned, and its buffer not touched any more") {
  for (const mpx::rank_t n : {2, 3, 8}) {
    ranks::run<ranks::shm>(n, [n](auto world) {
      for (const std::size_t length : {1u, 100'000u}) {
        auto data = std::make_unique<std::vector<int>>(length, 1);
        if (world.rank() == 0) {
          {
            auto dropped = world.bcast(*data, 0, mpx::start);
          }
          {
            auto dropped = world.allreduce(*data, std::plus<>{}, mpx::start);
          }
          data.reset();
        } else {
          std::error_code ec;
          world.bcast(*data, 0, mpx::start).wait(ec);  // May have got here what it needs.
          CHECK((!ec || ec == mpx::errc::peer_lost));
          auto sum = world.allreduce(*data, std::plus<>{}, mpx::start);
          const std::string text = ranks::text_of([&] { sum.wait(); });
          // The rank that each learns of first is open.
          const bool dropped = ranks::contains(text, ": rank 0 has dropped its request of this");
          const bool left = ranks::contains(text, "has left this call with an error (peer lost");
          CAPTURE(text);
          CHECK((text.empty() || dropped || (left && n > 2)));
          if (length > 1) CHECK(!text.empty());
        }
        CHECK(world.allreduce(1, std::plus<>{}) == world.size());
      }
    });
  }
}

TEST_CASE_TEMPLATE("a started call with different lengths is an error at all ranks", Stack,
                   ranks::shm, ranks::tiny) {
  for (const mpx::rank_t n : {2, 3, 4}) {
    ranks::run<Stack>(n, [n](auto world) {
      const bool odd = world.rank() == 1;
      for (const std::size_t more : {1, 3'000}) {
        std::vector<int> own(odd ? 10 + more : 10);
        std::vector<int> all(own.size() * static_cast<std::size_t>(n));
        std::vector<int> sums(own);
        const auto ends = [&](auto request, mpx::rank_t told_min) {
          std::error_code ec;
          request.wait(ec);
          CHECK((!ec || ec == mpx::errc::truncate || ec == mpx::errc::count ||
                 ec == mpx::errc::peer_lost));
          CHECK(world.allreduce(ec ? 1 : 0, std::plus<>{}) >= told_min);
        };
        for (int i = 0; i < 3; ++i) {  // Whoever has begun waits for what it lacks, and no longer.
          ends(world.allreduce(own, std::plus<>{}, mpx::start), n);
          ends(world.allgather(own, all, mpx::start), 2);
          ends(world.bcast(own, 0, mpx::start), 1);
          ends(world.reduce(own, sums, std::plus<>{}, 0, mpx::start), 1);
          ends(world.gather(own, all, 0, mpx::start), 1);
        }
      }
      std::vector<int> own(odd ? 11 : 10);
      auto again = world.allreduce(own, std::plus<>{}, mpx::prepare);
      for (int i = 0; i < 3; ++i) {
        std::error_code ec;
        again.start();
        again.wait(ec);
        CHECK(ec);
        CHECK(world.allreduce(1, std::plus<>{}) == n);
      }
    });
  }
}

TEST_CASE_TEMPLATE("so is a started call whose lengths choose different algorithms", Stack,
                   ranks::shm, ranks::tiny, ranks::multiple) {
  struct lengths {
    std::size_t one, others;
  };
  for (const mpx::rank_t n : {2, 3, 5, 8}) {
    ranks::run<Stack>(n, [n](auto world) {
      const auto plus = std::plus<>{};
      for (const auto [one, others] : {lengths{1, 20'000}, {20'000, 1}, {10, 2'000}, {2'000, 10}})
        for (const mpx::rank_t odd : {0, n - 1}) {
          const std::size_t length = world.rank() == odd ? one : others;
          std::vector<int> own(length);
          std::vector<int> out(length);
          std::vector<int> in(length * static_cast<std::size_t>(n));
          std::vector<int> all(in);
          const auto ends = [&](auto request) {
            std::error_code ec;
            request.wait(ec);
            CHECK((!ec || ec == mpx::errc::truncate || ec == mpx::errc::count ||
                   ec == mpx::errc::peer_lost));
            CHECK(world.allreduce(ec ? 1 : 0, plus) >= 1);
          };
          ends(world.allreduce(own, plus, mpx::start));
          ends(world.allgather(own, all, mpx::start));
          ends(world.bcast(own, 0, mpx::start));
          ends(world.reduce(own, out, plus, 0, mpx::start));
          ends(world.gather(own, all, 0, mpx::start));
          ends(world.scatter(all, own, 0, mpx::start));
          ends(world.alltoall(in, all, mpx::start));
          ends(world.reduce_scatter_block(in, own, plus, mpx::start));
          ends(world.scan(own, out, plus, mpx::start));
        }
    });
  }
}

TEST_CASE("data of another length ends a started call that waits for more than that") {
  ranks::run<ranks::shm>(2, [](auto world) {
    std::vector<int> own(world.rank() == 0 ? 100'000 : 10);
    std::vector<int> sums(own);
    std::error_code ec;
    world.reduce(own, sums, std::plus<>{}, 0, mpx::start).wait(ec);
    CHECK((world.rank() == 0 ? ec == mpx::errc::count : !ec || ec == mpx::errc::peer_lost));
    CHECK(world.allreduce(1, std::plus<>{}) == 2);
  });
}

TEST_CASE("a detached collective completes by itself") {
  ranks::run_at_all_counts<ranks::shm>([](auto world) {
    std::vector<int> data(1000, 1);
    world.allreduce(data, std::plus<>{}, mpx::start).detach();
    for (int i = 0; i < 3; ++i) world.barrier();
    while (data.back() != world.size()) world.progress();
    world.barrier();
  });
}

TEST_CASE("MPI's names of started and prepared collectives") {
  ranks::run<ranks::shm>(3, [](auto world) {
    const mpx::rank_t n = world.size();
    const int me = world.rank();
    std::error_code ec;
    world.ibarrier().wait();
    world.ibarrier(ec).wait();
    CHECK(!ec);
    int x = me == 1 ? 5 : 0;
    world.ibcast(x, 1).wait();
    CHECK(x == 5);
    std::vector<int> all(3, -1);
    world.iallgather(me, all).wait();
    CHECK(all == std::vector<int>{0, 1, 2});
    const std::vector<int> counts{1, 1, 1};
    std::fill(all.begin(), all.end(), -1);
    world.iallgatherv(me, all, counts, ec).wait();
    CHECK(all == std::vector<int>{0, 1, 2});
    auto sum = me;
    auto r = world.allreduce_init(sum, std::plus<>{});
    r.start();
    r.wait();
    CHECK(sum == 3);
    int out = 0;
    world.iallreduce(me, out, std::plus<>{}).wait();
    CHECK(out == n);
    world.iscan(me, out, std::plus<>{}, ec).wait();
    CHECK(out == me * (me + 1) / 2);
    world.ireduce_scatter_block(all, out, std::plus<>{}).wait();
  });
}
