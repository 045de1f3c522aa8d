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

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "mp/harness.hpp"
#include "mp/over_sockets.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto computing = 400ms;
constexpr std::size_t long_bytes = std::size_t{4} << 20;

/// Runs `call` at rank 0, which must be done long before rank 1 has finished computing.
template <class Stack, class Call>
void meanwhile(const mpx::communicator<Stack>& world, const char* what, Call call) {
  if (world.rank() == 1) {
    std::this_thread::sleep_for(computing);  // No call of mpx's.
  } else if (world.rank() == 0) {
    std::this_thread::sleep_for(20ms);  // Rank 1 computes by now.
    const auto begin = steady_clock::now();
    call();
    const double ms =
        std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
    harness::check(ms < 250 || harness::sanitized, [&] {
      return Stack::fingerprint() + ": " + what +
             " has waited for the target: " + std::to_string(ms) + " ms";
    });
  }
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
  const harness::watchdog guard("progress", 90s);
  using registered = mpx::transport::rdma<mpx::nic::via>;
  check<>();
  check<mpx::transport::tcp, mpx::bootstrap::anywhere, mpx::tcp_protocol>();
  check<registered, mpx::rdma_protocol<mpx::nic::via>>();
  ::setenv("MPX_PRETEND_HOSTS", "0,1,1", 1);  // NOLINT(concurrency-mt-unsafe)
  check<mpx::transport::hybrid<mpx::transport::shm, registered>,
        mpx::protocol::near_far<mpx::protocol::tiny_short_long<>,
                                mpx::protocol::tiny_short_long<40, 16 * 1024>>>();
}
