// SPDX-License-Identifier: BSL-1.0
#pragma once
// How a layer above the engine gets packets of its own: it registers for a range of kinds, and the
// tagged path never sees them.

#include <cstdint>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/types.hpp"
#include "mpx/protocol/wire.hpp"
#include "mpx/watch/hang_info.hpp"

namespace mpx::inline v0::detail {

/// Gets packets of the kinds that it is registered for, and news of lost peers. Called under the
/// endpoint's lock, from whichever call makes progress: it starts no operation and waits for
/// nothing. It may answer by endpoint::send_to_service.
class service {
 public:
  /// A packet of `source`, of which nothing has been checked but the credit count.
  /// Returns errc{}, or what the packet breaks: errc::protocol loses the peer, as does
  /// errc::no_resources.
  virtual errc on_packet(peer_id source, const wire::header& h,
                         std::span<const std::byte> payload) noexcept = 0;
  /// Nothing more will come from `peer`.
  virtual void on_loss(peer_id peer) noexcept = 0;
  /// This rank does not go on: adds to what it says of itself what only this service knows.
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
  /// Requires: `s` is in no list. Errors: errc::argument: no range, or one that is taken or the
  /// engine's own.
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
  /// nullptr: nobody is registered for this kind.
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
