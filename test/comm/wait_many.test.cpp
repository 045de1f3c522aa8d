// SPDX-License-Identifier: BSL-1.0
// release: tsan
// Waiting for and testing several requests, with empty ones, failed ones and persistent ones among
// them.

#include "comm/ranks.hpp"

namespace {

using ranks::go_tag;

/// Rank 1 sends tags 0 .. n - 1 on request, one by one; rank 0 has posted a receive for each.
template <class Stack>
struct arrivals {
  static constexpr std::size_t n = 5;
  mpx::communicator<Stack> world;
  int in[n] = {};
  std::vector<mpx::request<Stack>> requests;

  explicit arrivals(mpx::communicator<Stack> w) : world(w) {
    for (std::size_t i = 0; i < n; ++i) {
      requests.push_back(world.irecv(in[i], 1, static_cast<mpx::tag_t>(i)));
      requests.emplace_back();  // Every second one is empty.
    }
  }
  void let_come(mpx::tag_t tag) { world.send(tag, 1, go_tag); }
  void end() { world.send(-1, 1, go_tag); }
  static void serve(mpx::communicator<Stack> world) {
    for (;;) {
      const int tag = world.template recv<int>(0, go_tag);
      if (tag < 0) return;
      world.send(100 + tag, 0, tag);
    }
  }
};

bool is(const mpx::status& s, mpx::tag_t tag) {
  return s.source() == 1 && s.tag() == tag && s.bytes() == sizeof(int) && !s.error();
}

template <class Stack>
void one_after_the_other(mpx::communicator<Stack> world) {
  arrivals<Stack> a(world);
  auto& rs = a.requests;
  CHECK(mpx::test_any(rs).none_done());
  CHECK(!mpx::test_any(rs).none_active());
  CHECK(mpx::test_some(rs).empty());
  CHECK(!mpx::test_all(rs));
  a.let_come(3);
  auto one = mpx::wait_any(rs);
  REQUIRE(one);
  CHECK(one->index == 6);
  CHECK(is(one->status, 3));
  CHECK(a.in[3] == 103);
  CHECK(!rs[6]);
  a.let_come(0);
  while (!(one = mpx::test_any(rs))) CHECK(one.none_done());
  CHECK(one->index == 0);
  CHECK(is(one->status, 0));
  a.let_come(4);
  auto some = mpx::wait_some(rs);
  REQUIRE(some.size() == 1);
  CHECK(some[0].index == 8);
  CHECK(is(some[0].status, 4));
  a.let_come(2);
  for (some.clear(); some.empty();) some = mpx::test_some(rs);
  CHECK(some[0].index == 4);
  CHECK(!mpx::test_all(rs));
  CHECK(rs[2]);  // The last one, still pending.
  a.let_come(1);
  while (!mpx::test_all(rs)) std::this_thread::yield();
  CHECK(a.in[1] == 101);
  CHECK(!rs[2]);
  // Nothing is active any more.
  CHECK(mpx::wait_any(rs).none_active());
  CHECK(mpx::test_any(rs).none_active());
  CHECK(!mpx::test_any(rs).none_done());
  CHECK(mpx::wait_some(rs).empty());
  CHECK(mpx::test_some(rs).empty());
  CHECK(mpx::test_all(rs));
  mpx::wait_all(rs);
  CHECK(mpx::wait_all_statuses(rs).size() == rs.size());
  a.end();
}

template <class Stack>
void all_at_once(mpx::communicator<Stack> world) {
  arrivals<Stack> a(world);
  for (const mpx::tag_t tag : {4, 2, 0, 1, 3}) a.let_come(tag);
  const auto statuses = mpx::wait_all_statuses(a.requests);
  REQUIRE(statuses.size() == 2 * a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    CHECK(is(statuses[2 * i], static_cast<mpx::tag_t>(i)));
    CHECK(statuses[2 * i + 1].source() == mpx::proc_null);
    CHECK(a.in[i] == 100 + static_cast<int>(i));
  }
  arrivals<Stack> d(world);
  for (const mpx::tag_t tag : {4, 2, 0, 1, 3}) d.let_come(tag);
  std::vector<mpx::status> room(2 * d.n);  // The caller's, and no memory besides.
  mpx::wait_all(d.requests, std::span(room));
  for (std::size_t i = 0; i < d.n; ++i) CHECK(is(room[2 * i], static_cast<mpx::tag_t>(i)));
  arrivals<Stack> e(world);
  mpx::completion found[2] = {};
  CHECK(mpx::test_some(e.requests, found).empty());
  CHECK(!mpx::test_all(e.requests, std::span(room)));
  for (const mpx::tag_t tag : {0, 1, 2, 3, 4}) e.let_come(tag);
  for (std::size_t got = 0; got < e.n;) {
    const auto some = mpx::wait_some(e.requests, found);
    CHECK(!some.empty());
    for (const auto& one : some) CHECK(is(one.status, static_cast<mpx::tag_t>(one.index / 2)));
    got += some.size();
  }
  CHECK(mpx::wait_some(e.requests, found).empty());
  CHECK(mpx::test_all(e.requests, std::span(room)));
  arrivals<Stack> b(world);
  for (const mpx::tag_t tag : {0, 1, 2, 3, 4}) b.let_come(tag);
  std::size_t taken = 0;
  while (taken < b.n) taken += mpx::wait_some(b.requests).size();
  arrivals<Stack> c(world);
  for (const mpx::tag_t tag : {0, 1, 2, 3, 4}) c.let_come(tag);
  mpx::wait_all(std::span{c.requests}.first(5));
  CHECK(!c.requests[4]);
  CHECK(c.requests[6]);
  std::error_code ec = mpx::errc::deadlock;
  mpx::wait_all(c.requests, ec);
  CHECK(!ec);
  CHECK(c.in[4] == 104);
  arrivals<Stack> f(world);  // One after another.
  CHECK(!f.requests[0].take_success());
  for (const mpx::tag_t tag : {4, 2, 0, 1, 3}) f.let_come(tag);
  for (std::size_t i = 0; i < f.n; ++i) {
    CHECK(mpx::wait_first(std::span{f.requests}.subspan(2 * i)));
    const auto s = f.requests[2 * i].take_success();
    REQUIRE(s);
    CHECK(is(*s, static_cast<mpx::tag_t>(i)));
    CHECK(!f.requests[2 * i]);
    CHECK(mpx::wait_first(std::span{f.requests}.subspan(2 * i + 1)));  // An empty request.
    CHECK(f.requests[2 * i + 1].take_success());
  }
  c.end();
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("wait_some and wait_all", Stack, many) {
  ranks::run<Stack>(2, [](auto world) {
    if (world.rank() == 1) {
      arrivals<Stack>::serve(world);
      arrivals<Stack>::serve(world);
    } else {
      one_after_the_other<Stack>(world);
      all_at_once<Stack>(world);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(many, ranks::all_stacks);

TEST_CASE_TEMPLATE("failures among several", Stack, ranks::inproc, ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    if (world.rank() == 1) {
      for (int round = 0; round < 7; ++round)
        for (const mpx::tag_t tag : {0, 1, 2}) world.send(std::int64_t{tag}, 0, tag);
      return;
    }
    std::int64_t a = 0;
    std::int32_t small = 0;
    std::int64_t b = 0;
    std::vector<mpx::request<Stack>> rs;
    const auto post = [&] {  // The one in the middle fails.
      rs.clear();
      rs.push_back(world.irecv(a, 1, 0));
      rs.push_back(world.irecv(small, 1, 1));
      rs.push_back(world.irecv(b, 1, 2));
      b = 0;
    };
    const auto all_empty = [&] { return !rs[0] && !rs[1] && !rs[2]; };
    post();
    const std::string text = ranks::text_of([&] { mpx::wait_all(rs); });
    CHECK(ranks::contains(text, "receive on rank 0 from rank 1, tag 1"));
    CHECK(all_empty());
    CHECK(b == 2);  // The others are complete.
    post();
    std::error_code ec;
    mpx::wait_all(rs, ec);
    CHECK(ec == mpx::errc::truncate);
    CHECK(all_empty());
    post();
    const auto statuses = mpx::wait_all_statuses(rs);
    CHECK(!statuses[0].error());
    CHECK(statuses[1].error() == mpx::errc::truncate);
    CHECK(statuses[1].bytes() == 8);
    CHECK(!statuses[2].error());
    post();
    while (!rs[2].done()) rs[2].progress();
    CHECK(mpx::errc::truncate == ranks::errc_of([&] { (void)mpx::test_all(rs); }));
    CHECK(all_empty());
    post();
    while (!rs[2].done()) rs[2].progress();
    CHECK(mpx::wait_any(rs, ec)->index == 0);
    CHECK(!ec);
    const auto failed = mpx::wait_any(rs, ec);
    REQUIRE(failed);
    CHECK(failed->index == 1);
    CHECK(ec == mpx::errc::truncate);
    CHECK(failed->status.error() == mpx::errc::truncate);
    CHECK(mpx::test_any(rs, ec)->index == 2);
    CHECK(!ec);
    post();
    while (!rs[2].done()) rs[2].progress();
    const auto some = mpx::test_some(rs);
    REQUIRE(some.size() == 3);
    CHECK(some[1].status.error() == mpx::errc::truncate);
    post();
    CHECK(mpx::wait_first(rs));
    CHECK(rs[0].take_success());
    CHECK(mpx::wait_first(std::span{rs}.subspan(1)));
    CHECK(!rs[1].take_success());
    CHECK(rs[1]);  // Its failure stays to be taken.
    rs[1].wait(ec);
    CHECK(ec == mpx::errc::truncate);
    rs[2].wait();
    CHECK(mpx::test_all(rs, ec));
    CHECK(!ec);
  });
}

TEST_CASE_TEMPLATE("several persistent requests", Stack, ranks::shm, ranks::tiny, ranks::multiple) {
  ranks::run<Stack>(4, [](auto world) {
    const mpx::rank_t n = world.size();
    std::vector<int> in(4, -1);
    std::vector<int> out(4, 0);
    std::vector<mpx::persistent_request<Stack>> all;
    for (mpx::rank_t r = 0; r < n; ++r) {
      const auto i = static_cast<std::size_t>(r);
      all.push_back(world.recv_init(in[i], r, 1));
      all.push_back(world.send_init(out[i], r, 1));
    }
    for (int round = 0; round < 10; ++round) {
      for (mpx::rank_t r = 0; r < n; ++r)
        out[static_cast<std::size_t>(r)] = 100 * round + 10 * world.rank() + r;
      mpx::start_all(all);
      if (round % 3 == 0) mpx::wait_all(all);
      if (round % 3 == 1)
        for (std::size_t done = 0; done < all.size();) done += mpx::wait_some(all).size();
      if (round % 3 == 2)
        for (std::size_t done = 0; done < all.size(); ++done) CHECK(mpx::wait_any(all));
      for (mpx::rank_t r = 0; r < n; ++r)
        CHECK(in[static_cast<std::size_t>(r)] == 100 * round + 10 * r + world.rank());
      for (const auto& p : all) CHECK(!p);
    }
  });
}
