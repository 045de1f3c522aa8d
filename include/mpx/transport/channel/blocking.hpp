// SPDX-License-Identifier: BSL-1.0
#pragma once
// A channel device each of whose calls blocks until it is done, for interconnects that offer no
// others. It states how much it buffers, so that transport channel never makes it wait.

#include "mpx/macros/begin.hpp"

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mpx/transport/channel/sockets.hpp"

namespace mpx::inline v0::device {

/// Unix sockets, as device sockets, by calls that block. Four packets of a pair take less than half
/// of the kernel's usual buffer of 208 KiB.
class blocking : public sockets {
 public:
  static constexpr std::string_view name = "blocking";
  static constexpr device::traits traits{.control_bytes_max = sockets::traits.control_bytes_max,
                                         .packet_bytes_max = 16 * 1024,
                                         .buffered_packets = 4};
  using sockets::sockets;

  bool send_control(peer_id peer, std::span<const std::byte> control,
                    std::size_t channel_bytes) noexcept {
    while (!sockets::send_control(peer, control, channel_bytes)) wait(peer, POLLOUT);
    return true;
  }
  std::size_t send_channel(peer_id peer, std::span<const std::byte> data) noexcept {
    for (std::size_t n = 0; n != data.size();) {
      const std::size_t more = sockets::send_channel(peer, data.subspan(n));
      if (more == 0) wait(peer, POLLOUT);
      n += more;
    }
    return data.size();
  }
  std::size_t receive_channel(peer_id peer, std::span<std::byte> into) noexcept {
    std::size_t n = 0;
    while (n != into.size() && is_open(peer)) {
      const std::size_t more = sockets::receive_channel(peer, into.subspan(n));
      if (more == 0 && is_open(peer)) wait(peer, POLLIN);
      n += more;
    }
    return n;
  }
  /// Returns the number of times that a call that sends had to wait. For tests.
  std::uint64_t sends_waited() const noexcept { return sends_waited_; }

 private:
  void wait(peer_id peer, short event) noexcept {
    sends_waited_ += event == POLLOUT ? 1 : 0;
    pollfd at{in_of(peer), event, 0};
    ::poll(&at, 1, -1);
  }

  std::uint64_t sends_waited_ = 0;
};

}  // namespace mpx::inline v0::device

#include "mpx/macros/end.hpp"
