// SPDX-License-Identifier: BSL-1.0
#pragma once
// Waiting for and testing several requests: any, some, all. Ranges of requests of one stack; empty
// requests in them are passed over.

#include <iterator>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/engine/request.hpp"

namespace mpx::inline v0 {

namespace detail {
template <class T>
struct is_request : std::false_type {};
template <class Stack>
struct is_request<request<Stack>> : std::true_type {};
template <class T>
concept RequestLike =
    is_request<std::remove_cv_t<T>>::value || requires { typename T::request_like; };
}  // namespace detail

/// A range of requests, persistent or not.
template <class R>
concept RequestRange =
    std::ranges::forward_range<R> &&
    detail::RequestLike<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// One of several requests that is complete: which, and its status.
struct completion {
  std::size_t index;
  mpx::status status;
};

/// Waits for all of `requests`, in any order of completion.
/// Errors: when all are complete, the first failure is thrown; with `ec`, stored.
template <RequestRange R>
void wait_all(R&& requests) {
  std::optional<error> first;
  for (auto& r : requests) {
    try {
      if (r) r.wait();
    } catch (const error& e) {
      if (!first) first = e;
    }
  }
  if (first) throw *first;
}
template <RequestRange R>
void wait_all(R&& requests, std::error_code& ec) noexcept {
  ec.clear();
  for (auto& r : requests) {
    std::error_code one;
    if (r) r.wait(one);
    if (one && !ec) ec = one;
  }
}

/// As wait_all, and returns each status in order; failures are in the statuses, not thrown.
template <RequestRange R>
std::vector<status> wait_all_statuses(R&& requests) {
  std::vector<status> all;
  for (auto& r : requests) {
    std::error_code ignored;  // It is in the status.
    all.push_back(r ? r.wait(ignored) : status{});
  }
  return all;
}

/// Looks once for a complete request. Returns: it, or nothing if none is complete or none is
/// active.
/// Errors: its failure, thrown as from `request::test`.
template <RequestRange R>
std::optional<completion> test_any(R&& requests) {
  std::size_t i = 0;
  for (auto& r : requests) {
    if (r)
      if (auto s = r.test()) return completion{i, *s};
    ++i;
  }
  return std::nullopt;
}
template <RequestRange R>
std::optional<completion> test_any(R&& requests, std::error_code& ec) noexcept {
  ec.clear();
  std::size_t i = 0;
  for (auto& r : requests) {
    if (r)
      if (auto s = r.test(ec)) return completion{i, *s};
    ++i;
  }
  return std::nullopt;
}

/// Returns all requests that are complete now; failures are in the statuses, not thrown.
template <RequestRange R>
std::vector<completion> test_some(R&& requests) {
  std::vector<completion> found;
  std::size_t i = 0;
  for (auto& r : requests) {
    std::error_code ignored;  // It is in the status.
    if (r)
      if (auto s = r.test(ignored)) found.push_back({i, *s});
    ++i;
  }
  return found;
}

/// Makes progress and returns true when all requests are complete; only then are their statuses
/// taken.
/// Errors: as wait_all, once all are complete.
template <RequestRange R>
bool test_all(R&& requests) {
  bool looked = false;
  for (auto& r : requests) {
    if (!r) continue;
    if (!std::exchange(looked, true)) r.progress();
    if (!r.done()) return false;
  }
  wait_all(requests);
  return true;
}
template <RequestRange R>
bool test_all(R&& requests, std::error_code& ec) noexcept {
  ec.clear();
  bool looked = false;
  for (auto& r : requests) {
    if (!r) continue;
    if (!std::exchange(looked, true)) r.progress();
    if (!r.done()) return false;
  }
  wait_all(requests, ec);
  return true;
}

namespace detail {

/// Blocks until one of the active requests is complete; false if none is active.
template <class R>
bool wait_for_one(R& requests) {
  auto active = std::ranges::begin(requests);
  const auto end = std::ranges::end(requests);
  while (active != end && !*active) ++active;
  if (active == end) return false;
  active->wait_until([&] {
    for (auto it = active; it != end; ++it)
      if (*it && it->done_locked()) return true;
    return false;
  });
  return true;
}

}  // namespace detail

/// Blocks until one of `requests` is complete. Returns: it, or nothing if none is active.
/// Errors: its failure, thrown; with `ec`, stored.
template <RequestRange R>
std::optional<completion> wait_any(R&& requests) {
  if (!detail::wait_for_one(requests)) return std::nullopt;
  return test_any(requests);
}
template <RequestRange R>
std::optional<completion> wait_any(R&& requests, std::error_code& ec) noexcept {
  ec.clear();
  if (!detail::wait_for_one(requests)) return std::nullopt;
  return test_any(requests, ec);
}

/// Blocks until at least one of `requests` is complete, and returns all that are; empty if none is
/// active. Failures are in the statuses, not thrown.
template <RequestRange R>
std::vector<completion> wait_some(R&& requests) {
  if (!detail::wait_for_one(requests)) return {};
  return test_some(requests);
}

}  // namespace mpx::inline v0
