// SPDX-License-Identifier: BSL-1.0
#pragma once
// Time by call and source line: `mpx::stack<mpx::trace::profile>`. A program includes this header
// in addition to mpx.hpp. docs/PROFILE.md shows a report and explains it.

#include "mpx/macros/begin.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "mpx/core/lock.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"
#include "mpx/watch/profile_table.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::trace {

/// Records each kind of call on each source line: number, duration, and the part of it spent
/// waiting. Counts events as `counters` does. If MPX_PROFILE is 1, rank 0 prints a report of all
/// ranks when the job's environment ends.
/// Cost:       some 50 ns a call (two clock readings); 50 ns for each poll of a waiting call; 40
///             KiB. Puts and gets lose their fast path. Stacks without this policy pay nothing.
/// Threads:    as the stack's thread model allows.
class profile {
 public:
  using policy_axis = trace_axis;
  static constexpr std::string_view name = "profile";
  /// Statistics of one kind of call on one source line.
  using call_record = detail::profile_record;

  void on(event e, std::uint64_t amount) noexcept { events_.on(e, amount); }
  std::uint64_t operator[](event e) const noexcept { return events_[e]; }

  /// Records a call `what` at `where` that took `ns`.
  void called(const char* what, const std::source_location& where, std::int64_t ns) noexcept {
    const mpx::detail::lock_guard lock(mutex_);
    calls_.at(what, where).add(ns);
  }
  /// Records that `ns` of that passed in polls without result, or asleep.
  void waited(const char* what, const std::source_location& where, std::int64_t ns) noexcept {
    const mpx::detail::lock_guard lock(mutex_);
    calls_.at(what, where).waited_ns += ns;
  }
  /// Returns the records of this rank so far, in no order.
  std::span<const call_record> calls() const noexcept { return calls_.records(); }

  /// Prints the report of all ranks at rank 0 if MPX_PROFILE is 1. Collective over `world`. If
  /// ranks have been lost, each rank prints its own report.
  template <class Communicator>
  void report(const Communicator& world) noexcept;

 private:
  counters events_;
  detail::profile_table calls_;
  platform::mutex mutex_;
  bool reports_ = detail::profile_is_wanted();
  std::int64_t began_ns_ = platform::now_ns();
};

template <class Communicator>
[[gnu::noinline, gnu::cold]] void profile::report(const Communicator& world) noexcept try {
  if (!reports_) return;
  const std::int64_t elapsed_ns = platform::now_ns() - began_ns_;
  detail::profile_summary mine{.rank = world.rank(), .elapsed_ns = elapsed_ns};
  for (std::size_t e = 0; e < mine.events.size(); ++e) mine.events[e] = (*this)[event(e)];
  const std::vector<detail::profile_row> rows = calls_.rows(world.rank());
  std::error_code ec;
  auto all_ranks = world.gather(mine, 0, ec);
  auto all_rows = ec ? std::vector<detail::profile_row>() : world.gatherv(rows, 0, ec);
  std::string text;
  if (ec) {
    text = detail::profile_report(std::span(&mine, 1), rows);
  } else if (world.rank() == 0) {
    text = detail::profile_report(all_ranks, all_rows);
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
} catch (const std::exception&) {
  std::fputs("mpx profile: there is no memory for the report\n", stderr);
}

}  // namespace mpx::inline v0::trace

#include "mpx/macros/end.hpp"
