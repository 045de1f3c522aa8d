// SPDX-License-Identifier: BSL-1.0
// Requests of every kind in one range: receives, sends, persistent, composite and generalized ones;
// looking without taking, and letting go.

#include <chrono>
#include <tuple>

#include "comm/ranks.hpp"

namespace {

using ranks::go_tag;

using compose_stacks =
    std::tuple<ranks::inproc, ranks::shm, ranks::tiny, ranks::listed, ranks::multiple, ranks::rdma>;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("one wait_any for requests of all kinds", Stack, compose_all_kinds) {
  static_assert(sizeof(mpx::request<Stack>) == 2 * sizeof(void*));
  static_assert(std::same_as<mpx::request<Stack>, mpx::persistent_request<Stack>>);
  ranks::run_at_all_counts<Stack>([](auto world) {
    const mpx::rank_t next = (world.rank() + 1) % world.size();
    const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
    int in[5] = {};
    const int out = 7;
    auto [mine, completer] = world.generalized();
    std::vector<mpx::request<Stack>> all;
    all.push_back(world.recv(in[0], last, 1, mpx::start));
    all.push_back(world.template send<mpx::mode::synchronous>(out, next, 2, mpx::start));
    all.push_back(world.recv(in[1], last, 2, mpx::prepare));
    all.push_back(std::move(mine));
    all.push_back(mpx::all_of(world.irecv(in[2], last, 3), world.irecv(in[3], last, 4),
                              world.isend(out, next, 5)));
    all.push_back(world.irecv(in[4], last, 5));
    CHECK(!all[2]);  // Inactive.
    all[2].start();
    CHECK(all[2]);
    std::vector<bool> seen(all.size());
    completer.complete(12);
    CHECK(!completer);
    for (const mpx::tag_t tag : {1, 3, 4}) world.send(out, next, tag);
    for (std::size_t n = 0; n < all.size(); ++n) {
      const auto done = mpx::wait_any(all);
      REQUIRE(done);
      CHECK(!seen[done->index]);
      seen[done->index] = true;
      if (done->index == 3) CHECK(done->status.bytes() == 12);
      if (done->index == 2) CHECK(done->status.source() == last);
    }
    CHECK(mpx::wait_any(all).none_active());
    for (const int x : in) CHECK(x == 7);
    CHECK(all[2].persistent());
    world.barrier();
  });
}
TEST_CASE_TEMPLATE_APPLY(compose_all_kinds, compose_stacks);

TEST_CASE_TEMPLATE_DEFINE("test without completion", Stack, compose_peek) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    std::int64_t x = 0;
    std::int32_t small = 0;
    auto r = world.irecv(x, other, 1);
    auto cut = world.irecv(small, other, 2);
    world.barrier();
    world.send(std::int64_t{5}, other, 1);
    world.send(std::int64_t{5}, other, 2);
    std::optional<mpx::status> s;
    while (!(s = r.peek())) {  // A loop of nothing but looks ends.
    }
    CHECK(s->source() == other);
    CHECK(r);
    CHECK(r.peek()->bytes() == 8);
    CHECK(r.wait().bytes() == 8);
    CHECK(r.peek()->source() == mpx::proc_null);
    while (!cut.done()) {
    }
    CHECK(cut.peek()->error() == mpx::errc::truncate);
    CHECK(ranks::errc_of([&] { cut.wait(); }) == mpx::errc::truncate);
    CHECK(!cut);
  });
}
TEST_CASE_TEMPLATE_APPLY(compose_peek, compose_stacks);

TEST_CASE_TEMPLATE_DEFINE("all_of: the status of its only receive", Stack, compose_statuses) {
  ranks::run<Stack>(3, [](auto world) {
    auto turned = world.split(0, -world.rank());
    const mpx::rank_t right = (turned.rank() + 1) % 3;
    const mpx::rank_t left = (turned.rank() + 2) % 3;
    for (const std::size_t bytes : {8, 1000, 300'000}) {
      const auto out = ranks::message(bytes, bytes);
      std::vector<std::byte> in(bytes), more(bytes);
      auto one = mpx::all_of(turned.isend(out, right, 4), turned.irecv(in, left, 4));
      const mpx::status got = one.wait();
      CHECK(got.source() == left);
      CHECK(got.tag() == 4);
      CHECK(got.bytes() == bytes);
      auto two = mpx::all_of(turned.irecv(in, left, 5), turned.irecv(more, left, 6),
                             turned.isend(out, right, 5), turned.isend(out, right, 6));
      CHECK(two.wait() == mpx::status());
    }
    turned.free();
  });
}
TEST_CASE_TEMPLATE_APPLY(compose_statuses, compose_stacks);

TEST_CASE_TEMPLATE_DEFINE("detached: continues without a waiting call", Stack, compose_detached) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    for (const std::size_t bytes : {8, 1000, 300'000}) {
      const auto out = ranks::message(bytes, bytes);
      std::vector<std::byte> in(bytes), more(bytes);
      auto receive = world.irecv(in, other, 1);
      receive.detach();
      CHECK(!receive);
      auto send = world.issend(out, other, 1);
      auto both = mpx::all_of(world.irecv(more, other, 2), world.isend(out, other, 2));
      both.detach();
      auto again = world.send_init(out, other, 3);
      again.start();
      again.detach();
      world.recv_init(in, other, 9).detach();  // Inactive: nothing is left of it.
      send.wait();
      std::vector<std::byte> third(bytes);
      world.recv(third, other, 3);
      CHECK(ranks::holds(third, bytes));
      world.barrier();  // The detached receives are over by now, or soon: their senders were.
      world.sendrecv(1, other, 4, bytes == 0 ? third : std::span(third).first(4), other, 4);
      while (!ranks::holds(in, bytes) || !ranks::holds(more, bytes)) world.progress();
      world.barrier();  // The detached sends are over, too: the other has what they brought.
    }
    world.barrier();
  });
}
TEST_CASE_TEMPLATE_APPLY(compose_detached, compose_stacks);

