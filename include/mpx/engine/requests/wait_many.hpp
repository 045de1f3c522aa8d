// SPDX-License-Identifier: BSL-1.0
#pragma once
// Waiting for and testing several requests: any, some, all. Accepts any forward range of requests
// of one stack, of any kinds; empty and inactive requests are skipped.

#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/core/exchange.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Returns an empty vector with capacity for one T per request.
/// Errors: errc::no_resources.
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

}  // namespace detail

/// A range of requests, persistent or not.
template <class R>
concept RequestRange =
    std::ranges::forward_range<R> &&
    detail::is_request<std::remove_cvref_t<std::ranges::range_reference_t<R>>>::value;

/// One complete request out of several, and its status.
struct completion {
  std::size_t index;   ///< Position in the range, from 0.
  mpx::status status;  ///< As `request::wait` returns it.
};

/// Result of looking for one complete request: the request, or the reason why there is none.
class any_completion {
 public:
  /// A request was complete.
  any_completion(const completion& found) noexcept  // NOLINT(*-explicit-*)
      : found_(found), state_(state::found) {}
  /// No request was complete. `active`: true if one may become so.
  static any_completion nothing(bool active) noexcept {
    any_completion none({0, {}});
    none.state_ = active ? state::none_done : state::none_active;
    return none;
  }

  /// True if a request was complete.
  [[nodiscard]] explicit operator bool() const noexcept { return state_ == state::found; }
  /// True if no request is active, so that looking again is useless.
  [[nodiscard]] bool none_active() const noexcept { return state_ == state::none_active; }
  /// True if some requests are active and none of them is complete yet. Never returned by wait_any.
  [[nodiscard]] bool none_done() const noexcept { return state_ == state::none_done; }

  /// Requires: a request was complete.
  [[nodiscard]] const completion& operator*() const noexcept { return found_; }
  /// Requires: a request was complete.
  [[nodiscard]] const completion* operator->() const noexcept { return &found_; }

 private:
  enum class state : std::uint8_t { found, none_active, none_done };
  completion found_;
  state state_;
};

