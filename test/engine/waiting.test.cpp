// SPDX-License-Identifier: BSL-1.0
// The pace of blocked calls where others need the core: it gives way, and where they compute it
// learns to sleep.

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <mpx/engine/waiting.hpp>
#include <thread>

namespace {

using default_pace = mpx::waiting::spin_then_sleep<>::pace;
static_assert(mpx::LearningPace<default_pace>);
static_assert(!mpx::LearningPace<mpx::waiting::spin::pace>);
static_assert(!mpx::LearningPace<mpx::waiting::sleep::pace>);

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

TEST_CASE("waiting: who is told to sleep first gives nothing away") {
  default_pace pace(true);
  pace.sleep_first();
  CHECK(pace.should_sleep());
  CHECK(!pace.others_compute());
  pace.crowded(false);  // There is a core for it after all: it looks for a while.
  CHECK(!pace.should_sleep());
  default_pace alone(false);
  alone.sleep_first();
  CHECK(!alone.should_sleep());
}

TEST_CASE("waiting: it learns that others compute on its core") {
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
      pace.measure();
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
