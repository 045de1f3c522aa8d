// SPDX-License-Identifier: BSL-1.0
#pragma once
// Coroutines that await requests: tasks, and the loop that resumes them when communication
// completes. A program includes this header in addition to mpx.hpp; needs no other library.

#include "mpx/macros/begin.hpp"

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <iterator>
#include <optional>
#include <source_location>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/communicator.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/engine/requests/awaiting.hpp"
#include "mpx/engine/requests/forms.hpp"
#include "mpx/engine/requests/wait_many.hpp"

namespace mpx::inline v0 {

template <class Stack>
class task_loop;

namespace detail {

/// Awaits one request, its own or one owned elsewhere. If it is destroyed while it waits, it stops
/// waiting, and drops the request if it owns it.
template <class Stack>
class [[nodiscard]] request_awaiter : waiter {
 public:
  request_awaiter(ready_queue* loop, request<Stack>&& own, std::source_location where) noexcept
      : own_(std::move(own)), request_(own_), loop_(loop), where_(where) {}
  request_awaiter(ready_queue* loop, request<Stack>& others, std::source_location where) noexcept
      : request_(others), loop_(loop), where_(where) {}
  ~request_awaiter() {
    if (suspended_) loop_->leave(*request_access::endpoint_of(request_), *this);
  }

  bool await_ready() const { return request_.done(where_); }
  bool await_suspend(std::coroutine_handle<> handle) {
    handle_ = handle;
    resume = [](waiter& w) {
      auto& self = static_cast<request_awaiter&>(w);
      self.suspended_ = false;
      self.handle_.resume();
    };
    suspended_ = true;
    return suspended_ = loop_->await(*this, request_, where_);
  }
  status await_resume() { return request_.wait(throws_t{}, where_); }

 private:
  request<Stack> own_;
  request<Stack>& request_;
  ready_queue* loop_;
  std::source_location where_;
  std::coroutine_handle<> handle_;
  bool suspended_ = false;
};

/// A request to be awaited in a loop by a coroutine of any kind.
template <class Stack>
struct [[nodiscard]] awaitable_request {
  ready_queue* loop;
  request<Stack> own;
  request<Stack>* others;  // nullptr: the request is `own`.
  std::source_location where;

  request_awaiter<Stack> operator co_await() && noexcept {
    if (others != nullptr) return {loop, *others, where};
    return {loop, std::move(own), where};
  }
};

/// Result of any_of.
template <class R>
struct any_of_range {
  R& requests;
};

/// Awaits the first complete request of several.
template <class R>
class [[nodiscard]] any_awaiter {
 public:
  any_awaiter(ready_queue* loop, R& requests, std::source_location where) noexcept
      : requests_(requests), loop_(loop), where_(where) {}
  any_awaiter(const any_awaiter&) = delete;
  any_awaiter& operator=(const any_awaiter&) = delete;
  ~any_awaiter() { leave(); }

  bool await_ready() {
    look_once(requests_);
    bool active = false;
    for (auto&& r : requests_) {
      if (!r) continue;
      if (access::is_done(r)) return true;
      active = true;
    }
    return !active;
  }
  bool await_suspend(std::coroutine_handle<> handle) {
    handle_ = handle;
    try {
      entries_ = std::vector<entry>(static_cast<std::size_t>(std::ranges::distance(requests_)));
    } catch (const std::exception&) {
      throw_out_of_memory();
    }
    auto at = entries_.begin();
    for (auto&& r : requests_) {
      entry& e = *at++;
      if (!r) continue;
      e.of = this;
      e.resume = [](waiter& w) {
        any_awaiter& self = *static_cast<entry&>(w).of;
        self.leave();
        self.handle_.resume();
      };
      if (!loop_->await(e, r, where_)) return false;
    }
    return true;
  }
  any_completion await_resume() {
    leave();
    throws_t how;
    return test_any_as(requests_, how, where_);
  }

 private:
  struct entry : waiter {
    any_awaiter* of = nullptr;
  };

  void leave() noexcept {
    auto at = entries_.begin();
    if (at == entries_.end()) return;
    for (auto&& r : requests_) {
      if (at->of != nullptr) loop_->leave(*access::endpoint_of(r), *at);
      ++at;
    }
    entries_.clear();
  }

  R& requests_;
  ready_queue* loop_;
  std::source_location where_;
  std::coroutine_handle<> handle_;
  std::vector<entry> entries_;
};

/// Base of the promises of a loop's coroutines, for any result type.
class task_promise : public allocated {
 public:
  struct at_the_end {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) const noexcept {
      const std::coroutine_handle<> next = h.promise().next_;
      return next ? next : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  at_the_end final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure_ = std::current_exception(); }

