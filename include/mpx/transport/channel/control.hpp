// SPDX-License-Identifier: BSL-1.0
#pragma once
// Control messages of transport channel, and the count of packets that a device buffers for a pair.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "mpx/core/frame.hpp"

namespace mpx::inline v0::transport::detail {

/// Kind of a control message.
enum class control_kind : std::uint32_t {
  with_payload = 0x6d70'7801,  ///< A packet whose payload follows in the message itself.
  on_channel = 0x6d70'7802,    ///< A packet whose payload comes on the channel.
  counts = 0x6d70'7803,        ///< No packet: the counts alone.
  pull = 0x6d70'7804,          ///< Asks for exposed memory (pull_request), of `bytes` bytes.
  pulled = 0x6d70'7805,        ///< It comes on the channel; of no bytes: it is not exposed.
};

/// Beginning of every control message. The words after `bytes` count modulo 2^32, and are 0 over
/// devices that state no buffering.
struct control_header {
  control_kind kind;
  std::uint32_t bytes;    // Of the payload.
  std::uint32_t packets;  // Packets of the peer received here, in all.
  std::uint32_t counts;   // Control messages of kind `counts` of the peer received here, in all.
  frame_header header;
};
static_assert(sizeof(control_header) == 36);

/// Returns the header of a control message, or nothing if its kind and lengths do not fit each
/// other. `packet_bytes_max`: of a payload on the channel.
[[nodiscard]] inline std::optional<control_header> read_control(
    std::span<const std::byte> control, std::size_t packet_bytes_max) noexcept {
  control_header h;
  if (control.size() < sizeof h) return {};
  std::memcpy(&h, control.data(), sizeof h);
  const std::size_t here = control.size() - sizeof h;
  switch (h.kind) {
    case control_kind::with_payload:
      if (h.bytes == here) return h;
      return {};
    case control_kind::on_channel:
    case control_kind::pull:
      if (here == 0 && h.bytes != 0 && h.bytes <= packet_bytes_max) return h;
      return {};
    case control_kind::pulled:
      if (here == 0 && h.bytes <= packet_bytes_max) return h;
      return {};
    case control_kind::counts:
      if (here == 0 && h.bytes == 0) return h;
      return {};
  }
  return {};
}

/// Counts the packets on their way between this rank and one peer, in both directions, so that no
/// more than `limit` are at a time. One of them is kept for a control message of kind `counts`,
/// which tells a peer that would starve how many of its packets have been received; all other
/// control messages carry that number, too.
///
/// Bound: `limit` control messages each way. The peer never starves: while its last counts are on
/// their way to it, it either has room, or takes them and sends packets that acknowledge them.
/// Source: Gropp and Lusk, 5.3.
class packet_counts {
 public:
  /// Returns true if a packet may be sent.
  bool has_room(std::uint32_t limit) const noexcept { return sent_ - confirmed_ < limit - 1; }
  void sent() noexcept { ++sent_; }
  void received() noexcept { ++received_; }
  void counts_received() noexcept { ++counts_received_; }
  /// Returns true if the peer would starve without a message that tells it what was received here.
  bool owes(std::uint32_t limit) const noexcept {
    const std::uint32_t untold = received_ - told_;
    return untold != 0 && 2 * untold >= limit - 1;
  }
  /// Returns true if a message of kind `counts` may be sent: the last one has arrived.
  bool may_send_counts() const noexcept { return counts_sent_ == counts_confirmed_; }
  void counts_sent() noexcept { ++counts_sent_; }
  /// Writes the counts into a message that is going to be sent.
  void write(control_header& h) const noexcept {
    h.packets = received_;
    h.counts = counts_received_;
  }
  /// A message with the counts that `write` has given has been sent.
  void told() noexcept { told_ = received_; }
  /// Takes the counts of a message of the peer. Returns false if they are impossible.
  bool read(const control_header& h) noexcept {
    if (h.packets - confirmed_ > sent_ - confirmed_) return false;
    if (h.counts - counts_confirmed_ > counts_sent_ - counts_confirmed_) return false;
    confirmed_ = h.packets;
    counts_confirmed_ = h.counts;
    return true;
  }
  /// Packets of the peer that have been received without its knowledge, at most.
  std::uint32_t untold() const noexcept { return received_ - told_; }

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t confirmed_ = 0;
  std::uint32_t received_ = 0;
  std::uint32_t told_ = 0;
  std::uint32_t counts_sent_ = 0;
  std::uint32_t counts_confirmed_ = 0;
  std::uint32_t counts_received_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
