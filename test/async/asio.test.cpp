// SPDX-License-Identifier: BSL-1.0
// Boost.Asio's tokens: awaitables, futures, deferred operations, callbacks; several environments in
// one context, cancellation, ends in any order, a peer that dies, blocking calls in handlers.

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <mpx/asio.hpp>

#include <chrono>

#include "comm/ranks.hpp"

namespace async_asio {  // Named: a coroutine's frame is a type of its own.

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::use_awaitable;

/// Rests at once, and for so long that a wake-up that is lost is no mere delay.
struct patient : mpx::waiting::sleep {
  static constexpr std::string_view name = "patient";
  static constexpr std::int64_t sleep_ns_max = 30'000'000'000;
};

/// Ends the test by what a coroutine has thrown.
struct rethrow {
  void operator()(const std::exception_ptr& e) const {
    if (e) std::rethrow_exception(e);
  }
};

using patient_inproc = mpx::stack<mpx::transport::inproc, patient>;
using patient_late = late_stacks::over_small<late_stacks::some, mpx::threading::multiple, patient>;

template <class Comm, class Service>
asio::awaitable<void> ring(Comm world, Service& service, int rounds, int& passed) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  for (int round = 0; round < rounds; ++round) {
    const std::size_t count = round % 3 == 2 ? 40'000 : 1;
    const std::vector<int> out(count, 100 * round + world.rank());
    std::vector<int> in(count, -1);
    auto sent = world.isend(out, next, round);
    const mpx::status s = co_await world.recv(in, last, round, service.throwing(use_awaitable));
    CHECK(s.source() == last);
    CHECK(in.front() == 100 * round + last);
    CHECK(in.back() == 100 * round + last);
    co_await service.async_wait(std::move(sent), use_awaitable);
    ++passed;
  }
  long sum = world.rank();
  co_await world.allreduce(sum, std::plus<>{}, service(use_awaitable));
  CHECK(sum == static_cast<long>(world.size()) * (world.size() - 1) / 2);
}

template <class Comm, class Service>
asio::awaitable<void> waits_for_ever(Comm world, Service& service) {
  int x = 0;
  auto r = world.irecv(x, world.rank(), 6);
  co_await service.async_wait(r, use_awaitable);
}

template <class Comm, class Service>
asio::awaitable<void> timed(Comm world, Service& service, bool& in_time) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer timer(co_await asio::this_coro::executor, 5ms);
  int x = 3;
  const auto first = co_await (world.recv(x, world.rank(), 1, service(use_awaitable)) ||
                               timer.async_wait(use_awaitable));
  in_time = first.index() == 0;
  CHECK(x == 3);
}

}  // namespace async_asio

TEST_CASE_TEMPLATE("asio: a ring of coroutines", Stack, async_asio::patient_inproc, ranks::tiny,
                   async_asio::patient_late) {
  using namespace async_asio;
  ranks::run_at_all_counts<Stack>([](mpx::environment<Stack>& env) {
    asio::io_context io(1);
    mpx::asio_service service(env, io.get_executor());
    int passed = 0;
    asio::co_spawn(io, ring(env.world(), service, 9, passed), rethrow{});
    io.run();
    CHECK(passed == 9);
    io.restart();  // A context that has run out of work continues.
    asio::co_spawn(io, ring(env.world(), service, 2, passed), rethrow{});
    io.run();
    CHECK(passed == 11);
    env.world().barrier();
  });
}

