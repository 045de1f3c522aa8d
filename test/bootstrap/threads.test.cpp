// SPDX-License-Identifier: BSL-1.0

#include <mpx/bootstrap/threads.hpp>

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
    for (auto& b : ranks) b.mark_finished();
    CHECK(job.segment().failure_epoch() == 1);
    for (mpx::rank_t r = 0; r < n; ++r) CHECK(ranks[0].state(r) == rank_state::finished);
  }
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
  CHECK(job.segment().failure_epoch() == 1);
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

TEST_CASE("threads: what idle throws passes through a fence") {
  const thread_job job(2);
  auto ranks = join_all(job);
  CHECK_THROWS_AS(ranks[0].fence([] { throw 5; }), int);
}

TEST_CASE("threads: environments one after the other and at once") {
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

TEST_CASE("threads: the limits are reached with a clear error") {
  const thread_job job(1);
  for (std::uint32_t k = 0; k < mpx::bootstrap::environments_max; ++k) {
    threads b(job, 0);
    CHECK(b.shared_offset() == std::uint64_t{k} << mpx::bootstrap::environment_shift);
    b.mark_finished();
  }
  CHECK(errc_of([&] { threads(job, 0); }) == errc::no_resources);

  const thread_job fresh(1);
  threads b(fresh, 0);
  std::size_t published = 0;
  const auto code = errc_of([&] {
    for (;; published += 4096) b.put("k", std::string(4096, 'x'));
  });
  CHECK(code == errc::no_resources);
  CHECK(published >= mpx::bootstrap::published_bytes_max * 9 / 10);
  CHECK(b.get(0, "k") == std::string(4096, 'x'));
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
