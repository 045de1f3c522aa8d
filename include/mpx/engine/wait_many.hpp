// SPDX-License-Identifier: BSL-1.0
#pragma once
// Waiting for and testing several requests: any, some, all. Any forward range of requests of one
// stack, of whatever kinds; empty and inactive ones are passed over.

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

}  // namespace detail

/// A range of requests, persistent or not.
template <class R>
concept RequestRange =
    std::ranges::forward_range<R> &&
    detail::is_request<std::remove_cvref_t<std::ranges::range_reference_t<R>>>::value;

/// One of several requests that is complete: which, and its status.
struct completion {
  std::size_t index;   ///< Its place in the range, from 0.
  mpx::status status;  ///< As `request::wait` returns it.
};

/// What looking for one complete request came to: one, or why there is none.
class any_completion {
 public:
  /// One was complete.
  any_completion(const completion& found) noexcept  // NOLINT(*-explicit-*)
      : found_(found), state_(state::found) {}
  /// None was; `active` tells whether any may become so.
  static any_completion nothing(bool active) noexcept {
    any_completion none({0, {}});
    none.state_ = active ? state::none_done : state::none_active;
    return none;
  }

  /// There is one.
  explicit operator bool() const noexcept { return state_ == state::found; }
  /// No request is active: to look again would be in vain.
  bool none_active() const noexcept { return state_ == state::none_active; }
  /// Some are active, and none of them is complete yet. Never of wait_any.
  bool none_done() const noexcept { return state_ == state::none_done; }

  /// Requires: there is one.
  const completion& operator*() const noexcept { return found_; }
  /// Requires: there is one.
  const completion* operator->() const noexcept { return &found_; }

 private:
  enum class state : std::uint8_t { found, none_active, none_done };
  completion found_;
  state state_;
};

namespace detail {

using access = request_access;

/// A call has found none of `requests` active. Empty ones name no rank whose call it could be.
template <class R>
[[gnu::noinline]] void pass_idle(R& requests) noexcept {
  for (auto&& r : requests)
    if (access::endpoint_of(r) != nullptr) return access::pass(r);
}

/// Waits for one request after the other and calls `take` with each that is complete; once a peer
/// of one is lost, only for those that are complete by then. Returns how many are not. With
/// `Emptying` no status is asked for, and what has succeeded is given back at a glance.
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

/// Tells the stack's trace of a call for several requests, if it asks for calls.
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

/// Hands on the status of each, in order: errc::pending for those that are not complete.
template <class R, class Take>
void take_statuses(R& requests, Take&& take) {
  for (auto&& r : requests) {
    std::error_code ignored;  // It is in the status.
    if (access::is_done(r)) {
      take(access::wait_as(r, {"wait_all", {}}, ignored));
    } else {
      take(status(any_source, any_tag, 0, static_cast<int>(errc::pending)));
    }
  }
}

/// Makes progress once for all, if none of those that are active is complete without.
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

/// Hands on all that are complete, until `take` has no room.
template <class R, class Take>
void take_some(R& requests, Take&& take) {
  look_once(requests);
  std::size_t i = 0;
  for (auto&& r : requests) {
    if (r && access::is_done(r) && !take(i, r)) return;
    ++i;
  }
}

/// Fills `into` with those that are complete. Returns how many. Failures are in the statuses.
template <class R>
std::size_t take_into(R& requests, std::span<completion> into) noexcept {
  std::size_t n = 0;
  take_some(requests, [&](std::size_t i, auto& r) {
    if (n == into.size()) return false;
    std::error_code ignored;  // It is in the status.
    into[n++] = {i, access::wait_as(r, {"test_some", {}}, ignored)};
    return true;
  });
  return n;
}
/// The same in a vector. Errors: errc::no_resources, before a status is taken.
template <class R>
std::vector<completion> take_all(R& requests) {
  auto found = room_for<completion>(requests);
  found.resize(found.capacity());
  found.resize(take_into(requests, found));
  return found;
}

/// Makes progress once. Returns whether wait_all would not block: all are complete, or one has lost
/// its peer.
template <class R>
bool settled(R& requests) {
  bool looked = false;
  bool all_done = true;
  for (auto&& r : requests) {
    if (!r) continue;
    if (!detail::exchange(looked, true)) r.progress();
    if (!access::is_done(r)) {
      all_done = false;
    } else if (access::lost_locked(r)) {  // Complete: nobody changes it any more.
      return true;
    }
  }
  if (!looked) pass_idle(requests);
  return all_done;
}

/// Blocks until one of the active requests is complete; false if none is active.
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

/// Waits for all of `requests`, in any order of completion. When a peer of one is lost, does not
/// wait for the others, which may depend on it: those that are not complete by then stay pending,
/// to be waited for again, or dropped.
/// Errors: the first failure; the others are waited for all the same.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_all", where);
  detail::wait_all_as(requests, {"wait_all", where}, how);
}

