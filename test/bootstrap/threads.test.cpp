// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <mpx/bootstrap/threads.hpp>

#include <atomic>
#include <chrono>

#include "contract.hpp"

namespace {

using namespace bootstrap_contract;
using mpx::errc;
using mpx::rank_state;
using mpx::bootstrap::thread_job;
using mpx::bootstrap::threads;

std::vector<threads> join_all(const thread_job& job) {
  std::vector<threads> ranks;
  ranks.reserve(static_cast<std::size_t>(job.size()));
  for (mpx::rank_t r = 0; r < job.size(); ++r) ranks.emplace_back(job, r);
  return ranks;
}

TEST_CASE("threads: the contract") {
  for (const mpx::rank_t n : {1, 2, 3, 4, 7, 8, 64}) {
    CAPTURE(n);
    const thread_job job(n);
    auto ranks = join_all(job);
    check_meeting(ranks);
    check_arguments(ranks.back());
    check_memory(ranks);
    if (n <= 8) check_idle(ranks);
    check_disconnecting(ranks);
    for (const auto& b : ranks) CHECK(b.one_process());
    check_leaving(ranks);
    for (mpx::rank_t r = 0; r < n; ++r) CHECK(ranks[0].state(r) == rank_state::finished);
  }
}

TEST_CASE("threads: a forked child is not a rank") {
  const thread_job job(3);
  auto ranks = join_all(job);
  check_forked(ranks);
}

TEST_CASE("threads: a fence does not open over a rank that died in it") {
  // Rank 1 has arrived, or joined, when it dies; rank 0 comes last.
  for (const bool arrived : {true, false}) {
    for (const int before : {0, 1, 5}) {
      CAPTURE(arrived);
      CAPTURE(before);
      const thread_job job(3);
      auto ranks = join_all(job);
      for (int i = 0; i < before; ++i)
        on_all(ranks, [](threads& b) {
          b.fence(idle);
          return true;
        });
      std::atomic<int> inside = 0;
      std::atomic<bool> dead = false;
      const auto enter = [&](threads& b) {
        return errc_of([&] {
          b.fence([&, first = true]() mutable {
            if (std::exchange(first, false)) ++inside;
            if (dead && b.rank() == 1)
              throw mpx::error(errc::deadlock, "a dead rank does not wait");
          });
        });
      };
      errc of_two{};
      std::jthread two([&] { of_two = enter(ranks[2]); });
      std::jthread one([&] {
        if (arrived) enter(ranks[1]);
      });
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (inside < (arrived ? 2 : 1) && std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
      job.mark_ended(1, false);
      CHECK(errc_of([&] { ranks[0].fence(idle); }) == errc::peer_lost);
      CHECK(errc_of([&] { ranks[0].fence(idle); }) == errc::peer_lost);
      two.join();
      CHECK(of_two == errc::peer_lost);
      dead = true;
    }
  }
}

TEST_CASE("threads: a rank that ended in good order is missing in the next environment") {
  const thread_job job(2);
  for (auto& b : join_all(job)) b.mark_finished();
  threads next(job, 0);
  std::jthread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    job.mark_ended(1, true);
  });
  CHECK(errc_of([&] { next.fence(idle); }) == errc::peer_lost);
}

TEST_CASE("threads: a lost rank ends a fence") {
  for (const mpx::rank_t n : {2, 3, 8}) {
    CAPTURE(n);
    const auto with = [n](errc code, rank_state state, auto how) {
      const thread_job job(n);
      auto ranks = join_all(job);
      check_loss(ranks, code, state, [&](threads& b) { how(job, b); });
    };
    with(errc::peer_lost, rank_state::failed,
         [](const thread_job&, threads& b) { b.mark_failed(); });
    with(errc::peer_lost, rank_state::failed,
         [](const thread_job& job, threads& b) { job.mark_ended(b.rank(), false); });
    with(errc::peer_lost, rank_state::failed,
         [](const thread_job&, threads& b) { const threads gone(std::move(b)); });
    with(errc::peer_lost, rank_state::finished,
         [](const thread_job&, threads& b) { b.mark_finished(); });
    with(errc::aborted, rank_state::joined, [](const thread_job&, threads& b) {
      CHECK(errc_of([&] { b.abort(3, "enough"); }) == errc::aborted);
    });
  }
}

TEST_CASE("threads: a rank that ends before it joined is lost") {
  const thread_job job(2);
  threads first(job, 0);
  CHECK(first.state(1) == rank_state::waiting);
  std::jthread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    job.mark_ended(1, true);
  });
  CHECK(errc_of([&] { first.fence(idle); }) == errc::peer_lost);
  CHECK(first.state(1) == rank_state::failed);
}

TEST_CASE("threads: a rank that left and ended stays finished") {
  const thread_job job(2);
  auto ranks = join_all(job);
  ranks[1].mark_finished();
  job.mark_ended(1, true);
  CHECK(ranks[0].state(1) == rank_state::finished);
}

TEST_CASE("threads: the first abort counts") {
  const thread_job job(3);
  auto ranks = join_all(job);
  CHECK(!ranks[0].aborted());
  on_all(ranks, [](threads& b) {
    return errc_of([&] { b.abort(10 + b.rank(), "rank " + std::to_string(b.rank())); }) ==
           errc::aborted;
  });
  const auto notice = ranks[0].aborted().value_or(mpx::bootstrap::abort_notice{});
  CHECK(notice.code == 10 + notice.rank);
  CHECK(notice.reason == "rank " + std::to_string(notice.rank));
}

