// SPDX-License-Identifier: BSL-1.0
#pragma once
// Gets and puts of transport channel over a device that copies memory in pieces.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::transport::detail {

/// Copies between memory of this rank and of peers that are not complete. At most `active_max`.
class channel_transfers {
 public:
  static constexpr std::size_t active_max = 64;

  /// Begins a put if `from` is not nullptr, else a get, of `bytes` bytes.
  template <class Device>
  outcome begin(Device& device, peer_id peer, const remote_memory& memory, std::uint64_t offset,
                std::byte* into, const std::byte* from, std::size_t bytes,
                cookie_t cookie) noexcept {
    if (active_.size() >= active_max || !active_.try_reserve(active_.size() + 1))
      return outcome::retry;
    transfer t{peer, memory, offset, into, from, bytes, cookie, from != nullptr};
    const std::optional<bool> done = advance(device, t);
    if (!done) return outcome::refused;
    if (*done) return outcome::done;
    active_.try_push_back(t);
    return outcome::pending;
  }
  /// Copies what can be copied now. Calls `complete(cookie, ok)` for each that has ended.
  template <class Device, class Complete>
  void advance_all(Device& device, Complete&& complete) noexcept {
    for (std::size_t i = 0; i < active_.size();) {
      const std::optional<bool> done = advance(device, active_[i]);
      if (done && !*done) {
        ++i;
        continue;
      }
      const cookie_t cookie = active_[i].cookie;
      active_.erase(i);
      complete(cookie, done.has_value());
    }
  }
  /// Ends those with `peer`.
  template <class Complete>
  void drop(peer_id peer, Complete&& complete) noexcept {
    for (std::size_t i = 0; i < active_.size();) {
      if (active_[i].peer != peer) {
        ++i;
        continue;
      }
      const cookie_t cookie = active_[i].cookie;
      active_.erase(i);
      complete(cookie, false);
    }
  }
  std::size_t size() const noexcept { return active_.size(); }

 private:
  struct transfer {
    peer_id peer;
    remote_memory memory;
    std::uint64_t offset;
    std::byte* into;
    const std::byte* from;
    std::size_t left;
    cookie_t cookie;
    bool is_put;
  };
  /// Returns true if it is complete; nothing if the memory cannot be reached.
  template <class Device>
  static std::optional<bool> advance(Device& device, transfer& t) noexcept {
    do {
      const std::optional<std::size_t> n =
          !t.is_put
              ? device.get(t.peer, t.memory, t.offset, std::span<std::byte>(t.into, t.left))
              : device.put(t.peer, t.memory, t.offset, std::span<const std::byte>(t.from, t.left));
      if (!n) return {};
      if (*n == 0 && t.left != 0) return false;
      t.offset += *n;
      t.left -= *n;
      if (!t.is_put) {
        t.into += *n;
      } else {
        t.from += *n;
      }
    } while (t.left != 0);
    return true;
  }

  plain_array<transfer> active_;
};

}  // namespace mpx::inline v0::transport::detail
