// SPDX-License-Identifier: BSL-1.0
// Several threads of a rank at once: everything under threading::multiple, and the checks of the
// models that allow less. Meant to run under ThreadSanitizer too.

#include <mpx/attributes.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <tuple>

#include "comm/aborts.hpp"
#include "comm/ranks.hpp"

namespace {

using namespace std::chrono_literals;

constexpr int threads_per_rank = 4;
constexpr mpx::tag_t shared_tag = 1000;

using over_memory = mpx::stack<mpx::threading::multiple>;
using over_threads = mpx::stack<mpx::threading::multiple, mpx::transport::inproc>;
using spinning = mpx::stack<mpx::threading::multiple, mpx::waiting::spin>;
using listed =
    mpx::stack<mpx::threading::multiple, mpx::matching::list, ranks::long_by<mpx::long_path::put>>;
using narrow = mpx::stack<mpx::threading::multiple, mpx::transport::basic_inproc<4, 4096>,
                          mpx::protocol::tiny_short_long<8, 512, mpx::long_path::packets, 1024>,
                          mpx::flow::credits<64 * 1024, 4 * 1024>>;
using stacks = std::tuple<over_memory, over_threads, spinning, listed, narrow>;

/// Runs `body(t)` in the threads of this rank. The first exception of any is thrown at the end.
template <class Body>
void in_threads(Body body) {
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int t = 0; t < threads_per_rank; ++t)
    threads.emplace_back([&, t] {
      try {
        body(t);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
    });
  for (std::thread& t : threads) t.join();
  if (first) std::rethrow_exception(first);
}

template <class Stack>
std::size_t size_of(int round) {
  constexpr std::size_t most = Stack::protocol_type::short_bytes_ceiling;
  constexpr std::size_t sizes[] = {8, 41, most, most + 1, 0, 5 * most};
  return sizes[static_cast<std::size_t>(round) % 6];
}
std::uint64_t seed_of(mpx::rank_t from, int thread, int round) {
  return static_cast<std::uint64_t>(((from * 16) + thread) * 1000 + round);
}

/// Thread t of each rank exchanges with thread t of the others, by blocking calls.
template <class Stack>
bool blocking(mpx::communicator<Stack> world, int t, int rounds) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t next = (world.rank() + 1) % n;
  const mpx::rank_t previous = (world.rank() + n - 1) % n;
  bool right = true;
  for (int i = 0; i < rounds; ++i) {
    std::vector<std::byte> in(size_of<Stack>(i));
    const auto out = ranks::message(in.size(), seed_of(world.rank(), t, i));
    world.sendrecv(out, next, t, in, previous, t);
    right = right && ranks::holds(in, seed_of(previous, t, i));
    if (i % 2 == 0 && n == 2) {  // One at a time too.
      if (world.rank() == 0) world.ssend(out, 1, 100 + t);
      if (world.rank() == 1) world.recv(in, 0, 100 + t);
      if (world.rank() == 1) right = right && ranks::holds(in, seed_of(0, t, i));
    }
  }
  return right;
}

/// As above, with several requests at once, waited for and tested in every way.
template <class Stack>
bool nonblocking(mpx::communicator<Stack> world, int t, int rounds) {
  const mpx::rank_t n = world.size();
  bool right = true;
  for (int i = 0; i < rounds; ++i) {
    const std::size_t bytes = size_of<Stack>(i);
    const auto out = ranks::message(bytes, seed_of(world.rank(), t, i));
    std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(n),
                                           std::vector<std::byte>(bytes));
    std::vector<mpx::request<Stack>> all;
    for (mpx::rank_t r = 0; r < n; ++r)
      all.push_back(world.irecv(in[static_cast<std::size_t>(r)], r, 200 + t));
    for (mpx::rank_t r = 0; r < n; ++r)
      all.push_back(i % 2 == 0 ? world.isend(out, r, 200 + t) : world.issend(out, r, 200 + t));
    const int way = (t + i) % 4;
    if (way == 0) mpx::wait_all(all);
    if (way == 1)
      while (mpx::wait_any(all)) {
      }
    if (way == 2)
      while (!mpx::wait_some(all).empty()) {
      }
    if (way == 3)
      while (!mpx::test_all(all)) std::this_thread::yield();
    for (mpx::rank_t r = 0; r < n; ++r)
      right = right && ranks::holds(in[static_cast<std::size_t>(r)], seed_of(r, t, i));
  }
  return right;
}

