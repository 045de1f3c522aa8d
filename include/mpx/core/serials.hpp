// SPDX-License-Identifier: BSL-1.0
#pragma once
// The serials of collective calls, which travel as tags: which calls of the ranks of a communicator
// are one call.

#include <cstdint>

#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// The serial of one start of a prepared collective: the number of the collective, in the order of
/// the init calls on its communicator, and the number of the start. Ranks start what they have
/// prepared in different orders. Serials of other calls are 0 and up, in the order of the calls;
/// these are negative, and apart from the tags of partitioned messages.
///
/// A number comes back after 65,536 others, and a start after 16,384: that is for errors alone, as
/// messages of one collective between two ranks keep their order.
struct prepared_serial {
  static constexpr std::uint32_t mark = 0xc000'0000;
  static constexpr unsigned start_bits = 14;
  static constexpr std::uint32_t start_mask = (1u << start_bits) - 1;

  static constexpr bool is(tag_t serial) noexcept {
    return (static_cast<std::uint32_t>(serial) & mark) == mark;
  }
  /// Before the first start.
  static constexpr tag_t make(std::uint32_t number) noexcept {
    return static_cast<tag_t>(mark | number << start_bits | start_mask);
  }
  static constexpr std::uint32_t number_of(tag_t serial) noexcept {
    return (static_cast<std::uint32_t>(serial) & ~mark) >> start_bits;
  }
  static constexpr std::uint32_t start_of(tag_t serial) noexcept {
    return static_cast<std::uint32_t>(serial) & start_mask;
  }
  /// The next start.
  static constexpr tag_t next(tag_t serial) noexcept {
    const auto s = static_cast<std::uint32_t>(serial);
    return static_cast<tag_t>((s & ~start_mask) | ((s + 1) & start_mask));
  }
};

/// Whether `a` is over at every rank that begins `b`, or has been left: serials of one
/// communicator. Those of prepared collectives are compared with their own alone.
constexpr bool is_serial_before(tag_t a, tag_t b) noexcept {
  const std::uint32_t distance = static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
  if (!prepared_serial::is(a) && !prepared_serial::is(b))  // Of 31 bits.
    return static_cast<std::int32_t>(distance << 1) < 0;
  return prepared_serial::is(a) && prepared_serial::is(b) &&
         prepared_serial::number_of(a) == prepared_serial::number_of(b) &&
         static_cast<std::int32_t>(distance << (32 - prepared_serial::start_bits)) < 0;
}

}  // namespace mpx::inline v0::detail
