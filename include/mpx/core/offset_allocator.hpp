// SPDX-License-Identifier: BSL-1.0
#pragma once
// First-fit allocator of offsets in a range, with coalescing. Its records are in private memory,
// where peers cannot corrupt them.

#include <cstddef>
#include <cstdint>

#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0 {

/// Allocates pieces of [0, capacity).
/// Cost:       O(pieces).
class offset_allocator {
 public:
  /// No offset. (Not a std::optional, to save compile time in every program with a collective.)
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// An allocator without capacity.
  offset_allocator() = default;
  /// Errors: errc::no_resources.
  explicit offset_allocator(std::uint64_t capacity) {
    if (capacity != 0) free_.push_back({0, capacity});
  }

  /// Allocates `bytes`, rounded up to cache lines.
  /// Requires:   alignment is a power of two.
  /// Returns:    the offset; `none` if no hole is large enough.
  /// Errors:     errc::no_resources for the allocator's records.
  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t need = round_up(bytes == 0 ? 1 : bytes, granule);
    if (need < bytes) return none;
    if (alignment < granule) alignment = granule;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto [begin, size] = free_[i];
      const std::uint64_t at = round_up(begin, alignment);
      if (at - begin > size || size - (at - begin) < need) continue;
      // Holes never touch: there is at most one more hole than pieces in use.
      used_.reserve(used_.size() + 1);
      free_.reserve(used_.size() + 2);
      free_.erase(i);
      if (at + need != begin + size) free_.insert(i, {at + need, begin + size - at - need});
      if (at != begin) free_.insert(i, {begin, at - begin});
      used_.insert(first_from(used_, at), {at, need});
      return at;
    }
    return none;
  }

  /// Frees a piece.
  /// Returns:    false if `offset` was not returned by `allocate`.
  bool deallocate(std::uint64_t offset) noexcept {
    const std::size_t used = first_from(used_, offset);
    if (used == used_.size() || used_[used].start != offset) return false;
    std::uint64_t size = used_[used].size;
    used_.erase(used);
    const std::size_t after = first_from(free_, offset);
    if (after != free_.size() && offset + size == free_[after].start) {
      size += free_[after].size;
      free_.erase(after);
    }
    if (after != 0) {
      piece& before = free_[after - 1];
      if (before.start + before.size == offset) {
        before.size += size;
        return true;
      }
    }
    free_.insert(after, {offset, size});  // Does not allocate: see allocate.
    return true;
  }

  bool empty() const noexcept { return used_.empty(); }

 private:
  struct piece {
    std::uint64_t start;
    std::uint64_t size;
  };
  static constexpr std::uint64_t granule = 64;
  static std::uint64_t round_up(std::uint64_t n, std::uint64_t to) noexcept {
    return (n + to - 1) & ~(to - 1);
  }

  /// Returns the index of the first piece that starts at `offset` or later.
  static std::size_t first_from(const plain_array<piece>& pieces, std::uint64_t offset) noexcept {
    std::size_t low = 0;
    for (std::size_t high = pieces.size(); low != high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (pieces[middle].start < offset)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  plain_array<piece> free_;  // Sorted by offset, like used_.
  plain_array<piece> used_;
};

}  // namespace mpx::inline v0