TEST_CASE("asio: every token") {
  using namespace async_asio;
  using stack = ranks::inproc;
  ranks::run<stack>(2, [](mpx::environment<stack>& env) {
    auto world = env.world();
    const mpx::rank_t other = 1 - world.rank();
    asio::io_context io(1);
    mpx::asio_service service(env, io.get_executor());
    const int out = 10 + world.rank();
    int a = 0;
    int b = 0;
    int c = 0;
    int calls = 0;
    auto future = world.recv(a, other, 1, service(asio::use_future));
    auto failed = world.recv(a, 99, 1, service.throwing(asio::use_future));
    world.recv(b, other, 2, service([&](boost::system::error_code ec, mpx::status s) {
                 CHECK_FALSE(ec);
                 CHECK(s.source() == other);
                 ++calls;
               }));
    world.recv(b, other, -7, service([&](boost::system::error_code ec, mpx::status) {
                 CHECK(std::error_code(ec) == mpx::errc::tag);
                 ++calls;
               }));
    auto later = world.recv(c, other, 3, service(asio::deferred));
    auto again = world.recv(c, other, 4, mpx::prepare);
    CHECK(calls == 0);  // Never at once.
    for (mpx::tag_t tag = 1; tag <= 3; ++tag)
      world.send(out, other, tag, service([&](boost::system::error_code ec, mpx::status) {
                   CHECK_FALSE(ec);
                   ++calls;
                 }));
    CHECK(calls == 0);
    io.run();
    CHECK(calls == 5);
    CHECK(future.get().source() == other);
    CHECK(ranks::contains(ranks::text_of([&] { failed.get(); }), "from rank 99"));
    CHECK(a == 10 + other);
    CHECK(b == 10 + other);
    CHECK(c == 0);
    io.restart();
    std::move(later)([&](boost::system::error_code ec, mpx::status) {
      CHECK_FALSE(ec);
      ++calls;
    });
    world.barrier(service([&](boost::system::error_code ec, mpx::status) {
      CHECK_FALSE(ec);
      ++calls;
    }));
    io.run();
    CHECK(calls == 7);
    CHECK(c == 10 + other);
    for (int i = 0; i < 2; ++i) {
      again.start();
      world.send(i, other, 4);
      io.restart();
      service.async_wait(again, [&](boost::system::error_code ec, mpx::status) {
        CHECK_FALSE(ec);
        CHECK(c == i);
        ++calls;
      });
      io.run();
    }
    CHECK(calls == 9);
    world.barrier();
  });
}

TEST_CASE_TEMPLATE("asio: cancellation", Stack, ranks::inproc, ranks::multiple) {
  using namespace async_asio;
  ranks::run<Stack>(1, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    asio::io_context io(1);
    mpx::asio_service service(env, io.get_executor());
    bool in_time = true;
    asio::co_spawn(io, timed(world, service, in_time), rethrow{});
    io.run();
    CHECK_FALSE(in_time);
    world.send(5, 0, 1);  // Not to the receive that was cancelled.
    int x = 0;
    world.recv(x, 0, 1);
    CHECK(x == 5);

    asio::cancellation_signal signal;
    boost::system::error_code got;
    int calls = 0;
    const auto note = [&](boost::system::error_code ec, const mpx::status&) {
      got = ec;
      ++calls;
    };
    auto never = world.generalized();
    service.async_wait(never.request, asio::bind_cancellation_slot(signal.slot(), note));
    signal.emit(asio::cancellation_type::total);  // It has no way back.
    io.restart();
    io.run_for(20ms);
    CHECK(calls == 0);
    signal.emit(asio::cancellation_type::terminal);
    io.restart();
    io.run();
    CHECK(calls == 1);
    CHECK(got == asio::error::operation_aborted);
    CHECK(never.request);  // Its owner's still.
    never.completer.complete();
    never.request.wait();
    signal.emit(asio::cancellation_type::terminal);  // No handler is there.

    world.recv(x, 0, 2, service(asio::bind_cancellation_slot(signal.slot(), note)));
    world.send(6, 0, 2);
    io.restart();
    io.run();
    CHECK(calls == 2);
    CHECK_FALSE(got);
    CHECK(x == 6);
  });
}

TEST_CASE("asio: ends in order") {
  using namespace async_asio;
  using stack = ranks::inproc;
  ranks::run<stack>(2, [](mpx::environment<stack>& env) {
    auto world = env.world();
    asio::io_context io(1);
    int aborted = 0;
    int x = 1;
    {
      mpx::asio_service service(env, io.get_executor());
      CHECK(ranks::errc_of([&] { const mpx::asio_service second(env, io.get_executor()); }) ==
            mpx::errc::argument);
      for (int i = 0; i < 3; ++i)
        world.recv(x, 1 - world.rank(), 1, service([&](boost::system::error_code ec, mpx::status) {
                     CHECK(ec == asio::error::operation_aborted);
                     ++aborted;
                   }));
      asio::co_spawn(io, waits_for_ever(world, service), asio::detached);
      io.poll();
      CHECK(aborted == 0);
      service.stop();
      world.recv(x, 0, 1, service([&](boost::system::error_code ec, mpx::status) {
                   CHECK(ec == asio::error::operation_aborted);
                   ++aborted;
                 }));
    }
    io.restart();
    io.poll();
    CHECK(aborted == 4);
    CHECK(x == 1);
    mpx::asio_service service(env, io.get_executor());  // The next one.
    int passed = 0;
    auto apart = world.dup();
    asio::co_spawn(io, ring(apart, service, 3, passed), rethrow{});
    io.restart();
    io.run();
    CHECK(passed == 3);
    auto held = std::make_optional(service.hold());
    io.restart();
    CHECK(io.run_for(5ms) > 0);
    CHECK_FALSE(io.stopped());
    held.reset();
    io.run();
    world.barrier();
  });
}