namespace detail {

using access = request_access;

/// Counts a call that found none of `requests` active. Empty requests name no rank on whose behalf
/// it could be counted.
template <class R>
[[gnu::noinline]] void pass_idle(R& requests) noexcept {
  for (auto&& r : requests)
    if (access::endpoint_of(r) != nullptr) return access::pass(r);
}

/// Waits for each request in order and calls `take` with each complete one. Once the peer of one is
/// lost, takes only those that are complete by then. Returns the number of incomplete ones. With
/// `Emptying` no status is asked for, and successful operations are released directly.
template <bool Emptying, class R, class Take>
std::size_t settle(R& requests, call_site site, Take&& take) {
  bool lost = false;
  bool idle = false;
  std::size_t pending = 0;
  for (auto&& r : requests) {
    access::check(r, site.where);
    if constexpr (Emptying) {
      if (access::take_over(r)) [[likely]]
        continue;
    }
    if (!r) {
      idle = true;
      continue;
    }
    if (access::succeeded_after_poll(r)) [[likely]] {
      take(r);
      continue;
    }
    const bool done = access::wait_unless(r, site, [&] {
      for (auto&& other : requests) lost = lost || access::lost_locked(other);
      return lost;
    });
    if (done) {
      lost = lost || access::lost_locked(r);
      take(r);
    } else {
      ++pending;
    }
  }
  if (idle) [[unlikely]]
    pass_idle(requests);
  return pending;
}

[[noreturn]] inline void fail_settled(const error& first, std::size_t pending) {
  if (pending == 0) throw error(first);
  throw error(
      first.code(),
      formatted("%s; %zu other requests are still pending", first.what_went_wrong(), pending),
      first.where());
}

/// Reports a call for several requests to the stack's trace, if that traces calls.
template <class R>
auto time_call_for(R& requests, const char* name, const std::source_location& where) noexcept {
  using stack_type = typename std::ranges::range_value_t<R>::stack_type;
  using trace_type = typename stack_type::trace_type;
  endpoint<stack_type>* e = nullptr;
  if constexpr (CallTrace<trace_type>) {
    for (auto&& r : requests)
      if (e == nullptr) e = access::endpoint_of(r);
  }
  return timed_call<trace_type>(e, name, where);
}

template <class R, class How>
void wait_all_as(R& requests, call_site site, How& how) {
  if constexpr (is_code<How&>) {
    how.clear();
    settle<true>(requests, site, [&](auto& r) {
      std::error_code one;
      access::wait_as(r, site, one);
      if (one && !how) how = one;
    });
  } else {
    std::optional<error> first;
    const std::size_t pending = settle<true>(requests, site, [&](auto& r) {
      try {
        access::wait_as(r, site, how);
      } catch (const error& e) {
        if (!first) first = e;
      }
    });
    if (first) [[unlikely]]
      fail_settled(*first, pending);
  }
}

/// Passes the status of each request to `take`, in order; errc::pending for incomplete ones.
template <class R, class Take>
void take_statuses(R& requests, Take&& take) {
  for (auto&& r : requests) {
    status s;
    if (!access::take_if_done(r, s))
      s = status(any_source, any_tag, 0, static_cast<int>(errc::pending));
    take(s);
  }
}

/// Makes progress once for all requests, unless one of the active ones is complete already.
template <class R>
void look_once(R& requests) {
  auto first = std::ranges::begin(requests);
  const auto end = std::ranges::end(requests);
  while (first != end && !*first) ++first;
  for (auto r = first; r != end; ++r)
    if (*r && access::is_done(*r)) return access::pass(*r);
  if (first != end) return (*first).progress();
  pass_idle(requests);
}

template <class R, class How>
any_completion test_any_as(R& requests, How& how, std::source_location where) {
  if constexpr (is_code<How&>) how.clear();
  look_once(requests);
  std::size_t i = 0;
  bool active = false;
  for (auto&& r : requests) {
    if (r) {
      active = true;
      if (access::is_done(r)) return completion{i, access::wait_as(r, {"test_any", where}, how)};
    }
    ++i;
  }
  return any_completion::nothing(active);
}

/// Passes all complete requests to `take`, until that returns false.
template <class R, class Take>
void take_some(R& requests, Take&& take) {
  look_once(requests);
  std::size_t i = 0;
  for (auto&& r : requests) {
    if (r && access::is_done(r) && !take(i, r)) return;
    ++i;
  }
}

/// Fills `into` with complete requests. Returns their number. Failures are in the statuses.
template <class R>
std::size_t take_into(R& requests, std::span<completion> into) noexcept {
  std::size_t n = 0;
  take_some(requests, [&](std::size_t i, auto& r) {
    if (n == into.size()) return false;
    std::error_code ignored;  // Contained in the status.
    into[n++] = {i, access::wait_as(r, {"test_some", {}}, ignored)};
    return true;
  });
  return n;
}
/// Returns all complete requests in a vector.
/// Errors: errc::no_resources, before any status is taken.
template <class R>
std::vector<completion> take_all(R& requests) {
  auto found = room_for<completion>(requests);
  found.resize(found.capacity());
  found.resize(take_into(requests, found));
  return found;
}

/// Makes progress once. Returns true if wait_all would not block: all requests are complete, or one
/// has lost its peer.
template <class R>
bool settled(R& requests) {
  bool looked = false;
  bool all_done = true;
  for (auto&& r : requests) {
    if (!r) continue;
    if (!detail::exchange(looked, true)) r.progress();
    if (!access::is_done(r)) {
      all_done = false;
    } else if (access::lost_locked(r)) {  // Complete: no other thread changes it.
      return true;
    }
  }
  if (!looked) pass_idle(requests);
  return all_done;
}

/// Blocks until one of the active requests is complete. Returns false if none is active.
template <class R>
bool wait_for_one(R& requests, call_site site) {
  auto active = std::ranges::begin(requests);
  const auto end = std::ranges::end(requests);
  for (auto it = active; it != end; ++it) access::check(*it, site.where);
  while (active != end && !*active) ++active;
  if (active == end) {
    pass_idle(requests);
    return false;
  }
  const auto each = [](const void* range, operation_list::taker take, void* context) {
    for (auto&& r : *static_cast<R*>(const_cast<void*>(range)))  // NOLINT(*-casting-through-void)
      if (r && access::operation_of(r) != nullptr)
        for_each_part(*access::operation_of(r), take, context);
  };
  const operation_list several{each, &requests};
  access::endpoint_of(*active)->wait_until(site, {wait_kind::any, awaited::form::several, &several},
                                           [&] {
                                             for (auto it = active; it != end; ++it)
                                               if (*it && access::done_locked(*it)) return true;
                                             return false;
                                           });
  return true;
}

}  // namespace detail