  template <class Stack>
  request_awaiter<Stack> await_transform(
      request<Stack>&& r, std::source_location where = std::source_location::current()) {
    return {loop_, std::move(r), where};
  }
  template <class Stack>
  request_awaiter<Stack> await_transform(
      request<Stack>& r, std::source_location where = std::source_location::current()) {
    return {loop_, r, where};
  }
  template <class R>
  any_awaiter<R> await_transform(any_of_range<R> several,
                                 std::source_location where = std::source_location::current()) {
    return {loop_, several.requests, where};
  }
  template <class Awaitable>
  Awaitable&& await_transform(Awaitable&& other) const noexcept {
    return std::forward<Awaitable>(other);
  }

  void run_in(ready_queue* loop) noexcept { loop_ = loop; }
  ready_queue* loop() const noexcept { return loop_; }
  void then(std::coroutine_handle<> next) noexcept { next_ = next; }
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  ready_queue* loop_ = nullptr;
  std::coroutine_handle<> next_;
  std::exception_ptr failure_;
};

template <class T>
class task_result : public task_promise {
 public:
  template <class U>
  requires std::convertible_to<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    check();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};
template <>
class task_result<void> : public task_promise {
 public:
  void return_void() const noexcept {}
  void take() const { check(); }
};

}  // namespace detail

/// A coroutine that awaits communication. `co_await` accepts requests (temporaries: `co_await
/// world.irecv(x)`, or lvalues: `co_await r`), any_of, other tasks, and other awaitables.
///
/// A task begins when it is awaited, or when its loop runs it. Awaiting a request returns its
/// status or throws, as `request::wait`; awaiting a task returns its result, or throws the
/// exception that it did not catch. Destroying a waiting task drops what it awaits.
/// Cost:       one allocation for each task; none to await a request.
template <class T = void>
class [[nodiscard]] task {
 public:
  struct promise_type : detail::task_result<T> {
    task get_return_object() noexcept {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };

  /// Takes over.
  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  /// Swaps.
  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~task() {
    if (handle_) handle_.destroy();
  }

  /// Runs the task in the loop of the awaiting task.
  /// Requires:   it has not been awaited before.
  auto operator co_await() && noexcept { return awaiter{handle_}; }

 private:
  struct awaiter {
    std::coroutine_handle<promise_type> handle;

    bool await_ready() const noexcept { return false; }
    template <class Promise>
    requires std::derived_from<Promise, detail::task_promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> by) const noexcept {
      handle.promise().run_in(by.promise().loop());
      handle.promise().then(by);
      return handle;
    }
    T await_resume() const { return handle.promise().take(); }
  };

  explicit task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

/// Makes an awaitable for tasks: the first complete request of a range. Its result is that of
/// wait_any. The other requests are left as they are.
/// Cost:       one allocation if it has to wait.
template <RequestRange R>
auto any_of(R& requests) noexcept {
  return detail::any_of_range<R>{requests};
}

/// Runs the tasks of one rank. Only the loop resumes them: a task whose request completes within
/// another call of mpx continues when the loop is next run.
///
/// The loop is also a completion token: `co_await world.recv(x, 0, 7, loop)` starts the call and
/// awaits it, in any kind of coroutine; errors that prevent the start are thrown as by the blocking
/// form. `loop(request)` awaits a request in the same way. Such coroutines are resumed by `run` and
/// `poll`. The loop must not outlive the environment. Its destructor destroys tasks that have not
/// ended.
/// Threads:    one thread runs it; under threading::multiple other threads may call mpx meanwhile.
template <class Stack = stack<>>
class task_loop {
 public:
  /// For requests of the environment of `comm`.
  explicit task_loop(const communicator<Stack>& comm) noexcept
      : endpoint_(comm.endpoint_for_reports()) {}
  task_loop(const task_loop&) = delete;
  task_loop& operator=(const task_loop&) = delete;
  ~task_loop() {
    while (!roots_.empty()) roots_.front().destroy();
  }

  /// Adds task `t`, which begins when the loop is next run. The loop owns its frame.
  void spawn(task<void>&& t) { begin(started(*this, std::move(t))); }

