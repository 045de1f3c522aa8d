// SPDX-License-Identifier: BSL-1.0
#pragma once
// Wait policies: a blocked call spins, yields its core or sleeps between polls.

#include <concepts>
#include <cstdint>
#include <string_view>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0 {

struct wait_axis {};

/// A `pace` serves one blocking call.
/// - `pace(oversubscribed)`, `oversubscribed(yes)`: say if other ranks need this core, when the
///   call begins and from time to time.
/// - `should_sleep()`: called after each poll that found nothing; may yield the core. Returns false
///   if the call has to poll again, true if it has to sleep.
/// - `reset()`: called after a poll that found something.
/// - `sleep_ns_max`: bounds a single sleep, in nanoseconds. It is also the interval at which a
///   sleeper looks for dead peers.
template <class W>
concept WaitPolicy = requires(typename W::pace& pace) {
  requires std::same_as<typename W::policy_axis, wait_axis>;
  requires std::constructible_from<typename W::pace, bool>;
  { W::name } -> std::convertible_to<std::string_view>;
  { W::sleep_ns_max } -> std::convertible_to<std::int64_t>;
  { pace.should_sleep() } noexcept -> std::same_as<bool>;
  { pace.reset() } noexcept;
  { pace.oversubscribed(true) } noexcept;
};

/// Refinement: the time that a call polls before it sleeps can be set at run time (MPX_SPIN).
/// - `spin_ns`: the default, in nanoseconds.
/// - `spin_for(ns)`: called before the first `should_sleep()`.
template <class W>
concept TunableWait = WaitPolicy<W> && requires(typename W::pace& pace, std::int64_t ns) {
  { W::spin_ns } -> std::convertible_to<std::int64_t>;
  { pace.spin_for(ns) } noexcept;
};

/// Refinement: a pace that notices that yielding gives the core to processes that compute for long.
/// - `others_compute()`: true if this call noticed it.
/// - `sleep_first()`: called at the beginning of later calls; they sleep without yielding first.
template <class Pace>
concept LearningPace = requires(Pace& pace, const Pace& seen) {
  { seen.others_compute() } noexcept -> std::same_as<bool>;
  { pace.sleep_first() } noexcept;
};

/// Satisfies WaitPolicy and nothing more.
struct wait_archetype {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr std::int64_t sleep_ns_max = 1;
  struct pace {
    explicit pace(bool oversubscribed);
    bool should_sleep() noexcept;
    void reset() noexcept;
    void oversubscribed(bool yes) noexcept;
  };
};

namespace waiting {

/// Never sleeps: the lowest latency, at the cost of a whole core for each blocked call. Yields
/// after each poll that found nothing if other ranks need the core.
struct spin {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "spin";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;

  class pace {
   public:
    explicit pace(bool oversubscribed) noexcept : oversubscribed_(oversubscribed) {}
    bool should_sleep() noexcept {
      if (oversubscribed_) {
        platform::yield();
      } else {
        platform::relax();
      }
      return false;
    }
    void reset() noexcept {}
    void oversubscribed(bool yes) noexcept { oversubscribed_ = yes; }

   private:
    bool oversubscribed_;
  };
};

/// The default: a blocked call polls, then yields between polls, and sleeps in the kernel `SpinNs`
/// nanoseconds after it began. It yields from its first poll on if the ranks are known to outnumber
/// the cores, else after `polls_alone_ns`.
///
/// Cost, compared with the better of spinning and sleeping for the same wait:
/// - A wait shorter than `SpinNs` takes no longer than by spinning. It uses the core for that time,
///   which no other process wanted.
/// - A longer wait takes no longer than by sleeping at once, and `SpinNs` of CPU time more. A rank
///   that is blocked for seconds uses CPU for milliseconds.
/// Sleeping earlier saves CPU time and loses latency: waking an idle core takes 9 to 25 us,
/// including a system call of the sender, and ranks of real programs differ by more than that at
/// each step.
///
/// Beside processes that compute, yielding is expensive: the rank that yields runs again after all
/// of them, while a rank that is woken runs at once. A yield that takes `computing_ns` shows such a
/// process: this call then sleeps, and so do the rank's next calls, where they would have yielded.
/// Source: A. Karlin et al., Empirical studies of competitive spinning, SOSP 1991.
template <std::int64_t SpinNs = 5'000'000>
struct spin_then_sleep {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "spin_then_sleep";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;
  static constexpr std::int64_t spin_ns = SpinNs;

  class pace {
   public:
    explicit pace(bool oversubscribed) noexcept : oversubscribed_(oversubscribed) {}

    bool should_sleep() noexcept {
      if (oversubscribed_ && sleeps_first_) return true;
      if (!oversubscribed_ && ++polls_ % polls_per_check != 0) return false;
      const std::int64_t now_ns = yielded_ns_ != 0 ? yielded_ns_ : platform::now_ns();
      if (began_ns_ == 0) began_ns_ = now_ns;
      const std::int64_t waited_ns = now_ns - began_ns_;
      if (waited_ns >= spin_ns_) return true;
      if (!oversubscribed_ && waited_ns < polls_alone_ns) return false;
      if (sleeps_first_) return true;
      yield(now_ns);
      return false;
    }
    void reset() noexcept {
      polls_ = 0;
      began_ns_ = 0;
      yielded_ns_ = 0;
    }
    void oversubscribed(bool yes) noexcept { oversubscribed_ = yes; }
    void spin_for(std::int64_t ns) noexcept { spin_ns_ = ns; }
    bool others_compute() const noexcept { return others_compute_; }
    void sleep_first() noexcept { sleeps_first_ = true; }

   private:
    void yield(std::int64_t before_ns) noexcept {
      platform::yield();
      yielded_ns_ = platform::now_ns();
      if (yielded_ns_ - before_ns >= computing_ns) others_compute_ = sleeps_first_ = true;
    }

    static constexpr std::int64_t polls_alone_ns = 50'000;
    // Longer than most ranks compute between two waits, shorter than a time slice of the kernel.
    static constexpr std::int64_t computing_ns = 2'500'000;
    static constexpr unsigned polls_per_check = 64;  // Reading the clock takes longer than a poll.
    bool oversubscribed_ = false;
    bool sleeps_first_ = false;
    bool others_compute_ = false;
    unsigned polls_ = 0;
    std::int64_t spin_ns_ = SpinNs;
    std::int64_t began_ns_ = 0;    // 0: not begun.
    std::int64_t yielded_ns_ = 0;  // End of the last yield; 0: none.
  };
};

/// Sleeps whenever there is nothing to do: the least CPU time and energy, and a wake-up for each
/// message. Used in simulations, where sleeping costs nothing.
struct sleep {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "sleep";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;

  struct pace {
    explicit pace(bool) noexcept {}
    bool should_sleep() noexcept { return true; }
    void reset() noexcept {}
    void oversubscribed(bool) noexcept {}
  };
};

}  // namespace waiting
}  // namespace mpx::inline v0
