// SPDX-License-Identifier: BSL-1.0
// The states of a request and of a persistent one: empty, pending, complete, cancelled; and moves.

#include <atomic>
#include <thread>
#include <tuple>
#include <vector>

#include "comm/ranks.hpp"

namespace {

using ranks::go_tag;

using request_stacks =
    std::tuple<ranks::inproc, ranks::shm, ranks::listed, ranks::multiple, ranks::rdma>;

template <class R>
bool is_empty(R& r) {
  std::error_code ec = mpx::errc::deadlock;
  const auto empty = [](const mpx::status& s) {
    return s.source() == mpx::proc_null && s.tag() == mpx::any_tag && s.bytes() == 0 &&
           !s.error() && !s.cancelled();
  };
  return !r && r.done() && !r.cancel() && empty(r.wait()) && empty(*r.test()) &&
         empty(r.wait(ec)) && !ec && empty(*r.test(ec)) && !ec;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("request: from pending to complete to empty", Stack, request_states) {
  ranks::run<Stack>(2, [](auto world) {
    mpx::request<Stack> none;
    CHECK(is_empty(none));
    none.progress();
    for (const std::size_t bytes : {8, 1000, 100'000}) {
      const auto m = ranks::message(bytes, bytes);
      if (world.rank() == 1) {
        for (int i = 0; i < 3; ++i) {
          (void)world.template recv<int>(0, go_tag);
          auto r = world.issend(m, 0, 1);
          CHECK(r);
          r.wait();
          CHECK(is_empty(r));
        }
        continue;
      }
      std::vector<std::byte> in(bytes);
      auto r = world.irecv(in, 1, 1);
      CHECK(r);
      CHECK(!r.done());
      CHECK(!r.test());
      world.send(1, 1, go_tag);
      CHECK(r.wait().bytes() == bytes);  // By wait.
      CHECK(ranks::holds(in, bytes));
      CHECK(is_empty(r));
      r = world.irecv(in, 1, 1);
      world.send(1, 1, go_tag);
      std::optional<mpx::status> s;
      while (!(s = r.test())) CHECK(r);  // By test.
      CHECK(s->bytes() == bytes);
      CHECK(is_empty(r));
      r = world.irecv(in, 1, 1);
      world.send(1, 1, go_tag);
      while (!r.done()) r.progress();  // By looking: it is complete, and not empty.
      CHECK(r);
      CHECK(!r.cancel());
      CHECK(r.test()->source() == 1);
      CHECK(is_empty(r));
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(request_states, request_stacks);

TEST_CASE_TEMPLATE_DEFINE("request: a send that is complete at once is a request too", Stack,
                          request_at_once) {
  ranks::run<Stack>(1, [](auto world) {
    const int x = 1;
    int y = 0;
    auto r = world.isend(x, 0, 1);
    CHECK(r);
    CHECK(r.done());
    CHECK(!r.cancel());
    auto other = std::move(r);
    CHECK(other);
    CHECK(is_empty(r));  // NOLINT(bugprone-use-after-move)
    CHECK(other.test());
    CHECK(is_empty(other));
    world.recv(y);
    CHECK(y == 1);
  });
}
TEST_CASE_TEMPLATE_APPLY(request_at_once, request_stacks);

TEST_CASE_TEMPLATE_DEFINE("request: moves", Stack, request_moves) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    int in[3] = {};
    auto a = world.irecv(in[0], other, 1);
    auto b = std::move(a);
    CHECK(is_empty(a));  // NOLINT(bugprone-use-after-move)
    CHECK(b);
    a = std::move(b);
    auto& same = a;
    a = std::move(same);
    CHECK(a);
    b = world.irecv(in[1], other, 1);
    std::swap(a, b);
    std::vector<mpx::request<Stack>> many;
    many.push_back(std::move(a));
    many.push_back(std::move(b));
    many.push_back(world.irecv(in[2], other, 1));  // Moves those before it.
    for (const int x : {10, 11, 12}) world.send(x, other, 1);
    mpx::wait_all(many);
    CHECK(in[0] == 10);
    CHECK(in[1] == 11);
    CHECK(in[2] == 12);
  });
}
TEST_CASE_TEMPLATE_APPLY(request_moves, request_stacks);

TEST_CASE_TEMPLATE_DEFINE("request: cancel", Stack, request_cancel) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : {8, 1000, 300'000}) {
      const auto m = ranks::message(bytes, bytes);
      if (world.rank() == 1) {
        (void)world.template recv<int>(0, go_tag);
        auto r = world.issend(m, 0, 1);
        r.cancel();  // In vain: its receive is posted.
        CHECK(!r.wait().cancelled());
        auto again = world.isend(m, 0, 1);
        again.wait();
        continue;
      }
      std::vector<std::byte> cancelled(bytes, std::byte{0xee});
      std::vector<std::byte> in(bytes);
      auto a = world.irecv(cancelled, 1, 1);
      auto b = world.irecv(cancelled);
      auto c = world.irecv(in, mpx::any_source, 1);
      CHECK(a.cancel());
      CHECK(a);  // wait or test follow as ever.
      CHECK(!a.cancel());
      CHECK(b.cancel());
      const mpx::status s = a.wait();
      CHECK(s.cancelled());
      CHECK(s.bytes() == 0);
      CHECK(!s.error());
      CHECK(b.test()->cancelled());
      CHECK(is_empty(a));
      CHECK(is_empty(b));
      world.send(1, 1, go_tag);
      const mpx::status got = c.wait();
      CHECK(!got.cancelled());
      CHECK(got.bytes() == bytes);
      CHECK(ranks::holds(in, bytes));
      world.probe(1, 1);
      auto d = world.irecv(in, 1, 1);  // Matches at once: too late.
      CHECK(!d.cancel());
      CHECK(!d.wait().cancelled());
      CHECK(ranks::holds(in, bytes));
      bool untouched = true;
      for (const std::byte x : cancelled) untouched = untouched && x == std::byte{0xee};
      CHECK(untouched);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(request_cancel, request_stacks);

TEST_CASE_TEMPLATE_DEFINE("request: cancel of a send", Stack, request_cancel_send) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : {8, 1000, 300'000}) {
      const auto m = ranks::message(bytes, bytes);
      std::vector<std::byte> in(bytes);
      if (world.rank() == 0) {
        (void)world.template recv<int>(1, go_tag);
        CHECK(!world.probe(1, 1, mpx::once));  // Both were cancelled.
        auto taken = world.mprobe(1, 2);
        world.send(1, 1, go_tag);
        (void)world.template recv<int>(1, go_tag);
        CHECK(taken.recv(in).bytes() == bytes);
        CHECK(ranks::holds(in, bytes));
        continue;
      }
      auto r = world.issend(m, 0, 1);
      CHECK(r.cancel());
      CHECK(!r.cancel());  // It is being cancelled.
      CHECK(r.wait().cancelled());
      CHECK(is_empty(r));
      mpx::request<Stack> again = world.ssend(m, 0, 1, mpx::prepare);
      again.start();
      CHECK(again.cancel());
      CHECK(again.wait().cancelled());
      auto probed = world.issend(m, 0, 2);
      world.send(1, 0, go_tag);
      (void)world.template recv<int>(0, go_tag);
      probed.cancel();  // In vain: a matched probe has taken it.
      world.send(1, 0, go_tag);
      CHECK(!probed.wait().cancelled());
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(request_cancel_send, request_stacks);

TEST_CASE_TEMPLATE_DEFINE("request: cancel of a send to the rank itself", Stack,
                          request_cancel_self) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : {8, 1000, 300'000}) {
      const auto m = ranks::message(bytes, bytes);
      auto r = world.issend(m, world.rank(), 1);
      world.probe(world.rank(), 1);
      CHECK(r.cancel());
      const auto known = r.peek();
      CHECK(known);
      CHECK(r.wait().cancelled());
      CHECK(!world.probe(mpx::any_source, 1, mpx::once));
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(request_cancel_self, request_stacks);

// More sends than the receiver's memory takes: some have left eagerly, some are announced, and others
// wait behind them. Each is received or cancelled. Nothing is received before that: else a fast
// receiver leaves nothing to cancel.
TEST_CASE_TEMPLATE_DEFINE("request: cancel of many sends", Stack, request_cancel_many) {
  std::atomic<bool> are_cancelled{false};
  ranks::run<Stack>(2, [&](auto world) {
    constexpr std::size_t count = 3000;
    constexpr std::size_t words = 100;
    if (world.rank() == 1) {
      std::vector<std::vector<std::size_t>> data(count);
      std::vector<mpx::request<Stack>> sends;
      for (std::size_t i = 0; i < count; ++i) {
        data[i].assign(words, i);
        sends.push_back(world.isend(data[i], 0, 1));
      }
      std::vector<std::size_t> kept;
      for (std::size_t i = count; i-- > 0;)
        if (i % 3 != 0) sends[i].cancel();
      are_cancelled = true;
      for (std::size_t i = 0; i < count; ++i)
        if (!sends[i].wait().cancelled()) kept.push_back(i);
      CHECK(kept.size() < count / 2 + count / 10);
      world.send(kept, 0, 2);
      return;
    }
    while (!are_cancelled) std::this_thread::yield();
    std::vector<std::size_t> got, in(words);
    std::vector<std::size_t> kept(count);
    auto last = world.irecv(kept, 1, 2);
    std::size_t expected = count;
    while (last || got.size() < expected) {
      if (last) {
        if (const auto s = last.test()) expected = *s->template count<std::size_t>();
        if (!world.probe(1, 1, mpx::once)) continue;
      }
      world.recv(in, 1, 1);
      CHECK(in.front() == in.back());
      got.push_back(in.front());
    }
    kept.resize(expected);
    CHECK(got == kept);
    CHECK(!world.probe(1, 1, mpx::once));
  });
}
TEST_CASE_TEMPLATE_APPLY(request_cancel_many, request_stacks);

TEST_CASE_TEMPLATE_DEFINE("persistent request: inactive, active, inactive", Stack,
                          request_persistent) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    int out = 0;
    int in = -1;
    auto send = world.send_init(out, other, 1);
    auto receive = world.recv_init(in, other, 1);
    static_assert(!std::is_copy_constructible_v<decltype(send)>);
    CHECK(is_empty(receive));
    for (int round = 0; round < 3; ++round) {
      out = 10 * round + world.rank();
      receive.start();
      CHECK(receive);
      CHECK(ranks::errc_of([&] { receive.start(); }) == mpx::errc::request);
      std::error_code ec;
      receive.start(ec);
      CHECK(ec == mpx::errc::request);
      auto moved = std::move(receive);  // An active one can be moved, and continues.
      CHECK(moved);
      send.start();
      if (round == 0) moved.wait();
      if (round == 1)
        while (!moved.test()) std::this_thread::yield();
      if (round == 2) {
        while (!moved.done()) moved.progress();
        CHECK(!moved.cancel());
        CHECK(moved.wait().source() == other);
      }
      CHECK(in == 10 * round + other);
      send.wait();
      CHECK(is_empty(send));
      CHECK(is_empty(moved));
      receive = std::move(moved);
    }
    receive.start();
    CHECK(receive.cancel());
    CHECK(receive.wait().cancelled());
    in = -7;
    {
      auto dropped = world.recv_init(in, other, 2);
      dropped.start();
    }
    world.barrier();
    world.send(5, other, 2);
    CHECK(world.template recv<int>(other, 2) == 5);
    CHECK(in == -7);
  });
}
TEST_CASE_TEMPLATE_APPLY(request_persistent, request_stacks);

TEST_CASE_TEMPLATE_DEFINE("request: thousands at once, in any order", Stack, request_thousands) {
  ranks::run<Stack>(2, [](auto world) {
    constexpr std::size_t n = 5000;
    const mpx::rank_t other = 1 - world.rank();
    std::vector<std::uint32_t> out(n);
    std::vector<std::uint32_t> in(n);
    std::vector<mpx::request<Stack>> all(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = i * 2654435761u % n;
      all[k] = world.irecv(in[k], other, static_cast<mpx::tag_t>(k));
      CHECK(all[k]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<std::uint32_t>(i * 3);
      all[n + i] = world.issend(out[i], other, static_cast<mpx::tag_t>(i));
    }
    mpx::wait_all(all);
    CHECK(in == out);
  });
}
TEST_CASE_TEMPLATE_APPLY(request_thousands, request_stacks);
