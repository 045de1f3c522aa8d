// SPDX-License-Identifier: BSL-1.0
#pragma once
// Boost.Asio's tokens for mpx's calls, and a service that runs progress within a user's io_context.
// Included beside mpx.hpp by programs that use it; needs the headers of Boost.Asio 1.81.

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

/// Runs this rank's progress in an executor of Boost.Asio's, and lets calls end by its tokens:
///
///     boost::asio::io_context io;
///     mpx::asio_service service(env, io.get_executor());
///     auto s = co_await world.recv(x, 0, 7, service(boost::asio::use_awaitable));
///
/// `service(token)` makes the last argument of any call that can be started out of any completion
/// token. Handlers get `(boost::system::error_code, mpx::status)`, those of
/// `service.throwing(token)` `(std::exception_ptr, mpx::status)`, so that use_awaitable and
/// use_future throw the mpx::error that the blocking call would. `service.async_wait(request,
/// token)` awaits what was started in another way. A call begins when its operation is initiated:
/// with lazy tokens (use_awaitable, deferred) its communicator's handle and its buffers have to be
/// there still. Handlers are posted.
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
/// One for each environment, any number of environments in a context. It ends before its
/// environment and its context do; what is awaited then is dropped as by `terminal`.
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

#include "mpx/macros/end.hpp"
