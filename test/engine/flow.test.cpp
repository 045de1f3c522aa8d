// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Floods: a receiver that wants something else first keeps its unexpected memory within the stated
// bound, and nothing is lost, reordered or stuck.

// timeout: 300
#include "comm/ranks.hpp"

namespace {

using event = mpx::event;
using flood_window = mpx::flow::credits<64 * 1024, 32 * 1024>;
template <class... Ps>
using flooded = mpx::stack<mpx::trace::counters, flood_window, Ps...>;
using flooded_inproc = flooded<mpx::transport::inproc>;
using flooded_shm = flooded<>;
using flooded_tiny =
    flooded<mpx::transport::basic_shm<4, 4096>, mpx::protocol::tiny_short_long<8, 512>>;
using flooded_zeno = mpx::stack<mpx::trace::counters, mpx::flow::zeno<1, 64 * 1024, 4096>>;
using flooded_spin = flooded<mpx::transport::inproc, mpx::waiting::spin>;

constexpr int first_tag = 1;
constexpr int last_tag = 2;

/// Rank 1 starts `count` sends of `bytes` at once and then one with last_tag.
template <class Stack>
std::uint64_t flood(mpx::environment<Stack>& env, std::size_t count, std::size_t bytes) {
  auto world = env.world();
  std::vector<std::vector<std::byte>> data;
  std::vector<mpx::request<Stack>> sends;
  for (std::size_t i = 0; i < count; ++i) {
    data.push_back(ranks::message(bytes, i));
    sends.push_back(world.isend(data.back(), 0, first_tag));
  }
  const int end = 4711;
  sends.push_back(world.isend(end, 0, last_tag));
  mpx::wait_all(sends);
  return env.trace()[event::announced_for_flow];
}

template <class Stack>
void drain(mpx::environment<Stack>& env, std::size_t count, std::size_t bytes) {
  auto world = env.world();
  std::vector<std::byte> in(bytes);
  bool right = true;
  for (std::size_t i = 0; i < count; ++i) {
    const mpx::status s = world.recv(in, 1, first_tag);
    right = right && s.bytes() == bytes && ranks::holds(in, i);
  }
  CHECK(right);
  CHECK(env.unexpected_bytes() == 0);
}

/// Floods of several shapes; rank 0 gets the last message by `wanting(world, into)`, then the rest.
template <class Stack, class Wanting>
void last_first(Wanting wanting) {
  for (const std::size_t bytes : {8, 40, 400}) {
    for (const std::size_t count : {100, 1500, 2500}) {
      CAPTURE(bytes);
      CAPTURE(count);
      ranks::run<Stack>(2, [&](mpx::environment<Stack>& env) {
        if (env.rank() == 1) {
          const auto announced = flood(env, count, bytes);
          if (count >= 1500) CHECK(announced > 0);
          return;
        }
        int end = 0;
        wanting(env.world(), end);
        CHECK(end == 4711);
        MESSAGE("in use ", env.unexpected_bytes(), " of ", env.unexpected_bytes_bound());
        CHECK(env.unexpected_bytes() <= env.unexpected_bytes_bound());
        drain(env, count, bytes);
      });
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("a receiver that wants the last message of a flood first gets it", Stack,
                   flooded_inproc, flooded_shm, flooded_tiny, flooded_spin, flooded_zeno) {
  SUBCASE("by recv") {
    last_first<Stack>([](auto world, int& end) { world.recv(end, 1, last_tag); });
  }
  SUBCASE("by a loop of test") {
    last_first<Stack>([](auto world, int& end) {
      auto r = world.irecv(end, 1, last_tag);
      while (!r.test()) std::this_thread::yield();
    });
  }
  SUBCASE("by a loop of iprobe") {
    last_first<Stack>([](auto world, int& end) {
      while (!world.iprobe(1, last_tag)) std::this_thread::yield();
      world.recv(end, 1, last_tag);
    });
  }
  SUBCASE("by probe") {
    last_first<Stack>([](auto world, int& end) {
      world.probe(1, last_tag);
      world.recv(end, 1, last_tag);
    });
  }
}

TEST_CASE_TEMPLATE(
    "prepaid credit for tiny messages pays for a larger one", Stack,
    mpx::stack<mpx::trace::counters, mpx::flow::credits<64 * 1024, 4096>>,
    mpx::stack<mpx::trace::counters, mpx::flow::credits<64 * 1024, 4096>, mpx::transport::inproc>) {
  std::atomic<bool> sent = false;
  ranks::run<Stack>(2, [&](mpx::environment<Stack>& env) {
    auto world = env.world();
    constexpr std::size_t rest = 62 * 64 - 112;  // Of a window of 64 blocks, 2 are the tiny one's.
    static_assert(mpx::unexpected_cost(rest) == 62 * 64 && mpx::unexpected_cost(8) == 2 * 64);
    if (env.rank() == 1) {
      const std::int64_t tiny = 7;
      const auto large = ranks::message(rest, 1);
      auto first = world.isend(tiny, 0, 1);
      auto second = world.isend(large, 0, 2);
      CHECK(env.trace()[event::announced_for_flow] == 0);
      auto third = world.isend(tiny, 0, 3);
      CHECK(env.trace()[event::announced_for_flow] == 1);
      sent = true;
      first.wait();
      second.wait();
      third.wait();
      return;
    }
    for (int i = 0; i < 20'000 && !sent; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(sent);
    std::int64_t tiny = 0;
    std::vector<std::byte> large(rest);
    world.recv(tiny, 1, 1);
    CHECK(tiny == 7);
    world.recv(large, 1, 2);
    CHECK(ranks::holds(large, 1));
    world.recv(tiny, 1, 3);
  });
}
