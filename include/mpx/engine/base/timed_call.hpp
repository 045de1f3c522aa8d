// SPDX-License-Identifier: BSL-1.0
#pragma once
// Scopes that report to a CallTrace how long a call took, and how long it waited. They are empty in
// stacks with another trace.

#include <cstdint>
#include <source_location>

#include "mpx/core/platform.hpp"
#include "mpx/watch/call_site.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::detail {

/// One call of the program, from beginning to end. `Endpoint` has trace().
template <class Trace>
class timed_call {
 public:
  template <class Endpoint>
  timed_call(Endpoint*, const char*, const std::source_location&) noexcept {}
};

template <CallTrace Trace>
class [[nodiscard]] timed_call<Trace> {
 public:
  /// `e` is nullptr if the call has nothing to do; it is not reported then.
  template <class Endpoint>
  timed_call(Endpoint* e, const char* name, const std::source_location& where) noexcept
      : trace_(e == nullptr ? nullptr : &e->trace()), name_(name), where_(where) {}
  timed_call(const timed_call&) = delete;
  timed_call& operator=(const timed_call&) = delete;
  ~timed_call() {
    if (trace_ != nullptr) trace_->called(name_, where_, platform::now_ns() - began_ns_);
  }

 private:
  Trace* trace_;
  const char* name_;
  std::source_location where_;
  std::int64_t began_ns_ = platform::now_ns();
};

/// Waiting time of a blocked call: polls that find nothing, and sleeps.
template <class Trace>
class timed_wait {
 public:
  timed_wait(Trace&, const call_site&) noexcept {}
  void polled(bool) noexcept {}
  void rested() noexcept {}
};

template <CallTrace Trace>
class [[nodiscard]] timed_wait<Trace> {
 public:
  timed_wait(Trace& trace, const call_site& site) noexcept : trace_(trace), site_(site) {}
  timed_wait(const timed_wait&) = delete;
  timed_wait& operator=(const timed_wait&) = delete;
  ~timed_wait() {
    rested();
    trace_.waited(site_.name, site_.where, waited_ns_);
  }
  /// Called after each poll. The time of the poll counts as waiting unless it found something.
  void polled(bool found) noexcept {
    const std::int64_t now_ns = platform::now_ns();
    if (!found) waited_ns_ += now_ns - last_ns_;
    last_ns_ = now_ns;
  }
  /// Counts the time since the last poll as waiting: it was spent relaxing, yielding or asleep.
  void rested() noexcept { polled(false); }

 private:
  Trace& trace_;
  call_site site_;
  std::int64_t waited_ns_ = 0;
  std::int64_t last_ns_ = platform::now_ns();
};

}  // namespace mpx::inline v0::detail
