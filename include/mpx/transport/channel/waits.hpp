// SPDX-License-Identifier: BSL-1.0
#pragma once
// Sleeping over a device that does not wait by itself: for its descriptor if it has one, else for a
// short time, after which the rank looks again.

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cstdint>

#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/detail/bell.hpp"

namespace mpx::inline v0::transport::detail {

/// The sleep of one rank. `wake` and `sleep` may be called by any thread.
class channel_waits {
 public:
  /// Time until a rank looks again, where nothing tells of an event: it doubles until there is one.
  /// The longest one costs about 1 % of a core.
  static constexpr std::uint32_t shortest_nap_us = 50;
  static constexpr std::uint32_t longest_nap_us = 1000;

  /// `fd`: becomes readable when something may have arrived; -1: nothing tells.
  /// Errors:     errc::no_resources.
  explicit channel_waits(int fd)
      : is_told_(fd >= 0),
        bell_(make_event_bell()),
        alarm_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
        watch_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!add(bell_.fd()) || !add(alarm_.fd()) || (is_told_ && !add(fd)))
      mpx::detail::throw_error(
          errc::no_resources,
          "transport channel: the kernel gives no descriptor for waiting: raise "
          "the limit of open files (ulimit -n)");
  }

  /// Announces a sleep. `is_blocked`: a send waits for room.
  void arm(bool is_blocked) noexcept {
    if (is_blocked || !is_told_) {
      set_alarm(nap_us_);
      nap_us_ = 2 * nap_us_ < longest_nap_us ? 2 * nap_us_ : longest_nap_us;
    }
    armed_.store(1);
  }
  void sleep(std::int64_t timeout_ns) const noexcept { wait_for_bell(watch_.fd(), timeout_ns); }
  void disarm() noexcept {
    armed_.store(0);
    quiet_bell(bell_.fd());
    if (is_alarm_set_) set_alarm(0);
  }
  void wake() const noexcept {
    if (armed_.load() != 0) ring_event_bell(bell_.fd());
  }
  bool is_armed() const noexcept { return armed_.load() != 0; }
  /// Something has happened: the next naps are short again.
  void stay_alert() noexcept { nap_us_ = shortest_nap_us; }
  int descriptor() const noexcept { return watch_.fd(); }

 private:
  bool add(int fd) const noexcept {
    epoll_event e{};
    e.events = EPOLLIN;
    return ::epoll_ctl(watch_.fd(), EPOLL_CTL_ADD, fd, &e) == 0;
  }
  /// Ends a sleep after that time; 0: no longer.
  void set_alarm(std::uint32_t us) noexcept {
    itimerspec t{};
    t.it_value.tv_nsec = static_cast<long>(us) * 1000;
    ::timerfd_settime(alarm_.fd(), 0, &t, nullptr);
    is_alarm_set_ = us != 0;
  }

  bool is_told_;
  std::uint32_t nap_us_ = shortest_nap_us;
  platform::atomic<std::uint32_t> armed_{0};
  bool is_alarm_set_ = false;
  bell bell_;
  bell alarm_;
  bell watch_;
};

}  // namespace mpx::inline v0::transport::detail
