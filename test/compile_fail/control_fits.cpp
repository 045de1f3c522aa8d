// expect: ControlFits
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
constexpr std::size_t packet_bytes = 40;
#else
constexpr std::size_t packet_bytes = 16;  // Too little for an announcement.
#endif

/// Moves packets and nothing else.
class courier : public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = "courier";
  static constexpr mpx::transport_traits traits{.inline_bytes_max = 8,
                                                .packet_bytes_max = packet_bytes};
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
static_assert(mpx::Transport<courier> && !mpx::RmaTransport<courier>);

using type = mpx::stack<courier, mpx::protocol::tiny_short_long<8, 16>>::transport_type;
