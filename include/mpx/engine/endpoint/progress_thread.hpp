// SPDX-License-Identifier: BSL-1.0
#pragma once
// The thread of progress::thread: polls an endpoint while the program makes no calls.

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>

#include "mpx/core/numbers.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"
#include "mpx/transport/detail/bell.hpp"

namespace mpx::inline v0::detail {

/// Sleeps while the program polls by itself, else as an `outside_loop`: on the transport's
/// descriptor, until something arrives.
template <class Stack>
class progress_thread : outside_loop {
  using progress_type = typename Stack::progress_type;

 public:
  explicit progress_thread(endpoint<Stack>& of) noexcept
      : outside_loop{[](outside_loop& l) noexcept { static_cast<progress_thread&>(l).ring(); }},
        endpoint_(of) {}
  progress_thread(const progress_thread&) = delete;
  progress_thread& operator=(const progress_thread&) = delete;

  /// Errors:     errc::no_resources.
  [[gnu::noinline, gnu::cold]] void start() {
    bell_ = transport::detail::bell(transport::detail::make_event_bell());
    if (bell_.fd() < 0)
      throw_error(errc::no_resources, "the progress thread has no descriptor: check `ulimit -n`");
    {
      const lock_guard lock(endpoint_.threading());
      transport_ = endpoint_.transport().descriptor();
      endpoint_.waits().attach_outside(*this);
    }
    // The program's handlers of signals run in its own threads.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const int why = ::pthread_create(&thread_, nullptr, &progress_thread::run, this);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (why == 0) {
      ::pthread_setname_np(thread_, "mpx-progress");
      return;
    }
    detach();
    throw_error(errc::no_resources,
                "the progress thread could not be started (%s): check `ulimit -u`",
                std::system_category().message(why).c_str());
  }
  /// Requires: it was started, in this process.
  [[gnu::noinline, gnu::cold]] void stop() noexcept {
    stop_.store(true);
    detach();  // A call: it wakes the thread if that waits for the end of one.
    ring();
    ::pthread_join(thread_, nullptr);
  }
  /// Number of times that the thread has slept.
  [[nodiscard]] std::uint64_t sleeps() const noexcept {
    return sleeps_.load(platform::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t sleep_ns_max = 100'000'000;
  static constexpr std::int64_t blind_sleep_ns = 1'000'000;  // The transport has no descriptor.

  static void* run(void* self) {
    static_cast<progress_thread*>(self)->assist();
    return nullptr;
  }
  void assist() noexcept {
    call_gate& gate = endpoint_.threading().gate();
    gate.belongs_to_this_thread();
    const auto& waits = endpoint_.waits();
    std::uint32_t seen = waits.polls();
    sleep(progress_type::idle_ns, false);
    while (!stop_.load()) {
      const std::uint32_t polls = waits.polls();
      const std::uint32_t calls = gate.calls();
      if (polls != seen) {  // The program makes progress by itself.
        seen = polls;
        sleep(progress_type::idle_ns, false);
      } else if (call_gate::in_call(calls)) {  // It will poll, or it sleeps in the transport.
        sleeps_.fetch_add(1, platform::memory_order_relaxed);
        gate.await_end(calls, sleep_ns_max);
      } else if (gate.try_enter()) {
        const bool rung = poll_and_rest(gate, seen);
        if (rung && !stop_.load()) sleep(progress_type::idle_ns, false);
      }
    }
  }
  /// Polls, then rests if there was nothing. `polls`: their number afterwards. Returns true if a
  /// call of the program has ended the rest.
  bool poll_and_rest(call_gate& gate, std::uint32_t& polls) noexcept {
    auto& waits = endpoint_.waits();
    // After `detach` this loop is not the endpoint's any more.
    const bool rests = !stop_.load() && waits.poll_outside() == 0 && waits.rest_between_calls();
    const bool armed = is == outside_loop::state::parked;
    polls = waits.polls();
    const std::int64_t most_ns =
        lesser(transport_ < 0 ? blind_sleep_ns : sleep_ns_max, endpoint_.transport().wait_max_ns());
    if (!rests) {
      gate.leave();
      return false;
    }
    gate.leave_until_call(
        [](void* of) noexcept { static_cast<endpoint<Stack>*>(of)->waits().ring_outside(); },
        &endpoint_);
    return sleep(most_ns, armed);
  }
  /// Sleeps until the bell is rung, or something arrives if `armed`. Returns true if it was rung.
  bool sleep(std::int64_t most_ns, bool armed) noexcept {
    sleeps_.fetch_add(1, platform::memory_order_relaxed);
    pollfd at[2] = {{bell_.fd(), POLLIN, 0}, {transport_, POLLIN, 0}};
    const timespec t{static_cast<time_t>(most_ns / 1'000'000'000),
                     static_cast<long>(most_ns % 1'000'000'000)};
    ::ppoll(at, armed && transport_ >= 0 ? 2 : 1, &t, nullptr);
    if ((at[0].revents & POLLIN) == 0) return false;
    transport::detail::quiet_bell(bell_.fd());
    return true;
  }
  void ring() noexcept { transport::detail::ring_event_bell(bell_.fd()); }
  void detach() noexcept {
    const lock_guard lock(endpoint_.threading());
    endpoint_.waits().detach_outside();
  }

  endpoint<Stack>& endpoint_;
  transport::detail::bell bell_;
  int transport_ = -1;
  platform::atomic<bool> stop_{false};
  platform::atomic<std::uint64_t> sleeps_{0};
  pthread_t thread_{};
};

/// Of environments whose stack has no such thread.
struct no_progress_thread {
  explicit no_progress_thread(auto&) noexcept {}
  void start() noexcept {}
  void stop() noexcept {}
};

template <class Stack>
using progress_thread_of = std::conditional_t<ThreadedProgress<typename Stack::progress_type>,
                                              progress_thread<Stack>, no_progress_thread>;

}  // namespace mpx::inline v0::detail
