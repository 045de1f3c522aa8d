// SPDX-License-Identifier: BSL-1.0
// The pace of blocked calls: it polls for its time and then sleeps. If other ranks need the core it
// yields, and if processes on the core compute it learns to sleep.

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <mpx/engine/axes/waiting.hpp>
#include <thread>

namespace {

using namespace std::chrono_literals;

using default_pace = mpx::waiting::spin_then_sleep<>::pace;
static_assert(mpx::TunableWait<mpx::waiting::spin_then_sleep<>>);
static_assert(!mpx::TunableWait<mpx::waiting::sleep>);
static_assert(mpx::LearningPace<default_pace>);
static_assert(!mpx::LearningPace<mpx::waiting::spin::pace>);
static_assert(!mpx::LearningPace<mpx::waiting::sleep::pace>);

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

/// Polls until the pace says that its call should sleep. Returns true if that took `least`, or was
/// cut short since another process computes on this core.
bool polls_for(default_pace& pace, std::chrono::nanoseconds least) {
  const auto begin = std::chrono::steady_clock::now();
  while (!pace.should_sleep()) {
  }
  return std::chrono::steady_clock::now() - begin >= least || pace.others_compute();
}
/// True if the pace lets its call sleep within as many polls as may pass between two looks at the
/// clock.
bool sleeps_soon(default_pace& pace) {
  for (int polls = 0; polls < 128; ++polls)
    if (pace.should_sleep()) return true;
  return false;
}

}  // namespace

TEST_CASE("waiting: a call polls for its time, then sleeps, and polls again after a wake-up") {
  for (const bool oversubscribed : {false, true}) {
    CAPTURE(oversubscribed);
    default_pace pace(oversubscribed);
    CHECK(polls_for(pace, 5ms));
    CHECK(sleeps_soon(pace));
    pace.reset();
    CHECK(polls_for(pace, 5ms));
  }
}

TEST_CASE("waiting: the time can be set, down to none") {
  for (const bool oversubscribed : {false, true}) {
    CAPTURE(oversubscribed);
    default_pace longer(oversubscribed);
    longer.spin_for(30'000'000);
    CHECK(polls_for(longer, 30ms));
    default_pace none(oversubscribed);
    none.spin_for(0);
    CHECK(sleeps_soon(none));
  }
}

TEST_CASE("waiting: a pace that sleeps first does not yield") {
  default_pace pace(true);
  pace.sleep_first();
  CHECK(pace.should_sleep());
  CHECK(!pace.others_compute());
  default_pace alone(false);  // As far as is known: it polls before it sleeps.
  alone.sleep_first();
  CHECK(!alone.should_sleep());
  CHECK(polls_for(alone, 50us));
  CHECK(!alone.others_compute());
}

TEST_CASE("waiting: a pace notices that another thread computes on its core") {
  std::atomic<bool> over = false;
  bool learned = false;
  std::thread other;
  std::thread waits([&] {
    stay_on(::sched_getcpu());
    other = std::thread([&over] {  // On the same core.
      while (!over.load(std::memory_order_relaxed)) {
      }
    });
    const auto begin = std::chrono::steady_clock::now();
    while (!learned && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
      default_pace pace(true);
      while (!pace.should_sleep()) {
      }
      learned = pace.others_compute();
    }
    over = true;
  });
  waits.join();
  other.join();
  CHECK(learned);
}