/// As wait_all; status i of `into` is that of request i, and failures are there and nowhere else:
/// errc::pending for those that are not complete. Requires: `into` is as long as the range.
/// Cost: no memory.
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
/// The same in a vector. Errors: errc::no_resources, before a status is taken.
template <RequestRange R>
std::vector<status> wait_all_statuses(
    R&& requests, std::source_location where = std::source_location::current()) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_all_statuses", where);
  detail::settle<false>(requests, {"wait_all_statuses", where}, [](auto&) {});
  auto all = detail::room_for<status>(requests);  // Before a status is taken that would be lost.
  detail::take_statuses(requests, [&](const status& s) { all.push_back(s); });
  return all;
}

/// Makes progress and returns true when all requests are complete, or one has lost its peer; only
/// then are statuses taken. Errors: as wait_all, when this would return true.
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
/// The same, and the statuses as by wait_all; `into` is as it was when this returns false.
template <RequestRange R>
bool test_all(R&& requests, std::span<status> into,
              std::source_location where = std::source_location::current()) noexcept {
  if (!detail::settled(requests)) return false;
  wait_all(requests, into, where);
  return true;
}

/// Looks once for a complete request. Returns: it, or whether any is active.
/// Errors: its failure, as from `request::test`.
template <RequestRange R, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion test_any(
    R&& requests, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "test_any", where);
  return detail::test_any_as(requests, how, where);
}
/// Blocks until one of `requests` is complete. Returns: it, or that none is active.
/// Errors: its failure.
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

/// Takes requests that are complete now, as many as `into` has room for.
/// Returns: the part of `into` that is filled. Failures are in the statuses, not thrown.
/// Cost: no memory.
template <RequestRange R>
std::span<completion> test_some(
    R&& requests, std::span<completion> into,
    std::source_location where = std::source_location::current()) noexcept {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "test_some", where);
  return into.first(detail::take_into(requests, into));
}
/// The same, all of them, in a vector. Errors: errc::no_resources, before a status is taken.
template <RequestRange R>
std::vector<completion> test_some(R&& requests,
                                  std::source_location where = std::source_location::current()) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "test_some", where);
  return detail::take_all(requests);
}

/// Blocks until at least one of `requests` is complete, and takes what is as test_some does.
/// Returns: nothing only if none is active, or `into` has no room.
template <RequestRange R>
std::span<completion> wait_some(
    R&& requests, std::span<completion> into,
    std::source_location where = std::source_location::current()) noexcept {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_some", where);
  if (into.empty() || !detail::wait_for_one(requests, {"wait_some", where})) return into.first(0);
  return into.first(detail::take_into(requests, into));
}
/// The same, all of them, in a vector. Errors: errc::no_resources, before a status is taken.
template <RequestRange R>
std::vector<completion> wait_some(R&& requests,
                                  std::source_location where = std::source_location::current()) {
  [[maybe_unused]] const auto timed = detail::time_call_for(requests, "wait_some", where);
  if (!detail::wait_for_one(requests, {"wait_some", where})) return {};
  return detail::take_all(requests);
}

// --- Requests one by one -------------------------------------------------------------------------

namespace detail {

/// Requests gathered from where they are, and given back at the end.
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

/// As of a range: wait_all(a, b), wait_any(a, b, ec), of two to four requests; of more, give a
/// range. The index that wait_any tells is that of the argument.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    request<Stack>& a, request<Stack>& b, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  wait_all(detail::gathered<Stack, 2>(a, b).all(), how, where);
}
/// As of a range of three.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  wait_all(detail::gathered<Stack, 3>(a, b, c).all(), how, where);
}
/// As of a range of four.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void wait_all(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, request<Stack>& d, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  wait_all(detail::gathered<Stack, 4>(a, b, c, d).all(), how, where);
}
/// As of a range of two.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion wait_any(
    request<Stack>& a, request<Stack>& b, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  return wait_any(detail::gathered<Stack, 2>(a, b).all(), how, where);
}
/// As of a range of three.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion wait_any(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  return wait_any(detail::gathered<Stack, 3>(a, b, c).all(), how, where);
}
/// As of a range of four.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
any_completion wait_any(
    request<Stack>& a, request<Stack>& b, request<Stack>& c, request<Stack>& d, How&& how = {},
    std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
  return wait_any(detail::gathered<Stack, 4>(a, b, c, d).all(), how, where);
}

/// Starts all of a range of persistent requests, in order. Errors: the first; those before it are
/// active then.
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
