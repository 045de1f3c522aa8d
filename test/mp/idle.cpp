// SPDX-License-Identifier: BSL-1.0
// ranks: 2 4
// timeout: 60
// sanitizers: none
// A rank that is blocked for five seconds costs no CPU, however it waits.

#include <mpx/mpx.hpp>

#include <chrono>

#include "instances/job.hpp"
#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;
using communicator = mpx::communicator<mpx::stack<>>;

constexpr auto silence = 5s;
constexpr double cpu_seconds_max = 0.05;
constexpr int last_tag = 7;

/// Blocks until rank 0 speaks, in the way that belongs to this rank.
int block(communicator world) {
  int word = 0;
  switch (world.rank()) {
    case 1: world.recv(word, 0, last_tag); break;
    case 2: {
      auto r = world.irecv(word);
      r.wait();
      break;
    }
    default: {
      world.probe(mpx::any_source, last_tag);
      world.recv(word, mpx::any_source, last_tag);
    }
  }
  return word;
}

}  // namespace

int main() {
  const harness::watchdog guard("idle", 40s);
  mpx::environment<> env;
  auto world = env.world();
  world.barrier();
  if (world.rank() == 0) {
    std::this_thread::sleep_for(silence);
    const int word = 4711;
    for (mpx::rank_t r = 1; r < world.size(); ++r) world.send(word, r, last_tag);
    return 0;
  }
  const auto begin = std::chrono::steady_clock::now();
  const double before = harness::cpu_seconds();
  const int word = block(world);
  const double used = harness::cpu_seconds() - before;
  harness::check(word == 4711, "wrong word");
  harness::check(std::chrono::steady_clock::now() - begin > silence - 1s, "did not block");
  std::printf("rank %d: %.4f s of CPU while blocked\n", world.rank(), used);
  harness::check(used < cpu_seconds_max,
                 [&] { return "blocked, it used " + std::to_string(used) + " s of CPU"; });
}
