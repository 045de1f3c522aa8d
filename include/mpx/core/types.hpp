// SPDX-License-Identifier: BSL-1.0
#pragma once
// The vocabulary of message passing: ranks, tags, peers, contexts, and their wildcards.
// Ranks count within a communicator; peers are indices of an endpoint; groups map one to the other.

#include <cstddef>
#include <cstdint>

#include "mpx/config.hpp"

namespace mpx::inline v0 {

/// A process's number in a group: 0 <= rank < size.
using rank_t = std::int32_t;
/// A message's label: 0 <= tag <= tag_max.
using tag_t = std::int32_t;
/// An endpoint's index of another process (or itself), handed out by the endpoint.
using peer_id = std::uint32_t;
/// Stands for any peer in a pattern.
inline constexpr peer_id any_peer = 0xffff'ffff;
/// Separates the traffic of communicators; bit 0 tells collective traffic from point-to-point.
using context_id = std::uint32_t;

/// The number of a communicator in reports, of any of its contexts.
constexpr std::uint32_t number_of(context_id context) noexcept {
  return (context & 0x7fff'ffff) >> 1;
}

/// The largest tag of a message.
inline constexpr tag_t tag_max = 0x7fffffff;

namespace detail {
struct any_source_t {
  constexpr operator rank_t() const noexcept { return -1; }
};
struct any_tag_t {
  constexpr operator tag_t() const noexcept { return -1; }
};
struct proc_null_t {
  constexpr operator rank_t() const noexcept { return -2; }
};
}  // namespace detail

/// Receives from whichever rank sends first.
inline constexpr detail::any_source_t any_source{};
/// Receives whatever the tag.
inline constexpr detail::any_tag_t any_tag{};
/// A partner that is not there: sends to it vanish, receives from it complete at once with no data.
inline constexpr detail::proc_null_t proc_null{};

/// Says of a type that its bytes mean the same in another process, though it is not trivially
/// copyable or looks as if it held an address: `template <> inline constexpr bool
/// mpx::enable_transfer<my::vec3> = true;`, before it is sent. True of std::pair and std::tuple of
/// such types (mpx/datatype/buffer.hpp).
template <class T>
inline constexpr bool enable_transfer = false;

/// The line a core moves at a time, in bytes.
inline constexpr std::size_t cache_line_bytes = 64;
/// Of less a reader of shared memory does not claim the lines (see platform::claiming_pays): it
/// makes no difference.
inline constexpr std::size_t claimed_bytes_min = 4 * cache_line_bytes;

}  // namespace mpx::inline v0
