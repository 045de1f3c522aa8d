// SPDX-License-Identifier: BSL-1.0
#pragma once
// The wire format: what the twenty header bytes mean, and the payloads of control packets.
// Everything that arrives is checked before use; `wire_version` changes with this file.

#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::wire {

enum class kind : std::uint8_t {
  eager = 1,  ///< A whole message. `ticket`: the sender's operation, if an answer is asked for.
  announce,   ///< A message's envelope; its data stays with the sender. Payload: `announcement`.
  clear,      ///< Receiver to sender: move the data (packets or a put). Payload: `clearance`. A
              ///< second one: the receiver could not fetch what is before `from`: send it, too.
  data,       ///< A fragment; context and tag hold its offset; `ticket`: the receiver's operation.
  finished,   ///< Receiver to sender: the data has been fetched; the send is complete. Payload:
              ///< the tickets of up to `finished_more_max` others of which the same is true.
  delivered,  ///< Sender to receiver: the data has been put; the receive is complete.
  matched,    ///< Receiver to sender: a synchronous or ready message met its receive.
  unready,    ///< Receiver to sender: a ready message met no receive.
  credit,     ///< Nothing but the header's count.
  allow,      ///< Receiver to sender: announce this many more messages (`tag`).
  grant,      ///< The first to a newcomer: it may fill so much unexpected memory here (`match_of`).
  leave,      ///< The last: this rank leaves in good order, and owes nothing.
  recall,     ///< Sender to receiver: the data of an announced message (`ticket`) is not to be
              ///< fetched any more, if no receive has taken the message.
  recalled,   ///< Receiver to sender: it will not be; a receive that takes it asks for packets.
  // From here on: services, layers above that have packets of their own.
  revoke = 64,     ///< To all: collective number `tag` of `context` has failed here with the errc
                   ///< `ticket`: do not wait.
  freed,           ///< To who leads `context`: this rank has freed the communicator.
  revoke_all,      ///< To members: the communicator of `context` is revoked.
  forget,          ///< To whoever has had a number of the place of `context`: they come round.
  forgotten,       ///< The answer: what comes with such a number is news here.
  one_sided = 72,  ///< Records of the window of `context` (protocol/records.hpp).
};
inline constexpr std::uint8_t kind_last = static_cast<std::uint8_t>(kind::recalled);
inline constexpr std::uint8_t service_kind_first = 64;

/// Bits of `header::flags`.
enum flag : std::uint8_t {
  flag_synchronous = 1,  ///< Answer `matched` when a receive takes the message.
  flag_ready = 2,        ///< Answer `matched` or, if no receive waits, `unready`.
  flag_last = 4,         ///< The sender may announce no more until it gets `allow`.
  flag_turn = 8,  ///< Eager, alone of the flags: long, and not announced, as the two take turns.
};
inline constexpr std::uint8_t flags_all = 15;
inline constexpr std::uint8_t flags_asked = flags_all & ~flag_turn;  ///< Of other kinds than eager.

struct header {
  wire::kind kind{};
  std::uint8_t flags = 0;
  std::uint16_t reserved = 0;  ///< Zero.
  tag_t tag = 0;
  context_id context = 0;
  std::uint32_t credit = 0;  ///< FlowControl's count.
  std::uint32_t ticket = 0;  ///< Names an operation of the side that gave it out; 0 names none.
};
static_assert(sizeof(header) == sizeof(frame_header));

constexpr frame_header pack(const header& h) noexcept {
  return __builtin_bit_cast(frame_header, h);
}
constexpr header unpack(const frame_header& f) noexcept { return __builtin_bit_cast(header, f); }

/// The words of a frame, for the path that reads each once and needs no more: the first one holds
/// kind and flags.
enum word : std::uint8_t { word_kind, word_tag, word_context, word_credit, word_ticket };
/// The first word of an eager message that asks for no answer.
inline constexpr std::uint32_t plain_eager = pack({.kind = kind::eager}).word[word_kind];
/// The frame of such a message (`match`: see match_of), made of words: a header put together from
/// smaller members and then copied as a whole stalls on store forwarding.
[[MPX_ALWAYS_INLINE]] inline frame_header plain_eager_frame(std::uint64_t match,
                                                            std::uint32_t credit) noexcept {
  return {{plain_eager, static_cast<std::uint32_t>(match), static_cast<std::uint32_t>(match >> 32),
           credit, 0}};
}
/// Context and tag of a frame as one number, as matchers compare them (`match_bits`).
[[MPX_ALWAYS_INLINE]] inline std::uint64_t match_of(const frame_header& f) noexcept {
  return std::uint64_t{f.word[word_context]} << 32 | f.word[word_tag];
}

/// Payload of kind::announce.
struct announcement {
  std::uint64_t bytes;
  remote_memory memory;  ///< Where the receiver may fetch it; key 0: nowhere.
};

/// Payload of kind::clear.
struct clearance {
  std::uint64_t bytes;  ///< How much the receiver takes; the rest is not sent.
  std::uint64_t from;  ///< Where the sender begins; the receiver fetches what is before itself, and
                       ///< then says `finished`, or asks for it, too.
  remote_memory memory;  ///< Where the sender may put it; key 0: nowhere.
  std::uint32_t ticket;  ///< The receiver's operation.
  std::uint32_t reserved;
};
static_assert(sizeof(announcement) <= 40 && sizeof(clearance) <= 40);

/// Tickets behind the header of kind::finished.
inline constexpr std::size_t finished_more_max = 9;

/// Reads a control payload into `value`; false if its length is wrong.
template <class T>
bool read(std::span<const std::byte> payload, T& value) noexcept {
  if (payload.size() != sizeof(T)) return false;
  std::memcpy(&value, payload.data(), sizeof value);
  return true;
}

}  // namespace mpx::inline v0::wire
