// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// flow::zeno in whole jobs: floods stay within a bound that few active senders can fill, shares
// follow the senders that are active, and nothing is lost, reordered or stuck.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <vector>

namespace shares_test {
namespace {

namespace sim = mpx::sim;
using mpx::rank_t;
using event = mpx::event;

constexpr std::uint64_t mib = 1 << 20;
template <class Flow>
using over = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::trace::counters, Flow>;
using shared = over<mpx::flow::zeno<1, mib>>;
using equal = over<mpx::flow::credits<mib>>;
using environment = mpx::environment<shared>;

constexpr std::int64_t ms = 1'000'000;
constexpr sim::loggp network{};
constexpr std::size_t message_bytes = 2000;
constexpr int message_ints = message_bytes / sizeof(int);
constexpr int go = 1;
constexpr int data = 2;

/// Sends `count` messages to rank 0, of which the receiver has taken none before all have left.
/// Returns the number of those that were announced for lack of credit.
template <class Environment>
std::uint64_t flood(Environment& env, int count) {
  auto world = env.world();
  std::vector<std::vector<int>> sent;
  std::vector<decltype(world.isend(sent[0], 0, data))> sends;
  const std::uint64_t before = env.trace()[event::announced_for_flow];
  for (int i = 0; i < count; ++i) {
    sent.emplace_back(message_ints, i);
    sends.push_back(world.isend(sent.back(), 0, data));
    env.transport().compute(ms / 10);
    world.iprobe(0, data);  // Polls.
  }
  const std::uint64_t announced = env.trace()[event::announced_for_flow] - before;
  world.send(count, 0, go);
  mpx::wait_all(sends);
  return announced;
}

/// Receives the floods of `sources` ranks, after all of them have been sent.
template <class Environment>
std::uint64_t drain(Environment& env, int sources) {
  auto world = env.world();
  std::vector<int> counts(static_cast<std::size_t>(world.size()));
  for (int n = 0; n < sources; ++n) {
    int count = 0;
    const mpx::status s = world.recv(count, mpx::any_source, go);
    counts[static_cast<std::size_t>(s.source())] = count;
  }
  const std::uint64_t held = env.unexpected_bytes();
  CHECK(held <= env.unexpected_bytes_bound());
  bool right = true;
  std::vector<int> in(message_ints);
  for (rank_t r = 0; r < world.size(); ++r) {
    for (int i = 0; i < counts[static_cast<std::size_t>(r)]; ++i) {
      const mpx::status s = world.recv(in, r, data);
      right = right && s.bytes() == message_bytes && in.front() == i && in.back() == i;
    }
  }
  CHECK(right);
  return held;
}

}  // namespace

TEST_CASE("shares: floods of 64 peers stay under 1 MiB in all") {
  std::uint64_t held = 0;
  std::uint64_t announced = 0;
  sim::run<shared>(64, network, 1, [&](environment& env) {
    CHECK(env.unexpected_bytes_bound() == mib);
    if (env.rank() == 0) {
      held = drain(env, 63);
      CHECK(env.unexpected_bytes() == 0);
    } else {
      announced += flood(env, 40);
    }
  });
  MESSAGE("held ", held, " bytes");
  CHECK(held <= mib);
  CHECK(held > mib / 2);
  CHECK(announced > 63 * 40 / 2);  // The floods are five times as long.
}

TEST_CASE_TEMPLATE("shares: a single sender of 16 ranks", Stack, shared, equal) {
  std::uint64_t held = 0;
  sim::run<Stack>(16, network, 1, [&](mpx::environment<Stack>& env) {
    if (std::same_as<Stack, equal>) env.world().prefer({9});  // Does nothing.
    if (env.rank() == 0) held = drain(env, 1);
    if (env.rank() == 9) flood(env, 1000);
  });
  MESSAGE("held ", held, " bytes");
  CHECK((held > mib / 3) == std::same_as<Stack, shared>);
  CHECK((held <= mib / 16) == std::same_as<Stack, equal>);
}

TEST_CASE("shares: they go from silent senders to the one that is active") {
  std::vector<std::uint64_t> announced(16);
  std::vector<std::uint64_t> held(16);
  sim::run<shared>(16, network, 1, [&](environment& env) {
    auto world = env.world();
    for (rank_t active = 1; active < 16; ++active) {
      if (env.rank() == 0) held[static_cast<std::size_t>(active)] = drain(env, 1);
      if (env.rank() == active) announced[static_cast<std::size_t>(active)] = flood(env, 150);
      world.barrier();
    }
  });
  std::uint64_t all = 0;
  for (std::size_t r = 1; r < 16; ++r) {
    CAPTURE(r);
    CHECK(announced[r] < 120);  // Of 150: at first all places are vacant, then the best ones held.
    CHECK(held[r] > 30 * message_bytes);
    all += announced[r];
  }
  CHECK(all < 15 * 60);
}

TEST_CASE("shares: a preferred sender needs no announcements") {
  std::uint64_t announced = 0;
  sim::run<shared>(16, network, 1, [&](environment& env) {
    auto world = env.world();
    if (env.rank() == 0) {
      world.prefer({7});
      world.send(1, 7, go);
      drain(env, 1);
      world.prefer({});
    } else if (env.rank() == 7) {
      int wait = 0;
      world.recv(wait, 0, go);
      announced = flood(env, 150);
    }
  });
  CHECK(announced == 0);
}

TEST_CASE("shares: the share of a rank that failed goes to another one") {
  sim::options o;
  o.faults.push_back({sim::fault::kind::kill, 200 * ms, 1});
  std::uint64_t announced = 0;
  const std::vector<int> one(message_ints, 1);
  const auto body = [&](environment& env) {
    auto world = env.world();
    if (env.rank() == 1) {
      std::vector<mpx::request<shared>> sends;
      for (int i = 0; i < 100; ++i) {
        sends.push_back(world.isend(one, 0, data));
        env.transport().compute(ms / 10);
        world.iprobe(0, data);
      }
      env.transport().compute(1000 * ms);
    } else if (env.rank() == 2) {
      env.transport().compute(500 * ms);
      announced = flood(env, 220);
    } else {
      std::error_code lost;
      int none = 0;
      world.recv(none, 1, go, lost);
      CHECK(lost == mpx::errc::peer_lost);
      world.acknowledge_failures();
      const std::uint64_t held = env.unexpected_bytes();
      CHECK(held > 50 * message_bytes);
      drain(env, 1);
      CHECK(env.unexpected_bytes() == held);
      std::vector<int> in(message_ints);
      for (int i = 0; i < 100; ++i) world.recv(in, 1, data, lost);  // Those that it had sent.
      CHECK(env.unexpected_bytes() == 0);
    }
  };
  const auto all = sim::try_run<shared>(3, network, 1, body, o);
  std::string failure;
  try {
    if (all.failure) std::rethrow_exception(all.failure);
  } catch (const std::exception& e) {
    failure = e.what();
  }
  CHECK(failure == "");
  CHECK(announced > 0);
  CHECK(announced < 30);  // Of 220: the best place is vacant.
}

}  // namespace shares_test
