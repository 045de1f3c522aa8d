// SPDX-License-Identifier: BSL-1.0
// ranks: 3
// timeout: 100
// Progress threads: a rank computes and makes no call, while a long message to it, a collective
// call that it has started and accesses to its window are completed. Over shared memory, sockets,
// registered memory, and between two pretended hosts; with all other traffic, too.

#include <mpx/cluster.hpp>
#include <mpx/rdma.hpp>
#include <mpx/rma.hpp>
#include <mpx/transport/rdma/via.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "mp/harness.hpp"
#include "mp/over_sockets.hpp"

namespace {

using namespace std::chrono_literals;
constexpr std::size_t long_bytes = std::size_t{4} << 20;

/// Rank 1 computes, without a call of mpx, until rank 0 has made `call` and signals that. `beside`
/// is called by rank 1 again and again meanwhile.
template <class Stack, class Call, class Beside>
void meanwhile(const mpx::communicator<Stack>& world, const char* what, Call call, Beside beside) {
  if (world.rank() == 1) {
    world.send(::getpid(), 0, 4);
    sigset_t told;
    ::sigemptyset(&told);
    ::sigaddset(&told, SIGUSR1);
    const auto until = std::chrono::steady_clock::now() + 20s;
    const timespec step{0, 100'000};
    while (::sigtimedwait(&told, nullptr, &step) != SIGUSR1) {
      beside();
      harness::check(std::chrono::steady_clock::now() < until,
                     [&] { return Stack::fingerprint() + ": " + what + " waits for the target"; });
    }
  } else if (world.rank() == 0) {
    const auto pid = world.template recv<pid_t>(1, 4);
    std::this_thread::sleep_for(5ms);  // Rank 1 computes by now.
    call();
    ::kill(pid, SIGUSR1);
  }
}
template <class Stack, class Call>
void meanwhile(const mpx::communicator<Stack>& world, const char* what, Call call) {
  meanwhile(world, what, call, [] {});
}

template <class Stack>
void check_computing(mpx::communicator<Stack> world) {
  std::vector<std::byte> data(long_bytes);
  {
    mpx::request<Stack> r;
    if (world.rank() == 1) r = world.irecv(data, 0, 3);
    world.barrier();
    if (world.rank() == 0) harness::fill(data, 5);
    meanwhile(world, "a long send", [&] { world.send(data, 1, 3); });
    if (world.rank() == 1) {
      r.wait();
      harness::check(harness::holds(data, 5), "wrong bytes of a long message");
    }
  }
  if (world.size() > 2) {  // Calls that do not poll are no progress.
    mpx::request<Stack> r;
    if (world.rank() == 1) r = world.irecv(data, 0, 3);
    world.barrier();
    meanwhile(world, "a long send", [&] { world.send(data, 1, 3); }, [&] { world.send(0, 2, 9); });
    if (world.rank() == 1) {
      world.send(1, 2, 9);
      r.wait();
    }
    if (world.rank() == 2)
      while (world.template recv<int>(1, 9) == 0) continue;
  }
  {
    std::vector<std::uint64_t> sums(200'000, static_cast<std::uint64_t>(world.rank()));
    world.barrier();
    auto r = world.allreduce(sums, std::plus<>{}, mpx::start);
    if (world.rank() > 1) r.wait();
    meanwhile(world, "a started allreduce", [&] { r.wait(); });
    if (world.rank() == 1) r.wait();
    const auto n = static_cast<std::uint64_t>(world.size());
    for (const std::uint64_t s : sums) harness::check(s == n * (n - 1) / 2, "a wrong sum");
  }
  for (const auto by : {mpx::rma::protocol::automatic, mpx::rma::protocol::buffered}) {
    auto w = mpx::allocate_window<std::uint64_t>(world, 50'000, by);
    world.barrier();
    meanwhile(world, "lock, put, flush, get, unlock", [&] {
      const std::vector<std::uint64_t> out(50'000, 7);
      std::vector<std::uint64_t> in(50'000);
      auto e = w.lock(1);
      w.put(out, 1, 0);
      w.flush(1);
      w.get(in, 1, 0);
      e.unlock();
      harness::check(in == out, "a get does not see the put before it");
    });
    world.barrier();
    w.free();
  }
}

/// The thread sleeps while nothing arrives, inside of calls and outside.
template <class Stack>
void check_idle(mpx::communicator<Stack> world) {
  world.barrier();
  const double before = harness::cpu_seconds();
  std::this_thread::sleep_for(1s);
  const double used = harness::cpu_seconds() - before;
  harness::check(used < 0.1 || harness::sanitized,
                 "idle, it used " + std::to_string(used) + " s of CPU");
}

template <class... Policies>
void check() {
  mpx::environment<mpx::stack<mpx::progress::thread, Policies...>> env;
  check_computing(env.world());
  check_idle(env.world());
  over_sockets::run(env.world());
}

}  // namespace

int main() {
  sigset_t told;  // Before there are other threads.
  ::sigemptyset(&told);
  ::sigaddset(&told, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &told, nullptr);
  const harness::watchdog guard("tcp_progress", 90s);
  using registered = mpx::transport::rdma<mpx::nic::via>;
  check<>();
  check<mpx::transport::tcp, mpx::bootstrap::anywhere, mpx::tcp_protocol>();
  check<registered, mpx::rdma_protocol<mpx::nic::via>>();
  ::setenv("MPX_PRETEND_HOSTS", "0,1,1", 1);  // NOLINT(concurrency-mt-unsafe)
  check<mpx::transport::hybrid<mpx::transport::shm, registered>,
        mpx::protocol::near_far<mpx::protocol::tiny_short_long<>,
                                mpx::protocol::tiny_short_long<40, 16 * 1024>>>();
}
