// SPDX-License-Identifier: BSL-1.0
#pragma once
// Boost.Asio's tokens for mpx's calls, and a service that runs progress within a user's io_context.
// Included beside mpx.hpp by programs that use it; needs the headers of Boost.Asio 1.81.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <source_location>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/engine/awaiting.hpp"
#include "mpx/environment.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/bell.hpp"

namespace mpx::inline v0 {

namespace detail {

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

/// What a service is made of. Handlers of Asio's share it, so that it may end before they do. All
/// but `await` and what is rung is called by the executor.
template <class Stack>
class asio_state final : public std::enable_shared_from_this<asio_state<Stack>>,
                         outside_loop,
                         ready_queue {
  using transport_type = typename Stack::transport_type;
  static_assert(PollableTransport<transport_type>,
                "asio_service waits for the transport's descriptor: PollableTransport");
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
  void await(wait_type& w) {
    w.resume = [](waiter& ready) {
      auto& self = static_cast<wait_type&>(ready);
      self.end(self);
    };
    if (!ready_queue::await(w, w.awaited)) return w.end(w);
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
  // Where there is no descriptor, sleeps are short (PollableTransport).
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
    pace_.crowded(endpoint_.waits().crowded());
    return endpoint_.waits().rest_outside() && !has_ready_locked();
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
      tick_.expires_after(std::chrono::nanoseconds(tick_ns_));
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
  int holds_ = 0;
  bool stopped_ = false;
  bool posted_ = false;  // A turn is.
  bool fresh_ = false;   // Something was started since the last turn.
  bool watches_transport_ = false;
  bool watches_bell_ = false;
  bool ticks_ = false;
  // Under the lock.
  bool looking_ = false;
  bool due_ = false;  // It was rung, or goes on by itself.
};

/// What a handler gets first: an error_code, or an exception.
template <bool Throws>
using asio_failure = std::conditional_t<Throws, std::exception_ptr, boost::system::error_code>;
template <bool Throws>
using asio_signature = void(asio_failure<Throws>, status);

template <bool Throws>
asio_failure<Throws> asio_failure_of(boost::system::error_code ec) {
  if constexpr (Throws) {
    return std::make_exception_ptr(boost::system::system_error(ec));
  } else {
    return ec;
  }
}

/// Calls `handler` with its outcome: from its executor, never at once.
template <bool Throws, class Handler>
void post_outcome(const asio::any_io_executor& fallback, Handler&& handler,
                  asio_failure<Throws> failure, const status& s) {
  const auto executor = asio::get_associated_executor(handler, fallback);
  const auto allocator = asio::get_associated_allocator(handler);
  asio::post(executor, asio::bind_allocator(allocator, [handler = std::forward<Handler>(handler),
                                                        failure = std::move(failure), s]() mutable {
               std::move(handler)(std::move(failure), s);
             }));
}

/// The same as an object in memory of its handler's.
template <class Stack, bool Throws, class Handler>
class asio_call final : asio_wait<Stack> {
  using base = asio_wait<Stack>;
  using allocator_type = typename std::allocator_traits<
      asio::associated_allocator_t<Handler>>::template rebind_alloc<asio_call>;
  using work_type = std::decay_t<decltype(asio::prefer(
      std::declval<asio::associated_executor_t<Handler, asio::any_io_executor>>(),
      asio::execution::outstanding_work.tracked))>;

 public:
  /// Awaits `r`, a request&& or a request&.
  template <class R>
  static void begin(const std::shared_ptr<asio_state<Stack>>& state, R&& r, Handler&& handler,
                    std::source_location where) {
    allocator_type memory(asio::get_associated_allocator(handler));
    asio_call* const made = std::allocator_traits<allocator_type>::allocate(memory, 1);
    ::new (static_cast<void*>(made))
        asio_call(state, std::forward<R>(r), std::move(handler), where);
    if (auto slot = asio::get_associated_cancellation_slot(made->handler_); slot.is_connected())
      slot.assign([made](asio::cancellation_type kind) { made->state_->cancel(*made, kind); });
    state->await(*made);
  }

 private:
  template <class R>
  asio_call(const std::shared_ptr<asio_state<Stack>>& state, R&& r, Handler&& handler,
            std::source_location where)
      : base(std::forward<R>(r)),
        state_(state),
        work_(asio::prefer(asio::get_associated_executor(handler, state->executor()),
                           asio::execution::outstanding_work.tracked)),
        handler_(std::move(handler)),
        where_(where) {
    this->end = [](base& b) { static_cast<asio_call&>(b).finish(); };
  }

  void finish() {
    if (auto slot = asio::get_associated_cancellation_slot(handler_); slot.is_connected())
      slot.clear();
    status s;
    asio_failure<Throws> failure = this->aborted ? aborted_text() : outcome(s);
    Handler handler(std::move(handler_));
    const work_type work(std::move(work_));  // Until the handler is posted.
    const std::shared_ptr<asio_state<Stack>> state(std::move(state_));
    allocator_type memory(asio::get_associated_allocator(handler));
    this->~asio_call();
    std::allocator_traits<allocator_type>::deallocate(memory, this, 1);
    post_outcome<Throws>(state->executor(), std::move(handler), std::move(failure), s);
  }
  static asio_failure<Throws> aborted_text() {
    return asio_failure_of<Throws>(asio::error::operation_aborted);
  }
  asio_failure<Throws> outcome(status& s) {
    if constexpr (Throws) {
      try {
        s = this->awaited.wait(throws_t{}, where_);
      } catch (...) {
        return std::current_exception();
      }
      return s.cancelled() ? aborted_text() : nullptr;
    } else {
      std::error_code ec;
      s = this->awaited.wait(ec);
      return s.cancelled() ? aborted_text() : asio_failure<Throws>(ec);
    }
  }

  std::shared_ptr<asio_state<Stack>> state_;
  work_type work_;
  Handler handler_;
  std::source_location where_;
};

/// Begins an asynchronous operation: awaits what `source` starts or has.
template <class Stack, bool Throws, class Source>
struct asio_initiation {
  using executor_type = asio::any_io_executor;
  executor_type get_executor() const noexcept { return state->executor(); }

  template <class Handler>
  void operator()(Handler&& handler) {
    using handler_type = std::decay_t<Handler>;
    if (state->stopped())
      return post_outcome<Throws>(state->executor(), handler_type(std::forward<Handler>(handler)),
                                  asio_failure_of<Throws>(asio::error::operation_aborted),
                                  status{});
    asio_failure<Throws> failure{};
    if (source.begin(failure)) {
      asio_call<Stack, Throws, handler_type>::begin(
          state, source.request(), handler_type(std::forward<Handler>(handler)), source.where());
    } else {
      post_outcome<Throws>(state->executor(), handler_type(std::forward<Handler>(handler)),
                           std::move(failure), status{});
    }
  }

  std::shared_ptr<asio_state<Stack>> state;
  Source source;
};

/// A call, which is started when the operation is initiated.
template <class Call, bool Throws>
class asio_source_call {
 public:
  explicit asio_source_call(Call&& call) : call_(std::move(call)) {}
  asio_source_call(const asio_source_call& other) : call_(other.call_) {}

  bool begin(asio_failure<Throws>& failure) {
    std::error_code ec;
    request_ = call_.start(ec);
    if (!ec) return true;
    if constexpr (Throws) {
      try {
        call_.fail(ec);
      } catch (...) {
        failure = std::current_exception();
      }
    } else {
      failure = ec;
    }
    return false;
  }
  auto&& request() noexcept { return std::move(request_); }
  std::source_location where() const noexcept { return call_.where(); }

 private:
  Call call_;
  typename Call::request_type request_;
};
/// A request that there is: a request, or a reference to one.
template <class R, bool Throws>
class asio_source_request {
 public:
  asio_source_request(R&& r, std::source_location where) : r_(std::forward<R>(r)), where_(where) {}
  bool begin(asio_failure<Throws>&) const noexcept { return true; }
  R&& request() noexcept { return std::forward<R>(r_); }
  std::source_location where() const noexcept { return where_; }

 private:
  R r_;
  std::source_location where_;
};

/// What a call gets as its last argument: one of Asio's tokens, and where progress runs.
template <class Stack, bool Throws, class Token>
struct asio_token {
  std::shared_ptr<asio_state<Stack>> state;
  Token token;

  template <class Call>
  auto launch(Call call) {
    using source = asio_source_call<Call, Throws>;
    return asio::async_initiate<Token, asio_signature<Throws>>(
        asio_initiation<Stack, Throws, source>{std::move(state), source(std::move(call))}, token);
  }
};

}  // namespace detail

/// Runs this rank's progress in an executor of Boost.Asio's, and lets calls end by its tokens:
///
///     boost::asio::io_context io;
///     mpx::asio_service service(env, io.get_executor());
///     auto s = co_await world.recv(x, 0, 7, service(boost::asio::use_awaitable));
///
/// `service(token)` makes the last argument of any call that can be started out of any completion
/// token. Handlers get `(boost::system::error_code, mpx::status)`; those of `service.throwing(token)`
/// `(std::exception_ptr, mpx::status)`, so that use_awaitable and use_future throw the mpx::error
/// that the blocking call would. `service.async_wait(request, token)` awaits what was started in
/// another way. A call begins when its operation is initiated: with lazy tokens (use_awaitable,
/// deferred) its communicator's handle and its buffers have to be there still. Handlers are posted.
///
/// Cancellation by the handler's slot: a receive that has not matched is taken back, whatever the
/// type. Otherwise `terminal` drops the request, with what `request` says of that (a collective is
/// given up: the others get errc::peer_lost), and the other types do nothing. What was cancelled
/// ends with boost::asio::error::operation_aborted.
///
/// While anything is awaited, or somebody holds the service, it is work for the context: looks as
/// long as the stack's WaitPolicy does, and then waits for the transport's descriptor, at no cost,
/// among the user's sockets and timers. Else the rank makes progress only when it calls mpx.
/// Blocking calls of mpx are possible in handlers; no handler of the context runs meanwhile.
///
/// Where the transport has no descriptor (PollableTransport), it looks each millisecond.
/// One for each environment, any number of environments in a context. It ends before its environment
/// and its context do; what is awaited then is dropped as by `terminal`.
/// Threads: under threading::multiple, several may run the context: `executor` is a strand then,
/// and calls come from any thread; cancellation, `hold` and the end come from the strand. Else all
/// is one thread.
/// Cost: one allocation (by the handler's allocator) for each operation that is not complete at
/// once; a rest and a wake-up are some five system calls.
template <class Stack = stack<>>
class asio_service {
 public:
  using executor_type = boost::asio::any_io_executor;  ///< Where it runs.

