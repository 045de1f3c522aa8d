// SPDX-License-Identifier: BSL-1.0
#pragma once
// Runs a scenario under many seeds, and says what was explored. MPX_PREEMPT_TIMES=20 explores 20
// times as much; MPX_PREEMPT_ONLY=<schedule> runs that one alone, and prints its every step.

#include <doctest/doctest.h>

#include <cstdlib>
#include <unordered_set>

#include "scheduler.hpp"

namespace explore {

/// Results of a search: counts, and the first error that it found.
struct finding {
  std::uint64_t schedules = 0;
  std::uint64_t steps = 0;
  std::uint64_t stores = 0;
  std::uint64_t distinct = 0;
  std::string failure;

  std::string text() const {
    std::string s = std::to_string(schedules) + " schedules, " + std::to_string(distinct) +
                    " distinct, " + std::to_string(steps) + " schedule points, " +
                    std::to_string(stores) + " stores buffered";
    if (!failure.empty()) s += "; schedule " + std::to_string(schedules - 1) + ": " + failure;
    return s;
  }
};

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Runs `schedules` of them, or as many as it takes to find a fault. A `Scenario` is made anew for
/// each, from the scheduler and `with`; its `thread(i)` is the body of thread i of
/// `Scenario::threads`; after all have ended, `wrong()` says what is wrong, or "".
template <class Scenario, class... With>
finding search(std::uint64_t schedules, const With&... with) {
  constexpr std::uint64_t everything = ~std::uint64_t{0};
  scheduler& s = scheduler::instance();
  const std::uint64_t only = number_from("MPX_PREEMPT_ONLY", everything);
  schedules *= number_from("MPX_PREEMPT_TIMES", 1);
  if (sampled) schedules = schedules / 10 + 1;
  finding found;
  std::unordered_set<std::uint64_t> seen;
  scheduler::plan p;
  if constexpr (requires { Scenario::quiet_start; }) p.quiet_start = Scenario::quiet_start;
  for (std::uint64_t i = 0; i < schedules && found.failure.empty(); ++i) {
    if (only != everything && i != 0 && i != only) continue;  // The first says how long they are.
    p.seed = i;
    s.tracing_ = i == only;
    auto scenario = std::make_unique<Scenario>(s, with...);
    auto body = [&](std::size_t thread) { scenario->thread(thread); };
    auto outcome = s.run(Scenario::threads, p, body);
    s.tracing_ = false;
    if (i == 0) p.length = outcome.steps;
    ++found.schedules;
    found.steps += outcome.steps;
    found.stores += outcome.stores;
    if (outcome.failure.empty()) {
      outcome.failure = scenario->wrong();
    } else {
      // Somebody is still inside: it is never destroyed.
      static auto& kept = *new std::vector<std::unique_ptr<Scenario>>();
      kept.push_back(std::move(scenario));
    }
    found.failure = outcome.failure;
    seen.insert(outcome.hash);
  }
  found.distinct = seen.size();
  s.cores = 64;
  s.spread = 1;
  return found;
}

/// The scenario holds under all schedules, and at least `distinct_min` of them differed.
inline void check_sound(const std::string& what, const finding& f, std::uint64_t distinct_min) {
  MESSAGE(what << ": " << f.text());
  CHECK(f.failure == "");
  if (std::getenv("MPX_PREEMPT_ONLY") == nullptr && !sampled) CHECK(f.distinct >= distinct_min);
}

/// The search finds a planted fault.
inline void check_found(const std::string& what, const finding& f) {
  MESSAGE("planted: " << what << ": found by schedule " << f.schedules << ": " << f.failure);
  CHECK(f.failure != "");
}

}  // namespace explore
