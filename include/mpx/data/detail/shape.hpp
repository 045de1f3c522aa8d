// SPDX-License-Identifier: BSL-1.0
#pragma once
// Normal form of a layout: nested loops around a block, lists of blocks, and trees of these.
// Building a shape merges adjacent blocks and detects constant strides.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/data/detail/blocks.hpp"

namespace mpx::inline v0::detail {

/// 64-bit arithmetic that throws errc::datatype on overflow, in the name of `who`.
class checked {
 public:
  constexpr explicit checked(const char* who, std::source_location where = {}) noexcept
      : who_(who), where_(where) {}
  std::int64_t sum(std::int64_t a, std::int64_t b) const {
    std::int64_t r = 0;
    if (__builtin_add_overflow(a, b, &r)) fail();
    return r;
  }
  std::int64_t difference(std::int64_t a, std::int64_t b) const {
    std::int64_t r = 0;
    if (__builtin_sub_overflow(a, b, &r)) fail();
    return r;
  }
  std::int64_t product(std::int64_t a, std::int64_t b) const {
    std::int64_t r = 0;
    if (__builtin_mul_overflow(a, b, &r)) fail();
    return r;
  }

 private:
  [[noreturn, gnu::noinline, gnu::cold]] void fail() const {
    throw error(errc::datatype, formatted("%s: sizes and displacements reach beyond 64 bits", who_),
                where_);
  }
  const char* who_;
  std::source_location where_;
};

enum class shape_kind : std::uint8_t {
  nothing,  ///< No bytes.
  run,      ///< A block in up to three nested loops.
  list,     ///< Blocks at arbitrary displacements.
  loop,     ///< A loop around another shape.
  many,     ///< Shapes at arbitrary displacements.
};

struct shape;
using shape_ptr = std::shared_ptr<const shape>;

/// A shape and its displacement.
struct placed {
  std::int64_t at = 0;
  shape_ptr what;
};

/// Node of a normal form; see shape_kind. Immutable once built.
// block_loops: of a run; for a list of equal blocks only `block`, for a loop only levels[0].
struct shape : block_loops {
  shape_kind kind = shape_kind::nothing;
  bool equal = false;                // list: all blocks have `block` bytes.
  std::int64_t bytes = 0;            // In the stream.
  std::int64_t low = 0;              // Offset of the first byte,
  std::int64_t high = 0;             // and of the end of the last.
  std::int64_t blocks = 0;           // Number of contiguous pieces.
  pairs_move pairs[2] = {};          // list of two blocks of common lengths.
  indexed_move indexed[2] = {};      // list of equal blocks.
  std::vector<std::int64_t> at;      // list, many: displacements.
  std::vector<std::int64_t> begins;  // list, many: offsets in the stream, and the end.
  std::vector<shape_ptr> parts;      // many: all; loop: the first.
};

inline bool same_run(const shape& a, const shape& b) noexcept {
  if (a.kind != shape_kind::run || b.kind != a.kind || a.block != b.block || a.depth != b.depth)
    return false;
  for (unsigned i = 0; i < a.depth; ++i)
    if (!(a.levels[i] == b.levels[i])) return false;
  return true;
}

inline shape_ptr empty_shape() { return std::make_shared<const shape>(); }

inline shape_ptr finished_run(shape&& s, const checked& c) {
  s.kind = shape_kind::run;
  s.bytes = s.block;
  s.low = 0;
  s.high = s.block;
  s.blocks = 1;
  for (unsigned i = 0; i < s.depth; ++i) {
    const auto [n, stride] = s.levels[i];
    const std::int64_t reach = c.product(n - 1, stride);
    (reach < 0 ? s.low : s.high) = c.sum(reach < 0 ? s.low : s.high, reach);
    s.bytes = c.product(s.bytes, n);
    s.blocks = c.product(s.blocks, n);
  }
  c.difference(s.high, s.low);
  s.move[0] = rows_move_of<false>(static_cast<std::size_t>(s.block));
  s.move[1] = rows_move_of<true>(static_cast<std::size_t>(s.block));
  return std::make_shared<const shape>(std::move(s));
}
inline shape_ptr block_shape(std::int64_t bytes, const checked& c) {
  if (bytes == 0) return empty_shape();
  shape s;
  s.block = bytes;
  return finished_run(std::move(s), c);
}

/// Repeats `of` `count` times, `stride` bytes apart.
inline placed repeated(std::int64_t count, std::int64_t stride, const placed& of,
                       const checked& c) {
  const shape& s = *of.what;
  if (count == 0 || s.bytes == 0) return {0, empty_shape()};
  if (count == 1) return of;
  if (s.kind == shape_kind::run) {
    shape r;
    r.block = s.block;
    r.depth = s.depth;
    for (unsigned i = 0; i < s.depth; ++i) r.levels[i] = s.levels[i];
    shape::level* const top = s.depth == 0 ? nullptr : &r.levels[s.depth - 1];
    if (s.depth == 0 && stride == s.block) {
      r.block = c.product(r.block, count);
      return {of.at, finished_run(std::move(r), c)};
    }
    if (top != nullptr && stride == c.product(top->count, top->stride)) {
      top->count = c.product(top->count, count);
      return {of.at, finished_run(std::move(r), c)};
    }
    if (s.depth < shape::depth_max) {
      r.levels[r.depth++] = {count, stride};
      return {of.at, finished_run(std::move(r), c)};
    }
  }
  shape r;
  r.kind = shape_kind::loop;
  shape_ptr inner = of.what;
  if (s.kind == shape_kind::loop && stride == c.product(s.levels[0].count, s.levels[0].stride)) {
    count = c.product(count, s.levels[0].count);
    stride = s.levels[0].stride;
    inner = s.parts[0];
  }
  const std::int64_t reach = c.product(count - 1, stride);
  r.low = c.sum(inner->low, reach < 0 ? reach : 0);
  r.high = c.sum(inner->high, reach > 0 ? reach : 0);
  c.difference(r.high, r.low);
  r.bytes = c.product(inner->bytes, count);
  r.blocks = c.product(inner->blocks, count);
  r.levels[0] = {count, stride};
  r.parts.push_back(std::move(inner));
  return {of.at, std::make_shared<const shape>(std::move(r))};
}

/// Concatenates shapes in stream order; collects and merges blocks as they are added.
class joiner {
 public:
  explicit joiner(const checked& c) noexcept : check_(c) {}

