// SPDX-License-Identifier: BSL-1.0
#pragma once
// Messages between portals: the header that a sender fills in, the options of memory descriptors,
// and the events that a receiver gets. Plain data; nothing here sends anything.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "mpx/core/error.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/types.hpp"
#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0::portals {

namespace detail {
using mpx::detail::greater;
using mpx::detail::lesser;
}  // namespace detail

/// Index of a portal in a table.
using index = std::uint16_t;
/// No portal: a message with this return portal asks for no answer.
inline constexpr index no_portal = 0xffff;

/// The twelve bytes of user data of a message.
using user_data = std::array<std::byte, 12>;

/// Kind of a message.
enum class message_kind : std::uint8_t {
  put,              ///< Carries data to a portal.
  get,              ///< Asks a portal for data.
  reply,            ///< Carries the data that a get has asked for, to the return portal.
  acknowledgement,  ///< Tells a return portal what has been saved. No data.
};

/// Parts of a message that the receiver has saved. An acknowledgement carries it in the first byte
/// of its user data. Source: Puma, section 2.
enum class saved : std::uint8_t {
  nothing = 0,  ///< The message was dropped.
  header = 1,
  body = 2,
  both = 3,
};

/// Reason for which a message was dropped. An acknowledgement carries it in the second byte of its
/// user data.
enum class drop_reason : std::uint8_t {
  none = 0,
  no_such_portal,  ///< The table has no such portal, or the portal has no entry.
  no_match,        ///< No entry matched.
  no_buffer,       ///< An entry matched, and had no free buffer, or no room for its event.
  too_small,       ///< An entry matched, and its buffer is smaller than the message.
  too_many,   ///< The search visited more entries than the table has: the entries form a cycle.
  no_answer,  ///< The return portal of a get does not expect this reply.
  given_up,   ///< The entry was removed, or the sender gave up, before all data had arrived.
};

/// Header of a message, as its receiver sees it.
struct message {
  match_bits bits = 0;              ///< Compared with the match bits of entries.
  std::uint64_t offset = 0;         ///< For descriptors whose offset the sender manages.
  std::uint64_t length = 0;         ///< Bytes of data; 0 for a get.
  match_bits return_bits = 0;       ///< Match bits of the answer.
  std::uint64_t return_offset = 0;  ///< Offset of the answer. Of an acknowledgement: where saved.
  std::uint64_t return_length = 0;  ///< Get: bytes asked for. Acknowledgement: bytes saved.
  index portal = 0;                 ///< Destination.
  index return_portal = no_portal;  ///< Destination of the answer.
  user_data user{};                 ///< Of the program.
  rank_t source = proc_null;        ///< Rank of the sender in the table's communicator.
  message_kind kind = message_kind::put;  ///< Kind of the message.

  /// Parts that the receiver has saved.
  /// Requires:   kind is acknowledgement.
  [[nodiscard]] saved result() const noexcept {
    return static_cast<saved>(static_cast<std::uint8_t>(user[0]) & 3);
  }
  /// Reason for which the receiver has dropped the message.
  /// Requires:   kind is acknowledgement.
  [[nodiscard]] drop_reason reason() const noexcept {
    const auto r = static_cast<std::uint8_t>(user[1]);
    return r > static_cast<std::uint8_t>(drop_reason::given_up) ? drop_reason::given_up
                                                                : static_cast<drop_reason>(r);
  }
};
static_assert(std::is_trivially_copyable_v<message>);

/// Destination of a put or a get.
struct address {
  index portal = 0;          ///< Portal in the table of the target.
  match_bits bits = 0;       ///< Compared with the match bits of entries.
  std::uint64_t offset = 0;  ///< For descriptors whose offset the sender manages.
};

/// Destination of the answer to a message, and user data.
struct answer_to {
  index portal = no_portal;  ///< Portal in the table of the sender; no_portal: no answer.
  match_bits bits = 0;       ///< Match bits of the answer.
  std::uint64_t offset = 0;  ///< Offset of the answer.
  user_data user{};          ///< User data of the message.
};

/// Criteria of a match entry: all bits that are not ignored are equal, and the source fits.
struct criteria {
  match_bits bits = 0;           ///< Match bits.
  match_bits ignore = 0;         ///< Bits that are not compared.
  rank_t from = any_source;      ///< Rank in `among`, or any_source.
  const group* among = nullptr;  ///< Group of the sender; nullptr: the table's communicator.
};

/// Part of a message that a descriptor saves.
enum class saves : std::uint8_t {
  header = 1,
  body = 2,
  both = 3,
};
/// Side that decides where in a block a message goes.
enum class managed_by : std::uint8_t {
  sender,    ///< At the offset of the message.
  receiver,  ///< Behind the message before.
};
/// Direction of a descriptor.
enum class access : std::uint8_t {
  write_only,  ///< Takes puts, replies and acknowledgements.
  read_only,   ///< Serves gets.
};

/// Options of a memory descriptor. docs/portals.md has the table of those that each block allows.
struct options {
  saves keep = saves::body;                ///< Parts of a message that are saved.
  managed_by offset = managed_by::sender;  ///< Side that decides about the offset.
  access direction = access::write_only;   ///< Puts are taken, or gets are served.
  bool acknowledge =
      false;  ///< Tells the sender what was saved, if the message asks for an answer.
};

/// Kind of an event.
enum class event_kind : std::uint8_t {
  put,              ///< A put has been saved.
  served,           ///< A get has been served: its reply has been sent.
  reply,            ///< A reply has been saved.
  acknowledgement,  ///< An acknowledgement has been saved.
  lost,             ///< A rank (`is.source`) is lost, or has destroyed its table: see `failure`.
};

/// Something that has happened at an entry.
struct event {
  event_kind kind = event_kind::put;  ///< Kind of the event.
  saved what = saved::nothing;        ///< Parts that were saved.
  errc failure{};            ///< errc{} if all data is there. errc::pending: it was cut off.
  std::uint32_t buffer = 0;  ///< Independent block: number of the buffer.
  std::uint64_t label = 0;   ///< Label of the entry.
  std::uint64_t offset = 0;  ///< Offset in the block.
  std::span<const std::byte> data{};  ///< The data, if it is contiguous; else empty.
  message is{};                       ///< Header of the message.
};

}  // namespace mpx::inline v0::portals
