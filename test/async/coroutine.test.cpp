// SPDX-License-Identifier: BSL-1.0
// release: tsan
// compilers: both
// Tasks that await requests: rings of tokens, many at once, collectives, one of several, errors,
// and what is dropped while it waits.

#include <mpx/coroutine.hpp>

#include "comm/ranks.hpp"

namespace async_tasks {  // Named: a coroutine's frame is a type of its own.

using mpx::task;

template <class Comm>
task<int> pass_on(Comm world, int round) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  int got = -1;
  auto r = world.irecv(got, last, round);
  const int out = 100 * round + world.rank();
  co_await world.isend(out, next, round);
  const mpx::status s = co_await r;
  CHECK_FALSE(r);
  CHECK(s.source() == last);
  CHECK(s.tag() == round);
  co_return got;
}

template <class Comm>
task<> ring(Comm world, int rounds, int& passed) {
  for (int round = 0; round < rounds; ++round) {
    const int got = co_await pass_on(world, round);
    CHECK(got == 100 * round + (world.rank() + world.size() - 1) % world.size());
    ++passed;
  }
}

/// Of a size that takes every path of a message.
template <class Comm>
task<> exchange(Comm world, mpx::tag_t tag, std::size_t bytes, int& done) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  std::vector<std::byte> in(bytes);
  const auto out = ranks::message(bytes, static_cast<std::uint64_t>(world.rank() + tag));
  auto sent = world.issend(out, next, tag);
  const mpx::status s = co_await world.irecv(in, last, tag);
  CHECK(s.bytes() == bytes);
  CHECK(ranks::holds(in, static_cast<std::uint64_t>(last + tag)));
  co_await sent;
  ++done;
}

template <class Comm>
task<> collectives(Comm world, int& done) {
  long sum = world.rank();
  co_await world.allreduce(sum, std::plus<>{}, mpx::start);
  CHECK(sum == static_cast<long>(world.size()) * (world.size() - 1) / 2);
  auto again = world.barrier(mpx::prepare);
  for (int i = 0; i < 3; ++i) {
    again.start();
    co_await again;
  }
  co_await again;  // Inactive: it gives an empty status.
  ++done;
}

template <class Comm>
task<mpx::rank_t> hear_all(Comm world) {
  std::vector<int> in(static_cast<std::size_t>(world.size()), -1);
  std::vector<mpx::request<typename decltype(world.irecv(in))::stack_type>> receives;
  for (mpx::rank_t r = 0; r < world.size(); ++r)
    receives.push_back(world.irecv(in[static_cast<std::size_t>(r)], r, 77));
  mpx::rank_t heard = 0;
  while (const auto one = co_await mpx::any_of(receives)) {
    CHECK(in[one->index] == static_cast<int>(one->index));
    ++heard;
  }
  co_return heard;
}

template <class Comm, class Loop>
task<> fails(Comm world, Loop& loop) {
  int x = 0;
  co_await world.recv(x, 99, 1, loop);
}
template <class Comm>
task<> truncates(Comm world) {
  int x = 0;
  const long out = 1;
  auto sent = world.isend(out, world.rank(), 5);
  co_await world.irecv(x, world.rank(), 5);
}
template <class Comm>
task<> waits_for_ever(Comm world, int& buffer, bool& dropped) {
  struct note {
    bool& set;
    ~note() { set = true; }
  } const at_the_end{dropped};
  co_await world.irecv(buffer, world.rank(), 6);
}
inline task<> suspends() { co_await std::suspend_always{}; }

/// A coroutine that mpx knows nothing of.
struct foreign {
  struct promise_type {
    foreign get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() { std::terminate(); }
  };
};
template <class Comm, class Loop>
foreign echo(Comm world, Loop& loop, int& got) {
  int x = 41;
  auto sent = world.isend(x, world.rank(), 8);
  int in = 0;
  co_await world.recv(in, world.rank(), 8, loop);
  co_await loop(std::move(sent));
  got = in;
}

template <class Stack, class Body>
void at_all_counts(Body body) {
  ranks::run_at_all_counts<Stack>(body);
}

}  // namespace async_tasks

