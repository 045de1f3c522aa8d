// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// One call, every form: what throws, stores, starts and prepares, and two tokens that mpx knows
// nothing of: a callback, and a minimal awaitable.

#include <array>
#include <atomic>
#include <coroutine>
#include <deque>
#include <exception>
#include <thread>
#include <vector>

#include "comm/ranks.hpp"

namespace forms {  // Named: a coroutine's frame is a type of its own.

/// Calls back with the error and the status, from `run`.
template <class Stack>
class callbacks {
 public:
  template <class F>
  struct token {
    callbacks& loop;
    F done;

    template <class Call>
    void launch(Call&& call) {
      std::error_code ec;
      auto r = call.start(ec);
      if (ec) return done(ec, mpx::status{});
      loop.waiting_.push_back({std::move(r), std::move(done)});
    }
  };
  template <class F>
  token<F> operator()(F done) {
    return {*this, std::move(done)};
  }
  void run() {
    while (!waiting_.empty()) {
      entry e = std::move(waiting_.front());
      waiting_.pop_front();
      std::error_code ec;
      if (const auto s = e.request.test(ec)) {
        e.done(ec, *s);
      } else {
        waiting_.push_back(std::move(e));
      }
    }
  }

 private:
  struct entry {
    mpx::request<Stack> request;
    std::function<void(std::error_code, const mpx::status&)> done;
  };
  std::deque<entry> waiting_;
};

/// A coroutine that runs until it is done; its maker resumes it.
struct task {
  struct promise_type {
    std::exception_ptr failure;
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() { failure = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
};

/// `co_await world.recv(x, 0, 1, loop)` suspends until the operation is complete.
template <class Stack>
class awaiting {
 public:
  class awaiter {
   public:
    awaiter(awaiting& l, mpx::request<Stack>&& r) : loop(l), request(std::move(r)) {}
    bool await_ready() { return request.done(); }
    void await_suspend(std::coroutine_handle<> h) { loop.sleeping_.push_back({&request, h}); }
    mpx::status await_resume() { return request.wait(); }

   private:
    awaiting& loop;
    mpx::request<Stack> request;
  };
  awaiter until(mpx::request<Stack>&& r) { return {*this, std::move(r)}; }
  template <class Call>
  awaiter launch(Call&& call) {
    std::error_code ec;
    auto r = call.start(ec);
    if (ec) call.fail(ec);
    return {*this, std::move(r)};
  }
  void run() {
    while (!sleeping_.empty()) {
      const sleeper s = sleeping_.front();
      sleeping_.pop_front();
      if (s.request->done()) {
        s.handle.resume();
      } else {
        sleeping_.push_back(s);
      }
    }
  }

 private:
  struct sleeper {
    mpx::request<Stack>* request;
    std::coroutine_handle<> handle;
  };
  std::deque<sleeper> sleeping_;
};

template <class Comm, class Loop>
task ring(Comm world, Loop& loop, int& rounds) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  for (int round = 0; round < 3; ++round) {
    std::vector<int> in(round == 2 ? 50'000 : 1, -1);
    std::vector<int> out(in.size(), 10 * round + world.rank());
    auto receive = world.irecv(in, last, round);
    co_await world.send(out, next, round, loop);
    auto own = world.generalized();
    own.completer.complete();
    auto both = mpx::all_of(std::move(receive), std::move(own.request));
    co_await loop.until(std::move(both));
    CHECK(in.back() == 10 * round + last);
    int again = -1;
    auto sent = world.isend(round, next, 9);
    const mpx::status s = co_await world.recv(again, mpx::any_source, 9, loop);
    CHECK(s.source() == last);
    CHECK(again == round);
    sent.wait();
    ++rounds;
  }
  int x = 0;
  co_await world.recv(x, 99, 1, loop);  // Throws, with the text of the call.
}

}  // namespace forms

TEST_CASE_TEMPLATE("the built-in forms of a send and a receive", Stack, ranks::inproc, ranks::shm,
                   ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    const int out = world.rank() + 10;
    int in = 0;
    std::error_code ec = mpx::errc::deadlock;
    static_assert(std::is_void_v<decltype(world.send(out, other, 1))>);
    static_assert(std::is_void_v<decltype(world.send(out, other, 1, ec))>);
    static_assert(
        std::same_as<decltype(world.send(out, other, 1, mpx::start)), mpx::request<Stack>>);
    static_assert(
        std::same_as<decltype(world.recv(in, other, 1, mpx::prepare)), mpx::request<Stack>>);
    static_assert(std::same_as<decltype(world.recv(in, other, 1, ec)), mpx::status>);
    static_assert(noexcept(world.recv(in, other, 1, mpx::start(ec))) &&
                  noexcept(world.probe(other, 1, mpx::once(ec))) &&
                  !noexcept(world.recv(in, other, 1, mpx::start)));
    auto receive = world.recv(in, other, 1, mpx::start(ec));
    CHECK(!ec);
    world.send(out, other, 1, ec);
    CHECK(!ec);
    CHECK(receive.wait(ec).source() == other);
    CHECK(in == other + 10);
    auto again = world.recv(in, other, 2, mpx::prepare(ec));
    auto send = world.template send<mpx::mode::synchronous>(out, other, 2, mpx::prepare);
    in = 0;
    again.start(ec);
    CHECK(!ec);
    send.start();
    again.wait();
    send.wait();
    CHECK(in == other + 10);
    CHECK(!world.send(out, 7, 1, mpx::start(ec)));
    CHECK(ec == mpx::errc::rank);
    CHECK(!world.recv(in, 7, 1, mpx::prepare(ec)).persistent());
    CHECK(ec == mpx::errc::rank);
    CHECK(ranks::contains(ranks::text_of([&] { (void)world.recv(in, 7, 1, mpx::prepare); }),
                          "recv_init on rank"));
    CHECK(!world.probe(other, 3, mpx::once));
    CHECK(!world.mprobe(other, 3, mpx::once(ec)));
    CHECK(!ec);
    auto r = world.isend(out, other, 4);
    CHECK(ranks::errc_of([&] { r.start(); }) == mpx::errc::request);
    auto pending = world.irecv(in, other, 78);
    CHECK(ranks::contains(ranks::text_of([&] { pending.start(); }), "that is not persistent"));
    CHECK(pending.cancel());
    pending.wait();
    world.mprobe(other, 4).recv(in, mpx::start).wait();
    CHECK(in == other + 10);
  });
}