/// Waits for all of `requests`, in any order of completion. If the peer of one is lost, does not
/// wait for the others, which may depend on it: requests that are incomplete by then stay pending,
/// and may be waited for again or dropped.
/// Errors: the first failure; the other requests are still waited for.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_all", where);
  detail::wait_all_as(requests, {"wait_all", where}, how);
}

/// Waits as wait_all(requests), and stores the status of request i in into[i]. Failures are in the
/// statuses alone: errc::pending for incomplete requests.
/// Requires: `into` is as long as the range.
/// Cost: no allocation.
template <RequestRange R>
void wait_all(R&& requests, std::span<status> into,
              std::source_location where = std::source_location::current()) noexcept {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_all", where);
  detail::settle<false>(requests, {"wait_all", where}, [](auto&) {});
  std::size_t i = 0;
  detail::take_statuses(requests, [&](const status& s) {
    MPX_ASSERT_AT(i < into.size(), "wait_all: a status is needed for each request", where);
    into[i++] = s;
  });
}
/// Waits for the first of `requests` as wait_all does: until it is complete, or the peer of another
/// one is lost. Takes no status. For programs that take the status of one after another.
/// Requires: the range is not empty.
/// Returns: true if the first one is complete.
/// Cost: the others are looked at only if a peer is lost, or the first one has several parts.
template <RequestRange R>
bool wait_first(R&& requests, std::source_location where = std::source_location::current()) {
  auto&& first = *std::ranges::begin(requests);
  detail::access::check(first, where);
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_first", where);
  return detail::access::wait_unless(first, {"wait_first", where}, [&] {
    for (auto&& other : requests)
      if (detail::access::lost_locked(other)) return true;
    return false;
  });
}
/// Waits as wait_all(requests), and returns the statuses in a vector.
/// Errors: errc::no_resources, before any status is taken.
template <RequestRange R>
std::vector<status> wait_all_statuses(
    R&& requests, std::source_location where = std::source_location::current()) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_all_statuses", where);
  detail::settle<false>(requests, {"wait_all_statuses", where}, [](auto&) {});
  auto all = detail::room_for<status>(requests);  // Before a status is taken.
  detail::take_statuses(requests, [&](const status& s) { all.push_back(s); });
  return all;
}

/// Makes progress and returns true if all requests are complete, or one has lost its peer; statuses
/// are taken only then.
/// Errors: those of wait_all, if this returns true.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
bool test_all(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "test_all", where);
  if constexpr (detail::is_code<How>) how.clear();
  if (!detail::settled(requests)) return false;
  detail::wait_all_as(requests, {"test_all", where}, how);
  return true;
}
/// Tests as test_all(requests), and stores the statuses as wait_all does. `into` is unchanged if
/// this returns false.
template <RequestRange R>
bool test_all(R&& requests, std::span<status> into,
              std::source_location where = std::source_location::current()) noexcept {
  if (!detail::settled(requests)) return false;
  wait_all(requests, into, where);
  return true;
}

/// Polls once and takes one complete request.
/// Returns: the request and its status; else if any request is active.
/// Errors: the failure of the request, as from `request::test`.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion test_any(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "test_any", where);
  return detail::test_any_as(requests, how, where);
}
/// Blocks until one of `requests` is complete, and takes it.
/// Returns: the request and its status; nothing only if no request is active.
/// Errors: the failure of the request.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion wait_any(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_any", where);
  if constexpr (detail::is_code<How>) how.clear();
  if (!detail::wait_for_one(requests, {"wait_any", where})) return any_completion::nothing(false);
  return detail::test_any_as(requests, how, where);
}