  void add(const placed& p) {
    const shape& s = *p.what;
    if (s.bytes == 0) return;
    if (s.kind == shape_kind::run && s.depth == 0) return add_block(p.at, s.block);
    if (s.kind == shape_kind::list && static_cast<std::int64_t>(s.at.size()) <= spread_max) {
      for (std::size_t i = 0; i < s.at.size(); ++i)
        add_block(check_.sum(p.at, s.at[i]), s.begins[i + 1] - s.begins[i]);
      return;
    }
    items_.push_back(p);
    lengths_.push_back(0);
    ++shapes_;
  }
  void add_block(std::int64_t at, std::int64_t length) {
    if (length == 0) return;
    if (raw_length_ == 0 || length == raw_length_) {
      raw_length_ = length;
      raw_at_.push_back(at);
    } else {
      raw_at_.clear();
      raw_length_ = -1;  // Blocks of different lengths were added.
    }
    if (!lengths_.empty() && lengths_.back() != 0 &&
        check_.sum(items_.back().at, lengths_.back()) == at) {
      lengths_.back() = check_.sum(lengths_.back(), length);
      return;
    }
    items_.push_back({at, nullptr});
    lengths_.push_back(length);
  }

  placed join() {
    if (items_.empty()) return {0, empty_shape()};
    if (items_.size() == 1)
      return shapes_ == 1 ? items_[0] : placed{items_[0].at, block_shape(lengths_[0], check_)};
    if (shapes_ == 0) return join_blocks();
    if (is_regular()) {
      const placed first = items_[0];
      return repeated(static_cast<std::int64_t>(items_.size()),
                      check_.difference(items_[1].at, first.at), first, check_);
    }
    return join_shapes();
  }

