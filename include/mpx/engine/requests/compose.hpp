// SPDX-License-Identifier: BSL-1.0
#pragma once
// Compound requests, and generalized requests, which the user completes.

#include <source_location>
#include <type_traits>
#include <utility>

#include "mpx/core/exchange.hpp"
#include "mpx/engine/requests/wait_many.hpp"

namespace mpx::inline v0 {

namespace detail {
struct generalized_access;
}

/// Makes one request of a range of requests. It is complete when all are, or when one has lost its
/// peer; the others are dropped then. Its failure is that of the first that failed. Its status is
/// that of the receive, if exactly one of them is a receive; else it has no source, tag or length.
/// Cancelling it cancels each part; dropping it drops each.
/// Requires: none of `requests` is persistent.
/// Effects: `requests` are empty afterwards.
/// Errors: errc::request, errc::no_resources; nothing has changed then.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
auto all_of(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  using request_type = std::remove_cvref_t<std::ranges::range_reference_t<R>>;
  using compounds = detail::compounds<typename request_type::stack_type>;
  using access = detail::request_access;
  detail::endpoint<typename request_type::stack_type>* e = nullptr;
  errc why{};
  for (auto&& r : requests) {
    if (access::endpoint_of(r) != nullptr) e = access::endpoint_of(r);
    if (r.persistent()) why = errc::request;
  }
  request_type all;
  if (why == errc{} && e != nullptr) {
    const auto made = compounds::make(*e, {.kind = detail::compound_kind::composite, .open = true});
    why = made.failure;
    if (why == errc{}) {
      all = access::make(*e, made.op);
      for (auto&& r : requests)
        if (detail::operation* const part = access::give_up(r)) compounds::add(*e, *made.op, *part);
      compounds::seal(*e, *made.op);
    }
  }
  if constexpr (detail::is_code<How>) {
    detail::store(how, why);
  } else if (why != errc{}) {
    throw error(why,
                why == errc::request ? "all_of several requests, of which one is persistent: wait "
                                       "for that by itself"
                                     : "all_of several requests",
                where);
  }
  return all;
}
/// Makes one request of its arguments, as for a range.
template <class Stack, class... More>
requires(std::is_same_v<More, request<Stack>> && ...)
request<Stack> all_of(request<Stack>&& first, More&&... more) {
  request<Stack> parts[] = {std::move(first), std::move(more)...};
  return all_of(parts);
}

/// Completes a generalized request, once. Move-only. Dropping it completes the request with
/// errc::broken_promise.
/// Requires: it does not outlive the environment.
/// Threads: as the stack's thread model says; with threading::multiple any thread, at any time.
template <class Stack = stack<>>
class [[nodiscard]] completer {
 public:
  completer() = default;
  /// Takes over the operation of `other`, which has nothing to complete afterwards.
  completer(completer&& other) noexcept
      : endpoint_(detail::exchange(other.endpoint_, nullptr)), operation_(other.operation_) {}
  /// Exchanges the operations of the two.
  completer& operator=(completer&& other) noexcept {
    std::swap(endpoint_, other.endpoint_);
    std::swap(operation_, other.operation_);
    return *this;
  }
  ~completer() {
    if (*this) fail(errc::broken_promise, {});
  }

  /// True until the operation has been completed.
  explicit operator bool() const noexcept { return endpoint_ != nullptr; }
  /// Completes the operation; its status has a length of `bytes`. Wakes calls that wait for it.
  void complete(std::size_t bytes = 0,
                std::source_location where = std::source_location::current()) noexcept {
    end(errc{}, bytes, where);
  }
  /// Completes the operation with the failure `why`.
  void fail(errc why, std::source_location where = std::source_location::current()) noexcept {
    end(why, 0, where);
  }

 private:
  friend detail::generalized_access;

  completer(detail::endpoint<Stack>& e, detail::operation& op) noexcept
      : endpoint_(&e), operation_(&op) {}
  void end(errc why, std::size_t bytes, [[maybe_unused]] std::source_location where) noexcept {
    MPX_ASSERT_AT(*this, "a generalized operation is completed once", where);
    if (*this)
      detail::compounds<Stack>::complete(*detail::exchange(endpoint_, nullptr), *operation_, why,
                                         bytes);
  }

  detail::endpoint<Stack>* endpoint_ = nullptr;
  detail::operation* operation_ = nullptr;
};

/// A generalized request and its completer.
template <class Stack = stack<>>
struct generalized_operation {
  mpx::request<Stack> request;      ///< To be waited for.
  mpx::completer<Stack> completer;  ///< Completes `request`.
};

namespace detail {

struct generalized_access {
  /// Makes both.
  /// Errors: errc::no_resources.
  template <class Stack>
  static errc make(endpoint<Stack>& e, const group* ranks, generalized_operation<Stack>& into) {
    const auto made =
        compounds<Stack>::make(e, {.kind = compound_kind::generalized, .ranks = ranks});
    if (made.op == nullptr) return made.failure;
    into.request = request_access::make(e, made.op);
    into.completer = completer<Stack>(e, *made.op);
    return errc{};
  }
};

}  // namespace detail

}  // namespace mpx::inline v0