/// Polls once and takes complete requests, at most as many as `into` has room for.
/// Returns: the filled part of `into`. Failures are in the statuses, not thrown.
/// Cost: no allocation.
template <RequestRange R>
std::span<completion> test_some(
    R&& requests, std::span<completion> into,
    std::source_location where = std::source_location::current()) noexcept {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "test_some", where);
  return into.first(detail::take_into(requests, into));
}
/// Polls once and returns all complete requests in a vector.
/// Errors: errc::no_resources, before any status is taken.
template <RequestRange R>
std::vector<completion> test_some(R&& requests,
                                  std::source_location where = std::source_location::current()) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "test_some", where);
  return detail::take_all(requests);
}

/// Blocks until at least one of `requests` is complete, and takes complete requests as test_some
/// does.
/// Returns: an empty span only if no request is active, or `into` has no room.
template <RequestRange R>
std::span<completion> wait_some(
    R&& requests, std::span<completion> into,
    std::source_location where = std::source_location::current()) noexcept {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_some", where);
  if (into.empty() || !detail::wait_for_one(requests, {"wait_some", where})) return into.first(0);
  return into.first(detail::take_into(requests, into));
}
/// Blocks until at least one of `requests` is complete, and returns all complete requests in a
/// vector.
/// Errors: errc::no_resources, before any status is taken.
template <RequestRange R>
std::vector<completion> wait_some(R&& requests,
                                  std::source_location where = std::source_location::current()) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_some", where);
  if (!detail::wait_for_one(requests, {"wait_some", where})) return {};
  return detail::take_all(requests);
}

// --- Requests one by one -------------------------------------------------------------------------

namespace detail {

/// Moves single requests into an array, and back on destruction.
template <class Stack, std::size_t N>
class gathered {
 public:
  template <class... Requests>
  explicit gathered(Requests&... each) noexcept
      : whence_{&each...}, requests_{std::move(each)...} {}
  gathered(const gathered&) = delete;
  gathered& operator=(const gathered&) = delete;
  ~gathered() {
    for (std::size_t i = 0; i < N; ++i) *whence_[i] = std::move(requests_[i]);
  }
  request<Stack> (&all() noexcept)[N] { return requests_; }

 private:
  request<Stack>* whence_[N];
  request<Stack> requests_[N];
};

}  // namespace detail

/// Waits for two requests as for a range. There are overloads for two to four; for more, pass a
/// range.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    request<Stack>& a, request<Stack>& b, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  wait_all(detail::gathered<Stack, 2>(a, b).all(), how, where);
}
/// Waits for three requests as for a range.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  wait_all(detail::gathered<Stack, 3>(a, b, c).all(), how, where);
}
/// Waits for four requests as for a range.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, request<Stack>& d, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  wait_all(detail::gathered<Stack, 4>(a, b, c, d).all(), how, where);
}
/// Waits for one of two requests as for a range. `completion::index` is the position of the
/// argument.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion wait_any(
    request<Stack>& a, request<Stack>& b, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  return wait_any(detail::gathered<Stack, 2>(a, b).all(), how, where);
}
/// Waits for one of three requests as for a range.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion wait_any(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  return wait_any(detail::gathered<Stack, 3>(a, b, c).all(), how, where);
}
/// Waits for one of four requests as for a range.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion wait_any(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, request<Stack>& d, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  return wait_any(detail::gathered<Stack, 4>(a, b, c, d).all(), how, where);
}

/// Starts all persistent requests of a range, in order.
/// Errors: the first; requests before it are active then.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
void start_all(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  if constexpr (detail::is_code<How>) how.clear();
  for (auto&& r : requests) {
    r.start(how, where);
    if constexpr (detail::is_code<How>) {
      if (how) return;
    }
  }
}

}  // namespace mpx::inline v0
