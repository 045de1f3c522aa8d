// SPDX-License-Identifier: BSL-1.0
#pragma once
// The windows of an endpoint, as targets of packets. The code of a window is that of the shared
// object which made it, and stays as long as the window; this code is the endpoint's own.

#include <cstring>
#include <span>

#include "mpx/core/exchange.hpp"
#include "mpx/engine/base/service.hpp"
#include "mpx/engine/base/service_host.hpp"
#include "mpx/protocol/records.hpp"

namespace mpx::inline v0::detail {

/// This rank's part of a window, which other ranks access. Called under the endpoint's lock, from
/// any call that makes progress: it must start no operation and wait for nothing.
struct exposed_window {
  exposed_window() = default;
  virtual ~exposed_window() = default;
  exposed_window(const exposed_window&) = delete;
  exposed_window& operator=(const exposed_window&) = delete;

  /// Handles all records of a packet. Returns errc::protocol if one violates the protocol.
  virtual errc on_records(peer_id source, std::span<const std::byte> records) noexcept = 0;
  /// Called when nothing more will come from `peer`.
  virtual void on_loss(peer_id peer) noexcept = 0;
  /// Adds the state of this window to a hang report.
  virtual void explain(hang_info& info) noexcept = 0;

  context_id context = 0;
  exposed_window* next = nullptr;
};

/// The service of kind `one_sided`. Threads: under the endpoint's lock.
class exposed_windows final : public service {
 public:
  explicit exposed_windows(service_host& e) noexcept : endpoint_(e) {}

  /// Adds a window, which gets its packets from now on. Returns the counter of locks that this rank
  /// holds in all windows; windows update it.
  std::uint32_t* add(exposed_window& w) noexcept {
    w.next = detail::exchange(first_, &w);
    return &locks_held_;
  }
  void remove(const exposed_window& w) noexcept {
    for (exposed_window** at = &first_; *at != nullptr; at = &(*at)->next)
      if (*at == &w) {
        *at = w.next;
        return;
      }
  }

  errc on_packet(peer_id source, const wire::header& h,
                 std::span<const std::byte> payload) noexcept override {
    for (exposed_window* w = first_; w != nullptr; w = w->next)
      if (w->context == h.context) return w->on_records(source, payload);
    return refuse(source, h.context, payload);
  }
  void on_loss(peer_id peer) noexcept override {
    for (exposed_window* w = first_; w != nullptr; w = w->next) w->on_loss(peer);
  }
  void explain(hang_info& info) noexcept override {
    for (exposed_window* w = first_; w != nullptr; w = w->next) w->explain(info);
  }

 private:
  /// Refuses a packet for a window that has been freed here, so that its origin fails instead of
  /// waiting.
  [[gnu::noinline, gnu::cold]] errc refuse(peer_id source, context_id context,
                                           std::span<const std::byte> payload) noexcept {
    rma::record r;
    if (payload.size() < sizeof r) return errc::protocol;
    std::memcpy(&r, payload.data(), sizeof r);
    if (r.kind == rma::record_kind::refused || r.kind == rma::record_kind::left) return errc{};
    const rma::record no{.kind = rma::record_kind::refused,
                         .op = static_cast<std::uint8_t>(errc::window),
                         .at = r.at};
    endpoint_.send_control_long(source, {.kind = wire::kind::one_sided, .context = context},
                                std::as_bytes(std::span(&no, 1)));
    return errc{};
  }

  service_host& endpoint_;
  exposed_window* first_ = nullptr;
  std::uint32_t locks_held_ = 0;
};

}  // namespace mpx::inline v0::detail