 private:
  static constexpr std::int64_t spread_max = 64;  // A longer list stays a shape of its own.

  /// True if all items are the same shape, at a constant stride.
  bool is_regular() const {
    const std::int64_t stride = check_.difference(items_[1].at, items_[0].at);
    for (std::size_t i = 1; i < items_.size(); ++i) {
      if (lengths_[i] != lengths_[0] || check_.difference(items_[i].at, items_[i - 1].at) != stride)
        return false;
      if (lengths_[0] == 0 && items_[i].what != items_[0].what &&
          !same_run(*items_[i].what, *items_[0].what))
        return false;
    }
    return true;
  }
  placed join_blocks() {
    if (is_regular()) {
      shape r;
      r.block = lengths_[0];
      r.depth = 1;
      r.levels[0] = {static_cast<std::int64_t>(items_.size()),
                     check_.difference(items_[1].at, items_[0].at)};
      return {items_[0].at, finished_run(std::move(r), check_)};
    }
    shape r;
    r.kind = shape_kind::list;
    // Equal blocks are moved faster one by one than after a few merges.
    if (raw_at_.size() > items_.size() && raw_at_.size() < 2 * items_.size()) {
      items_.clear();
      for (const std::int64_t at : raw_at_) items_.push_back({at, nullptr});
      lengths_.assign(raw_at_.size(), raw_length_);
    }
    r.equal = true;
    r.block = lengths_[0];
    for (const std::int64_t n : lengths_) r.equal = r.equal && n == r.block;
    if (lengths_.size() == 2) {
      r.pairs[0] = pairs_move_of<false>(lengths_[0], lengths_[1]);
      r.pairs[1] = pairs_move_of<true>(lengths_[0], lengths_[1]);
    }
    if (r.equal) {
      r.indexed[0] = indexed_move_of<false>(static_cast<std::size_t>(r.block));
      r.indexed[1] = indexed_move_of<true>(static_cast<std::size_t>(r.block));
    }
    finish(r, [this](std::size_t i) { return std::pair{std::int64_t{0}, lengths_[i]}; });
    r.blocks = static_cast<std::int64_t>(items_.size());
    return {0, std::make_shared<const shape>(std::move(r))};
  }
  placed join_shapes() {
    shape r;
    r.kind = shape_kind::many;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      r.parts.push_back(lengths_[i] == 0 ? items_[i].what : block_shape(lengths_[i], check_));
      r.blocks = check_.sum(r.blocks, r.parts.back()->blocks);
    }
    finish(r, [&r](std::size_t i) { return std::pair{r.parts[i]->low, r.parts[i]->high}; });
    return {0, std::make_shared<const shape>(std::move(r))};
  }
  /// Computes displacements, stream offsets and bounds. `bounds_of(i)`: bounds of item i.
  template <class BoundsOf>
  void finish(shape& r, BoundsOf bounds_of) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const auto [low, high] = bounds_of(i);
      const std::int64_t from = check_.sum(items_[i].at, low);
      const std::int64_t to = check_.sum(items_[i].at, high);
      if (i == 0 || from < r.low) r.low = from;
      if (i == 0 || to > r.high) r.high = to;
      r.at.push_back(items_[i].at);
      r.begins.push_back(r.bytes);
      r.bytes = check_.sum(r.bytes, lengths_[i] == 0 ? items_[i].what->bytes : lengths_[i]);
    }
    r.begins.push_back(r.bytes);
    check_.difference(r.high, r.low);
  }

  checked check_;
  std::vector<placed> items_;
  std::vector<std::int64_t> lengths_;  // Length of a block; 0: a shape.
  std::vector<std::int64_t> raw_at_;   // Blocks as added, while all have one length.
  std::int64_t raw_length_ = 0;
  std::size_t shapes_ = 0;
};

}  // namespace mpx::inline v0::detail
