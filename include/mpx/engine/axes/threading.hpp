// SPDX-License-Identifier: BSL-1.0
#pragma once
// Thread models: one thread, one thread at a time, or any number may call into an endpoint.

#include <pthread.h>

#include <concepts>
#include <source_location>
#include <string_view>

#include "mpx/config.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0 {

struct threading_axis {};

/// A lock that every call into the endpoint takes.
/// - `concurrent`: several threads may call at once, so waiting threads take turns at progress.
/// - `lock`, `unlock`: cost nothing if only one thread may call at a time.
template <class T>
concept ThreadModel = requires(T& t) {
  requires std::same_as<typename T::policy_axis, threading_axis>;
  { T::name } -> std::convertible_to<std::string_view>;
  { T::concurrent } -> std::convertible_to<bool>;
  { t.lock() };
  { t.unlock() };
};

/// A thread model that detects forbidden calls.
/// - `misuse` returns the reason why no call may be made now, or nullptr. Calls that know their
///   source line check it first.
/// - `lock` reports the others.
template <class T>
concept CheckingThreadModel = ThreadModel<T> && requires(const T& t) {
  { t.misuse() } noexcept -> std::same_as<const char*>;
};

/// Satisfies ThreadModel and nothing more.
struct thread_model_archetype {
  using policy_axis = threading_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr bool concurrent = false;
  void lock();
  void unlock();
};

namespace threading {

/// Only the thread that made the environment calls (MPI_THREAD_FUNNELED). Checked if MPX_ASSERT is
/// enabled. (The layout is the same without the check, because objects of both kinds meet in one
/// program.)
class single {
 public:
  using policy_axis = threading_axis;
  static constexpr std::string_view name = "single";
  static constexpr bool concurrent = false;

  void lock() noexcept { MPX_ASSERT_AT(misuse() == nullptr, misuse(), std::source_location()); }
  const char* misuse() const noexcept {
    return ::pthread_equal(::pthread_self(), owner_) != 0
               ? nullptr
               : "threading::single: only the thread that made the environment may call; choose "
                 "threading::serialized or threading::multiple";
  }
  void unlock() noexcept {}

 private:
  [[maybe_unused]] pthread_t owner_ = ::pthread_self();
};

/// Any thread calls, but never two at once (MPI_THREAD_SERIALIZED). Checked if MPX_ASSERT is
/// enabled.
class serialized {
 public:
  using policy_axis = threading_axis;
  static constexpr std::string_view name = "serialized";
  static constexpr bool concurrent = false;

  void lock() noexcept {
    MPX_ASSERT_AT(!inside_.exchange(true, platform::memory_order_acquire), two_at_once,
                  std::source_location());
  }
  const char* misuse() const noexcept {
    return inside_.load(platform::memory_order_relaxed) ? two_at_once : nullptr;
  }
  /// Also without checks: the shared object that locked may have been compiled with them.
  void unlock() noexcept { inside_.store(false, platform::memory_order_release); }

 private:
  static constexpr const char* two_at_once =
      "threading::serialized: two threads called at once; choose threading::multiple";
  platform::atomic<bool> inside_{false};
};

/// Any thread calls at any time (MPI_THREAD_MULTIPLE).
/// Cost: an uncontended lock for each call.
class multiple {
 public:
  using policy_axis = threading_axis;
  static constexpr std::string_view name = "multiple";
  static constexpr bool concurrent = true;

  void lock() { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  platform::mutex mutex_;
};

}  // namespace threading

namespace detail {

/// Holds a thread model's lock, with pauses. (Unlike std::unique_lock it cannot be empty, and so
/// never throws for that.)
template <class Threading>
class held_lock {
 public:
  explicit held_lock(Threading& threading) : threading_(threading) { lock(); }
  held_lock(const held_lock&) = delete;
  held_lock& operator=(const held_lock&) = delete;
  ~held_lock() {
    if (held_) unlock();
  }
  void lock() {
    threading_.lock();
    held_ = true;
  }
  void unlock() noexcept {
    held_ = false;
    threading_.unlock();
  }

 private:
  Threading& threading_;
  bool held_ = false;
};

}  // namespace detail
}  // namespace mpx::inline v0
