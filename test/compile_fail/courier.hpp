// SPDX-License-Identifier: BSL-1.0
#pragma once
// A transport that satisfies Transport and no refinement of it.

#include <mpx/mpx.hpp>

/// Moves packets of at most `Packet` bytes, of which `Inline` in a call, and nothing else.
template <std::size_t Inline, std::size_t Packet>
class basic_courier : public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = "courier";
  static constexpr mpx::transport_traits traits{.inline_bytes_max = Inline,
                                                .packet_bytes_max = Packet};
  explicit basic_courier(mpx::bootstrap::any& job);
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
using courier = basic_courier<40, 32768>;
