// SPDX-License-Identifier: BSL-1.0
// Tasks in simulated jobs: rings, started collectives and answers of the first of several ranks,
// under many seeds, and a rank that dies while others await it.

#include <mpx/coroutine.hpp>

#include "comm/ranks.hpp"
#include "sim/stacks.hpp"

namespace sim_tasks {  // Named: a coroutine's frame is a type of its own.

namespace sim = mpx::sim;
using stack = mpx::sim::stack;
using communicator = mpx::communicator<stack>;

constexpr sim::loggp jittery{.jitter_ns = 3000, .noise_ns = 500};

mpx::task<> ring(communicator world, int rounds, int& passed) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t next = (world.rank() + 1) % n;
  const mpx::rank_t last = (world.rank() + n - 1) % n;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t count = round % 4 == 3 ? 30'000 : 1;
    const std::vector<int> out(count, 100 * round + world.rank());
    std::vector<int> in(count, -1);
    auto sent = world.isend(out, next, round);
    const mpx::status s = co_await world.irecv(in, last, round);
    CHECK(s.source() == last);
    CHECK(in.back() == 100 * round + last);
    co_await sent;
    long sum = world.rank();
    co_await world.allreduce(sum, std::plus<>{}, mpx::start);
    CHECK(sum == long{n} * (n - 1) / 2);
    ++passed;
  }
}

mpx::task<> answer(communicator world, int& answered) {
  std::vector<int> in(static_cast<std::size_t>(world.size()));
  std::vector<mpx::request<stack>> all;
  const int own = world.rank();
  for (mpx::rank_t r = 0; r < world.size(); ++r) {
    all.push_back(world.irecv(in[static_cast<std::size_t>(r)], r, 500));
    world.isend(own, r, 500).detach();
  }
  while (const auto one = co_await mpx::any_of(all)) {
    CHECK(in[one->index] == static_cast<int>(one->index));
    ++answered;
  }
}

mpx::task<> wait_for(communicator world, mpx::rank_t from, std::error_code& told) {
  int x = 0;
  try {
    co_await world.irecv(x, from, 1);
  } catch (const mpx::error& e) {
    told = e.code();
  }
}

}  // namespace sim_tasks

TEST_CASE("sim: tasks") {
  using namespace sim_tasks;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto n = static_cast<mpx::rank_t>(1 + seed % 8);
    CAPTURE(seed);
    sim::run<stack>(n, jittery, seed, [&](mpx::environment<stack>& env) {
      mpx::task_loop loop(env.world());
      int passed = 0;
      int answered = 0;
      loop.spawn(ring(env.world(), 8, passed));
      loop.spawn(answer(env.world(), answered));
      loop.run();
      CHECK(passed == 8);
      CHECK(answered == n);
    });
  }
}

TEST_CASE("sim: tasks that await a rank that dies") {
  using namespace sim_tasks;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    int told = 0;
    const auto r = sim::try_run<stack>(3, jittery, seed, [&](mpx::environment<stack>& env) {
      if (env.rank() == 1) throw std::runtime_error("dies");
      mpx::task_loop loop(env.world());
      std::error_code ec;
      loop.run(wait_for(env.world(), 1, ec));
      told += ec == mpx::errc::peer_lost ? 1 : 0;
    });
    CHECK(r.failure);
    CHECK(told == 2);
  }
}
