// SPDX-License-Identifier: BSL-1.0
#pragma once
// Description of a datatype, shared by its copies and the operations that use it: normal form,
// bounds, elements, and constructor arguments.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/data/detail/elements.hpp"
#include "mpx/data/detail/move.hpp"
#include "mpx/data/detail/shape.hpp"
#include "mpx/data/memory.hpp"

namespace mpx::inline v0 {

/// Constructor of a datatype. Source: MPI 4.1, 5.1.13.
enum class combiner : std::uint8_t {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  resized,
};

namespace detail {

/// Bounds of a datatype while it is constructed.
struct type_bounds {
  bool some = false;  // It has bytes, from true_low to true_high.
  std::int64_t true_low = 0, true_high = 0;
  bool has_low = false, has_high = false;  // Set by `resized`.
  std::int64_t told_low = 0, told_high = 0;
  std::int64_t alignment = 1;

  /// Extends the bounds by those of `b`, displaced by `at`.
  void join(const type_bounds& b, std::int64_t at, const checked& c) {
    if (b.some) {
      const std::int64_t low = c.sum(at, b.true_low);
      const std::int64_t high = c.sum(at, b.true_high);
      true_low = some && true_low < low ? true_low : low;
      true_high = some && true_high > high ? true_high : high;
      some = true;
    }
    if (b.has_low) {
      const std::int64_t low = c.sum(at, b.told_low);
      told_low = has_low && told_low < low ? told_low : low;
      has_low = true;
    }
    if (b.has_high) {
      const std::int64_t high = c.sum(at, b.told_high);
      told_high = has_high && told_high > high ? told_high : high;
      has_high = true;
    }
    alignment = greater(alignment, b.alignment);
  }
  std::int64_t low() const noexcept { return has_low ? told_low : true_low; }
  /// Returns the upper bound. Unless it was set, it is rounded up so that elements of an array are
  /// aligned.
  std::int64_t high(const checked& c) const {
    if (has_high) return told_high;
    const std::int64_t extent = c.difference(true_high, low());
    const std::int64_t over = extent > 0 ? extent % alignment : 0;
    return over == 0 ? true_high : c.sum(true_high, alignment - over);
  }
};

/// True if the loops and bounds of `s` alone show that its blocks do not overlap.
inline bool surely_disjoint(const shape& s) {
  switch (s.kind) {
    case shape_kind::nothing: return true;
    case shape_kind::run: return surely_disjoint(static_cast<const block_loops&>(s));
    case shape_kind::loop: {
      const std::int64_t stride = s.levels[0].stride;
      return magnitude(stride) >= magnitude(s.parts[0]->high - s.parts[0]->low) &&
             surely_disjoint(*s.parts[0]);
    }
    case shape_kind::list:
    case shape_kind::many: break;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  for (std::size_t i = 0; i < s.at.size(); ++i) {
    const shape* const part = s.kind == shape_kind::many ? s.parts[i].get() : nullptr;
    if (part != nullptr && (i == 0 || s.parts[i] != s.parts[i - 1]) && !surely_disjoint(*part))
      return false;
    const std::int64_t low = part != nullptr ? part->low : 0;
    const std::int64_t high = part != nullptr ? part->high : s.begins[i + 1] - s.begins[i];
    pieces.emplace_back(s.at[i] + low, s.at[i] + high);
  }
  std::sort(pieces.begin(), pieces.end());
  for (std::size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].first < pieces[i - 1].second) return false;
  return true;
}
/// True if no blocks of `s` overlap. Lists and sorts all blocks.
inline bool exactly_disjoint(const shape& s) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  pieces.reserve(static_cast<std::size_t>(s.blocks));
  for_each_block(s, 0, [&](std::int64_t at, std::int64_t n) { pieces.emplace_back(at, at + n); });
  std::sort(pieces.begin(), pieces.end());
  for (std::size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].first < pieces[i - 1].second) return false;
  return true;
}

struct type_description;

