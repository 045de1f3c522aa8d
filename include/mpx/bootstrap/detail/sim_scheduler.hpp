// SPDX-License-Identifier: BSL-1.0
#pragma once
// Ranks as fibers in virtual time: a queue of events, a clock for each rank, and a seed that
// decides every open order. All of it runs in one thread.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "mpx/bootstrap/detail/sim_fiber.hpp"
#include "mpx/bootstrap/detail/sim_random.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::sim {

namespace detail {

/// Handler of a scheduled event. `fire` is called once for each call of scheduler::at.
class event_handler {
 public:
  event_handler() = default;
  event_handler(const event_handler&) = delete;
  event_handler& operator=(const event_handler&) = delete;
  virtual ~event_handler() = default;
  virtual void fire(std::int64_t now_ns, std::uint64_t argument) = 0;
};

/// Runs fibers in the order of virtual time. A rank's own clock may run ahead of the processed
/// events; `catch_up` processes those first.
class scheduler : event_handler {
 public:
  explicit scheduler(std::uint64_t seed) : random_(seed) {}

  sim::random& random() noexcept { return random_; }
  /// The time of the last event.
  std::int64_t now_ns() const noexcept { return now_ns_; }
  std::uint64_t events() const noexcept { return events_; }

  /// Adds a rank that runs `body`. Ranks are numbered in the order of the calls.
  void add(std::size_t stack_bytes, std::function<void()> body) {
    const auto rank = static_cast<rank_t>(ranks_.size());
    ranks_.push_back(std::make_unique<process>(stack_bytes, std::move(body)));
    ++alive_;
    at(0, *this, static_cast<std::uint64_t>(rank));
  }

  /// Schedules a call of `handler.fire(time, argument)`. The seed decides the order of events at
  /// the same time.
  /// Requires:   the time is not before now.
  void at(std::int64_t time_ns, event_handler& handler, std::uint64_t argument) {
    queue_.push_back({time_ns, random_.next(), &handler, argument});
    std::push_heap(queue_.begin(), queue_.end());
  }

  /// Runs until every rank has ended. If no event is left and some ranks have not ended, calls
  /// `stuck()`, which must make at least one of them continue.
  template <class Stuck>
  void run(Stuck&& stuck) {
    while (alive_ > 0) {
      if (queue_.empty()) {
        stuck();
        if (!queue_.empty()) continue;
        std::fprintf(stderr, "mpx: the simulator is stuck: please report this\n");
        std::abort();
      }
      std::pop_heap(queue_.begin(), queue_.end());
      const event e = queue_.back();
      queue_.pop_back();
      now_ns_ = e.at_ns;
      ++events_;
      e.handler->fire(e.at_ns, e.argument);
    }
  }

  // --- Called by a rank, on its fiber ---

  /// The rank's own clock.
  std::int64_t clock_ns(rank_t rank) const noexcept { return of(rank).clock_ns; }
  /// Advances the rank's clock by `ns`, times its slowness.
  void spend(rank_t rank, std::int64_t ns) noexcept {
    process& p = of(rank);
    p.clock_ns +=
        p.slowness == 1 ? ns : static_cast<std::int64_t>(static_cast<double>(ns) * p.slowness);
  }
  /// Processes all events that are earlier than the rank's own clock.
  void catch_up(rank_t rank) {
    process& p = of(rank);
    if (queue_.empty() || queue_.front().at_ns > p.clock_ns) {
      now_ns_ = std::max(now_ns_, p.clock_ns);
      return;
    }
    at(p.clock_ns, *this, static_cast<std::uint64_t>(rank));
    p.fiber.suspend();
  }
  /// Suspends the rank until it is woken.
  void sleep(rank_t rank) {
    process& p = of(rank);
    p.asleep = true;
    p.fiber.suspend();
  }

  // --- Called on any stack ---

  /// Ends the rank's sleep at the current time.
  void wake(rank_t rank) {
    process& p = of(rank);
    if (!p.asleep) return;
    p.asleep = false;
    at(std::max(now_ns_, p.clock_ns), *this, static_cast<std::uint64_t>(rank));
  }
  void wake_all() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) wake(static_cast<rank_t>(r));
  }
  bool asleep(rank_t rank) const noexcept { return of(rank).asleep; }
  /// All activity of the rank itself takes `factor` times as long from now on.
  void slow(rank_t rank, double factor) noexcept { of(rank).slowness = factor; }

 private:
  struct process {
    process(std::size_t stack_bytes, std::function<void()> body)
        : fiber(stack_bytes, std::move(body)) {}
    detail::fiber fiber;
    std::int64_t clock_ns = 0;
    double slowness = 1;
    bool asleep = false;
  };
  struct event {
    std::int64_t at_ns;
    std::uint64_t order;
    event_handler* handler;
    std::uint64_t argument;
    bool operator<(const event& other) const noexcept {  // The earliest event is the largest.
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };

  process& of(rank_t rank) noexcept { return *ranks_[static_cast<std::size_t>(rank)]; }
  const process& of(rank_t rank) const noexcept { return *ranks_[static_cast<std::size_t>(rank)]; }

  /// Resumes a rank.
  void fire(std::int64_t now_ns, std::uint64_t rank) override {
    process& p = *ranks_[rank];
    p.clock_ns = std::max(p.clock_ns, now_ns);
    p.fiber.resume();
    if (p.fiber.finished()) --alive_;
  }

  sim::random random_;
  std::vector<event> queue_;
  std::vector<std::unique_ptr<process>> ranks_;
  std::size_t alive_ = 0;
  std::int64_t now_ns_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace detail
}  // namespace mpx::inline v0::sim
