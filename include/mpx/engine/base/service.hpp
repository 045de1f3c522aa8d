// SPDX-License-Identifier: BSL-1.0
#pragma once
// Services: packets of layers above the engine. A service registers for a range of kinds, which the
// tagged path never sees.

#include <cstdint>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/types.hpp"
#include "mpx/protocol/wire.hpp"
#include "mpx/watch/hang_info.hpp"

namespace mpx::inline v0::detail {

/// Handles packets of the kinds that it is registered for, and losses of peers. Called under the
/// endpoint's lock, from any call that makes progress: it must start no operation and wait for
/// nothing. It may answer by endpoint::send_to_service.
class service {
 public:
  /// Handles a packet of `source`, of which only the credit count has been checked. Returns errc{},
  /// or an error that loses the peer: errc::protocol if the packet violates the protocol, or
  /// errc::no_resources.
  virtual errc on_packet(peer_id source, const wire::header& h,
                         std::span<const std::byte> payload) noexcept = 0;
  /// Called when nothing more will come from `peer`.
  virtual void on_loss(peer_id peer) noexcept = 0;
  /// Adds to the hang report of this rank what only this service knows.
  virtual void explain(hang_info&) noexcept {}

  service(const service&) = delete;
  service& operator=(const service&) = delete;

 protected:
  service() = default;
  ~service() = default;

 private:
  friend class service_list;
  service* next_ = nullptr;
  std::uint8_t first_ = 0;
  std::uint8_t last_ = 0;
};

/// The services of an endpoint, each with its range of kinds. Owns none.
class service_list {
 public:
  service_list() = default;
  service_list(const service_list&) = delete;
  service_list& operator=(const service_list&) = delete;
  /// Registers `s`.
  /// Requires: `s` is in no list.
  /// Errors: errc::argument if the range is empty, overlaps another or contains kinds of the
  /// engine.
  errc add(service& s, std::uint8_t first, std::uint8_t last) noexcept {
    if (first < wire::service_kind_first || last < first) return errc::argument;
    for (const service* other = first_; other != nullptr; other = other->next_)
      if (first <= other->last_ && other->first_ <= last) return errc::argument;
    s.first_ = first;
    s.last_ = last;
    s.next_ = detail::exchange(first_, &s);
    return errc{};
  }
  void remove(const service& s) noexcept {
    for (service** at = &first_; *at != nullptr; at = &(*at)->next_)
      if (*at == &s) {
        *at = s.next_;
        return;
      }
  }
  /// Returns nullptr if no service is registered for this kind.
  service* find(std::uint8_t kind) const noexcept {
    service* s = first_;
    while (s != nullptr && (kind < s->first_ || s->last_ < kind)) s = s->next_;
    return s;
  }
  template <class F>
  void for_each(F&& f) const {
    for (service* s = first_; s != nullptr; s = s->next_) f(*s);
  }

 private:
  service* first_ = nullptr;
};

}  // namespace mpx::inline v0::detail
