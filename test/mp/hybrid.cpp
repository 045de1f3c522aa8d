// SPDX-License-Identifier: BSL-1.0
// ranks: 1 2 3 4 7
// timeout: 120
// Ranks that are processes, on two pretended hosts: shared memory within each, sockets between
// them, and one matching above both.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mpx/datatype.hpp>
#include <numeric>
#include <span>

#include <mpx/cluster.hpp>

#include "instances/job_cluster.hpp"
#include "mp/over_sockets.hpp"
#include "rma/programs.hpp"

namespace {

using namespace std::chrono_literals;
using stack = mpx::cluster_stack;
using communicator = mpx::communicator<stack>;

int host_of(mpx::rank_t r) { return r % 3 == 0 ? 0 : 1; }

/// Ranks share a host if they pretend to.
void hosts(mpx::environment<stack>& env) {
  auto world = env.world();
  int neighbours = 0;
  for (mpx::rank_t r = 0; r < world.size(); ++r) {
    const bool near = host_of(r) == host_of(world.rank());
    neighbours += near ? 1 : 0;
    harness::check(env.transport().is_near(mpx::world_peer(r)) == near, "a wrong host");
  }
  auto node = world.split(mpx::split_by::shared_memory);
  harness::check(node.size() == neighbours, "split finds other ranks on this host");
  harness::check(programs::share_parts(world) == neighbours, "a window of the ranks of this host");
  // State kept for a communicator is freed with it: the next one with its number has other ranks.
  for (int round = 0; round < 6; ++round) {
    auto part = round % 2 == 0 ? world.split(mpx::split_by::shared_memory) : world.dup();
    harness::check(part.allreduce(1L, std::plus<>{}) == part.size(), "a wrong number of ranks");
    part.free();
  }
  // In the memory of a node, and over the network.
  for (int round = 0; round < 50; ++round) {
    long sum = node.allreduce(static_cast<long>(world.rank()) + round, std::plus<>{});
    long want = 0;
    for (mpx::rank_t r = 0; r < world.size(); ++r)
      if (host_of(r) == host_of(world.rank())) want += r + round;
    harness::check(sum == want, "a wrong sum in a node");
    sum = world.allreduce(static_cast<long>(world.rank()) + round, std::plus<>{});
    want = static_cast<long>(world.size()) * (world.size() - 1) / 2 + world.size() * long{round};
    harness::check(sum == want, "a wrong sum");
  }
}

/// Noncontiguous messages, near and far; dropped requests, too.
void spread(communicator world) {
  for (const std::size_t rows : {5u, 3000u, 300'000u}) {
    std::vector<int> matrix(rows * 3);
    std::iota(matrix.begin(), matrix.end(), 0);
    for (mpx::rank_t r = 0; r < world.size(); ++r) {
      std::vector<int> in(rows, -1);
      auto receive = world.irecv(in, (world.rank() + world.size() - r) % world.size(), 9);
      {
        const auto sent =
            world.isend(mpx::strided(matrix.data(), rows, 3), (world.rank() + r) % world.size(), 9);
      }
      receive.wait();
      for (std::size_t i = 0; i < rows; ++i)
        harness::check(in[i] == static_cast<int>(i) * 3, "a wrong element");
    }
  }
}

/// Rank 0 is asleep when a near rank writes, and when a far one does: both wake it at once.
void wake(communicator world) {
  for (mpx::rank_t from = 1; from < world.size(); ++from) {
    auto soonest = std::chrono::steady_clock::duration::max();  // Others may have the cores.
    for (int round = 0; round < 10; ++round) {
      int word = 0;
      if (world.rank() == 0) {
        const auto begin = std::chrono::steady_clock::now();
        world.send(word, from, 10);
        world.recv(word, mpx::any_source, 11);
        soonest = std::min(soonest, std::chrono::steady_clock::now() - begin);
      } else if (world.rank() == from) {
        world.recv(word, 0, 10);
        std::this_thread::sleep_for(5ms);
        world.send(word, 0, 11);
      }
    }
    if (world.rank() == 0)  // It looks by itself after 100 ms.
      harness::check(soonest < 60ms, "a sleeper was woken late");
  }
}

}  // namespace

int main() {
  const harness::watchdog guard("hybrid", 100s);
  ::setenv("MPX_PRETEND_HOSTS", "0,1,1", 1);  // NOLINT(concurrency-mt-unsafe)
  mpx::environment<stack> env;
  hosts(env);
  over_sockets::run(env.world());
  spread(env.world());
  wake(env.world());
}
