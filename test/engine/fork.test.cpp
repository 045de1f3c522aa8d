// SPDX-License-Identifier: BSL-1.0
// A forked child of a rank is not a rank: its calls end with an error, destructors have no effect
// outside, and its parent does not notice.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "comm/ranks.hpp"

namespace {

using ranks::message;

constexpr std::size_t forked_bytes = 300'000;

/// Calls of a forked child, numbered; its exit code tells which of them did not end as it should.
template <class Stack>
int misbehave(mpx::environment<Stack>& env, mpx::request<Stack>& pending,
              mpx::request<Stack>& sending) {
  auto world = env.world();
  int x = 0;
  int next = 10;
  const auto out = message(forked_bytes, 9);
  std::vector<std::byte> in(forked_bytes);
  const auto ends = [&next](auto call) {
    ++next;
    return ranks::errc_of(call) == mpx::errc::not_a_rank;
  };
  if (!ends([&] { world.send(1, 0, 7); })) return next;
  if (!ends([&] { world.send(out, 0, 7); })) return next;
  if (!ends([&] { world.recv(x, 0, 1); })) return next;
  if (!ends([&] { world.recv(x, mpx::any_source, 1); })) return next;
  if (!ends([&] { pending.wait(); })) return next;
  if (!ends([&] { sending.wait(); })) return next;
  if (!ends([&] { world.irecv(x, 0, 1).wait(); })) return next;
  if (!ends([&] { world.isend(out, 0, 1).wait(); })) return next;
  if (!ends([&] { (void)world.probe(0, 33); })) return next;
  if (!ends([&] { (void)world.iprobe(0, 33); })) return next;
  if (!ends([&] { (void)world.sendrecv(1, 0, 1, x, 0, 1); })) return next;
  if (!ends([&] { world.bsend(1, 0, 1); })) return next;
  if (!ends([&] { (void)env.template allocator<int>().allocate(10); })) return next;
  std::error_code ec;
  world.ssend(1, 0, 1, ec);
  if (ec != mpx::errc::not_a_rank) return 40;
  auto again = world.irecv(in, 0, 2);
  while (!again.test(ec)) {
  }
  return ec == mpx::errc::not_a_rank ? 0 : 41;
}

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// True if a child that waits for `pending`, one that tests it and one that drops it all continue.
template <class Stack>
bool child_goes_on(mpx::request<Stack>& pending) {
  for (int what = 0; what < 3; ++what) {
    const pid_t child = ::fork();
    if (child != 0) {
      const int code = exit_code_of(child);
      CAPTURE(what);
      CHECK(code == 0);
      if (code != 0) return false;
      continue;
    }
    ::alarm(10);
    std::error_code ec;
    if (what == 0)
      ::_exit(ranks::errc_of([&] { pending.wait(); }) == mpx::errc::not_a_rank ? 0 : 7);
    if (what == 1) {
      while (!pending.test(ec)) {
      }
      ::_exit(ec == mpx::errc::not_a_rank ? 0 : 8);
    }
    {
      const auto gone = std::move(pending);
    }
    ::_exit(0);
  }
  return true;
}

/// Writes that the peer's polls carry out.
using staged =
    mpx::stack<mpx::transport::basic_rdma<
                   mpx::nic::basic_via<mpx::nic::via_options{.stages_all = true}>, 32 * 1024, 40>,
               ranks::long_by<mpx::long_path::put>>;

}  // namespace

