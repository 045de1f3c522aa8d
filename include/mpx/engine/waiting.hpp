// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a blocked call does between looks: spin, or spin for a while and then sleep until woken.

#include <concepts>
#include <cstdint>
#include <string_view>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0 {

struct wait_axis {};

/// Paces one blocking call. `should_sleep()` is asked after each look that found nothing: false
/// means look again. `reset()` follows a look that found something. `crowded(yes)`: whether others
/// that this call may wait for need the core, as is known when it begins, and asked again now and
/// then. `sleep_ns_max` bounds a single sleep: it is also how often a sleeper looks for peers that
/// have died.
template <class W>
concept WaitPolicy = requires(typename W::pace& pace) {
  requires std::same_as<typename W::policy_axis, wait_axis>;
  requires std::constructible_from<typename W::pace, bool>;
  { W::name } -> std::convertible_to<std::string_view>;
  { W::sleep_ns_max } -> std::convertible_to<std::int64_t>;
  { pace.should_sleep() } noexcept -> std::same_as<bool>;
  { pace.reset() } noexcept;
  { pace.crowded(true) } noexcept;
};

/// A refinement: a call does not sleep while peers write long messages into this rank's memory, for
/// as long as that may take where its transport moves them by the CPU.
template <class W>
concept FollowingWait = WaitPolicy<W> && W::follows_data;

/// A refinement: a pace that finds out, where a call begins with `measure()`, whether those to whom
/// it gives the core compute. Later calls then begin with `sleep_first()`: they give nothing away,
/// but sleep.
template <class Pace>
concept LearningPace = requires(Pace& pace, const Pace& seen) {
  { pace.measure() } noexcept;
  { seen.others_compute() } noexcept -> std::same_as<bool>;
  { pace.sleep_first() } noexcept;
};

/// Grants WaitPolicy and nothing more.
struct wait_archetype {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr std::int64_t sleep_ns_max = 1;
  struct pace {
    explicit pace(bool crowded);
    bool should_sleep() noexcept;
    void reset() noexcept;
    void crowded(bool yes) noexcept;
  };
};

namespace waiting {

/// Never sleeps: the lowest latency, and a whole core for each blocked call. Where others need the
/// core it gives way to them after each fruitless look.
struct spin {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "spin";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;

  class pace {
   public:
    explicit pace(bool crowded) noexcept : crowded_(crowded) {}
    bool should_sleep() noexcept {
      if (crowded_) {
        ::sched_yield();
      } else {
        platform::relax();
      }
      return false;
    }
    void reset() noexcept {}
    void crowded(bool yes) noexcept { crowded_ = yes; }

   private:
    bool crowded_;
  };
};

/// The default: looks for `SpinNs` nanoseconds, then sleeps in the kernel, so that a blocked rank
/// costs no CPU. Where ranks outnumber cores, or share one, it does not spin: between two looks it
/// gives the core to whoever can use it. (Sleeping at once would let cores go idle, and waking an
/// idle core takes longer than switching between processes.) Where those who take it compute for
/// long, be they of the job or not, it sleeps at once: who yields is served after all of them, who
/// is woken before.
template <std::int64_t SpinNs = 50'000>
struct spin_then_sleep {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "spin_then_sleep";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;
  static constexpr bool follows_data = true;

  class pace {
   public:
    explicit pace(bool crowded) noexcept { this->crowded(crowded); }

    bool should_sleep() noexcept {
      if (sleeps_first_) return true;
      if (crowded_) give_way();
      if (++looks_ < patience_) return false;
      looks_ = 0;
      const std::int64_t now = platform::now_ns();
      if (until_ == 0) until_ = now + SpinNs;
      return now >= until_;
    }
    void reset() noexcept {
      looks_ = 0;
      until_ = 0;
    }
    void crowded(bool yes) noexcept {
      crowded_ = yes;
      patience_ = yes ? 4 : polls_per_check;
      sleeps_first_ = sleeps_first_ && yes;
    }
    void measure() noexcept { measures_ = true; }
    bool others_compute() const noexcept { return others_compute_; }
    void sleep_first() noexcept { sleeps_first_ = crowded_; }

   private:
    void give_way() noexcept {
      if (!measures_) return static_cast<void>(::sched_yield());
      const std::int64_t before = platform::now_ns();
      ::sched_yield();
      if (platform::now_ns() - before >= computing_ns) others_compute_ = sleeps_first_ = true;
    }

    // More than ranks of the job do between two waits, less than a kernel lets others compute.
    static constexpr std::int64_t computing_ns = 2'500'000;
    static constexpr unsigned polls_per_check = 64;  // The clock is dearer than a look.
    bool crowded_ = false;
    bool sleeps_first_ = false;
    bool measures_ = false;
    bool others_compute_ = false;
    unsigned patience_ = 0;
    unsigned looks_ = 0;
    std::int64_t until_ = 0;
  };
};

/// Sleeps whenever there is nothing to do: the least CPU time, and a wake-up for each message. The
/// one to simulate with, where sleeping is free.
struct sleep {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "sleep";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;

  struct pace {
    explicit pace(bool) noexcept {}
    bool should_sleep() noexcept { return true; }
    void reset() noexcept {}
    void crowded(bool) noexcept {}
  };
};

}  // namespace waiting
}  // namespace mpx::inline v0
