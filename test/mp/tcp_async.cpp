// SPDX-License-Identifier: BSL-1.0
// ranks: 2 4 7
// timeout: 60
// Ranks that are processes and wait in an io_context, over shared memory and over sockets: long
// messages while others wait, no wake-up that is lost, and no CPU while nothing comes.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <functional>
#include <mpx/asio.hpp>
#include <mpx/cluster.hpp>
#include <mpx/coroutine.hpp>
#include <vector>

#include "instances/job.hpp"
#include "instances/job_tcp.hpp"
#include "mp/harness.hpp"

namespace async_ranks {  // Named: a coroutine's frame is a type of its own.

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::use_awaitable;

/// Rests at once, and for so long that a wake-up that is lost is no mere delay.
struct patient : mpx::waiting::sleep {
  static constexpr std::string_view name = "patient";
  static constexpr std::int64_t sleep_ns_max = 30'000'000'000;
};
using patient_tcp = mpx::stack<mpx::transport::tcp, mpx::bootstrap::anywhere, patient>;
using patient_shm = mpx::stack<patient>;

constexpr auto silence = 2s;
constexpr double cpu_seconds_max = 0.05;

struct rethrow {
  void operator()(const std::exception_ptr& e) const {
    if (e) std::rethrow_exception(e);
  }
};

template <class Comm, class Service>
asio::awaitable<void> ring(Comm world, const Service& service, int rounds) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  for (int round = 0; round < rounds; ++round) {
    const std::size_t count = round % 50 == 49 ? 300'000 : 1;
    const std::vector<int> out(count, 100 * round + world.rank());
    std::vector<int> in(count, -1);
    auto sent = world.isend(out, next, round);
    co_await world.recv(in, last, round, service.throwing(use_awaitable));
    harness::check(in.front() == 100 * round + last && in.back() == in.front(), "a wrong message");
    co_await service.async_wait(std::move(sent), use_awaitable);
  }
  co_await world.barrier(service.throwing(use_awaitable));
}

template <class Comm, class Service>
asio::awaitable<void> listen(Comm world, const Service& service) {
  int word = 0;
  co_await world.recv(word, 0, 7, service.throwing(use_awaitable));
  harness::check(word == 4711, "a wrong word");
}

template <class Comm>
mpx::task<> listen_alone(Comm world) {
  int word = 0;
  co_await world.irecv(word, 0, 7);
  harness::check(word == 4711, "a wrong word");
}

template <class Stack>
void pass_on(int rounds) {
  mpx::environment<Stack> env;
  asio::io_context io(1);
  const mpx::asio_service service(env, io.get_executor());
  asio::co_spawn(io, ring(env.world(), service, rounds), rethrow{});
  io.run();
  env.world().barrier();
}

/// Rank 0 says nothing for a while.
template <class Stack>
void idle() {
  mpx::environment<Stack> env;
  auto world = env.world();
  asio::io_context io(1);
  const mpx::asio_service service(env, io.get_executor());
  world.barrier();
  if (env.rank() == 0) {
    std::this_thread::sleep_for(silence);
    const int word = 4711;
    for (mpx::rank_t r = 1; r < world.size(); ++r) world.send(word, r, 7);
  } else {
    const double before = harness::cpu_seconds();
    if (env.rank() % 3 == 2) {
      mpx::task_loop(world).run(listen_alone(world));
    } else {
      asio::co_spawn(io, listen(world, service), rethrow{});
      io.run();
    }
    const double used = harness::cpu_seconds() - before;
    std::printf("rank %d: %.4f s of CPU while it waited\n", env.rank(), used);
    harness::check(harness::sanitized || used < cpu_seconds_max,
                   [&] { return "waiting, it used " + std::to_string(used) + " s of CPU"; });
  }
  world.barrier();
}

}  // namespace async_ranks

int main() {
  using namespace async_ranks;
  const harness::watchdog guard("tcp_async", 25s);
  pass_on<patient_shm>(300);
  pass_on<patient_tcp>(300);
  idle<mpx::stack<>>();
  idle<mpx::tcp_stack>();
}
