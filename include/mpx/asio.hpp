// SPDX-License-Identifier: BSL-1.0
#pragma once
// Boost.Asio completion tokens for mpx calls, and a service that progresses mpx within a user's
// io_context. A program includes this header in addition to mpx.hpp; needs the headers of
// Boost.Asio 1.81.

#include "mpx/macros/begin.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/version.hpp>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#include "mpx/asio/call.hpp"
#include "mpx/asio/state.hpp"
#include "mpx/environment.hpp"

namespace mpx::inline v0 {

static_assert(BOOST_ASIO_VERSION >= 102600, "mpx/asio.hpp needs Boost 1.81 or newer");

/// Progresses this rank in an executor of Boost.Asio, and completes calls through its tokens:
///
///     boost::asio::io_context io;
///     mpx::asio_service service(env, io.get_executor());
///     auto s = co_await world.recv(x, 0, 7, service(boost::asio::use_awaitable));
///
/// `service(token)` turns any completion token into the last argument of any call that can be
/// started. Handlers get `(boost::system::error_code, mpx::status)`; handlers of
/// `service.throwing(token)` get `(std::exception_ptr, mpx::status)`, so that use_awaitable and
/// use_future throw the mpx::error of the blocking call. `service.async_wait(request, token)`
/// awaits a request that was started otherwise. A call begins when its operation is initiated: with
/// lazy tokens (use_awaitable, deferred) the handle of its communicator and its buffers must still
/// exist then. Handlers are posted.
///
/// Cancellation through the handler's slot: a receive that has not matched is cancelled, for every
/// cancellation type. Otherwise `terminal` drops the request, with the effects described at
/// `request` (a collective is abandoned: the other ranks get errc::peer_lost), and the other types
/// have no effect. A cancelled operation ends with boost::asio::error::operation_aborted.
///
/// While an operation is awaited, or a `holding` exists, the service counts as work of the context:
/// it polls as long as the stack's WaitPolicy does, and then waits for the transport's descriptor
/// among the user's sockets and timers, without using CPU time. Otherwise the rank progresses only
/// in calls of mpx. Handlers may make blocking calls of mpx; no other handler of the context runs
/// meanwhile.
///
/// If the transport has no descriptor (PollableTransport), the service polls every millisecond. One
/// service for each environment; any number of environments in a context. The service must be
/// destroyed before its environment and its context; operations awaited then are dropped as by
/// `terminal`.
/// Threads:    under threading::multiple several threads may run the context; `executor` must then
///             be a strand, and calls may come from any thread, but cancellation, `hold` and the
///             end only from the strand. Otherwise everything is in one thread.
/// Cost:       one allocation (by the handler's allocator) for each operation that is not complete
///             at once; a sleep and a wake-up take some five system calls.
template <class Stack = stack<>>
class asio_service {
 public:
  using executor_type = boost::asio::any_io_executor;  ///< Executor of the service.

  /// Errors:     errc::no_resources if no descriptor is left; errc::argument if `env` has a service
  ///             already.
  asio_service(environment<Stack>& env, const executor_type& executor)
      : asio_service(env.world(), executor) {}
  /// As above, for the environment of `comm`.
  asio_service(const communicator<Stack>& comm, const executor_type& executor)
      : state_(std::make_shared<detail::asio_state<Stack>>(comm.endpoint_for_reports(), executor)) {
  }
  asio_service(const asio_service&) = delete;
  asio_service& operator=(const asio_service&) = delete;
  ~asio_service() { stop(); }

  /// Returns the executor in which progress runs.
  [[nodiscard]] executor_type get_executor() const noexcept { return state_->executor(); }

  /// Returns the last argument of a call, from a completion token.
  template <class Token>
  [[nodiscard]] auto operator()(Token&& token) const {
    return detail::asio_token<Stack, false, std::decay_t<Token>>{state_,
                                                                 std::forward<Token>(token)};
  }
  /// As above, with exceptions instead of error codes.
  template <class Token>
  auto throwing(Token&& token) const {
    return detail::asio_token<Stack, true, std::decay_t<Token>>{state_, std::forward<Token>(token)};
  }
  /// Awaits `r`, which is moved into the operation.
  template <class Token>
  auto async_wait(request<Stack>&& r, Token&& token,
                  std::source_location where = std::source_location::current()) const {
    return awaits<request<Stack>>(std::move(r), token, where);
  }
  /// Awaits `r`, which stays with its owner and must exist until the handler is called.
  template <class Token>
  auto async_wait(request<Stack>& r, Token&& token,
                  std::source_location where = std::source_location::current()) const {
    return awaits<request<Stack>&>(r, token, where);
  }

  /// Keeps progress running for its lifetime, even if no operation is awaited.
  class [[nodiscard]] holding {
   public:
    /// Takes over.
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
  /// Keeps progress running: for peers that need this rank to progress, and requests that are
  /// waited for elsewhere.
  holding hold() { return holding(state_); }

  /// Ends the service: awaited operations end with operation_aborted.
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

#include "mpx/macros/end.hpp"
