// SPDX-License-Identifier: BSL-1.0
#pragma once
// The last argument of a call selects its form: nothing (it throws), a std::error_code, mpx::start
// (returns a request), mpx::prepare (returns a persistent request), mpx::once (polls once), or a
// user's completion token.

#include <source_location>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/core/error.hpp"

namespace mpx::inline v0 {

namespace detail {

/// The default form: blocks, and throws mpx::error.
struct throws_t {};

/// A form that stores the errors of the call itself in an error_code.
template <class Form>
struct with_code {
  std::error_code* code;
};

/// Base of mpx::start, mpx::prepare and mpx::once: used alone, or called with an error_code.
template <class Form>
struct form_of {
  /// Selects this form, with errors of the call itself stored in `ec` instead of thrown.
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
/// True for the forms that store every error.
template <class How>
inline constexpr bool stores_errors =
    is_code<How> || std::is_same_v<std::remove_cvref_t<How>, with_code<start_t>> ||
    std::is_same_v<std::remove_cvref_t<How>, with_code<prepare_t>> ||
    std::is_same_v<std::remove_cvref_t<How>, with_code<once_t>>;

/// Forms of a call that cannot be started: none, or an error_code.
template <class How>
concept BlockingForm = throws<How> || is_code<How>;
/// Any form but the default, for calls that report a form that is not their last argument.
template <class How>
concept NonblockingOrCode =
    is_code<How> || is_form<How, start_t> || is_form<How, prepare_t> || is_form<How, once_t>;
template <class How>
inline constexpr bool is_last_argument = false;
/// Forms of a probe: none, an error_code, or mpx::once.
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

/// Starts the call and returns a request. `start(ec)` stores the error if the call cannot be
/// started.
inline constexpr detail::start_t start{};
/// Returns an inactive persistent request; `request::start` runs it. `prepare(ec)` stores errors.
inline constexpr detail::prepare_t prepare{};
/// Polls once and does not block. `once(ec)` stores errors.
inline constexpr detail::once_t once{};

/// A completion token of another library: ends a call in its own way.
///
/// `token.launch(call)` is called with `call`, an object that describes the call. Its result
/// is the result of the call. `call` may be move-only. It has
///   - `call.start(ec)`: starts it and returns its request, empty if `ec` holds an error; once.
///   - `call.run(ec)`: blocks instead, and returns what the blocking form returns.
///   - `call.fail(ec)`: throws what the throwing form would, with its text, for an `ec` of `start`.
///   - `call.name()`, `call.where()`: for reports.
/// Requires: the call is started before its full expression ends (a co_await in it counts), since
/// `call` refers to the communicator's handle; the request needs neither. The buffer outlives the
/// request.
template <class Token, class Call>
concept CompletionToken =
    requires(Token&& token, Call& call) { std::forward<Token>(token).launch(std::move(call)); };

}  // namespace mpx::inline v0