TEST_CASE("asio: several environments, and blocking calls in handlers") {
  using namespace async_asio;
  using one = patient_inproc;
  using two = ranks::tiny;
  const mpx::bootstrap::thread_job jobs[] = {mpx::bootstrap::thread_job(2),
                                             mpx::bootstrap::thread_job(2)};
  const ranks::watchdog guard("asio: several environments");
  const auto rank = [&](mpx::rank_t me) {
    mpx::environment<one> first{typename one::bootstrap_type(mpx::bootstrap::threads(jobs[0], me))};
    mpx::environment<two> second{
        typename two::bootstrap_type(mpx::bootstrap::threads(jobs[1], me))};
    asio::io_context io(1);
    mpx::asio_service service_of_first(first, io.get_executor());
    mpx::asio_service service_of_second(second, io.get_executor());
    int passed = 0;
    int blocked = 0;
    asio::co_spawn(io, ring(first.world(), service_of_first, 60, passed), rethrow{});
    asio::co_spawn(io, ring(second.world(), service_of_second, 60, passed), rethrow{});
    auto apart = first.world().dup();
    asio::steady_timer timer(io);
    std::function<void()> block = [&] {  // While both services rest.
      timer.expires_after(2ms);
      timer.async_wait([&](boost::system::error_code) {
        apart.barrier();
        if (++blocked < 10) block();
      });
    };
    block();
    io.run();
    CHECK(passed == 120);
    CHECK(blocked == 10);
  };
  {
    std::jthread other([&] {
      rank(1);
      for (const auto& job : jobs) job.mark_ended(1, true);
    });
    rank(0);
    for (const auto& job : jobs) job.mark_ended(0, true);
  }
}

TEST_CASE_TEMPLATE("asio: a peer that dies", Stack, ranks::inproc, ranks::shm) {
  using namespace async_asio;
  std::error_code told;
  CHECK_THROWS_AS(ranks::run<Stack>(2,
                                    [&](mpx::environment<Stack>& env) {
                                      if (env.rank() == 1) {
                                        std::this_thread::sleep_for(5ms);
                                        throw std::runtime_error("dies");
                                      }
                                      asio::io_context io(1);
                                      mpx::asio_service service(env, io.get_executor());
                                      int x = 0;
                                      env.world().recv(x, 1, 1,
                                                       service([&](boost::system::error_code ec,
                                                                   mpx::status) { told = ec; }));
                                      io.run();
                                    }),
                  std::runtime_error);
  CHECK(told == mpx::errc::peer_lost);
}

TEST_CASE("asio: a context of several threads, beside threads that block") {
  using namespace async_asio;
  using stack = mpx::stack<mpx::threading::multiple, patient>;
  ranks::run<stack>(2, [](mpx::environment<stack>& env) {
    auto world = env.world();
    const mpx::rank_t other = 1 - world.rank();
    asio::io_context io;
    mpx::asio_service service(env, asio::make_strand(io));
    int passed[2] = {0, 0};
    auto a = world.dup();
    auto b = world.dup();
    auto c = world.dup();
    auto d = world.dup();
    asio::co_spawn(asio::make_strand(io), ring(a, service, 100, passed[0]), rethrow{});
    asio::co_spawn(asio::make_strand(io), ring(b, service, 100, passed[1]), rethrow{});
    {
      auto open = asio::make_work_guard(io);  // The rings may end before what comes from outside.
      std::jthread one([&] { io.run(); });
      std::jthread two([&] { io.run(); });
      std::jthread blocks([&] {
        for (int i = 0; i < 300; ++i) {
          int in = -1;
          auto r = c.irecv(in, other, 3);
          c.send(i, other, 3);
          r.wait();
          CHECK(in == i);
        }
      });
      for (int i = 0; i < 100; ++i) {  // And tokens from a thread of no context.
        int in = -1;
        auto got = d.recv(in, other, 4, service(asio::use_future));
        auto sent = d.send(i, other, 4, service.throwing(asio::use_future));
        got.get();
        sent.get();
        CHECK(in == i);
      }
      open.reset();
    }
    CHECK(passed[0] == 100);
    CHECK(passed[1] == 100);
    world.barrier();
  });
}