  /// Runs until all spawned tasks have ended. Blocks while none can continue, at the cost of a
  /// blocking call.
  /// Errors:     rethrows the exception of a task, which has ended then; the other tasks stay, to
  ///             be run on or dropped. errc::deadlock if the remaining tasks wait for nothing that
  ///             this loop knows of.
  void run(std::source_location where = std::source_location::current()) {
    while (!roots_.empty()) turn(where);
  }
  /// Runs `t` to its end, and other tasks meanwhile.
  /// Returns:    the result of `t`.
  /// Errors:     the exception of `t`; as of the other run, and `t` is destroyed then.
  template <class T>
  T run(task<T>&& t, std::source_location where = std::source_location::current()) {
    if constexpr (std::is_void_v<T>) {
      run_root(started(*this, std::move(t)), where);
    } else {
      std::optional<T> result;
      run_root(started(*this, kept(std::move(t), result)), where);
      return std::move(*result);
    }
  }
  /// Makes progress and resumes tasks that can continue. Does not block.
  /// Returns:    true if tasks are left.
  /// Errors:     as of run.
  bool poll() {
    endpoint_.progress();
    resume_ready();
    return !roots_.empty();
  }

  /// Awaits `r`, which is moved into the awaiter.
  detail::awaitable_request<Stack> operator()(
      request<Stack>&& r, std::source_location where = std::source_location::current()) {
    return {&queue_, std::move(r), nullptr, where};
  }
  /// Awaits `r`, which stays with its owner.
  detail::awaitable_request<Stack> operator()(
      request<Stack>& r, std::source_location where = std::source_location::current()) {
    return {&queue_, {}, &r, where};
  }
  /// See CompletionToken.
  template <class Call>
  detail::awaitable_request<Stack> launch(const Call& call) {
    std::error_code ec;
    auto r = call.start(ec);
    if (ec) call.fail(ec);
    return {&queue_, std::move(r), nullptr, call.where()};
  }

 private:
  struct roots_tag;
  /// Outermost coroutine of a spawned task. Destroys itself at its end.
  struct root {
    struct promise_type : detail::task_promise, detail::waiter, list_node<roots_tag> {
      promise_type(task_loop& l, const task<void>&) noexcept : of(l) { of.roots_.push_back(*this); }
      ~promise_type() {
        roots_list::erase(*this);
        if (over != nullptr) *over = true;
        of.queue_.leave(of.endpoint_, *this);  // It may be queued without having begun.
      }
      root get_return_object() noexcept { return {this}; }
      std::suspend_never final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      void unhandled_exception() noexcept {
        if (!of.failure_) of.failure_ = std::current_exception();
      }
      void destroy() noexcept { handle().destroy(); }
      std::coroutine_handle<promise_type> handle() noexcept {
        return std::coroutine_handle<promise_type>::from_promise(*this);
      }

      task_loop& of;
      bool* over = nullptr;
    };
    promise_type* promise;
  };
  using roots_list = linked_list<typename root::promise_type, roots_tag>;

  static root started(task_loop&, task<void> t) { co_await std::move(t); }
  template <class T>
  static task<void> kept(task<T> t, std::optional<T>& into) {
    into.emplace(co_await std::move(t));
  }
  void run_root(root r, std::source_location where) {
    bool over = false;
    r.promise->over = &over;
    begin(r);
    try {
      while (!over) turn(where);
    } catch (...) {
      if (!over) r.promise->destroy();
      throw;
    }
  }

  void begin(root r) noexcept {
    typename root::promise_type& p = *r.promise;
    p.run_in(&queue_);
    p.resume = [](detail::waiter& w) {
      static_cast<typename root::promise_type&>(w).handle().resume();
    };
    detail::compounds<Stack>::look(endpoint_, [&] {
      queue_.make_ready_locked(p);
      return true;
    });
  }
  /// Blocks until a task can continue, and resumes it.
  void turn(std::source_location where) {
    bool in_vain = false;
    const detail::operation_list several{detail::ready_queue::each, &queue_};
    endpoint_.wait_until({"task_loop::run", where},
                         {detail::wait_kind::any, detail::awaited::form::several, &several}, [&] {
                           in_vain = !queue_.used_locked();
                           return in_vain || queue_.has_ready_locked();
                         });
    if (in_vain)
      throw error(errc::deadlock, "task_loop::run: the tasks that are left wait for nothing of mpx",
                  where);
    resume_ready();
  }
  void resume_ready() {
    detail::waiter* w = nullptr;
    const auto take = [&] { return (w = queue_.take_locked()) != nullptr; };
    while (detail::compounds<Stack>::look(endpoint_, take)) {
      w->resume(*w);
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

  detail::endpoint<Stack>& endpoint_;
  // A thread that blocks in `run` polls the queue itself: no wake-up is needed.
  detail::ready_queue queue_{&endpoint_, [](detail::ready_queue&) noexcept {}};
  roots_list roots_;
  std::exception_ptr failure_;
};

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
