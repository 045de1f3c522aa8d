// SPDX-License-Identifier: BSL-1.0
#pragma once
// A lock between the calls of a program and its progress thread. A call takes it by plain stores
// and loads. The thread, which enters rarely, issues a memory barrier on all cores of the process,
// so that calls need no fence.

#include <pthread.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0::detail {

/// Excludes a progress thread from an endpoint during the calls of its program. Calls do not
/// exclude each other: the program makes one at a time.
///
/// An asymmetric form of Dekker's algorithm. A call stores that it is under way, then reads if the
/// progress thread is inside. The progress thread does the same in the same order, with
/// `process_barrier` between: at least one of them sees the other's mark. Where the kernel has no
/// such barrier, each call also makes an atomic read-modify-write of the word that the progress
/// thread marks.
/// Cost:       a call takes two stores and two loads; `try_enter` a system call.
class call_gate {
 public:
  call_gate() noexcept {
    if (!platform::register_process_barrier()) attention_.store(no_barrier);
  }
  call_gate(const call_gate&) = delete;
  call_gate& operator=(const call_gate&) = delete;

  // --- Calls of the program ----------------------------------------------------------------------

  /// Waits while the progress thread is inside.
  [[MPX_ALWAYS_INLINE]] void begin_call() noexcept {
    step(platform::memory_order_relaxed);
    if (attention_.load(platform::memory_order_acquire) != 0) [[unlikely]]
      begin_slow();
  }
  [[MPX_ALWAYS_INLINE]] void end_call() noexcept {
    step(platform::memory_order_release);
    if (attention_.load(platform::memory_order_relaxed) != 0) [[unlikely]]
      end_slow();
  }

  // --- The progress thread -----------------------------------------------------------------------

  /// Names the calling thread as the progress thread.
  void belongs_to_this_thread() noexcept { thread_.store(::pthread_self()); }
  bool is_progress_thread() const noexcept {
    return ::pthread_equal(thread_.load(platform::memory_order_relaxed), ::pthread_self()) != 0;
  }
  static constexpr const char* call_in_callback =
      "a function of a reduction, or another callback, calls mpx in the progress thread: it must "
      "not call mpx";

  /// A number that changes when a call begins or ends.
  std::uint32_t calls() const noexcept { return calls_.load(platform::memory_order_relaxed); }
  /// True if a call was under way when `calls` returned that number.
  static bool in_call(std::uint32_t calls) noexcept { return calls % 2 != 0; }
  /// Returns false if a call is under way.
  [[nodiscard]] bool try_enter() noexcept {
    attention_.fetch_or(inside);
    barrier();
    if (!in_call(calls_.load(platform::memory_order_acquire))) return true;
    leave();
    return false;
  }
  void leave() noexcept {
    if ((attention_.fetch_and(no_barrier | rests) & waits) != 0)
      platform::futex_wake(attention_, 1);
  }
  /// As leave. The next call begins with `end_rest(context)`, which disarms the transport.
  void leave_until_call(void (*end_rest)(void* context) noexcept, void* context) noexcept {
    end_rest_ = end_rest;
    context_ = context;
    attention_.fetch_or(rests);
    leave();
  }
  /// Sleeps until the call of that number has ended, for at most `timeout_ns`. May return early.
  void await_end(std::uint32_t call, std::int64_t timeout_ns) noexcept {
    attention_.fetch_or(watches);
    barrier();
    if (calls_.load(platform::memory_order_acquire) == call)
      platform::futex_wait(calls_, call, timeout_ns);
    attention_.fetch_and(~watches);
  }

 private:
  // Bits of `attention_`. All 0: calls need no more than their stores.
  static constexpr std::uint32_t inside = 1;       // The progress thread is inside, or about to be.
  static constexpr std::uint32_t waits = 2;        // A call waits until it has left.
  static constexpr std::uint32_t watches = 4;      // The progress thread sleeps until a call ends.
  static constexpr std::uint32_t rests = 8;        // The next call has to end a rest.
  static constexpr std::uint32_t no_barrier = 16;  // Calls must take the slow path.
  static constexpr std::int64_t sleep_ns_max = 100'000'000;

  [[MPX_ALWAYS_INLINE]] void step(platform::memory_order order) noexcept {
    calls_.store(calls_.load(platform::memory_order_relaxed) + 1, order);
    platform::signal_fence();
  }
  /// Follows a mark of this thread's in `attention_`.
  void barrier() const noexcept {
    if ((attention_.load(platform::memory_order_relaxed) & no_barrier) == 0)
      platform::process_barrier();
  }
  [[gnu::noinline, gnu::cold]] void begin_slow() noexcept {
    // A forked child has no progress thread, and does nothing for that of its parent.
    if ((attention_.fetch_or(0) & (inside | rests)) != 0 && ::getpid() != pid_)
      attention_.fetch_and(no_barrier);
    if (is_progress_thread()) [[unlikely]] {  // It would wait for itself.
      std::fprintf(stderr, "mpx: %s\n", call_in_callback);
      std::abort();
    }
    while ((attention_.fetch_or(0) & inside) != 0) {
      step(platform::memory_order_release);  // This call is not under way, after all.
      const std::uint32_t word = attention_.fetch_or(waits) | waits;
      if ((word & inside) != 0) platform::futex_wait(attention_, word, sleep_ns_max);
      step(platform::memory_order_relaxed);
    }
    if ((attention_.fetch_and(~rests) & rests) != 0) end_rest_(context_);
  }
  [[gnu::noinline, gnu::cold]] void end_slow() noexcept {
    if ((attention_.fetch_or(0) & watches) != 0) platform::futex_wake(calls_, 1);
  }

  platform::atomic<std::uint32_t> calls_{0};  // Odd: a call is under way.
  platform::atomic<std::uint32_t> attention_{0};
  void (*end_rest_)(void* context) noexcept = nullptr;
  void* context_ = nullptr;
  platform::atomic<pthread_t> thread_{};
  pid_t pid_ = ::getpid();
};

}  // namespace mpx::inline v0::detail
