// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// Random programs over transport rdma on simulated cards.

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "sim/play.hpp"
#include "sim/rdma_stacks.hpp"

namespace {
namespace rdma_over_sim {

using explorer::busy;
using explorer::hosts;
using explorer::poor;
using explorer::poor_hosts;
using explorer::reader;
using explorer::rich;
using explorer::unordered;

#ifdef MPX_TEST_SANITIZED
constexpr std::uint64_t programs = 50;
#else
constexpr std::uint64_t programs = 100;
#endif

template <class Stack>
void explore() {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto v = explorer::play<Stack>(seed, seed % 4 == 3, {}, false);
    INFO("seed: ", seed);
    REQUIRE(v.failure == "");
  }
}

TEST_CASE("rdma over sim: a rich card") { explore<rich>(); }
TEST_CASE("rdma over sim: a poor card") { explore<poor>(); }
TEST_CASE("rdma over sim: a poor card that is often busy") { explore<busy>(); }
TEST_CASE("rdma over sim: rich cards between nodes") { explore<hosts>(); }
TEST_CASE("rdma over sim: poor cards between nodes") { explore<poor_hosts>(); }
TEST_CASE("rdma over sim: arrivals out of order") { explore<unordered>(); }
TEST_CASE("rdma over sim: a card that reads, and whose connections break over refusals") {
  explore<reader>();
}

/// Each rank drops a long send before it receives the other's, which may read that memory until it
/// is recalled.
TEST_CASE("rdma over sim: ranks that all drop long sends do not wait for each other") {
  mpx::sim::run<reader>(4, mpx::sim::loggp{}, 1, [](mpx::environment<reader>& env) {
    auto world = env.world();
    const mpx::rank_t next = (world.rank() + 1) % world.size();
    const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
    for (int round = 0; round < 4; ++round) {
      std::vector<int> out(20'000, 10 * round + world.rank());
      std::vector<int> in(out.size());
      {
        const auto first = world.isend(out, next, 1);
        const auto second = world.isend(out, next, 2);
      }
      std::fill(out.begin(), out.end(), -1);
      if (round % 2 == 1) {  // A message taken by a matched probe is recalled, too.
        world.mprobe(last, 2).recv(in);
        CHECK(std::count(in.begin(), in.end(), 10 * round + last) == 20'000);
      }
      world.recv(in, last, 1);
      CHECK(std::count(in.begin(), in.end(), 10 * round + last) == 20'000);
      if (round % 2 == 0) world.recv(in, last, 2);
      CHECK(std::count(in.begin(), in.end(), 10 * round + last) == 20'000);
    }
  });
}

/// Rank 0 is woken, and arms again, at about the time when it is known that rank 1 has died, with
/// which it was never connected.
TEST_CASE("rdma over sim: a rank that arms when a death becomes known does not sleep") {
  constexpr std::int64_t dies_ns = 50'000;
  constexpr std::int64_t known_ns = dies_ns + mpx::sim::loggp{}.detection_cost_ns;
  int told = 0;
  for (std::int64_t at_ns = known_ns - 5000; at_ns < known_ns + 1000; at_ns += 5) {
    CAPTURE(at_ns);
    const auto all = mpx::sim::try_run<rich>(
        3, mpx::sim::loggp{}, static_cast<std::uint64_t>(at_ns), [&](mpx::environment<rich>& env) {
          auto world = env.world();
          int word = 0;
          if (world.rank() == 1) {
            env.transport().compute(dies_ns);
            throw std::runtime_error("rank 1 dies");
          }
          if (world.rank() == 2) {
            world.send(word, 0);
            env.transport().compute(at_ns);
            world.send(word, 0);
            world.recv(word, 0);
            return;
          }
          try {
            world.recv(word, 1);
          } catch (const mpx::error& e) {
            told += e.code() == mpx::errc::peer_lost ? 1 : 0;
          }
          world.send(word, 2);
        });
    REQUIRE(all.stuck == "");
  }
  CHECK(told == 1200);
}

/// Rank 0 learns of the death while it sends to another rank, with writes of rank 1 in transit into
/// memory that stays registered. Failed posts return their memory to the program.
TEST_CASE("rdma over sim: a dead peer's writes change no buffer of a receive that has failed") {
  constexpr std::size_t bytes = 2988;
  mpx::sim::loggp slow;
  slow.far.latency_ns = 50'000;
  slow.detection_cost_ns = 1000;
  int told = 0;
  for (std::int64_t dies_ns = 190'000; dies_ns < 260'000; dies_ns += 2000) {
    CAPTURE(dies_ns);
    mpx::sim::options options;
    options.faults.push_back({mpx::sim::fault::kind::kill, dies_ns, 1});
    const auto all = mpx::sim::try_run<poor>(
        3, slow, 7,
        [&](mpx::environment<poor>& env) {
          auto world = env.world();
          auto memory = env.template allocator<std::byte>();
          std::byte* const at = memory.allocate(bytes);
          const std::span<std::byte> data(at, bytes);
          std::ranges::fill(data, world.rank() == 1 ? std::byte{1} : std::byte{});
          int word = 0;
          if (world.rank() == 1) {
            world.send(data, 0);
            world.recv(word, 0);
          } else if (world.rank() == 2) {
            world.recv(word, 0);
          } else {
            auto receive = world.irecv(data, 1);
            std::error_code e;
            while (env.now_ns() < dies_ns - 1000 && !receive.test(e)) env.transport().compute(200);
            env.transport().compute(dies_ns + 3000 - env.now_ns());
            world.send(word, 2);
            if (receive) static_cast<void>(receive.test(e));
            if (e) {
              CHECK(e == mpx::errc::peer_lost);
              ++told;
              const std::vector<std::byte> then(data.begin(), data.end());
              env.transport().compute(500'000);
              CHECK(std::ranges::equal(then, data));
            }
          }
          if (world.rank() != 1) memory.deallocate(at, bytes);
        },
        options);
    REQUIRE(all.stuck == "");
  }
  CHECK(told > 20);
}

/// Posts that take more than 256 bytes from where they are registered, and end later.
using pending =
    mpx::stack<mpx::transport::basic_rdma<explorer::card<explorer::all>, 32768, 64, 8168, 256>,
               mpx::waiting::sleep, explorer::sized<40, 1024, mpx::long_path::automatic, 2048>>;
static_assert(mpx::posts_pend<pending::transport_type>);

/// More packets have arrived than one poll takes when this rank learns that their sender has left,
/// and that the post to it will not arrive.
TEST_CASE("rdma over sim: messages of a rank arrive, though a post to it fails") {
  constexpr int messages = 50;
  int got = 0;
  mpx::sim::options options;
  options.faults.push_back(
      {mpx::sim::fault::kind::kill, 300'000, 2});  // A rank that learns of it polls.
  const auto all = mpx::sim::try_run<pending>(
      3, mpx::sim::loggp{}, 7,
      [&got](mpx::environment<pending>& env) {
        auto world = env.world();
        int word = 0;
        auto memory = env.template allocator<std::byte>();
        std::byte* const at = memory.allocate(4096);
        const std::span<std::byte> data(at, 4096);
        world.barrier();
        std::error_code e;
        world.recv(word, 2, 99, e);
        if (world.rank() == 2) return;
        if (world.rank() == 1) {
          env.transport().compute(20'000);
          for (int i = 0; i < messages; ++i) world.send(i, 0);
          return;
        }
        auto first = world.isend(data, 0, 3);  // Registers it.
        world.recv(data, 0, 3);
        first.wait();
        auto sending = world.issend(data.first(500), 1);
        env.transport().compute(5'000'000);
        for (e = {}; got < messages && !e; got += e ? 0 : 1) world.recv(word, 1, mpx::any_tag, e);
        sending.wait(e);
        CHECK(e == mpx::errc::peer_lost);
        memory.deallocate(at, 4096);
      },
      options);
  CHECK(all.stuck == "");
  CHECK(got == messages);
}

}  // namespace rdma_over_sim
}  // namespace
