// SPDX-License-Identifier: BSL-1.0
#pragma once
// Serial numbers of collective calls, sent as tags. They identify the calls of different ranks that
// belong to one collective.

#include <cstdint>

#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// Serial of one start of a prepared collective: the number of the collective, in the order of the
/// init calls on its communicator, and the number of the start. Both are needed because ranks may
/// start their prepared collectives in different orders. Serials of other calls are >= 0, in the
/// order of the calls; these are negative, and disjoint from the tags of partitioned messages.
///
/// A collective's number repeats after 65,536 others, a start after 16,384. Repetition matters for
/// error handling only, because messages of one collective between two ranks keep their order.
struct prepared_serial {
  static constexpr std::uint32_t mark = 0xc000'0000;
  static constexpr unsigned start_bits = 14;
  static constexpr std::uint32_t start_mask = (1u << start_bits) - 1;

  static constexpr bool is(tag_t serial) noexcept {
    return (static_cast<std::uint32_t>(serial) & mark) == mark;
  }
  /// Returns the serial before the first start.
  static constexpr tag_t make(std::uint32_t number) noexcept {
    return static_cast<tag_t>(mark | number << start_bits | start_mask);
  }
  static constexpr std::uint32_t number_of(tag_t serial) noexcept {
    return (static_cast<std::uint32_t>(serial) & ~mark) >> start_bits;
  }
  static constexpr std::uint32_t start_of(tag_t serial) noexcept {
    return static_cast<std::uint32_t>(serial) & start_mask;
  }
  /// Returns the serial of the next start.
  static constexpr tag_t next(tag_t serial) noexcept {
    const auto s = static_cast<std::uint32_t>(serial);
    return static_cast<tag_t>((s & ~start_mask) | ((s + 1) & start_mask));
  }
};

/// Tag of the messages by which all ranks meet, apart from any call. It is no serial, and above the
/// tags of partitioned messages.
inline constexpr tag_t meeting_tag = static_cast<tag_t>(0xbfff'ffffu);

/// True if call `a` has ended, or was left with an error, at every rank that begins call `b`. Both
/// are serials of one communicator. A prepared collective's serials are comparable with each other
/// only.
constexpr bool is_serial_before(tag_t a, tag_t b) noexcept {
  if (a < 0 && !prepared_serial::is(a)) return false;  // The tag of no call.
  const std::uint32_t distance = static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
  if (!prepared_serial::is(a) && !prepared_serial::is(b))  // 31-bit numbers.
    return static_cast<std::int32_t>(distance << 1) < 0;
  return prepared_serial::is(a) && prepared_serial::is(b) &&
         prepared_serial::number_of(a) == prepared_serial::number_of(b) &&
         static_cast<std::int32_t>(distance << (32 - prepared_serial::start_bits)) < 0;
}

}  // namespace mpx::inline v0::detail
