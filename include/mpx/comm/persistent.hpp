// SPDX-License-Identifier: BSL-1.0
#pragma once
// Operations that are set up once and started again and again.

#include "mpx/comm/point_to_point.hpp"

namespace mpx::inline v0 {

/// A send or receive that `start` runs once more each time. Inactive between `wait` and the next
/// start. Dropping an active one is like dropping its request. Errors of `start`: errc::request
/// when it is active already.
template <class Stack>
class [[nodiscard]] persistent_request {
 public:
  using request_like = void;

  void start() {
    if (active_)
      throw error(errc::request, "start of a persistent request that is active: wait for it first");
    active_ = go();
  }
  void start(std::error_code& ec) noexcept {
    detail::caught(ec, [this] { start(); });
  }

  /// True while it is active.
  explicit operator bool() const noexcept { return static_cast<bool>(active_); }
  status wait(std::source_location where = std::source_location::current()) {
    return active_.wait(where);
  }
  status wait(std::error_code& ec,
              std::source_location where = std::source_location::current()) noexcept {
    return active_.wait(ec, where);
  }
  std::optional<status> test() { return active_.test(); }
  std::optional<status> test(std::error_code& ec) noexcept { return active_.test(ec); }
  bool cancel() { return active_.cancel(); }
  void progress() { active_.progress(); }
  bool done() const { return active_.done(); }

  /// For the library.
  bool done_locked() const noexcept { return active_.done_locked(); }
  bool lost_locked() const noexcept { return active_.lost_locked(); }
  bool look_for_success() { return active_.look_for_success(); }
  template <class Lost>
  bool wait_unless(detail::call_site site, Lost&& lost) {
    return active_.wait_unless(site, lost);
  }
  template <class Done>
  void wait_until(detail::call_site site, detail::awaited on, Done&& done) {
    active_.wait_until(site, on, done);
  }
  const detail::operation* pending_operation() const noexcept {
    return active_.pending_operation();
  }
  persistent_request(const detail::point_to_point<Stack>& comm, std::span<const std::byte> data,
                     rank_t to, tag_t tag, mode m) noexcept
      : comm_(comm),
        data_(const_cast<std::byte*>(data.data()), data.size()),
        other_(to),
        tag_(tag),
        mode_(m),
        send_(true) {}
  persistent_request(const detail::point_to_point<Stack>& comm, std::span<std::byte> into,
                     rank_t from, tag_t tag) noexcept
      : comm_(comm), data_(into), other_(from), tag_(tag), mode_(mode::standard), send_(false) {}

 private:
  request<Stack> go() {
    if (!send_) return comm_.irecv_bytes(data_, other_, tag_);
    switch (mode_) {
      case mode::synchronous:
        return comm_.template isend_bytes<mode::synchronous>(data_, other_, tag_);
      case mode::buffered: return comm_.template isend_bytes<mode::buffered>(data_, other_, tag_);
      case mode::ready: return comm_.template isend_bytes<mode::ready>(data_, other_, tag_);
      case mode::standard: break;
    }
    return comm_.template isend_bytes<mode::standard>(data_, other_, tag_);
  }

  detail::point_to_point<Stack> comm_;
  std::span<std::byte> data_;
  rank_t other_;
  tag_t tag_;
  mode mode_;
  bool send_;
  request<Stack> active_;
};

/// Starts all of a range of persistent requests, in order.
template <std::ranges::forward_range R>
void start_all(R&& requests) {
  for (auto& r : requests) r.start();
}

}  // namespace mpx::inline v0