TEST_CASE_TEMPLATE("tasks: everything at once", Stack, ranks::inproc, ranks::tiny, ranks::late) {
  using namespace async_tasks;
  ranks::run_at_all_counts<Stack>([](auto world) {
    mpx::task_loop loop(world);
    int passed = 0;
    int exchanged = 0;
    int joined = 0;
    loop.spawn(ring(world, 5, passed));
    mpx::tag_t tag = 200;
    for (const std::size_t bytes : {0u, 8u, 3000u, 300'000u})
      loop.spawn(exchange(world, tag++, bytes, exchanged));
    loop.spawn(collectives(world, joined));
    CHECK(passed == 0);  // Nothing runs before the loop does.
    loop.run();
    CHECK(passed == 5);
    CHECK(exchanged == 4);
    CHECK(joined == 1);
    std::vector<mpx::request<Stack>> out;
    const int own = world.rank();
    for (mpx::rank_t r = 0; r < world.size(); ++r) out.push_back(world.isend(own, r, 77));
    CHECK(loop.run(hear_all(world)) == world.size());
    mpx::wait_all(out);
    loop.spawn(ring(world, 2, passed));
    while (loop.poll()) continue;
    CHECK(passed == 7);
  });
}

TEST_CASE_TEMPLATE("tasks: errors, drops, and coroutines of others", Stack, ranks::inproc,
                   ranks::multiple) {
  using namespace async_tasks;
  ranks::run<Stack>(1, [](auto world) {
    mpx::task_loop loop(world);
    CHECK(ranks::contains(ranks::text_of([&] { loop.run(fails(world, loop)); }), "from rank 99"));
    const std::string text = ranks::text_of([&] { loop.run(truncates(world)); });
    CHECK(ranks::contains(text, "of room for a message of 8"));
    CHECK(ranks::contains(text, "coroutine.test.cpp"));
    CHECK(ranks::errc_of([&] { loop.run(suspends()); }) == mpx::errc::deadlock);
    int buffer = 1;
    bool dropped = false;
    {
      mpx::task_loop other(world);
      other.spawn(waits_for_ever(world, buffer, dropped));
      other.spawn(waits_for_ever(world, buffer, dropped));
      CHECK(other.poll());
      CHECK_FALSE(dropped);
      bool never = false;
      other.spawn(waits_for_ever(world, buffer, never));  // Does not even begin.
    }
    CHECK(dropped);
    world.send(7, world.rank(), 6);
    int in = 0;
    world.recv(in, world.rank(), 6);
    CHECK(in == 7);
    CHECK(buffer == 1);
    dropped = false;
    loop.spawn(waits_for_ever(world, buffer, dropped));
    CHECK(ranks::errc_of([&] { loop.run(truncates(world)); }) == mpx::errc::truncate);
    CHECK_FALSE(dropped);  // The others stay,
    world.send(8, world.rank(), 6);
    loop.run();  // and go on.
    CHECK(dropped);
    CHECK(buffer == 8);
    int got = 0;
    echo(world, loop, got);
    while (got == 0) loop.poll();
    CHECK(got == 41);
  });
}

TEST_CASE_TEMPLATE("tasks: a peer that dies", Stack, ranks::inproc, ranks::shm) {
  using namespace async_tasks;
  bool told = false;
  CHECK_THROWS_AS(ranks::run<Stack>(3,
                                    [&](auto world) {
                                      if (world.rank() == 2) throw std::runtime_error("dies");
                                      if (world.rank() == 1) return;
                                      mpx::task_loop loop(world);
                                      int x = 0;
                                      try {
                                        loop.run([](auto comm, int& into) -> task<> {
                                          co_await comm.irecv(into, 2, 1);
                                        }(world, x));
                                      } catch (const mpx::error& e) {
                                        told = e.code() == mpx::errc::peer_lost;
                                      }
                                    }),
                  std::runtime_error);
  CHECK(told);
}

TEST_CASE("tasks: threads of other tasks complete awaited operations") {
  using namespace async_tasks;
  using stack = ranks::multiple;
  ranks::run<stack>(2, [](auto world) {
    mpx::task_loop loop(world);
    int passed = 0;
    auto mine = world.dup();
    std::jthread other([&] {
      const mpx::rank_t peer = 1 - world.rank();
      for (int i = 0; i < 300; ++i) {
        int in = -1;
        auto r = mine.irecv(in, peer, 3);
        mine.send(i, peer, 3);
        r.wait();
        CHECK(in == i);
      }
    });
    loop.spawn(ring(world, 300, passed));
    loop.run();
    CHECK(passed == 300);
    other.join();
    world.barrier();
  });
}
