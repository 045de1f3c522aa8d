// SPDX-License-Identifier: BSL-1.0
#pragma once
// A transport that satisfies Transport and no refinement of it.

#include <mpx/mpx.hpp>

/// Moves packets and nothing else.
class courier : public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = "courier";
  static constexpr mpx::transport_traits traits{.inline_bytes_max = 40, .packet_bytes_max = 32768};
  explicit courier(mpx::bootstrap::any& job);
  mpx::peer_id self() const noexcept;
  mpx::peer_id peers() const noexcept;
  mpx::outcome post(mpx::peer_id, const mpx::frame_header&, std::span<const std::byte>,
                    mpx::cookie_t) noexcept;
  std::size_t poll(mpx::PacketSink auto&) noexcept { return 0; }
  bool arm() noexcept;
  void sleep(std::int64_t) noexcept;
  void disarm() noexcept;
  void wake() noexcept;
  bool oversubscribed() const noexcept;
};
