// SPDX-License-Identifier: BSL-1.0
#pragma once
// No flow control beyond that of the transport: for programs whose senders never run far ahead of
// their receivers.

#include <cstdint>

#include "mpx/flow/concepts.hpp"

namespace mpx::inline v0::flow {

/// Sends every eager message at once. Unexpected memory is bounded by the machine only.
class unlimited {
 public:
  using policy_axis = flow_axis;
  static constexpr std::string_view name = "unlimited";
  static constexpr std::uint64_t layout = 0;
  static constexpr std::uint32_t announced_max = 65536;

  explicit unlimited(peer_id) noexcept {}
  bool try_acquire(peer_id, std::size_t) noexcept { return true; }
  void restore(peer_id, std::size_t) noexcept {}
  bool release(peer_id, std::size_t) noexcept { return false; }
  std::uint32_t outgoing(peer_id) noexcept { return 0; }
  bool incoming(peer_id, std::uint32_t count) noexcept { return count == 0; }
  std::uint32_t price(std::size_t) const noexcept { return 0; }
  std::uint32_t prepay(peer_id) noexcept { return 0; }
  void refund(peer_id, std::uint32_t) noexcept {}
  std::uint32_t count(peer_id) const noexcept { return 0; }
  void credit_advertised(peer_id, std::uint32_t) noexcept {}
  bool try_add(peer_id) noexcept { return true; }
  std::uint64_t granted_bytes(peer_id) const noexcept { return bytes_bound(); }
  void open(peer_id, std::uint64_t) noexcept {}
  void drop(peer_id) noexcept {}
  std::uint64_t window_bytes() const noexcept { return bytes_bound(); }
  std::uint64_t bytes_bound() const noexcept { return ~std::uint64_t{0}; }
};

}  // namespace mpx::inline v0::flow
