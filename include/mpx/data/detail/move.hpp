// SPDX-License-Identifier: BSL-1.0
#pragma once
// Moves any range of a shape's bytes between memory and a stream: whole parts by the loops of
// blocks.hpp, partial blocks at both ends by plain copies. The start of the range is found by
// divisions and binary searches.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpx/config.hpp"
#include "mpx/data/detail/blocks.hpp"
#include "mpx/data/detail/shape.hpp"

namespace mpx::inline v0::detail {

template <bool Packing>
class rendezvous {
 public:
  /// Moves bytes from .. to - 1 of loops at `mem`.
  static void move(const block_loops& l, std::byte* mem, std::int64_t from, std::int64_t to,
                   std::byte* stream) noexcept {
    part_of_run(l, l.depth, mem, from, to, stream);
  }
  /// Moves bytes from .. to - 1 of `count` shapes at `mem`, `stride` apart.
  /// Requires:   s.bytes > 0.
  static void move(const shape& s, std::byte* mem, std::int64_t stride, std::int64_t from,
                   std::int64_t to, std::byte* stream) noexcept {
    ranges(s.bytes, from, to,
           [&](std::int64_t first, std::int64_t n, std::int64_t head, std::int64_t tail) {
             std::byte* const here = displaced(mem, first * stride);
             if (n == 0) {
               part(s, here, head, tail, stream);
               stream += tail - head;
             } else {
               whole(s, here, stride, n, stream, s.bytes);
               stream += n * s.bytes;
             }
           });
  }

 private:
  /// Splits the range from .. to - 1 over items of `bytes` each into a partial item at the head,
  /// whole items, and a partial item at the tail. Calls take(first, n, 0, 0) for whole items, and
  /// with n == 0 for a partial one.
  template <class Take>
  static void ranges(std::int64_t bytes, std::int64_t from, std::int64_t to, Take&& take) {
    if (from >= to) return;
    std::int64_t first = 0;
    std::int64_t head = from;
    if (from >= bytes) {
      first = from / bytes;
      head = from - first * bytes;
    }
    const std::int64_t begin = from - head;
    if (to - begin < bytes || (to - begin == bytes && head != 0))
      return take(first, std::int64_t{0}, head, to - begin);
    if (head != 0) {
      take(first, std::int64_t{0}, head, bytes);
      ++first;
      from = begin + bytes;
    }
    const std::int64_t n = to - from == bytes ? 1 : (to - from) / bytes;
    if (n != 0) take(first, n, std::int64_t{0}, std::int64_t{0});
    const std::int64_t tail = to - from - n * bytes;
    if (tail != 0) take(first + n, std::int64_t{0}, std::int64_t{0}, tail);
  }

  static std::int64_t bytes_below(const block_loops& s, unsigned depth) noexcept {
    std::int64_t bytes = s.block;
    for (unsigned i = 0; i < depth; ++i) bytes *= s.levels[i].count;
    return bytes;
  }