/// All threads of a rank take from one queue: each message goes to exactly one of them.
template <class Stack>
bool from_one_queue(mpx::communicator<Stack> world, int t, int rounds, std::atomic<int>& taken) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t next = (world.rank() + 1) % n;
  const mpx::rank_t previous = (world.rank() + n - 1) % n;
  bool right = true;
  std::vector<std::byte> in(5 * Stack::protocol_type::short_bytes_ceiling);
  for (int i = 0; i < rounds; ++i) {
    const auto out = ranks::message(size_of<Stack>(i), 7);
    auto sending = world.isend(out, next, shared_tag);
    mpx::status s;
    if ((t + i) % 3 == 0) {
      auto m = world.mprobe(mpx::any_source, shared_tag);
      s = m.recv(in);
    } else if ((t + i) % 3 == 1) {
      auto m = world.improbe(previous, shared_tag);
      while (!m) m = world.improbe(previous, shared_tag);
      s = m->recv(in);
    } else {
      s = world.recv(in, mpx::any_source, shared_tag);
    }
    right = right && s.source() == previous && ranks::holds(std::span(in).first(s.bytes()), 7);
    ++taken;
    sending.wait();
  }
  return right;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("multiple: four threads a rank, all operations at once", Stack, at_once) {
  for (const mpx::rank_t n : {2, 3}) {
    ranks::run<Stack>(n, [](auto world) {
      constexpr int rounds = 24;
      auto second = world.dup();
      std::atomic<int> taken = 0;
      std::array<mpx::communicator<Stack>, threads_per_rank> own{world.dup(), world.dup(),
                                                                 world.dup(), world.dup()};
      in_threads([&](int t) {
        CHECK(blocking<Stack>(world, t, rounds));
        CHECK(nonblocking<Stack>(second, t, rounds));
        CHECK(from_one_queue<Stack>(second, t, rounds, taken));
        auto& mine = own[static_cast<std::size_t>(t)];
        for (int i = 0; i < rounds; ++i)
          CHECK(mine.allreduce(i + mine.rank(), std::plus<>{}) ==
                mine.size() * i + mine.size() * (mine.size() - 1) / 2);
        mine.barrier();
      });
      CHECK(taken == threads_per_rank * rounds);
      CHECK(!second.iprobe());
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(at_once, stacks);

TEST_CASE_TEMPLATE_DEFINE("multiple: different work in each thread", Stack, mixed) {
  ranks::run<Stack>(2, [](auto world) {
    constexpr int rounds = 200;
    const mpx::rank_t other = 1 - world.rank();
    in_threads([&](int t) {
      bool right = true;
      if (t == 0) {  // Sends, in order.
        for (int i = 0; i < rounds; ++i)
          world.send(ranks::message(size_of<Stack>(i), seed_of(world.rank(), 0, i)), other, 1);
      } else if (t == 1) {  // Receives them.
        for (int i = 0; i < rounds; ++i) {
          std::vector<std::byte> in(world.probe(other, 1).bytes());
          world.recv(in, other, 1);
          right = right && in.size() == size_of<Stack>(i) && ranks::holds(in, seed_of(other, 0, i));
        }
      } else if (t == 2) {  // Posts receives and takes them back, or drops them.
        std::int64_t x = -1;
        for (int i = 0; i < rounds; ++i) {
          auto r = world.irecv(x, other, 2);
          if (i % 2 == 0) right = right && r.cancel() && r.wait().cancelled();
        }
        right = right && x == -1;
      } else {  // Ping-pong.
        std::int64_t x = 0;
        for (int i = 0; i < rounds; ++i) {
          if (world.rank() == 0) world.send(x + 1, other, 3);
          world.recv(x, other, 3);
          if (world.rank() == 1) world.send(x + 1, other, 3);
        }
        right = x == 2 * rounds - world.rank();
      }
      CHECK(right);
    });
  });
}
TEST_CASE_TEMPLATE_APPLY(mixed, stacks);

TEST_CASE_TEMPLATE_DEFINE("multiple: a request is waited for in another thread than its maker's",
                          Stack, handed_over) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    for (int i = 0; i < 12; ++i) {
      const auto out = ranks::message(size_of<Stack>(i), seed_of(world.rank(), 0, i));
      std::array<std::vector<std::byte>, threads_per_rank> in;
      std::array<mpx::request<Stack>, threads_per_rank> receives;
      for (std::size_t t = 0; t < threads_per_rank; ++t) {
        in[t].resize(out.size());
        receives[t] = world.irecv(in[t], other, 1);
      }
      in_threads([&](int t) {
        auto mine = std::move(receives[static_cast<std::size_t>(t)]);
        if (t == 0)
          for (int k = 0; k < threads_per_rank; ++k) world.send(out, other, 1);
        mine.wait();
        CHECK(ranks::holds(in[static_cast<std::size_t>(t)], seed_of(other, 0, i)));
      });
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(handed_over, stacks);

TEST_CASE("multiple: pending operations are examined while one of them is dropped") {
  struct slow_to_go {
    bool copy = false;
  };
  static std::atomic<int> step;  // Relaxed: it orders nothing else.
  step = 0;
  const mpx::attribute_key<slow_to_go> key(
      [](const slow_to_go&) { return std::optional(slow_to_go{true}); },
      [](slow_to_go& s) {
        if (!s.copy) return;
        step.store(1, std::memory_order_relaxed);
        while (step.load(std::memory_order_relaxed) == 1) std::this_thread::yield();
      });
  ranks::run<over_threads>(2, [&](auto world) {
    auto of = world.dup();
    auto alone = world.split(world.rank());
    if (world.rank() == 1) {
      std::thread other([&] {
        while (step.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
        alone.dup().free();  // Is it in use? All operations are asked.
        step.store(2, std::memory_order_relaxed);
      });
      key.set(of, {});
      decltype(world) into;
      auto started = of.idup(into);  // Rank 0 does not take part.
      of.revoke();
      std::error_code ec;
      started.wait(ec);  // Drops the copy.
      CHECK(ec == mpx::errc::revoked);
      other.join();
    }
    world.barrier();
    of.free();
  });
}

TEST_CASE_TEMPLATE("serialized: any thread, one at a time", Threading, mpx::threading::serialized,
                   mpx::threading::multiple) {
  using stack = mpx::stack<mpx::transport::inproc, Threading>;
  ranks::run<stack>(2, [](auto world) {
    std::mutex mutex;
    in_threads([&](int t) {
      for (int i = 0; i < 50; ++i) {
        const std::lock_guard lock(mutex);  // Both ranks' threads come in any order: tags tell all.
        world.send(i, world.rank(), t);
        CHECK(world.template recv<int>(world.rank(), t) == i);
      }
    });
    CHECK(world.allreduce(1, std::plus<>{}) == 2);
  });
}

#if MPX_ASSERT_LEVEL >= 1
TEST_CASE("single: a call from another thread is caught, with the line of the call") {
  using stack = mpx::stack<mpx::transport::inproc>;
  const auto said_of = [](auto call) {
    return ranks::aborts([&] {
      mpx::environment<stack> env;
      auto world = env.world();
      int x = 0;
      auto receiving = world.irecv(x, 0, 1);
      std::thread([&] { call(world, receiving); }).join();
    });
  };
  const auto check = [&](int line, auto call) {
    const std::string said = said_of(call);
    CAPTURE(said);
    CHECK(said.starts_with(std::string(__FILE__) + ":" + std::to_string(line) + ": mpx: "));
    CHECK(ranks::contains(said, "threading::single: only the thread that made the environment"));
  };
  check(__LINE__, [](auto& world, auto&) { world.send(1, 0); });
  check(__LINE__, [](auto& world, auto&) { world.barrier(); });
  check(__LINE__, [](auto&, auto& r) { (void)r.test(); });
  check(__LINE__, [](auto&, auto& r) { mpx::wait_all(std::span(&r, 1)); });
  // A call that does not know the program's line names none, and none of mpx's own.
  const std::string said = said_of([](auto&, auto& r) { r.progress(); });
  CHECK(said.starts_with("mpx: precondition violated: threading::single"));
}
TEST_CASE("serialized: it detects a second thread") {
  mpx::threading::serialized model;
  CHECK(model.misuse() == nullptr);
  model.lock();
  CHECK(std::string(model.misuse()).starts_with("threading::serialized: two threads"));
  model.unlock();
  CHECK(model.misuse() == nullptr);
}

TEST_CASE("serialized: two calls at once are caught") {
  const std::string said = ranks::aborts([] {
    mpx::environment<mpx::stack<mpx::transport::inproc, mpx::threading::serialized>> env;
    auto world = env.world();
    std::thread blocked([&] { (void)world.recv<int>(0, 1); });
    for (;;) {
      std::this_thread::sleep_for(10ms);
      (void)world.iprobe(0, 2);
    }
  });
  CAPTURE(said);
  CHECK(ranks::contains(said, "threading::serialized: two threads called at once"));
  CHECK(!ranks::contains(said, "threading.hpp"));
}
#endif
