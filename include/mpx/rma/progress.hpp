// SPDX-License-Identifier: BSL-1.0
#pragma once
// A thread that progresses a rank's windows while the rank makes no calls.

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <system_error>

#include "mpx/communicator.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/rma/access.hpp"
#include "mpx/transport/detail/bell.hpp"

namespace mpx::inline v0::rma {

/// For its lifetime, a thread progresses this rank whenever no other thread of the rank does:
/// accesses to its windows are carried out while its program computes. The thread sleeps on the
/// transport's descriptor while nothing arrives. A thread that blocks in a call takes over.
/// Requires:   threading::multiple; a PollableTransport.
/// Errors:     errc::argument if the environment has a progress_thread or an asio_service already;
///             errc::no_resources.
/// Cost:       a thread and a descriptor; a system call to wake up for arrivals while no other
///             thread polls.
template <class Stack>
class progress_thread : mpx::detail::outside_loop {
  using os = mpx::detail::one_sided<Stack>;
  using loop = mpx::detail::outside_loop;
  static_assert(Stack::threading_type::concurrent,
                "a progress thread calls beside the program: choose threading::multiple");
  static_assert(PollableTransport<typename Stack::transport_type>);

 public:
  /// Starts the thread for the rank of `comm`.
  explicit progress_thread(const communicator<Stack>& comm)
      : loop{[](loop& l) noexcept { static_cast<progress_thread&>(l).ring(); }},
        endpoint_(comm.endpoint_for_reports()),
        bell_(transport::detail::make_event_bell()) {
    if (bell_ < 0) mpx::detail::throw_error(errc::no_resources, "progress_thread: no descriptor");
    bool alone = false;
    {
      const auto guard = os::lock(endpoint_);
      transport_ = endpoint_.transport().descriptor();
      alone = endpoint_.waits().attach_outside(*this);
    }
    const int why = alone ? ::pthread_create(&thread_, nullptr, &progress_thread::run, this) : 0;
    if (alone && why == 0) return;
    if (alone) detach();
    ::close(bell_);
    if (!alone)
      mpx::detail::throw_error(errc::argument,
                               "progress_thread: this environment has one, or an asio_service");
    mpx::detail::throw_error(errc::no_resources, "progress_thread: pthread_create failed (%s)",
                             std::system_category().message(why).c_str());
  }
  progress_thread(const progress_thread&) = delete;
  progress_thread& operator=(const progress_thread&) = delete;
  ~progress_thread() {
    stop_.store(true);
    transport::detail::ring_event_bell(bell_);
    ::pthread_join(thread_, nullptr);
    detach();
    ::close(bell_);
  }
  /// Number of times the thread has slept.
  [[nodiscard]] std::uint64_t sleeps() const noexcept {
    return sleeps_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t sleep_ns_max = 100'000'000;
  static constexpr std::int64_t blind_sleep_ns = 1'000'000;

  static void* run(void* self) {
    static_cast<progress_thread*>(self)->look_and_rest();
    return nullptr;
  }
  void look_and_rest() {
    while (!stop_.load()) {
      bool rests = false;
      std::int64_t most_ns = 0;
      {
        const auto guard = os::lock(endpoint_);
        rests = endpoint_.waits().poll_outside() == 0 && endpoint_.waits().rest_outside();
        most_ns = endpoint_.transport().wait_max_ns();
      }
      if (rests) sleep(most_ns);
    }
  }
  /// `most_ns`: see Transport::wait_max_ns.
  void sleep(std::int64_t most_ns) noexcept {
    sleeps_.fetch_add(1, std::memory_order_relaxed);
    pollfd at[2] = {{bell_, POLLIN, 0}, {transport_, POLLIN, 0}};
    most_ns = mpx::detail::lesser(most_ns, transport_ < 0 ? blind_sleep_ns : sleep_ns_max);
    const timespec t{0, static_cast<long>(most_ns)};
    ::ppoll(at, transport_ < 0 ? 1 : 2, &t, nullptr);
    if ((at[0].revents & POLLIN) != 0) transport::detail::quiet_bell(bell_);
  }
  void ring() noexcept { transport::detail::ring_event_bell(bell_); }
  void detach() noexcept {
    const auto guard = os::lock(endpoint_);
    endpoint_.waits().detach_outside();
  }

  mpx::detail::endpoint<Stack>& endpoint_;
  int bell_;
  int transport_ = -1;
  platform::atomic<bool> stop_{false};
  platform::atomic<std::uint64_t> sleeps_{0};
  pthread_t thread_{};
};

}  // namespace mpx::inline v0::rma
