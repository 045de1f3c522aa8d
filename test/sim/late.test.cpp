// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// A transport that breaks its promises, in a simulated job: a lost completion is a reported hang, a
// repeated one does no harm.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <mpx/sim.hpp>
#include <string>
#include <vector>

#include "transport/late_sim_stacks.hpp"

namespace {

constexpr mpx::rank_t late_counts[] = {1, 2, 3, 4, 7, 8};

/// Each rank sends to the next. Every buffer is free once its request is complete.
template <class Stack>
void pass_on(mpx::environment<Stack>& env) {
  auto world = env.world();
  const mpx::rank_t n = world.size(), next = (env.rank() + 1) % n;
  const mpx::rank_t previous = (env.rank() + n - 1) % n;
  for (int i = 0; i < 30; ++i) {
    std::vector<std::byte> out(i % 3 == 0 ? 8 : 1000, static_cast<std::byte>(i));
    const std::vector<std::byte> expected = out;
    std::vector<std::byte> in(out.size());
    auto receiving = world.irecv(in, previous, 1);
    auto sending = i % 2 == 0 ? world.isend(out, next, 1) : world.issend(out, next, 1);
    sending.wait();
    std::fill(out.begin(), out.end(), std::byte{0xee});
    receiving.wait();
    CHECK(in == expected);
  }
}

}  // namespace

TEST_CASE("late: a lost completion is a hang that the simulator reports") {
  using Stack = late_stacks::sim_losing;
  for (const mpx::rank_t n : late_counts) {
    CAPTURE(n);
    const auto r = mpx::sim::try_run<Stack>(n, mpx::sim::loggp{}, 1, pass_on<Stack>);
    CHECK(r.stuck != "");
    CHECK(r.stuck.find("rank 0") != std::string::npos);
    mpx::errc why{};
    try {
      mpx::sim::run<Stack>(n, mpx::sim::loggp{}, 1, pass_on<Stack>);
    } catch (const mpx::error& e) {
      why = static_cast<mpx::errc>(e.code().value());
    }
    CHECK(why == mpx::errc::deadlock);
  }
}

TEST_CASE_TEMPLATE("late: a delay ends, and a repeated completion counts once", Stack,
                   late_stacks::sim_doubling, late_stacks::sim_last) {
  for (const mpx::rank_t n : late_counts) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      const auto r = mpx::sim::try_run<Stack>(n, mpx::sim::loggp{}, seed, pass_on<Stack>);
      CHECK(r.stuck == "");
      CHECK(!r.failure);
    }
  }
}

// Over a channel that is full for ever, and one that takes all and completes late.
TEST_CASE_TEMPLATE(
    "late: pending operations with a lost peer end, and their memory belongs to the program", Stack,
    late_stacks::sim_shallow, late_stacks::sim_last) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    mpx::sim::options o;
    o.faults.push_back({mpx::sim::fault::kind::kill, 200'000, 1});
    const auto r = mpx::sim::try_run<Stack>(
        2, mpx::sim::loggp{}, seed,
        [](mpx::environment<Stack>& env) {
          auto world = env.world();
          if (env.rank() == 1) return env.transport().compute(1'000'000'000);
          const std::vector<std::byte> out(1000);
          std::vector<mpx::request<Stack>> all;
          for (int i = 0; i < 30; ++i) all.push_back(world.isend(out, 1, 1));
          while (world.failed().size() == 0) world.progress();
          const auto& seen = env.transport().counters();
          for (auto& sending : all) {
            std::error_code ec;
            sending.wait(ec);
            CHECK((!ec || ec == mpx::errc::peer_lost));
          }
          CHECK(seen.pending > 0);
          CHECK(seen.pending == seen.completions);
        },
        o);
    CHECK(r.stuck == "");
    CHECK(!r.failure);
  }
}

using narrow_late_sim = mpx::transport::basic_sim<mpx::transport::sim_rma::none, 128, 2>;
template <class Transport>
using late_over = mpx::stack<Transport, mpx::waiting::sleep,
                             mpx::protocol::tiny_short_long<16, 128, mpx::long_path::packets, 100>>;

// A rank that drains a dead peer takes packets and completions, and sends nothing meanwhile.
TEST_CASE_TEMPLATE("late: after a death, queued packets leave before a sleep", Stack,
                   late_over<narrow_late_sim>,
                   late_over<late_stacks::late<narrow_late_sim, late_stacks::narrow>>) {
  mpx::sim::options o;
  o.faults.push_back({mpx::sim::fault::kind::kill, 1, 0});
  o.faults.push_back({mpx::sim::fault::kind::slow, 1, 1, -1, 5000});  // News comes within a poll.
  mpx::sim::loggp net;
  for (std::int64_t known_ns = 10'000; known_ns <= 3'000'000; known_ns += 10'000) {
    CAPTURE(known_ns);
    net.detection_cost_ns = known_ns;
    const auto r = mpx::sim::try_run<Stack>(
        2, net, 1,
        [](mpx::environment<Stack>& env) {
          auto world = env.world();
          const std::vector<std::byte> out(700);
          std::vector<std::byte> in(out.size());
          if (env.rank() == 0) return static_cast<void>(world.recv(in, 1, 2));
          auto receiving = world.irecv(in, 1, 1);
          world.send(out, 1, 1);
          receiving.wait();
        },
        o);
    CHECK(r.stuck == "");
    CHECK(!r.failure);
  }
}
