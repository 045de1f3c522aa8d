// SPDX-License-Identifier: BSL-1.0
#pragma once
// Basic types: ranks, tags, peers, contexts, and their wildcards. Ranks count within a
// communicator; peers are indices of an endpoint; groups map ranks to peers.

#include <cstddef>
#include <cstdint>

#include "mpx/config.hpp"

namespace mpx::inline v0 {

/// Number of a process in a group: 0 <= rank < size.
using rank_t = std::int32_t;
/// Tag of a message: 0 <= tag <= tag_max.
using tag_t = std::int32_t;
/// Index of a process (or this one) in an endpoint, assigned by the endpoint.
using peer_id = std::uint32_t;
/// Matches any peer in a pattern.
inline constexpr peer_id any_peer = 0xffff'ffff;
/// Separates the traffic of communicators. Bit 0 distinguishes collective from point-to-point
/// traffic.
using context_id = std::uint32_t;

/// Returns the number of a communicator in reports, from any of its contexts.
[[nodiscard]] constexpr std::uint32_t number_of(context_id context) noexcept {
  return (context & 0x7fff'ffff) >> 1;
}

/// Largest tag of a message.
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

/// Receives from any rank.
inline constexpr detail::any_source_t any_source{};
/// Receives any tag.
inline constexpr detail::any_tag_t any_tag{};
/// A partner that does not exist: sends to it are discarded, receives from it complete at once
/// without data.
inline constexpr detail::proc_null_t proc_null{};

/// Declares that the bytes of a type mean the same in another process although it is not trivially
/// copyable or seems to contain an address: `template <> inline constexpr bool
/// mpx::enable_transfer<my::vec3> = true;`, before its first use. True for std::pair and std::tuple
/// of such types (mpx/data/buffer.hpp).
template <class T>
inline constexpr bool enable_transfer = false;

/// Size of a cache line in bytes.
inline constexpr std::size_t cache_line_bytes = 64;
/// Minimum length from which a reader of shared memory takes ownership of the lines that it has
/// read (see platform::claiming_pays). Below, it makes no difference.
inline constexpr std::size_t claimed_bytes_min = 4 * cache_line_bytes;

}  // namespace mpx::inline v0
