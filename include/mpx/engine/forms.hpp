// SPDX-License-Identifier: BSL-1.0
#pragma once
// How a call ends is its last argument: nothing (it throws), a std::error_code, mpx::start (a
// request), mpx::prepare (a persistent request), mpx::once (it looks once), or a token of a user's.

#include <source_location>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/core/error.hpp"

namespace mpx::inline v0 {

namespace detail {

/// The form that is named by naming none: blocks, and throws mpx::error.
struct throws_t {};

/// A form whose own errors go to an error_code.
template <class Form>
struct with_code {
  std::error_code* code;
};

/// What the values mpx::start, mpx::prepare and mpx::once are: alone, or called with an error_code.
template <class Form>
struct form_of {
  /// The same, and errors of the call itself are stored in `ec`, not thrown.
  constexpr with_code<Form> operator()(std::error_code& ec) const noexcept { return {&ec}; }
  constexpr const Form& operator()() const noexcept { return static_cast<const Form&>(*this); }
};
struct start_t : form_of<start_t> {};
struct prepare_t : form_of<prepare_t> {};
struct once_t : form_of<once_t> {};

template <class How, class Form>
inline constexpr bool is_form = std::is_same_v<std::remove_cvref_t<How>, Form> ||
                                std::is_same_v<std::remove_cvref_t<How>, with_code<Form>>;
template <class How>
inline constexpr bool throws = std::is_same_v<std::remove_cvref_t<How>, throws_t>;
template <class How>
inline constexpr bool is_code = std::is_same_v<How, std::error_code&>;
/// True of the forms that store every error.
template <class How>
inline constexpr bool stores_errors =
    is_code<How> || std::is_same_v<std::remove_cvref_t<How>, with_code<start_t>> ||
    std::is_same_v<std::remove_cvref_t<How>, with_code<prepare_t>> ||
    std::is_same_v<std::remove_cvref_t<How>, with_code<once_t>>;

/// What a call that cannot be started takes: nothing or an error_code.
template <class How>
concept BlockingForm = throws<How> || is_code<How>;
/// A form other than none, of calls that are told when it is not their last argument.
template <class How>
concept NonblockingOrCode =
    is_code<How> || is_form<How, start_t> || is_form<How, prepare_t> || is_form<How, once_t>;
template <class How>
inline constexpr bool is_last_argument = false;
/// What a probe takes besides: mpx::once.
template <class How>
concept ProbingForm = BlockingForm<How> || is_form<How, once_t>;

[[MPX_ALWAYS_INLINE]] inline void store(std::error_code& ec, errc why) noexcept {
  if (why == errc{}) [[likely]] {
    ec.clear();
  } else {
    ec = why;
  }
}

}  // namespace detail

/// Gives a request for what the call has started. `start(ec)` stores what kept it from starting.
inline constexpr detail::start_t start{};
/// Gives an inactive persistent request; `request::start` runs it. `prepare(ec)` stores errors.
inline constexpr detail::prepare_t prepare{};
/// Looks once and does not block. `once(ec)` stores errors.
inline constexpr detail::once_t once{};

/// A foreign token: what ends a call in a way of its own.
///
/// `token.launch(call)` is called with what the caller asked for, and its result is that of the
/// call. `call` is one of the library's, move-only or not:
///   - `call.start(ec)` starts it and returns its request, empty if `ec` says why not; once.
///   - `call.run(ec)` blocks instead, and returns what the blocking form returns.
///   - `call.fail(ec)` throws what the throwing form would, with its text, for an `ec` of `start`.
///   - `call.name()`, `call.where()`: for reports.
/// `call` refers to the communicator's handle: start it before the full expression of the call ends
/// (a co_await in it counts); the request needs neither. The buffer has to outlive the request.
template <class Token, class Call>
concept CompletionToken =
    requires(Token&& token, Call& call) { std::forward<Token>(token).launch(std::move(call)); };

}  // namespace mpx::inline v0