TEST_CASE_TEMPLATE("try_send sends what can leave at once, and nothing else", Stack, ranks::inproc,
                   ranks::shm, ranks::tiny, ranks::multiple) {
  std::atomic<bool> full = false;
  ranks::run<Stack>(2, [&](auto world) {
    const auto turned = world.split(0, -world.rank());
    const mpx::rank_t other = 1 - world.rank();
    const mpx::rank_t there = world.rank();  // Rank of the other one in `turned`.
    CHECK(world.try_send(1, mpx::proc_null, 3));
    CHECK(ranks::contains(ranks::text_of([&] { (void)world.try_send(1, 7, 3); }),
                          "try_send on rank"));
    CHECK(ranks::errc_of([&] { (void)world.try_send(1, other, -3); }) == mpx::errc::tag);
    CHECK(!world.try_send(std::vector<std::byte>(8u << 20), other, 3));
    constexpr int many = 1'000'000;  // More than the room of any stack holds.
    if (world.rank() == 0) {
      int sent = 0;
      while (sent < many && world.try_send(sent, other, 1)) ++sent;
      CHECK(sent < many);
      full = true;
      world.send(-1, other, 1);
      const std::vector<std::byte> long_message(8u << 20);
      for (int i = 0; i < 20'000; ++i)  // Refusals use up the countdown to the next poll.
        if (world.try_send(long_message, other, 4)) CHECK(false);
      while (!turned.try_send(std::array{sent, 5}, there, 2)) world.progress();
      while (!world.try_send(std::vector<int>(50, sent), other, 3)) world.progress();
    } else {
      while (!full) std::this_thread::yield();
      int received = 0;
      for (int x = 0; (x = world.template recv<int>(other, 1)) != -1; ++received)
        if (x != received) CHECK(x == received);
      CHECK(turned.template recv<std::array<int, 2>>(there, 2) == std::array{received, 5});
      std::vector<int> last(50);
      world.recv(last, other, 3);
      CHECK(last == std::vector<int>(50, received));
    }
  });
}

TEST_CASE_TEMPLATE("a foreign token: callbacks", Stack, ranks::inproc, ranks::tiny,
                   ranks::multiple) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    const mpx::rank_t next = (world.rank() + 1) % world.size();
    const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
    forms::callbacks<Stack> loop;
    std::vector<int> in(20'000, -1);
    const std::vector<int> out(20'000, world.rank());
    int calls = 0;
    world.recv(in, last, 1, loop([&](std::error_code ec, const mpx::status& s) {
                 CHECK(!ec);
                 CHECK(s.source() == last);
                 ++calls;
               }));
    world.send(out, next, 1, loop([&](std::error_code ec, const mpx::status&) {
                 CHECK(!ec);
                 ++calls;
               }));
    world.send(out, world.size(), 1, loop([&](std::error_code ec, const mpx::status&) {
                 CHECK(ec == mpx::errc::rank);  // At once.
                 ++calls;
               }));
    CHECK(calls == 1);
    loop.run();
    CHECK(calls == 3);
    CHECK(in.front() == last);
    CHECK(in.back() == last);
  });
}

TEST_CASE_TEMPLATE("a foreign token: co_await", Stack, ranks::inproc, ranks::tiny) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    forms::awaiting<Stack> loop;
    int rounds = 0;
    const forms::task t = forms::ring(world, loop, rounds);
    loop.run();
    CHECK(t.handle.done());
    CHECK(rounds == 3);
    const std::string text = ranks::text_of([&] {
      if (t.handle.promise().failure) std::rethrow_exception(t.handle.promise().failure);
    });
    CHECK(ranks::contains(text, "from rank 99"));
    t.handle.destroy();
    world.barrier();
  });
}
