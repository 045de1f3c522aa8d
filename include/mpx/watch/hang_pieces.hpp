// SPDX-License-Identifier: BSL-1.0
#pragma once
// Sends a rank's hang_info in packets, which are shorter than it is.

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/types.hpp"
#include "mpx/watch/hang_info.hpp"

namespace mpx::inline v0::detail::hang_pieces {

inline constexpr std::size_t bytes_max = 40;
/// Offset of no piece: the sender waits no more.
inline constexpr tag_t withdrawn = -1;

/// Calls `send(offset, piece)` for the pieces of `info` in order. Pieces of zeros are left out,
/// except for the first and the last.
template <class Send>
void for_each(const hang_info& info, Send&& send) {
  const auto all = std::as_bytes(std::span(&info, 1));
  for (std::size_t at = 0; at < all.size(); at += bytes_max) {
    const auto piece = all.subspan(at, lesser(bytes_max, all.size() - at));
    bool needed = at == 0 || at + piece.size() == all.size();
    for (const std::byte b : piece) needed = needed || b != std::byte{};
    if (needed) send(static_cast<tag_t>(at), piece);
  }
}

/// Adds a piece to `info`, which the first piece clears. `complete` becomes true with the last one.
/// Errors:     errc::protocol if `for_each` does not make such a piece.
[[gnu::cold]] inline errc add(hang_info& info, bool& complete, tag_t offset,
                              std::span<const std::byte> piece) noexcept {
  static_assert(std::is_trivially_copyable_v<hang_info>);
  const auto all = std::as_writable_bytes(std::span(&info, 1));
  const auto at = static_cast<std::size_t>(offset);
  if (offset < 0 || at >= all.size() || at % bytes_max != 0 ||
      piece.size() != lesser(bytes_max, all.size() - at))
    return errc::protocol;
  if (at == 0) std::memset(all.data(), 0, all.size());
  std::memcpy(all.data() + at, piece.data(), piece.size());
  complete = at + piece.size() == all.size();
  return errc{};
}

}  // namespace mpx::inline v0::detail::hang_pieces
