// SPDX-License-Identifier: BSL-1.0
#pragma once
// The blocks of ranks in memory, described by run-time values only, and checks of their arguments.

#include <cstddef>
#include <cstdint>

#include "mpx/coll/algorithms/steps.hpp"

namespace mpx::inline v0::coll {

using detail::collective_failure;

/// A list of integers of 32 or 64 bits in the user's memory. Unsigned values from 2^63 on are read
/// as negative.
struct numbers {
  static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

  const void* first = nullptr;
  bool wide = false;           // Entries have 64 bits.
  std::size_t many = unknown;  // Length of the list.
  bool without_sign = false;   // Entries of 32 bits are unsigned.

  explicit operator bool() const noexcept { return first != nullptr; }
  bool fits(rank_t ranks) const noexcept {
    return many == unknown || many == static_cast<std::size_t>(ranks);
  }
  std::int64_t operator[](rank_t i) const noexcept {
    if (wide) return static_cast<const std::int64_t*>(first)[i];
    if (without_sign) return static_cast<const std::uint32_t*>(first)[i];
    return static_cast<const std::int32_t*>(first)[i];
  }
};

/// One block for each rank; block r is that of rank r.
///
/// Without `counts` every block has `bytes`. Without `displacements` and `counts` the blocks are
/// `stride` bytes apart; with `counts` alone they follow each other. Both lists have one entry for
/// each rank, in units. With a layout, each block is a message of that layout at its own
/// displacement; or, if `together`, all blocks are parts of one message at `base`.
struct blocks {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::size_t stride = 0;
  numbers counts{};
  numbers displacements{};
  std::size_t unit = 1;  // Bytes of the unit of counts and displacements; may be 0.
  std::size_t room = static_cast<std::size_t>(-1);  // Bytes of the buffer.
  const layout* how = nullptr;
  const memory* pieces = nullptr;  // If set: block r is pieces[r]; other members are unused.
  std::ptrdiff_t extent = 0;       // Bytes from one unit to the next; 0: `unit`.
  bool together = false;           // See linear_layout, which turns byte offsets into addresses.

