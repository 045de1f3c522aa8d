// SPDX-License-Identifier: BSL-1.0
#pragma once
// Packets between portal tables, as contents of packets of kind one_sided. Everything that arrives
// is checked before use: `unpack` refuses what no sender makes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/portals/message.hpp"
#include "mpx/protocol/records.hpp"

namespace mpx::inline v0::portals::detail {

/// Kind of a packet. Distinct from the kinds of windows' records: a rank whose table is gone
/// answers with a record `refused`, as for a window.
enum class packet_kind : std::uint8_t {
  begin = 64,  ///< A message: its header, and the first part of its data.
  more,        ///< The next part of the data. `at`: its offset.
  go_on,       ///< Receiver to sender: `at` packets of the message have been handled.
  stop,        ///< Receiver to sender: the rest of the data is not wanted.
  end,         ///< Sender to receiver: no more data follows, although some is missing.
  dropped,     ///< Receiver to sender: a message that asked for no answer. `at`: the drop_reason.
};
static_assert(static_cast<unsigned>(rma::record_kind::left) < 64);

/// True for a packet of portals, false for records of a window.
constexpr bool is_of_portals(std::span<const std::byte> packet) noexcept {
  return !packet.empty() && packet[0] >= static_cast<std::byte>(packet_kind::begin);
}

struct packet_head {
  packet_kind kind{};
  message_kind type{};         // Of `begin`.
  std::uint16_t reserved = 0;  // 0.
  std::uint32_t stream = 0;    // Number of the message, chosen by its sender.
  std::uint64_t at = 0;
  std::uint64_t reserved_too = 0;  // 0.
};
// A rank without this table reads a record, in order to refuse it.
static_assert(sizeof(packet_head) == sizeof(rma::record));

/// The header of a message as it travels.
struct packed_message {
  std::uint64_t bits;
  std::uint64_t offset;
  std::uint64_t length;
  std::uint64_t return_bits;
  std::uint64_t return_offset;
  std::uint64_t return_length;
  std::uint16_t portal;
  std::uint16_t return_portal;
  user_data user;
};
static_assert(sizeof(packed_message) == 64);

/// Bytes before the data of a packet `begin`.
inline constexpr std::size_t begin_bytes = sizeof(packet_head) + sizeof(packed_message);

/// Portal of answers to operations of the typed interface. Its match bits name an operation.
inline constexpr index operations_portal = 0xfffe;

/// True if the target tells what it has saved: the descriptor says so, or an operation waits.
constexpr bool is_acknowledged(const message& m, const options& o) noexcept {
  return o.acknowledge || m.return_portal == operations_portal;
}

/// Writes the head and the header of `m` to `to`, which has begin_bytes.
inline void pack(std::byte* to, const message& m, std::uint32_t stream) noexcept {
  const packet_head h{.kind = packet_kind::begin, .type = m.kind, .stream = stream};
  const packed_message p{m.bits,          m.offset, m.length,        m.return_bits, m.return_offset,
                         m.return_length, m.portal, m.return_portal, m.user};
  std::memcpy(to, &h, sizeof h);
  std::memcpy(to + sizeof h, &p, sizeof p);
}

/// Reads the header of a packet `begin` from `source`.
/// Returns:    false if it is too short, or no sender makes it.
inline bool unpack(std::span<const std::byte> packet, rank_t source, packet_head& h,
                   message& m) noexcept {
  packed_message p;
  if (packet.size() < begin_bytes) return false;
  std::memcpy(&p, packet.data() + sizeof h, sizeof p);
  if (h.type > message_kind::acknowledgement || h.at != 0) return false;
  const bool has_data = h.type == message_kind::put || h.type == message_kind::reply;
  if (!has_data && (p.length != 0 || packet.size() != begin_bytes)) return false;
  if (packet.size() - begin_bytes > p.length) return false;
  m = {p.bits,   p.offset,        p.length, p.return_bits, p.return_offset, p.return_length,
       p.portal, p.return_portal, p.user,   source,        h.type};
  return true;
}

}  // namespace mpx::inline v0::portals::detail