TEST_CASE("threads: an exception of idle passes through a fence") {
  const thread_job job(2);
  auto ranks = join_all(job);
  CHECK_THROWS_AS(ranks[0].fence([] { throw 5; }), int);
}

TEST_CASE("threads: environments in sequence and at once") {
  const thread_job job(4);
  for (int round = 0; round < 3; ++round) {
    auto a = join_all(job);
    auto b = join_all(job);
    CHECK(b[0].shared_offset() != a[0].shared_offset());
    const int good = on_all(a, [&](threads& mine) {
      threads& other = b[static_cast<std::size_t>(mine.rank())];
      mine.put("k", "a");
      other.put("k", "b");
      mine.put("only", "a");
      mine.fence(idle);
      other.fence(idle);
      const mpx::rank_t next = (mine.rank() + 1) % 4;
      return mine.get(next, "k") == "a" && other.get(next, "k") == "b" && !other.get(next, "only");
    });
    CHECK(good == 4);
    for (auto& rank : a) rank.mark_finished();
    for (auto& rank : b) CHECK(rank.state(1) == rank_state::joined);
    for (auto& rank : b) rank.mark_finished();
  }
}

TEST_CASE("threads: ranks that do not exist") {
  const thread_job job(2);
  CHECK(errc_of([&] { threads(job, 2); }) == errc::rank);
  CHECK(errc_of([&] { threads(job, -1); }) == errc::rank);
  for (const int n : {0, -1, 4097}) CHECK(errc_of([&] { thread_job{n}; }) == errc::argument);
}

TEST_CASE("threads: any number of environments in sequence, whose resources are returned") {
  constexpr int total = 10'000;
  const thread_job job(2);
  for (int k = 0; k < total; ++k) {
    CAPTURE(k);
    auto ranks = join_all(job);
    REQUIRE(ranks[0].shared_offset() ==
            static_cast<std::uint64_t>(k % mpx::bootstrap::environments_live_max)
                << mpx::bootstrap::environment_shift);
    REQUIRE(!ranks[1].get(0, "k"));  // Of the environment before in this slot.
    ranks[0].put("k", std::to_string(k));
    REQUIRE(ranks[1].get(0, "k") == std::to_string(k));
    REQUIRE(ranks[0].state(1) == rank_state::joined);
    REQUIRE(ranks[1].disconnected_by(0) == errc{});
    ranks[0].disconnect_from(1, errc::protocol);
    mpx::bootstrap::grow(job.shared_fd(), ranks[0].shared_offset() + 8192);
    const mpx::mapping map(job.shared_fd(), ranks[0].shared_offset(), 8192);
    REQUIRE(map.data()[5000] == std::byte{0});
    map.data()[5000] = std::byte{1};
    if (k % 100 == 0)
      REQUIRE(on_all(ranks, [](threads& b) {
                b.fence(idle);
                return true;
              }) == 2);
    for (auto& b : ranks) b.mark_finished();
    REQUIRE(bytes_of(job.shared_fd()) == 0);
  }
}

TEST_CASE("threads: several environments at once; the error at the limit names them") {
  const thread_job job(2);
  std::vector<std::vector<threads>> all;
  for (std::uint32_t k = 0; k < mpx::bootstrap::environments_live_max; ++k)
    all.push_back(join_all(job));
  all[0][0].mark_finished();
  std::string what;
  try {
    threads(job, 0);
  } catch (const mpx::error& e) {
    CHECK(e.code() == errc::no_resources);
    what = e.what();
  }
  CHECK(what.find("rank 1 (pid") != std::string::npos);
  CHECK(what.find("is still inside its environment 0") != std::string::npos);
  CHECK(what.find("at most 32 may live at once") != std::string::npos);

  std::jthread late([&] {  // It is a little late: rank 0 waits for it.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    all[0][1].mark_finished();
  });
  threads next(job, 0);
  CHECK(next.shared_offset() == 0);
  CHECK(next.state(1) == rank_state::waiting);
  next.mark_finished();

  all[1][0].mark_finished();
  job.mark_ended(1, false);
  CHECK(errc_of([&] { threads(job, 0); }) == errc::peer_lost);
}

TEST_CASE("threads: what a rank may publish is limited, with a clear error") {
  const thread_job job(1);
  for (int k = 0; k < 2; ++k) {
    threads b(job, 0);
    std::size_t published = 0;
    const auto code = errc_of([&] {
      for (;; published += 4096) b.put("k", std::string(4096, 'x'));
    });
    CHECK(code == errc::no_resources);
    CHECK(published >= mpx::bootstrap::published_bytes_max * 9 / 10);
    CHECK(b.get(0, "k") == std::string(4096, 'x'));
  }
}

TEST_CASE("threads: the largest job costs little until it is used") {
  const thread_job job(mpx::bootstrap::ranks_max);
  threads first(job, 0);
  threads last(job, mpx::bootstrap::ranks_max - 1);
  last.put("k", "v");
  CHECK(first.get(mpx::bootstrap::ranks_max - 1, "k") == "v");
  CHECK(first.state(1000) == rank_state::waiting);
}

}  // namespace
