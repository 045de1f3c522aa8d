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
/// means look again. `reset()` follows a look that found something. `sleep_ns_max` bounds a single
/// sleep: it is also how often a sleeper looks for peers that have died.
template <class W>
concept WaitPolicy = requires(typename W::pace& pace) {
  requires std::same_as<typename W::policy_axis, wait_axis>;
  requires std::constructible_from<typename W::pace, bool>;
  { W::name } -> std::convertible_to<std::string_view>;
  { W::sleep_ns_max } -> std::convertible_to<std::int64_t>;
  { pace.should_sleep() } noexcept -> std::same_as<bool>;
  { pace.reset() } noexcept;
};

/// Grants WaitPolicy and nothing more.
struct wait_archetype {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr std::int64_t sleep_ns_max = 1;
  struct pace {
    explicit pace(bool oversubscribed);
    bool should_sleep() noexcept;
    void reset() noexcept;
  };
};

namespace waiting {

/// Never sleeps: the lowest latency, and a whole core for each blocked call. With more ranks than
/// cores it gives way to the others after each fruitless look.
struct spin {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "spin";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;

  class pace {
   public:
    explicit pace(bool oversubscribed) noexcept : oversubscribed_(oversubscribed) {}
    bool should_sleep() noexcept {
      if (oversubscribed_) {
        ::sched_yield();
      } else {
        platform::relax();
      }
      return false;
    }
    void reset() noexcept {}

   private:
    bool oversubscribed_;
  };
};

/// The default: looks for `SpinNs` nanoseconds, then sleeps in the kernel, so that a blocked rank
/// costs no CPU. When ranks outnumber cores it does not spin: between two looks it gives the core
/// to whoever can use it. (Sleeping at once would let cores go idle, and waking an idle core takes
/// longer than switching between processes.)
template <std::int64_t SpinNs = 50'000>
struct spin_then_sleep {
  using policy_axis = wait_axis;
  static constexpr std::string_view name = "spin_then_sleep";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;

  class pace {
   public:
    explicit pace(bool oversubscribed) noexcept
        : oversubscribed_(oversubscribed), patience_(oversubscribed ? 4 : polls_per_check) {}

    bool should_sleep() noexcept {
      if (oversubscribed_) ::sched_yield();
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

   private:
    static constexpr unsigned polls_per_check = 64;  // The clock is dearer than a look.
    bool oversubscribed_;
    unsigned patience_;
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
  };
};

}  // namespace waiting
}  // namespace mpx::inline v0
