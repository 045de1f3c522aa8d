// SPDX-License-Identifier: BSL-1.0
#pragma once
// Asynchronous operations as Asio knows them: a call of mpx's, or a request, and a handler. Of
// mpx/asio.hpp.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <memory>
#include <new>
#include <source_location>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/asio/state.hpp"
#include "mpx/engine/requests/forms.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0::detail {

/// First argument of a handler: an error_code, or an exception.
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
    state->await(*made, where);
  }

 private:
  template <class R>
  asio_call(const std::shared_ptr<asio_state<Stack>>& service, R&& r, Handler&& handler,
            std::source_location where)
      : base(std::forward<R>(r)),
        state_(service),
        work_(asio::prefer(asio::get_associated_executor(handler, service->executor()),
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
    const std::shared_ptr<asio_state<Stack>> service(std::move(state_));
    allocator_type memory(asio::get_associated_allocator(handler));
    this->~asio_call();
    std::allocator_traits<allocator_type>::deallocate(memory, this, 1);
    post_outcome<Throws>(service->executor(), std::move(handler), std::move(failure), s);
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

/// Last argument of a call: one of Asio's tokens, and the service that makes progress for it.
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

}  // namespace mpx::inline v0::detail