TEST_CASE_TEMPLATE("a forked child", Stack, ranks::shm, ranks::tiny, ranks::multiple, ranks::inproc,
                   mpx::stack<mpx::progress::thread>) {
  const ranks::watchdog guard("a forked child", std::chrono::seconds(60));
  const auto out = message(forked_bytes, 1);
  std::vector<std::byte> attached(4096);
  std::vector<std::byte> in(forked_bytes);
  {
    auto env =
        std::make_unique<mpx::environment<Stack>>(mpx::bootstrap::any(mpx::bootstrap::singleton()));
    auto world = env->world();
    env->attach_buffer(attached);
    for (int i = 0; i < 10; ++i) world.send(i, 0, 5);  // Lie in the ring, and as unexpected.
    CHECK(world.iprobe(0, 5));
    auto sending = world.isend(out, 0, 6);
    int y = 0;
    auto pending = world.irecv(y, 0, 8);
    for (const bool leaves : {false, true}) {
      CAPTURE(leaves);
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(20);
        const int code = leaves ? 0 : misbehave(*env, pending, sending);
        if (leaves) {  // As a child does that returns from main.
          {
            auto gone = std::move(pending);
            auto sent = std::move(sending);
          }
          env.reset();
        }
        ::_exit(code);
      }
      CHECK(exit_code_of(child) == 0);
    }
    for (int i = 0; i < 10; ++i) CHECK(world.template recv<int>(0, 5) == i);
    world.recv(in, 0, 6);
    sending.wait();
    CHECK(in == out);
    world.send(77, 0, 8);
    pending.wait();
    CHECK(y == 77);
    world.barrier();
    CHECK(env->detach_buffer().size() == attached.size());
  }
  mpx::environment<Stack> later{mpx::bootstrap::any(mpx::bootstrap::singleton())};
  CHECK(later.world().allreduce(1, std::plus<>{}) == 1);
}

TEST_CASE("a forked child does not wait for packets that the transport has still to send") {
  const ranks::watchdog guard("a forked child and its posts", std::chrono::seconds(60));
  using Stack = late_stacks::late_last;
  mpx::environment<Stack> env{mpx::bootstrap::any(mpx::bootstrap::singleton())};
  auto world = env.world();
  const auto out = message(1000, 3);
  std::vector<std::byte> in(1000);
  auto sending = world.isend(out, 0, 6);
  CHECK(child_goes_on(sending));
  world.recv(in, 0, 6);
  sending.wait();
  CHECK(in == out);
}

TEST_CASE("a forked child does not wait for a pending write") {
  const ranks::watchdog guard("a forked child and its writes", std::chrono::seconds(60));
  std::atomic<bool> over{false};
  ranks::run<staged>(2, [&over](mpx::environment<staged>& env) {
    auto world = env.world();
    auto data = message(std::size_t{8} << 20, world.rank());
    if (world.rank() == 1) {
      world.template recv<int>(0, 3);  // The long one has been announced.
      auto receiving = world.irecv(data, 0, 1);
      world.send(1, 0, 2);
      while (!over) std::this_thread::yield();
      receiving.wait();
      CHECK(data == message(data.size(), 0));
    } else {
      auto sending = world.isend(data, 1, 1);
      world.send(1, 1, 3);
      world.template recv<int>(1, 2);  // The other one has said where the long one goes.
      for (int i = 0; i < 200; ++i) {
        static_cast<void>(sending.done());
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      CHECK(!sending.done());
      CHECK(child_goes_on(sending));
      over = true;
      sending.wait();
    }
  });
}

TEST_CASE("a forked child does not wait for a receive whose peer the transport has still to drop") {
  const ranks::watchdog guard("a forked child and a lost peer", std::chrono::seconds(60));
  std::atomic<bool> gone{false};
  try {
    ranks::run<staged>(2, [&gone](mpx::environment<staged>& env) {
      auto world = env.world();
      auto data = message(std::size_t{1} << 20, 4);
      if (world.rank() == 1) {
        auto sending = world.isend(data, 0, 1);
        world.send(1, 0, 2);
        sending.detach();
        gone = true;
        throw std::runtime_error("rank 1 dies");
      }
      world.template recv<int>(1, 2);
      while (!gone) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      auto receiving = world.irecv(data, 1, 1);
      const int word = 5;
      auto own = world.isend(word, 0, 9);  // Hears of the death.
      CHECK(child_goes_on(receiving));
      CHECK(ranks::errc_of([&] { receiving.wait(); }) == mpx::errc::peer_lost);
      CHECK(world.template recv<int>(0, 9) == 5);
      own.wait();
    });
  } catch (const std::runtime_error&) {
  }
}
