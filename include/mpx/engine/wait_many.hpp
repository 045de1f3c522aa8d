// SPDX-License-Identifier: BSL-1.0
#pragma once
// Waiting for and testing several requests: any, some, all. Ranges of requests of one stack; empty
// requests in them are passed over.

#include <exception>
#include <iterator>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/core/memory.hpp"
#include "mpx/engine/request.hpp"

namespace mpx::inline v0 {

namespace detail {

/// An empty vector with room for a T for each request. Errors: errc::no_resources.
template <class T, class R>
std::vector<T> room_for(R& requests) {
  std::vector<T> room;
  try {
    room.reserve(static_cast<std::size_t>(std::ranges::distance(requests)));
  } catch (const std::exception&) {
    throw_out_of_memory();
  }
  return room;
}
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

namespace detail {

/// Waits for one request after the other and calls `take` with each that is complete; once a peer
/// of one is lost, only for those that are complete by then. Returns how many are not.
template <class R, class Take>
std::size_t settle(R& requests, call_site site, Take&& take) {
  bool lost = false;
  std::size_t pending = 0;
  for (auto& r : requests) {
    if (!r) continue;
    if (r.look_for_success()) [[likely]] {
      take(r);
      continue;
    }
    const bool done = r.wait_unless(site, [&] {
      for (const auto& other : requests) lost = lost || other.lost_locked();
      return lost;
    });
    if (done) {
      lost = lost || r.lost_locked();
      take(r);
    } else {
      ++pending;
    }
  }
  return pending;
}

[[noreturn]] inline void fail_settled(const error& first, std::size_t pending) {
  if (pending == 0) throw error(first);
  throw error(first.code(), std::string(first.what()) + "; " + std::to_string(pending) +
                                " other requests are still pending");
}

}  // namespace detail

/// Waits for all of `requests`, in any order of completion. When a peer of one is lost, does not
/// wait for the others, which may depend on it: those that are not complete by then stay pending,
/// to be waited for again, or dropped.
/// Errors: the first failure is thrown; with `ec`, stored.
template <RequestRange R>
void wait_all(R&& requests, std::source_location where = std::source_location::current()) {
  std::optional<error> first;
  const std::size_t pending = detail::settle(requests, {"wait_all", where}, [&](auto& r) {
    try {
      r.wait();
    } catch (const error& e) {
      if (!first) first = e;
    }
  });
  if (first) [[unlikely]]
    detail::fail_settled(*first, pending);
}
template <RequestRange R>
void wait_all(R&& requests, std::error_code& ec,
              std::source_location where = std::source_location::current()) noexcept {
  ec.clear();
  detail::settle(requests, {"wait_all", where}, [&](auto& r) {
    std::error_code one;
    r.wait(one);
    if (one && !ec) ec = one;
  });
}

/// As wait_all, and returns each status in order; failures are in the statuses, not thrown:
/// errc::pending for those that are not complete.
template <RequestRange R>
std::vector<status> wait_all_statuses(
    R&& requests, std::source_location where = std::source_location::current()) {
  detail::settle(requests, {"wait_all_statuses", where}, [](auto&) {});
  auto all = detail::room_for<status>(requests);  // Before a status is taken that would be lost.
  for (auto& r : requests) {
    std::error_code ignored;  // It is in the status.
    if (r.done()) {
      all.push_back(r.wait(ignored));
    } else {
      all.emplace_back(any_source, any_tag, 0, static_cast<int>(errc::pending));
    }
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
  auto found = detail::room_for<completion>(requests);
  std::size_t i = 0;
  for (auto& r : requests) {
    std::error_code ignored;  // It is in the status.
    if (r)
      if (auto s = r.test(ignored)) found.push_back({i, *s});
    ++i;
  }
  return found;
}

namespace detail {

/// Makes progress once. Returns whether wait_all would not block: all are complete, or one has lost
/// its peer.
template <class R>
bool settled(R& requests) {
  bool looked = false;
  bool all_done = true;
  for (auto& r : requests) {
    if (!r) continue;
    if (!std::exchange(looked, true)) r.progress();
    if (!r.done()) {
      all_done = false;
    } else if (r.lost_locked()) {  // Complete: nobody changes it any more.
      return true;
    }
  }
  return all_done;
}

}  // namespace detail

/// Makes progress and returns true when all requests are complete, or one has lost its peer; only
/// then are statuses taken. Errors: as wait_all, when this would return true.
template <RequestRange R>
bool test_all(R&& requests) {
  if (!detail::settled(requests)) return false;
  wait_all(requests);
  return true;
}
template <RequestRange R>
bool test_all(R&& requests, std::error_code& ec) noexcept {
  ec.clear();
  if (!detail::settled(requests)) return false;
  wait_all(requests, ec);
  return true;
}

namespace detail {

/// Blocks until one of the active requests is complete; false if none is active.
template <class R>
bool wait_for_one(R& requests, call_site site) {
  auto active = std::ranges::begin(requests);
  const auto end = std::ranges::end(requests);
  while (active != end && !*active) ++active;
  if (active == end) return false;
  const auto each = [](const void* range, operation_list::taker take, void* context) {
    for (const auto& r : *static_cast<const std::remove_const_t<R>*>(range))
      if (r && r.pending_operation() != nullptr) take(context, *r.pending_operation());
  };
  const operation_list several{each, &requests};
  active->wait_until(site, {wait_kind::any, awaited::form::several, &several}, [&] {
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
std::optional<completion> wait_any(R&& requests,
                                   std::source_location where = std::source_location::current()) {
  if (!detail::wait_for_one(requests, {"wait_any", where})) return std::nullopt;
  return test_any(requests);
}
template <RequestRange R>
std::optional<completion> wait_any(
    R&& requests, std::error_code& ec,
    std::source_location where = std::source_location::current()) noexcept {
  ec.clear();
  if (!detail::wait_for_one(requests, {"wait_any", where})) return std::nullopt;
  return test_any(requests, ec);
}

/// Blocks until at least one of `requests` is complete, and returns all that are; empty if none is
/// active. Failures are in the statuses, not thrown.
template <RequestRange R>
std::vector<completion> wait_some(R&& requests,
                                  std::source_location where = std::source_location::current()) {
  if (!detail::wait_for_one(requests, {"wait_some", where})) return {};
  return test_some(requests);
}

}  // namespace mpx::inline v0