  /// Moves a part of one shape.
  static void part(const shape& s, std::byte* mem, std::int64_t from, std::int64_t to,
                   std::byte* stream) noexcept {
    switch (s.kind) {
      case shape_kind::nothing: return;
      case shape_kind::run: return part_of_run(s, s.depth, mem, from, to, stream);
      case shape_kind::list: return part_of_list(s, mem, from, to, stream);
      case shape_kind::loop: return move(*s.parts[0], mem, s.levels[0].stride, from, to, stream);
      case shape_kind::many: return part_of_many(s, mem, from, to, stream);
    }
  }
  static void part_of_run(const block_loops& s, unsigned depth, std::byte* mem, std::int64_t from,
                          std::int64_t to, std::byte* stream) noexcept {
    if (depth == 0)
      return move_block<Packing, 0>(displaced(mem, from), stream,
                                    static_cast<std::size_t>(to - from));
    const std::int64_t below = bytes_below(s, depth - 1);
    const std::int64_t stride = s.levels[depth - 1].stride;
    ranges(below, from, to,
           [&](std::int64_t first, std::int64_t n, std::int64_t head, std::int64_t tail) {
             std::byte* const here = displaced(mem, first * stride);
             if (n == 0) {
               part_of_run(s, depth - 1, here, head, tail, stream);
               stream += tail - head;
             } else {
               nest(s, depth - 1, here, stride, n, stream, below);
               stream += n * below;
             }
           });
  }
  static std::size_t found(const shape& s, std::int64_t at) noexcept {
    if (s.equal) return static_cast<std::size_t>(at / s.block);
    std::size_t low = 0;
    std::size_t high = s.at.size();
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (s.begins[middle] <= at ? low : high) = middle;
    }
    return low;
  }
  static void part_of_list(const shape& s, std::byte* mem, std::int64_t from, std::int64_t to,
                           std::byte* stream) noexcept {
    std::size_t i = found(s, from);
    const auto piece = [&](std::int64_t begin, std::int64_t end) {
      move_block<Packing, 0>(displaced(mem, s.at[i] + begin - s.begins[i]), stream,
                             static_cast<std::size_t>(end - begin));
      stream += end - begin;
      ++i;
    };
    if (from != s.begins[i]) {
      const std::int64_t end = to < s.begins[i + 1] ? to : s.begins[i + 1];
      piece(from, end);
      from = end;
    }
    if (s.equal && from < to) {
      const std::int64_t n = (to - from) / s.block;
      s.indexed[Packing](mem, stream, s.at.data() + i, n, static_cast<std::size_t>(s.block));
      stream += n * s.block;
      i += static_cast<std::size_t>(n);
      from += n * s.block;
    }
    if (from >= to) return;
    const std::size_t all = s.at.size();
    for (; i < all && s.begins[i + 1] <= to; ++i) {
      const std::int64_t length = s.begins[i + 1] - from;
      move_block<Packing, 0>(displaced(mem, s.at[i]), stream, static_cast<std::size_t>(length));
      stream += length;
      from += length;
    }
    if (from < to) piece(from, to);
  }
  static void part_of_many(const shape& s, std::byte* mem, std::int64_t from, std::int64_t to,
                           std::byte* stream) noexcept {
    for (std::size_t i = found(s, from); from < to; ++i) {
      const std::int64_t end = to < s.begins[i + 1] ? to : s.begins[i + 1];
      move(*s.parts[i], displaced(mem, s.at[i]), 0, from - s.begins[i], end - s.begins[i], stream);
      stream += end - from;
      from = end;
    }
  }

