// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: none
// The default wait policy on a modelled core: a wait costs no more time than the better of spinning
// and sleeping, and little CPU time more. Cores of unlike speed and cores that others need are
// cases.

#include "modelled.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <mpx/engine/axes/waiting.hpp>
#include <utility>

namespace {

constexpr std::int64_t us = 1000, ms = 1'000'000;
constexpr std::int64_t poll_ns = 20;
constexpr std::int64_t wake_ns = 15 * us;  // From the sender's call until the sleeper runs.

using policy = mpx::waiting::spin_then_sleep<>;
using sooner = mpx::waiting::spin_then_sleep<50 * us>;

struct cost {
  std::int64_t late_ns = 0;  // After the awaited event.
  std::int64_t used_ns = 0;  // CPU time.
  bool slept = false;
};

/// A call that waits until `comes_ns` from now. `sleeps_first`: earlier calls have noticed that
/// others compute here.
template <class Policy>
cost wait(std::int64_t comes_ns, bool oversubscribed = false, bool sleeps_first = false,
          bool* others_compute = nullptr) {
  auto& core = modelled::the;
  const std::int64_t comes_at_ns = core.now_ns + comes_ns, used_ns = core.used_ns;
  typename Policy::pace pace(oversubscribed);
  if (sleeps_first) pace.sleep_first();
  cost c;
  for (;;) {
    core.run(poll_ns);
    if (core.now_ns >= comes_at_ns) break;
    if (!pace.should_sleep()) continue;
    c.slept = true;
    core.now_ns = std::max(core.now_ns, comes_at_ns) + wake_ns;
    break;
  }
  if (others_compute != nullptr) *others_compute = pace.others_compute();
  c.late_ns = core.now_ns - comes_at_ns;
  c.used_ns = core.used_ns - used_ns;
  return c;
}

/// Two ranks compute and then exchange a message, again and again; the second one takes `factor`
/// times as long. Returns the first one's time beyond the second one's work, per step.
template <class Policy>
std::int64_t beyond_ns(std::int64_t work_ns, double factor) {
  constexpr int steps = 200;
  std::int64_t late = 0;
  for (int i = 0; i < steps; ++i)
    late += wait<Policy>(static_cast<std::int64_t>(static_cast<double>(work_ns) * (factor - 1)))
                .late_ns;
  return late / steps;
}

}  // namespace

TEST_CASE("waiting: a wait is no later than by spinning if it is short, or by sleeping if long") {
  modelled::the = {};
  for (std::int64_t comes = 100; comes < 20'000 * ms; comes = comes * 5 / 4) {
    CAPTURE(comes);
    const cost c = wait<policy>(comes);
    // The longest time between two polls: a yield and a look at the clock.
    const std::int64_t between_polls = modelled::yield_ns + 2 * modelled::clock_ns + 2 * poll_ns;
    CHECK(c.late_ns <= (c.slept ? wake_ns : between_polls));
    CHECK((c.slept || comes <= policy::spin_ns + 10 * us));
    CHECK(c.used_ns <= std::min(comes, policy::spin_ns) + 10 * us);
  }
}

TEST_CASE("waiting: ranks on cores of unlike speed synchronise without sleeping") {
  modelled::the = {};
  for (const std::int64_t work : {20 * us, 200 * us, 2 * ms})
    for (const double factor : {1.0, 1.2, 1.5, 2.0}) {
      CAPTURE(work);
      CAPTURE(factor);
      CHECK(beyond_ns<policy>(work, factor) < 1 * us);
    }
  CHECK(beyond_ns<sooner>(200 * us, 1.5) > 10 * us);  // A rank that sleeps pays for its waking.
}

TEST_CASE("waiting: a core that a rank of the job needs is given to it, and taken back after") {
  for (const bool known : {true, false}) {  // That the ranks outnumber the cores.
    CAPTURE(known);
    modelled::the = {};
    auto& core = modelled::the;
    // The awaited rank needs 300 us of this core.
    std::int64_t left = 300 * us;
    core.others_run_ns = [&left] { return std::exchange(left, 0); };
    const cost c = wait<policy>(known ? 300 * us : 350 * us, known);
    CHECK(!c.slept);
    CHECK(core.yields > 0);
    CHECK(c.used_ns < 100 * us);
  }
}

TEST_CASE("waiting: if another process computes, a call sleeps after one yield, the next at once") {
  modelled::the = {};
  auto& core = modelled::the;
  core.others_run_ns = [] { return 4 * ms; };
  bool others_compute = false;
  CHECK(wait<policy>(1000 * ms, true, false, &others_compute).slept);
  CHECK(others_compute);
  CHECK(core.yields == 1);
  const cost next = wait<policy>(1000 * ms, true, true);
  CHECK(core.yields == 1);
  CHECK(next.used_ns < 1 * us);
  CHECK(next.late_ns == wake_ns);
}
