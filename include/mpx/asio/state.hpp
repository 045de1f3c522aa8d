// SPDX-License-Identifier: BSL-1.0
#pragma once
// State of an asio_service: a loop on an executor of Asio that polls mpx, calls the handlers of
// completed operations, and sleeps if there are none. See mpx/asio.hpp.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "mpx/engine/requests/awaiting.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/bell.hpp"

namespace mpx::inline v0::detail {

namespace asio = boost::asio;

/// One request that an asynchronous operation of Asio's awaits: its own, or its user's.
template <class Stack>
struct asio_wait : waiter {
  explicit asio_wait(request<Stack>&& r) noexcept : own(std::move(r)), awaited(own) {}
  explicit asio_wait(request<Stack>& r) noexcept : awaited(r) {}

  /// Takes the outcome, gives the memory back, and posts the handler.
  void (*end)(asio_wait&) = nullptr;
  bool aborted = false;  // Its user wants no more of it.
  request<Stack> own;
  request<Stack>& awaited;
};

/// State of a service. Pending handlers share it, so that the service may end before they do. All
/// functions are called on the executor, except `await` and wake-ups of it.
template <class Stack>
class asio_state final : public std::enable_shared_from_this<asio_state<Stack>>,
                         outside_loop,
                         ready_queue {
  using transport_type = typename Stack::transport_type;
  static_assert(PollableTransport<transport_type>,
                "asio_service waits for the transport's descriptor: PollableTransport");
  static_assert(!ThreadedProgress<typename Stack::progress_type>,
                "asio_service polls by itself: choose progress::on_call");
  static constexpr bool concurrent = endpoint<Stack>::concurrent;
  using locked = compounds<Stack>;
  using wait_type = asio_wait<Stack>;
  using descriptor_type = asio::posix::stream_descriptor;

 public:
  asio_state(endpoint<Stack>& e, const asio::any_io_executor& executor)
      : outside_loop{[](outside_loop& l) noexcept { static_cast<asio_state&>(l).ring_locked(); }},
        ready_queue(&e, [](ready_queue& q) noexcept { static_cast<asio_state&>(q).ring_locked(); }),
        endpoint_(e),
        executor_(executor),
        pace_(false),
        transport_(executor),
        bell_(executor),
        tick_(executor) {
    const int rings = transport::detail::make_event_bell();
    if (rings < 0)
      throw_error(errc::no_resources, "asio_service: no descriptor: check `ulimit -n`");
    bell_.assign(rings);
    int own = -1;
    const bool alone = locked::look(e, [&] {
      own = endpoint_.transport().descriptor();
      return endpoint_.waits().attach_outside(*this);
    });
    if (!alone) throw_error(errc::argument, "asio_service: the environment has one already");
    if (own >= 0) {
      transport_.assign(own);
    } else {
      tick_ns_ = blind_tick_ns;
    }
  }
  asio_state(const asio_state&) = delete;
  asio_state& operator=(const asio_state&) = delete;

  endpoint<Stack>& endpoint_of() const noexcept { return endpoint_; }
  const asio::any_io_executor& executor() const noexcept { return executor_; }
  bool stopped() const noexcept { return stopped_; }

  /// `w` ends when its request is complete; at once if it is.
  void await(wait_type& w, std::source_location where) {
    w.resume = [](waiter& ready) {
      auto& self = static_cast<wait_type&>(ready);
      self.end(self);
    };
    if (!ready_queue::await(w, w.awaited, where)) return w.end(w);
    nudge();
  }
  /// Total and partial: if it has had no effect. Terminal: in any case.
  void cancel(wait_type& w, asio::cancellation_type kind) {
    if (is_ready(w) || w.awaited.cancel()) return;  // That completes it.
    if ((kind & asio::cancellation_type::terminal) == asio::cancellation_type::none) return;
    locked::look(endpoint_, [&] {
      leave_locked(w);
      return true;
    });
    w.aborted = true;
    w.own = {};
    locked::look(endpoint_, [&] {
      make_ready_locked(w);
      return true;
    });
  }
  /// While this is more than 0, progress runs also if nothing is awaited.
  void hold(int more) {
    holds_ += more;
    if (!stopped_) nudge();
  }

  void stop() {
    if (std::exchange(stopped_, true)) return;
    waiter* w = nullptr;
    while (locked::look(endpoint_, [&] { return (w = expel_locked()) != nullptr; })) {
      auto& ended = static_cast<wait_type&>(*w);
      ended.aborted = true;
      ended.own = {};
      ended.end(ended);
    }
    locked::look(endpoint_, [&] {
      endpoint_.waits().detach_outside();
      return true;
    });
    tick_.cancel();
    if (transport_.is_open()) transport_.release();  // It is the transport's.
    bell_.close();
  }

 private:
  // Sleeps are this short if the transport has no descriptor (PollableTransport).
  static constexpr std::int64_t blind_tick_ns = 1'000'000;

  /// It has to look again. Under the lock, by any thread.
  void ring_locked() noexcept {
    if (!looking_ && !std::exchange(due_, true))
      transport::detail::ring_event_bell(bell_.native_handle());
  }
  bool is_ready(const wait_type& w) {
    return locked::look(endpoint_, [&] { return w.is != waiter::state::watching; });
  }
  /// A turn is due: what was started may have to be moved on.
  void nudge() {
    if constexpr (concurrent) {
      asio::dispatch(executor_, [self = this->shared_from_this()] { self->post_turn(true); });
    } else {
      post_turn(true);
    }
  }
  void post_turn(bool fresh) {
    fresh_ = fresh_ || fresh;
    if (std::exchange(posted_, true)) return;
    asio::post(executor_, [self = this->shared_from_this()] {
      self->posted_ = false;
      self->turn();
    });
  }
  void woken() {
    if (!posted_) turn();
  }

  /// Looks once, ends what is complete, and rests if there is nothing more to do.
  void turn() {
    if (stopped_) return;
    bool was_resting = false;
    bool some = false;
    locked::look(endpoint_, [&] {
      due_ = false;
      looking_ = true;
      was_resting = is != outside_loop::state::awake && !std::exchange(fresh_, false);
      some = endpoint_.waits().poll_outside() != 0;
      return true;
    });
    waiter* w = nullptr;
    bool told = false;
    while (locked::look(endpoint_, [&] { return (w = take_locked()) != nullptr; })) {
      told = true;
      w->resume(*w);
    }
    if (some || told) pace_.reset();
    // A wake-up for nothing is no reason to look any longer.
    const bool tired = !some && !told && (was_resting || pace_.should_sleep());
    bool again = false;
    bool idle = false;
    locked::look(endpoint_, [&] {
      // Who has just been told may go on to await something else.
      idle = !told && !used_locked() && holds_ == 0;
      again = has_ready_locked() || (!idle && !(tired && rests_locked()));
      due_ = again;
      looking_ = false;
      return true;
    });
    if (again) return post_turn(false);
    if (idle) return let_go();
    watch();
  }
  bool rests_locked() {
    pace_.oversubscribed(endpoint_.waits().oversubscribed());
    const bool rests = endpoint_.waits().rest_outside();
    wait_max_ns_ = endpoint_.transport().wait_max_ns();
    return rests && !has_ready_locked();
  }

  /// Whatever ends a rest leads to a turn.
  void watch() {
    if (transport_.is_open()) wait_for(transport_, watches_transport_);
    if (!std::exchange(watches_bell_, true))
      bell_.async_wait(descriptor_type::wait_read,
                       [self = this->shared_from_this()](const boost::system::error_code&) {
                         self->watches_bell_ = false;
                         if (self->stopped_) return;
                         transport::detail::quiet_bell(self->bell_.native_handle());
                         self->woken();
                       });
    if (!std::exchange(ticks_, true)) {
      tick_.expires_after(std::chrono::nanoseconds(lesser(tick_ns_, wait_max_ns_)));
      tick_.async_wait([self = this->shared_from_this()](const boost::system::error_code&) {
        self->ticks_ = false;
        self->woken();
      });
    }
  }
  void wait_for(descriptor_type& at, bool& flag) {
    if (std::exchange(flag, true)) return;
    at.async_wait(descriptor_type::wait_read,
                  [self = this->shared_from_this(), &flag](const boost::system::error_code&) {
                    flag = false;
                    self->woken();  // Also when it was cancelled: something may be awaited by now.
                  });
  }
  /// Nothing is awaited: nothing here keeps the context from running out of work.
  void let_go() {
    if (watches_transport_) transport_.cancel();
    if (watches_bell_) bell_.cancel();
    if (ticks_) tick_.cancel();
  }

  endpoint<Stack>& endpoint_;
  asio::any_io_executor executor_;
  typename Stack::wait_type::pace pace_;
  descriptor_type transport_;
  descriptor_type bell_;
  asio::steady_timer tick_;
  std::int64_t tick_ns_ = Stack::wait_type::sleep_ns_max;
  std::int64_t wait_max_ns_ = 0;  // At the last rest: see Transport::wait_max_ns.
  int holds_ = 0;
  bool stopped_ = false;
  bool posted_ = false;  // A turn is.
  bool fresh_ = false;   // Something was started since the last turn.
  bool watches_transport_ = false;
  bool watches_bell_ = false;
  bool ticks_ = false;
  // Under the lock.
  bool looking_ = false;
  bool due_ = false;  // It was rung, or continues by itself.
};

}  // namespace mpx::inline v0::detail