  /// Moves `n` whole shapes at `mem`, `stride` apart in memory and `apart` in the stream.
  static void whole(const shape& s, std::byte* mem, std::int64_t stride, std::int64_t n,
                    std::byte* stream, std::int64_t apart) noexcept {
    switch (s.kind) {
      case shape_kind::nothing: return;
      case shape_kind::run: return nest(s, s.depth, mem, stride, n, stream, apart);
      case shape_kind::list: return lists(s, mem, stride, n, stream, apart);
      case shape_kind::loop:
      case shape_kind::many: break;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      std::byte* const here = displaced(mem, i * stride);
      std::byte* const there = stream + i * apart;
      if (s.kind == shape_kind::loop) {
        const shape& inner = *s.parts[0];
        whole(inner, here, s.levels[0].stride, s.levels[0].count, there, inner.bytes);
      } else {
        for (std::size_t k = 0; k < s.parts.size(); ++k)
          whole(*s.parts[k], displaced(here, s.at[k]), 0, 1, there + s.begins[k], 0);
      }
    }
  }
  /// Runs the loops of a run below `depth`, `n` times.
  static void nest(const block_loops& s, unsigned depth, std::byte* mem, std::int64_t stride,
                   std::int64_t n, std::byte* stream, std::int64_t apart) noexcept {
    rows r{.block = static_cast<std::size_t>(s.block)};
    if (depth == 0) {
      r.n0 = n;
      r.mem0 = stride;
      r.stream0 = apart;
      return s.move[Packing](mem, stream, r);
    }
    r.n0 = s.levels[0].count;
    r.mem0 = s.levels[0].stride;
    r.stream0 = s.block;
    if (depth == 1) {
      r.n1 = n;
      r.mem1 = stride;
      r.stream1 = apart;
      return s.move[Packing](mem, stream, r);
    }
    if (depth == 2) {
      r.n1 = s.levels[1].count;
      r.mem1 = s.levels[1].stride;
      r.stream1 = s.block * r.n0;
      for (std::int64_t i = 0; i < n; ++i)
        s.move[Packing](displaced(mem, i * stride), stream + i * apart, r);
      return;
    }
    const std::int64_t below = bytes_below(s, depth - 1);
    for (std::int64_t i = 0; i < n; ++i)
      nest(s, depth - 1, displaced(mem, i * stride), s.levels[depth - 1].stride,
           s.levels[depth - 1].count, stream + i * apart, below);
  }
  /// Moves `n` lists. For short lists, moves each block position in a loop of its own, over as many
  /// lists as fit the nearest cache.
  static void lists(const shape& s, std::byte* mem, std::int64_t stride, std::int64_t n,
                    std::byte* stream, std::int64_t apart) noexcept {
    constexpr std::int64_t near_bytes = 8 * 1024;
    constexpr std::int64_t short_list = 16;
    if (s.pairs[Packing] != nullptr)
      return s.pairs[Packing](displaced(mem, s.at[0]), stream, s.at[1] - s.at[0], n, stride, apart);
    if (n >= 4 && s.blocks <= short_list) {
      const std::int64_t span = s.high - s.low > apart ? s.high - s.low : apart;
      const std::int64_t batch = span < near_bytes / 4 ? near_bytes / span : 4;
      for (std::int64_t i = 0; i < n; i += batch) {
        const std::int64_t some = n - i < batch ? n - i : batch;
        std::byte* const here = displaced(mem, i * stride);
        for (std::size_t k = 0; k < s.at.size(); ++k) {
          rows r{.block = static_cast<std::size_t>(s.begins[k + 1] - s.begins[k])};
          r.n0 = some;
          r.mem0 = stride;
          r.stream0 = apart;
          rows_move_of<Packing>(r.block)(displaced(here, s.at[k]), stream + i * apart + s.begins[k],
                                         r);
        }
      }
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      std::byte* const here = displaced(mem, i * stride);
      if (s.equal) {
        s.indexed[Packing](here, stream + i * apart, s.at.data(),
                           static_cast<std::int64_t>(s.at.size()),
                           static_cast<std::size_t>(s.block));
      } else {
        part_of_list(s, here, 0, s.bytes, stream + i * apart);
      }
    }
  }
};

/// Calls take(displacement, length) for each block of `s` at `at`, in stream order.
template <class Take>
void for_each_block(const shape& s, std::int64_t at, Take&& take) {
  switch (s.kind) {
    case shape_kind::nothing: return;
    case shape_kind::run: {
      const auto n = [&s](unsigned i) { return i < s.depth ? s.levels[i].count : 1; };
      for (std::int64_t k = 0; k < n(2); ++k)
        for (std::int64_t j = 0; j < n(1); ++j)
          for (std::int64_t i = 0; i < n(0); ++i)
            take(at + k * s.levels[2].stride + j * s.levels[1].stride + i * s.levels[0].stride,
                 s.block);
      return;
    }
    case shape_kind::list:
      for (std::size_t i = 0; i < s.at.size(); ++i)
        take(at + s.at[i], s.begins[i + 1] - s.begins[i]);
      return;
    case shape_kind::loop:
      for (std::int64_t i = 0; i < s.levels[0].count; ++i)
        for_each_block(*s.parts[0], at + i * s.levels[0].stride, take);
      return;
    case shape_kind::many:
      for (std::size_t i = 0; i < s.parts.size(); ++i)
        for_each_block(*s.parts[i], at + s.at[i], take);
      return;
  }
}

// Instances that mpx::compiled holds: see mpx/instances.hpp.
MPX_INSTANCE(class rendezvous<false>)
MPX_INSTANCE(class rendezvous<true>)

}  // namespace mpx::inline v0::detail
