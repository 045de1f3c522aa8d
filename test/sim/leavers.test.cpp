// SPDX-License-Identifier: BSL-1.0
// After a death the survivors leave the job one by one, when they are through: that fails calls
// that wait for them, at all ranks in these calls, and no others.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/sim.hpp>
#include <system_error>
#include <vector>

namespace {

namespace sim = mpx::sim;

constexpr sim::loggp leavers_net{.far = {1000, 200, 100, 0.5},
                                 .near = {100, 30, 10, 0.1},
                                 .node_size = 2,
                                 .jitter_ns = 3000,
                                 .noise_ns = 100};

using rdma_stack = mpx::stack<mpx::transport::rdma<mpx::nic::sim>, mpx::waiting::sleep>;

sim::options kills(mpx::rank_t victim, std::int64_t at_ns) {
  sim::options o;
  o.faults.push_back({sim::fault::kind::kill, at_ns, victim});
  return o;
}

/// Of calls of all that each leaves after when it is through.
template <class Stack>
void leaves_after_its_part() {
  for (const mpx::rank_t n : {3, 4, 5, 8})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      constexpr std::int64_t dies_ns = 100'000;
      const auto victim = static_cast<mpx::rank_t>(seed) % n;
      const auto run = sim::try_run<Stack>(
          n, leavers_net, seed,
          [&](mpx::environment<Stack>& env) {
            env.transport().compute(2 * dies_ns);
            if (env.rank() == victim) return;
            auto rest = env.world().shrink();
            int sum = -1;
            env.transport().compute(1'000'000 * ((rest.rank() + static_cast<int>(seed)) % 5));
            if (seed % 3 == 0) rest.barrier();
            if (seed % 3 == 1) {
              sum = rest.rank();
              rest.bcast(sum, 0);
            }
            if (seed % 3 == 2) sum = rest.scan(1, std::plus<>{}) - rest.rank() - 1;
            if (seed % 3 != 0) CHECK(sum == 0);
          },
          kills(victim, dies_ns));
      if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
    }
}

template <class Stack>
void leaves_before_its_part() {
  for (const mpx::rank_t n : {3, 4, 5, 8})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      constexpr std::int64_t dies_ns = 100'000;
      const auto victim = static_cast<mpx::rank_t>(seed) % n;
      int failed = 0;
      const auto run = sim::try_run<Stack>(
          n, leavers_net, seed,
          [&](mpx::environment<Stack>& env) {
            env.transport().compute(2 * dies_ns);
            if (env.rank() == victim) return;
            auto rest = env.world().shrink();
            if (rest.rank() == static_cast<mpx::rank_t>(seed / 2) % rest.size()) return;
            std::error_code ec;
            rest.barrier(ec);
            CHECK(ec == mpx::errc::peer_lost);
            ++failed;
            static_cast<void>(rest.agree(1));  // No rank learns of it by other ranks that leave.
          },
          kills(victim, dies_ns));
      if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
      CHECK(failed == n - 2);
    }
}

}  // namespace

TEST_CASE("leavers: a rank that has done its part leaves without failing the others' call") {
  leaves_after_its_part<sim::stack>();
}

TEST_CASE("leavers: so it does if a card reports the end before the job does") {
  leaves_after_its_part<rdma_stack>();
}

TEST_CASE("leavers: a rank that leaves before its part fails the call at all ranks") {
  leaves_before_its_part<sim::stack>();
  leaves_before_its_part<rdma_stack>();
}

TEST_CASE("leavers: the first message to a peer arrives although the sender leaves after it") {
  constexpr mpx::rank_t n = 6;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    constexpr std::int64_t dies_ns = 100'000;
    const auto victim = static_cast<mpx::rank_t>(seed) % n;
    const auto leaver = static_cast<mpx::rank_t>(seed / 2 + 1) % n;
    int heard = 0;
    const auto run = sim::try_run<rdma_stack>(
        n, leavers_net, seed,
        [&](mpx::environment<rdma_stack>& env) {
          auto world = env.world();
          env.transport().compute(dies_ns + 2 * leavers_net.detection_cost_ns);  // It is known.
          if (env.rank() == victim) return;
          if (env.rank() == leaver) {  // It is not connected yet.
            for (mpx::rank_t r = 0; r < n; ++r)
              if (r != victim && r != leaver) world.send(r, r, 1);
          } else if (leaver != victim) {
            mpx::rank_t word = -1;
            std::error_code ec;
            world.recv(word, leaver, 1, ec);
            heard += word == env.rank() ? 1 : 0;
          }
        },
        kills(victim, dies_ns));
    if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
    CHECK(heard == (leaver == victim ? 0 : n - 2));
  }
}

TEST_CASE("leavers: a rank that still owes a peer an answer does not announce its end") {
  constexpr std::int64_t dies_ns = 100'000;
  constexpr std::int64_t hears_ns = 150'000'000;  // When the leaver has waited for long.
  constexpr int messages = 400;
  int heard = 0;
  const auto run = sim::try_run<rdma_stack>(
      3, leavers_net, 1,
      [&](mpx::environment<rdma_stack>& env) {
        auto world = env.world();
        if (env.rank() == 1) world.send(1, 2, messages);
        if (env.rank() != 0) world.recv<int>(3 - env.rank(), messages);
        if (env.rank() == 2) world.send(1, 1, messages);
        env.transport().compute(dies_ns + 2 * leavers_net.detection_cost_ns);
        const std::vector<std::byte> data(1000);
        if (env.rank() == 1)
          for (int i = 0; i < messages; ++i) static_cast<void>(world.isend(data, 2, i));
        if (env.rank() != 2) return;
        env.transport().compute(hears_ns);
        std::vector<std::byte> to(data.size());
        for (int i = 0; i < messages; ++i) {
          std::error_code ec;
          world.recv(to, 1, i, ec);
          heard += ec ? 0 : 1;
        }
      },
      kills(0, dies_ns));
  if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
  CHECK(heard == messages);
}