/// Reference-counted pointer to a type_description.
class type_reference {
 public:
  type_reference() = default;
  explicit type_reference(const type_description* of) noexcept : of_(of) {}
  type_reference(const type_reference& other) noexcept;
  type_reference(type_reference&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  type_reference& operator=(type_reference other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  ~type_reference();
  const type_description* get() const noexcept { return of_; }
  const type_description* operator->() const noexcept { return of_; }

 private:
  const type_description* of_ = nullptr;
};

/// Immutable, except for the reference count and `disjoint`.
struct type_description final : layout, allocated {
  // Members that packing needs come first.
  placed body{};
  std::int64_t bytes = 0;
  std::int64_t extent = 0;
  std::int64_t lower = 0;
  type_bounds bounds{};
  elements_ptr basics;

  combiner made_by{};
  std::vector<std::int64_t> integers, addresses;
  std::vector<type_reference> types;

  mutable platform::atomic<std::uint32_t> references{1};
  // Known: fewer than this many elements do not overlap.
  mutable platform::atomic<std::int64_t> disjoint{1};

  type_description() = default;
  type_description(const type_description&) = delete;
  type_description& operator=(const type_description&) = delete;
  ~type_description() = default;

  void pack(const std::byte* base, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    move<true>(const_cast<std::byte*>(base), offset, into.size(), into.data());
  }
  void unpack(std::byte* base, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    move<false>(base, offset, from.size(), const_cast<std::byte*>(from.data()));
  }
  const layout* keep() const noexcept override {
    references.fetch_add(1, platform::memory_order_relaxed);
    return this;
  }
  void drop() const noexcept override {
    if (references.fetch_sub(1, platform::memory_order_acq_rel) == 1) delete this;
  }

  /// True if `count` elements are one contiguous block.
  bool in_one_piece(std::int64_t count) const noexcept {
    return body.what->kind == shape_kind::nothing ||
           (body.what->kind == shape_kind::run && body.what->depth == 0 &&
            (extent == bytes || count == 1));
  }
  /// True if no byte of memory occurs twice in `count` elements. Also true if there are too many
  /// blocks to check.
  bool is_disjoint(std::int64_t count) const noexcept {
    if (count < disjoint.load(platform::memory_order_relaxed)) return true;
    try {
      const shape_ptr all = repeated(count, extent, body, checked("receive")).what;
      const std::int64_t span = body.what->high - body.what->low;
      if (surely_disjoint(*all)) {
        // If elements do not interleave, this holds for any count.
        const bool any = magnitude(extent) >= magnitude(span);
        disjoint.store(any ? std::numeric_limits<std::int64_t>::max() : count + 1,
                       platform::memory_order_relaxed);
        return true;
      }
      if (all->blocks <= looked_through_max && !exactly_disjoint(*all)) return false;
      disjoint.store(count + 1, platform::memory_order_relaxed);
    } catch (const std::exception&) {  // Out of memory.
    }
    return true;
  }
  /// True if `count` elements at `base` lie within the address space.
  bool is_addressable(const void* base, std::int64_t count) const noexcept {
    std::int64_t reach = 0;
    std::int64_t all = 0;
    if (count <= 0 || bytes == 0) return true;
    if (__builtin_mul_overflow(count - 1, extent, &reach) ||
        __builtin_mul_overflow(count, bytes, &all))
      return false;
    std::int64_t low = bounds.true_low;
    std::int64_t high = bounds.true_high;
    if (__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
      return false;
    const auto at = reinterpret_cast<std::uintptr_t>(base);
    const std::uintptr_t before = magnitude(low);
    const std::uintptr_t behind = magnitude(high);
    return (low >= 0 || at >= before) && (high <= 0 || at + behind >= at);
  }

 private:
  static constexpr std::int64_t looked_through_max = std::int64_t{1} << 22;

  template <bool Packing>
  void move(std::byte* base, std::size_t offset, std::size_t n, std::byte* stream) const noexcept {
    const auto from = static_cast<std::int64_t>(offset);
    rendezvous<Packing>::move(*body.what, displaced(base, body.at), extent, from,
                              from + static_cast<std::int64_t>(n), stream);
  }
};

inline type_reference::type_reference(const type_reference& other) noexcept : of_(other.of_) {
  if (of_ != nullptr) of_->keep();
}
inline type_reference::~type_reference() {
  if (of_ != nullptr) of_->drop();
}

}  // namespace detail
}  // namespace mpx::inline v0