  /// Errors: errc::no_resources: no descriptor is left; errc::argument: `env` has a service.
  asio_service(environment<Stack>& env, const executor_type& executor)
      : asio_service(env.world(), executor) {}
  /// For the environment of `comm`.
  asio_service(const communicator<Stack>& comm, const executor_type& executor)
      : state_(std::make_shared<detail::asio_state<Stack>>(comm.endpoint_for_reports(), executor)) {
  }
  asio_service(const asio_service&) = delete;
  asio_service& operator=(const asio_service&) = delete;
  ~asio_service() { stop(); }

  /// Where progress runs.
  executor_type get_executor() const noexcept { return state_->executor(); }

  /// The last argument of a call.
  template <class Token>
  auto operator()(Token&& token) const {
    return detail::asio_token<Stack, false, std::decay_t<Token>>{state_,
                                                                 std::forward<Token>(token)};
  }
  /// The same, with exceptions instead of codes.
  template <class Token>
  auto throwing(Token&& token) const {
    return detail::asio_token<Stack, true, std::decay_t<Token>>{state_, std::forward<Token>(token)};
  }
  /// Awaits `r`, which becomes the operation's.
  template <class Token>
  auto async_wait(request<Stack>&& r, Token&& token,
                  std::source_location where = std::source_location::current()) const {
    return awaits<request<Stack>>(std::move(r), token, where);
  }
  /// Awaits `r`, which stays its owner's, and stays there until the handler is called.
  template <class Token>
  auto async_wait(request<Stack>& r, Token&& token,
                  std::source_location where = std::source_location::current()) const {
    return awaits<request<Stack>&>(r, token, where);
  }

  /// Progress runs while this lives, also if nothing is awaited.
  class [[nodiscard]] holding {
   public:
    holding(holding&&) noexcept = default;
    ~holding() {
      if (state_) state_->hold(-1);
    }

   private:
    friend asio_service;
    explicit holding(const std::shared_ptr<detail::asio_state<Stack>>& state) : state_(state) {
      state_->hold(1);
    }
    std::shared_ptr<detail::asio_state<Stack>> state_;
  };
  /// For peers that need this rank to move, and requests that are waited for elsewhere.
  holding hold() { return holding(state_); }

  /// Ends it: what is awaited ends with operation_aborted.
  void stop() { state_->stop(); }

 private:
  template <class R, class Token>
  auto awaits(R&& r, Token& token, std::source_location where) const {
    using source = detail::asio_source_request<R, false>;
    return boost::asio::async_initiate<Token, detail::asio_signature<false>>(
        detail::asio_initiation<Stack, false, source>{state_, source(std::forward<R>(r), where)},
        token);
  }

  std::shared_ptr<detail::asio_state<Stack>> state_;
};

}  // namespace mpx::inline v0