  // Inlined, so that no function call stands between two flags of a short collective.
  [[MPX_ALWAYS_INLINE]] bool regular() const noexcept {
    return !counts && !displacements && pieces == nullptr && (how == nullptr || together) &&
           stride == bytes;
  }
  std::size_t bytes_of(rank_t r) const noexcept {
    if (pieces != nullptr) return pieces[r].bytes;
    return counts ? static_cast<std::size_t>(counts[r]) * unit : bytes;
  }
  /// True if `displacement`, in steps of `apart` bytes, lies in the buffer. That of an empty block
  /// may lie anywhere.
  bool is_within(std::int64_t displacement, std::ptrdiff_t apart) const noexcept {
    return displacement >= 0 && apart > 0 &&
           static_cast<std::uint64_t>(displacement) <= room / static_cast<std::size_t>(apart);
  }
  /// Requires: displacements are given if counts are (see `placed`).
  memory operator[](rank_t r) const noexcept {
    if (pieces != nullptr) return pieces[r];
    const std::ptrdiff_t apart = extent != 0 ? extent : static_cast<std::ptrdiff_t>(unit);
    const std::size_t n = bytes_of(r);
    std::ptrdiff_t at = static_cast<std::ptrdiff_t>(stride) * r;
    if (displacements)
      at = n == 0 && !is_within(displacements[r], apart) ? 0 : displacements[r] * apart;
    return {base + at, n, how};
  }
  /// Blocks first .. first + n - 1 as one piece of memory. Requires: regular().
  memory range(rank_t first, rank_t n) const noexcept {
    return {base + static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(n) * bytes,
            how};
  }
  std::size_t total(rank_t ranks) const noexcept {
    if (!counts && pieces == nullptr) return bytes * static_cast<std::size_t>(ranks);
    std::size_t sum = 0;
    for (rank_t r = 0; r < ranks; ++r) sum += bytes_of(r);
    return sum;
  }
};

/// Returns `b` with displacements for its counts; `b` itself if it needs none, or if memory is out.
template <Steps S>
blocks placed(S& s, blocks b) {
  if (!b.counts || b.displacements) return b;
  const memory table = s.scratch(static_cast<std::size_t>(s.size()) * sizeof(std::int64_t));
  if (table.base == nullptr) return b;
  auto* const at = reinterpret_cast<std::int64_t*>(table.base);
  std::int64_t sum = 0;
  for (rank_t r = 0; r < s.size(); ++r) {
    at[r] = sum;
    sum += b.counts[r];
  }
  // `numbers` holds the width of each list, so counts and displacements may differ in it.
  b.displacements = {at, true};
  return b;
}

/// Number of units in so many bytes; 0 for a datatype without bytes.
constexpr std::size_t units_in(std::size_t bytes, std::size_t unit) noexcept {
  return unit == 0 ? 0 : bytes / unit;
}
inline collective_failure wrong_argument(errc why, const char* what) noexcept {
  return {why, collective_failure::cause::argument, false, 0, 0, 0, what};
}
inline collective_failure uneven(std::size_t elements, std::size_t parts,
                                 const char* of_whom) noexcept {
  return {errc::argument, collective_failure::cause::uneven, false, 0, elements, parts, of_whom};
}
/// Returns the error of `root`, if it is no rank.
inline collective_failure check_root(rank_t root, rank_t size) noexcept {
  if (root >= 0 && root < size) [[likely]]
    return {};
  return {errc::root, collective_failure::cause::root, false, root};
}
/// Returns an error if the input and the room for it differ in bytes.
inline collective_failure check_room(std::size_t given, std::size_t room,
                                     std::size_t unit) noexcept {
  if (given == room) [[likely]]
    return {};
  return {errc::argument,      collective_failure::cause::out, false, 0, units_in(given, unit),
          units_in(room, unit)};
}
/// Returns the first error in counts and displacements. The displacement of an empty block is
/// ignored.
[[gnu::noinline]] inline collective_failure check_blocks(const blocks& b, rank_t ranks) noexcept {
  if (!b.counts.fits(ranks) || !b.displacements.fits(ranks))
    return wrong_argument(errc::argument, "give one count, displacement or block for each rank");
  if (b.pieces != nullptr || b.room == static_cast<std::size_t>(-1)) {
    for (rank_t r = 0; b.counts && r < ranks; ++r)
      if (b.counts[r] < 0) return wrong_argument(errc::count, "a count is negative");
    return {};
  }
  const std::size_t n = static_cast<std::size_t>(ranks);
  if (!b.counts && !b.displacements) {
    return b.bytes * n == b.room ? collective_failure{}
                                 : uneven(units_in(b.room, b.unit), n, "ranks");
  }
  std::uint64_t end = 0;
  for (rank_t r = 0; r < ranks; ++r) {
    const std::int64_t count =
        b.counts ? b.counts[r] : static_cast<std::int64_t>(units_in(b.bytes, b.unit));
    if (count < 0) return wrong_argument(errc::count, "a count is negative");
    if (count == 0 || b.unit == 0) continue;  // The displacement does not matter.
    const std::int64_t at = b.displacements ? b.displacements[r] : static_cast<std::int64_t>(end);
    if (at < 0) return wrong_argument(errc::argument, "a displacement is negative");
    std::uint64_t last = 0;
    if (__builtin_add_overflow(static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(count),
                               &last) ||
        last > b.room / b.unit)
      return wrong_argument(errc::argument, "counts and displacements reach beyond the buffer");
    if (!b.displacements) end = last;
  }
  return {};
}

/// Part of a message that is contiguous, or has a linear layout.
inline memory slice(const memory& m, std::size_t first, std::size_t bytes) noexcept {
  return {m.base + first, bytes, m.how};
}

/// A vector of elements in `n` parts of whole elements, as equal as possible.
struct parts {
  memory all;
  std::size_t unit = 1;
  std::size_t n = 1;

  std::size_t first(std::size_t i) const noexcept {
    const std::size_t elements = all.bytes / unit;
    return (elements / n * i + elements % n * i / n) * unit;
  }
  memory operator[](std::size_t i) const noexcept {
    return slice(all, first(i), first(i + 1) - first(i));
  }
  memory operator[](rank_t i) const noexcept { return (*this)[static_cast<std::size_t>(i)]; }
  /// Parts i .. i + k - 1 as one piece of memory.
  memory range(rank_t i, rank_t k) const noexcept {
    const std::size_t at = first(static_cast<std::size_t>(i));
    return slice(all, at, first(static_cast<std::size_t>(i) + static_cast<std::size_t>(k)) - at);
  }
};

/// Wraps a rank that lies between -n and 2n - 1 to 0 .. n - 1.
constexpr rank_t around(rank_t r, rank_t n) noexcept { return r < 0 ? r + n : r >= n ? r - n : r; }

}  // namespace mpx::inline v0::coll
