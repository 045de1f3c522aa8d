// SPDX-License-Identifier: BSL-1.0
#pragma once
// Common end of all calls. A call object describes an operation; the form of the last argument
// selects whether it blocks, starts, is prepared, or is passed to a completion token.

#include <source_location>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/data/buffer.hpp"
#include "mpx/engine/base/timed_call.hpp"
#include "mpx/engine/requests/forms.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0::detail {

/// The result type of a call without a result.
struct nothing {};

/// A call, as a completion token of the program receives it: see CompletionToken.
template <class Call>
class launched_call {
 public:
  using stack_type = typename Call::stack_type;
  using request_type = request<stack_type>;
  using value_type = typename Call::value_type;

  launched_call(const Call& call, std::source_location where) noexcept
      : call_(call), where_(where) {}

  request_type start(std::error_code& ec) const noexcept {
    const auto [op, why] = call_.start();
    store(ec, why);
    if (why != errc{}) return {};
    return request_access::make(call_.endpoint_of(), op);
  }
  auto run(std::error_code& ec) const noexcept {
    value_type value{};
    store(ec, call_.run(value, where_));
    if constexpr (!std::is_same_v<value_type, nothing>) return value;
  }
  [[noreturn]] void fail(std::error_code ec) const {
    call_.raise(static_cast<errc>(ec.value()), value_type{}, Call::start_name, where_);
  }
  const char* name() const noexcept { return Call::name; }
  std::source_location where() const noexcept { return where_; }

 private:
  Call call_;
  std::source_location where_;
};

/// A buffer of type B may be passed to a call of form How. A form that returns before the operation
/// is complete needs a buffer that outlives the call. An error code is a form, and no buffer.
template <class B, class How>
concept BufferFits = !is_code<B> && (BlockingForm<How> || BufferOutlivesCall<B>);

template <class How, class Call>
[[MPX_ALWAYS_INLINE]] inline started begin_as(const Call& call) {
  if constexpr (is_form<How, start_t>) {
    return call.start();
  } else {
    return call.prepare();
  }
}

/// Reports `call` to the stack's trace, if that traces calls.
template <class How, class Call>
[[MPX_ALWAYS_INLINE]] inline auto timed_as(const Call& call, const std::source_location& where) {
  using trace = typename Call::stack_type::trace_type;
  if constexpr (!CallTrace<trace>) {
    return nullptr;
  } else {
    const char* name = Call::name;
    if constexpr (is_form<How, start_t>) name = Call::start_name;
    if constexpr (is_form<How, prepare_t>) name = Call::prepare_name;
    if constexpr (requires { call.name_in_texts(); }) name = call.name_in_texts();
    return timed_call<trace>(&call.endpoint_of(), name, where);
  }
}

/// Ends `call` in the form `how`.
///
/// A call provides `run`, which blocks; `start` and `prepare`, if it can be started; and `raise`,
/// which throws an error with a text. Only `raise` throws or builds a text.
template <class How, class Call>
[[MPX_ALWAYS_INLINE]] inline auto finish_as(
    How&& how, const Call& call, std::source_location where) noexcept(stores_errors<How>) {
  using value_type = typename Call::value_type;
  using request_type = request<typename Call::stack_type>;
  [[maybe_unused]] const auto timed = timed_as<How>(call, where);
  if constexpr (BlockingForm<How>) {
    value_type value{};
    const errc why = call.run(value, where);
    if constexpr (is_code<How>) {
      store(how, why);
    } else if (why != errc{}) [[unlikely]] {
      call.raise(why, value, Call::name, where);
    }
    if constexpr (!std::is_same_v<value_type, nothing>) return value;
  } else if constexpr (is_form<How, start_t> || is_form<How, prepare_t>) {
    const started s = begin_as<How>(call);
    if constexpr (stores_errors<How>) store(*how.code, s.failure);
    if (s.failure != errc{}) [[unlikely]] {
      if constexpr (stores_errors<How>)
        return request_type();
      else
        call.raise(s.failure, value_type{},
                   is_form<How, start_t> ? Call::start_name : Call::prepare_name, where);
    }
    return request_access::make(call.endpoint_of(), s.op);
  } else {
    static_assert(CompletionToken<How, launched_call<Call>>,
                  "the last argument of a call is a std::error_code, mpx::start, mpx::prepare or a "
                  "CompletionToken");
    return std::forward<How>(how).launch(launched_call<Call>(call, where));
  }
}

}  // namespace mpx::inline v0::detail