TEST_CASE_TEMPLATE_DEFINE("all_of: cancelled, failed, dropped, nested", Stack, compose_composites) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    std::int64_t a = 0, b = 0;
    std::int32_t small = 0;
    auto none = mpx::all_of(world.irecv(a, other, 1), world.irecv(b, other, 2));
    CHECK(!none.test());
    CHECK(none.cancel());
    CHECK(none.wait().cancelled());
    CHECK(!none);
    world.barrier();  // Before what would have matched them is sent.
    std::vector<mpx::request<Stack>> parts;
    parts.push_back(world.irecv(a, other, 1));
    parts.push_back(world.irecv(small, other, 2));
    auto [own, completer] = world.generalized();
    auto nested = mpx::all_of(mpx::all_of(parts), std::move(own));
    CHECK(!parts[0]);
    CHECK(!parts[1]);
    world.send(std::int64_t{1}, other, 1);
    world.send(std::int64_t{2}, other, 2);
    completer.complete();
    const std::string text = ranks::text_of([&] { nested.wait(); });
    CHECK(ranks::contains(text, "receive on rank"));
    CHECK(ranks::contains(text, "tag 2"));
    CHECK(ranks::contains(text, "4 bytes of room for a message of 8"));
    CHECK(!nested);
    CHECK(a == 1);
    world.barrier();
    {
      auto dropped = mpx::all_of(world.irecv(a, other, 5), world.irecv(b, other, 6));
      a = b = 9;
    }
    world.barrier();
    world.send(std::int64_t{3}, other, 5);
    CHECK(world.template recv<std::int64_t>(other, 5) == 3);
    CHECK(a == 9);
    std::vector<mpx::request<Stack>> nothing;
    CHECK(!mpx::all_of(nothing));
    parts.clear();
    parts.push_back(world.recv_init(a, other, 1));
    CHECK(ranks::errc_of([&] { (void)mpx::all_of(parts); }) == mpx::errc::request);
    std::error_code ec;
    CHECK(!mpx::all_of(parts, ec));
    CHECK(ec == mpx::errc::request);
    CHECK(parts[0].persistent());
  });
}
TEST_CASE_TEMPLATE_APPLY(compose_composites, compose_stacks);

TEST_CASE_TEMPLATE_DEFINE("generalized: failed, forgotten, dropped", Stack, compose_generalized) {
  ranks::run<Stack>(1, [](auto world) {
    auto [r, c] = world.generalized();
    CHECK(!r.test());
    CHECK(!r.cancel());
    c.fail(mpx::errc::argument);
    std::error_code ec;
    r.wait(ec);
    CHECK(ec == mpx::errc::argument);
    {
      auto [request, forgotten] = world.generalized(ec);
      CHECK(!ec);
      r = std::move(request);
    }
    CHECK(ranks::errc_of([&] { r.wait(); }) == mpx::errc::broken_promise);
    auto [dropped, later] = world.generalized();
    {
      auto gone = std::move(dropped);
    }
    later.complete();
    for (int i = 0; i < 1000; ++i) {  // Nothing is left behind.
      auto [x, y] = world.generalized();
      y.complete();
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(compose_generalized, compose_stacks);

TEST_CASE("generalized: another thread completes the operation on which this one sleeps") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    for (int round = 0; round < 20; ++round) {
      auto [r, c] = world.generalized();
      std::thread other([round, done = std::move(c)]() mutable {
        if (round % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        done.complete(static_cast<std::size_t>(round));
      });
      int x = 0;
      std::vector<mpx::request<ranks::multiple>> all;
      all.push_back(world.irecv(x, 1 - world.rank(), 1));
      all.push_back(std::move(r));
      const auto first = mpx::wait_any(all);
      CHECK(first->index == 1);
      CHECK(first->status.bytes() == static_cast<std::size_t>(round));
      other.join();
      world.barrier();
      world.send(round, 1 - world.rank(), 1);
      mpx::wait_all(all);
      CHECK(x == round);
    }
  });
}

TEST_CASE_TEMPLATE_DEFINE("a composite does not wait for others once a peer is lost", Stack,
                          compose_lost) {
  ranks::watchdog guard("a composite whose peer is lost");
  CHECK_THROWS(mpx::run_threads<Stack>(3, [](mpx::communicator<Stack> world) {
    if (world.rank() == 2) throw std::runtime_error("gone");
    int a = 0, b = 0;
    auto both = mpx::all_of(world.irecv(a, 2, 1), world.irecv(b, 1 - world.rank(), 1));
    CHECK(ranks::errc_of([&] { both.wait(); }) == mpx::errc::peer_lost);
    CHECK(!both);
    auto lone = world.recv_init(a, 2, 1);
    lone.start();
    CHECK(ranks::contains(ranks::text_of([&] { lone.wait(); }), "from rank 2"));
    CHECK(!lone);
  }));
}
TEST_CASE_TEMPLATE_APPLY(compose_lost, compose_stacks);
