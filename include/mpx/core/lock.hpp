// SPDX-License-Identifier: BSL-1.0
#pragma once
// std::mutex and std::lock_guard without <mutex>, which includes <chrono> and takes a twentieth of
// the compile time of mpx.hpp.

#include <pthread.h>

#include "mpx/config.hpp"

namespace mpx::inline v0 {
namespace platform::native {

/// As std::mutex.
class mutex {
 public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  void lock() noexcept { ::pthread_mutex_lock(&mutex_); }
  bool try_lock() noexcept { return ::pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() noexcept { ::pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace platform::native

namespace detail {

/// As std::lock_guard.
template <class Lock>
class [[nodiscard]] lock_guard {
 public:
  [[MPX_ALWAYS_INLINE]] explicit lock_guard(Lock& lock) : lock_(lock) { lock_.lock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;
  [[MPX_ALWAYS_INLINE]] ~lock_guard() { lock_.unlock(); }

 private:
  Lock& lock_;
};

}  // namespace detail
}  // namespace mpx::inline v0
