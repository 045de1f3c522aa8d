// SPDX-License-Identifier: BSL-1.0
#pragma once
// Wire format: meaning of the twenty header bytes, and payloads of control packets. Everything that
// arrives is checked before use. `wire_version` changes with this file.

#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::wire {

enum class kind : std::uint8_t {
  eager = 1,  ///< A whole message. `ticket`: the sender's operation if an answer is requested.
  announce,   ///< Envelope of a message whose data stays with the sender. Payload: `announcement`.
  /// Receiver to sender: move the data (by packets or a put). Payload: `clearance`. A second one
  /// for the same message: the receiver could not fetch the data before `from`; send it as well.
  clear,
  /// A fragment; context and tag hold its offset. `ticket`: the receiver's operation; with
  /// `flag_pushed` the sender's.
  data,
  /// Receiver to sender: the data has been fetched; the send is complete. Payload: tickets of up to
  /// `finished_more_max` other sends that are complete as well.
  finished,
  delivered,  ///< Sender to receiver: the data has been put; the receive is complete.
  matched,    ///< Receiver to sender: a synchronous or ready message has matched a receive.
  unready,    ///< Receiver to sender: a ready message found no posted receive.
  credit,     ///< Carries only the header's credit count.
  allow,      ///< Receiver to sender: `tag` more messages may be announced.
  /// First packet to a newly added peer: the unexpected memory that it may fill here (`match_of`).
  grant,
  leave,  ///< Last packet: this rank leaves in good order; nothing more is due from it.
  /// Sender to receiver: do not fetch the data of an announced message (`ticket`), unless a receive
  /// has already matched it.
  recall,
  /// Receiver to sender: the data will not be fetched. A receive that matches later asks for
  /// packets.
  recalled,
  /// Sender to receiver: drop the message of `ticket`, unless a receive or a matched probe has
  /// taken it. Then there is no answer, and the end of the send is reported as usual.
  cancel,
  cancelled,  ///< Receiver to sender: the message has been dropped; no receive will match it.
  /// Receiver to sender: of a message whose body follows its announcement (`flag_pushed`) only the
  /// announcement has been kept. The sender sends no more of the body.
  kept,
  /// Receiver to sender: give back the credit beyond `tag` units (ReassigningFlowControl).
  reclaim,
  returned,  ///< Answer to `reclaim`: `tag` units have been given back.
  // Kinds from here on belong to services: layers above with packets of their own.
  /// To all members: collective number `tag` of `context` has failed here with the errc `ticket`;
  /// do not wait for this rank.
  revoke = 64,
  freed,       ///< To the leader of `context`: this rank has freed the communicator.
  revoke_all,  ///< To all members: the communicator of `context` is revoked.
  /// To each rank that has used a context id of the slot of `context`: the ids are about to be
  /// reused.
  forget,
  forgotten,  ///< Answer to `forget`: packets with such an id are new from now on.
  /// To rank 0 of a job that no process monitors: the part of this rank's hang_info from byte
  /// `tag`; -1: this rank waits no more.
  hangs,
  one_sided = 72,  ///< Records for the window of `context` (protocol/records.hpp).
};
inline constexpr std::uint8_t kind_last = static_cast<std::uint8_t>(kind::returned);
inline constexpr std::uint8_t service_kind_first = 64;

/// Bits of `header::flags`.
enum flag : std::uint8_t {
  flag_synchronous = 1,  ///< Answer `matched` when a receive matches the message.
  flag_ready = 2,        ///< Answer `matched`, or `unready` if no receive is posted.
  flag_last = 4,         ///< The sender announces no more messages until it gets `allow`.
  flag_pushed = 8,  ///< The body follows the announcement unrequested; a fragment of such a body.
};
inline constexpr std::uint8_t flags_all = 15;

struct header {
  wire::kind kind{};
  std::uint8_t flags = 0;
  std::uint16_t reserved = 0;  ///< 0.
  tag_t tag = 0;
  context_id context = 0;
  std::uint32_t credit = 0;  ///< Count of FlowControl.
  /// An operation of the rank that issued the ticket; 0: none.
  std::uint32_t ticket = 0;
};
static_assert(sizeof(header) == sizeof(frame_header));

constexpr frame_header pack(const header& h) noexcept {
  return __builtin_bit_cast(frame_header, h);
}
constexpr header unpack(const frame_header& f) noexcept { return __builtin_bit_cast(header, f); }

/// Words of a frame, for the path that reads each word once and needs no other member. The first
/// word contains kind and flags.
enum word : std::uint8_t { word_kind, word_tag, word_context, word_credit, word_ticket };
/// First word of an eager message that requests no answer.
inline constexpr std::uint32_t plain_eager = pack({.kind = kind::eager}).word[word_kind];
/// Returns the frame of such a message (`match`: see match_of). Made of words: a header assembled
/// from smaller members and then copied as a whole stalls on store forwarding.
[[MPX_ALWAYS_INLINE]] inline frame_header plain_eager_frame(std::uint64_t match,
                                                            std::uint32_t credit) noexcept {
  return {{plain_eager, static_cast<std::uint32_t>(match), static_cast<std::uint32_t>(match >> 32),
           credit, 0}};
}
/// Returns context and tag of a frame as one number, as matchers compare them (`match_bits`).
[[MPX_ALWAYS_INLINE]] inline std::uint64_t match_of(const frame_header& f) noexcept {
  return std::uint64_t{f.word[word_context]} << 32 | f.word[word_tag];
}

/// Payload of kind::announce.
struct announcement {
  std::uint64_t bytes;
  remote_memory memory;  ///< Memory from which the receiver may fetch the data; key 0: none.
};

/// Payload of kind::clear.
struct clearance {
  std::uint64_t bytes;  ///< Bytes that the receiver takes; the rest is not sent.
  /// Offset at which the sender begins. The receiver fetches the part before it, and then sends
  /// `finished`, or a second `clear` for it.
  std::uint64_t from;
  remote_memory memory;  ///< Memory to which the sender may put the data; key 0: none.
  std::uint32_t ticket;  ///< Operation of the receiver.
  std::uint32_t reserved;
};
static_assert(sizeof(announcement) <= 40 && sizeof(clearance) <= 40);

/// Maximum number of additional tickets in kind::finished.
inline constexpr std::size_t finished_more_max = 9;

/// Reads a control payload into `value`.
/// Returns:    false if its length is wrong.
template <class T>
bool read(std::span<const std::byte> payload, T& value) noexcept {
  if (payload.size() != sizeof(T)) return false;
  std::memcpy(&value, payload.data(), sizeof value);
  return true;
}

}  // namespace mpx::inline v0::wire
