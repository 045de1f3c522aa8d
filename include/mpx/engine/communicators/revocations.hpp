// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collective calls that other ranks have left with an error, so that this rank does not wait for
// them.

#include <exception>

#include "mpx/core/plain_array.hpp"
#include "mpx/core/serials.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/service.hpp"

namespace mpx::inline v0::detail {

/// A collective call that another rank has left.
struct left_call {
  collective_call call;
  peer_id by = 0;
  errc why{};  // As reported by `by`.
};

/// The service of kind `revoke`. Threads: under the endpoint's lock.
class revocations final : public service {
 public:
  /// Called when this rank begins `call`: it has left all earlier ones behind.
  void begin(collective_call call) noexcept {
    revoked_.erase_if([call](const left_call& old) {
      return old.call.context == call.context && before(old.call, call);
    });
  }
  /// True if `a` comes before `b` in one communicator. (Serials wrap around.)
  static bool before(collective_call a, collective_call b) noexcept {
    return is_serial_before(a.serial, b.serial);
  }
  /// Called when this rank leaves a call with an error.
  void leave() noexcept { some_left_ = true; }
  bool some_left() const noexcept { return some_left_; }
  /// True if no rank has left any call, as far as this rank knows.
  bool none() const noexcept { return !some_left_ && revoked_.empty(); }
  bool contains(collective_call call) const noexcept { return find(call) != nullptr; }
  /// Returns the first report about `call`; nullptr if there is none.
  const left_call* find(collective_call call) const noexcept {
    for (const left_call& r : revoked_)
      if (r.call.context == call.context && r.call.serial == call.serial) return &r;
    return nullptr;
  }

  errc on_packet(peer_id source, const wire::header& h,
                 std::span<const std::byte> payload) noexcept override {
    if (!payload.empty() || (h.context & 1) == 0 || (h.tag < 0 && !prepared_serial::is(h.tag)))
      return errc::protocol;
    return add({{h.context, h.tag}, source, static_cast<errc>(h.ticket)}) ? errc{}
                                                                          : errc::no_resources;
  }
  /// Called when no call waits in the collectives of `context` any more.
  void forget(context_id context) noexcept {
    revoked_.erase_if([context](const left_call& r) { return r.call.context == context; });
  }
  void on_loss(peer_id) noexcept override {}

 private:
  static constexpr std::size_t revoked_max = 4096;

  [[gnu::noinline, gnu::cold]] bool add(const left_call& call) noexcept {
    if (contains(call.call)) return true;
    return revoked_.size() != revoked_max && revoked_.try_push_back(call);
  }

  bool some_left_ = false;
  plain_array<left_call> revoked_;  // Calls left by others that this rank has not passed yet.
};

}  // namespace mpx::inline v0::detail
