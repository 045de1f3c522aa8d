// SPDX-License-Identifier: BSL-1.0
#pragma once
// Copies blocks of bytes between scattered memory and a packed stream. All loops that pack or
// unpack are in this file; blocks of common lengths have that length at compile time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpx/config.hpp"

namespace mpx::inline v0::detail {

/// Returns `base` + `displacement`. Also valid for base nullptr with displacements that are
/// addresses.
[[MPX_ALWAYS_INLINE]] inline std::byte* displaced(std::byte* base,
                                                  std::int64_t displacement) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                      static_cast<std::uintptr_t>(displacement));
}

/// Copies few bytes without a call, as two overlapping copies from both ends.
[[MPX_ALWAYS_INLINE]] inline void copy_some(std::byte* to, const std::byte* from,
                                            std::size_t n) noexcept {
  const auto ends = [&]<std::size_t N>() {
    std::array<std::byte, N> first, last;
    std::memcpy(first.data(), from, N);
    std::memcpy(last.data(), from + n - N, N);
    std::memcpy(to, first.data(), N);
    std::memcpy(to + n - N, last.data(), N);
  };
  if (n > 32) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
    ends.template operator()<16>();
  } else if (n >= 8) {
    ends.template operator()<8>();
  } else if (n >= 4) {
    ends.template operator()<4>();
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
  }
}

/// Copies one block of Block bytes; of `n` bytes if Block is 0.
template <bool Packing, std::size_t Block>
[[MPX_ALWAYS_INLINE]] inline void move_block(std::byte* mem, std::byte* stream,
                                             std::size_t n) noexcept {
  std::byte* const to = Packing ? stream : mem;
  const std::byte* const from = Packing ? mem : stream;
  if constexpr (Block != 0) {
    std::memcpy(to, from, Block);
  } else {
    copy_some(to, from, n);
  }
}

/// Copies four scattered blocks. Reads all before it writes any, so that the loads overlap.
template <bool Packing, std::size_t Block>
[[MPX_ALWAYS_INLINE]] inline void move_four(std::byte* m0, std::byte* m1, std::byte* m2,
                                            std::byte* m3, std::byte* stream,
                                            std::int64_t apart) noexcept {
  struct block {
    std::byte bytes[Block];
  };
  std::byte* const s1 = stream + apart;
  std::byte* const s2 = s1 + apart;
  std::byte* const s3 = s2 + apart;
  block a, b, c, d;
  std::memcpy(&a, Packing ? m0 : stream, Block);
  std::memcpy(&b, Packing ? m1 : s1, Block);
  std::memcpy(&c, Packing ? m2 : s2, Block);
  std::memcpy(&d, Packing ? m3 : s3, Block);
  std::memcpy(Packing ? stream : m0, &a, Block);
  std::memcpy(Packing ? s1 : m1, &b, Block);
  std::memcpy(Packing ? s2 : m2, &c, Block);
  std::memcpy(Packing ? s3 : m3, &d, Block);
}

/// Two nested loops around a block: the form of most layouts.
struct rows {
  std::size_t block = 0;
  std::int64_t n0 = 1, mem0 = 0, stream0 = 0;  ///< Inner loop: count, steps in bytes.
  std::int64_t n1 = 1, mem1 = 0, stream1 = 0;  ///< Outer loop.
};

template <bool Packing, std::size_t Block>
[[MPX_ALWAYS_INLINE]] inline void move_row(std::byte* mem, std::byte* stream, std::int64_t n,
                                           std::int64_t mem_step, std::int64_t stream_step,
                                           std::size_t block) noexcept {
  std::int64_t i = 0;
  if constexpr (Block != 0 && Block <= 16) {
    for (; i + 4 <= n; i += 4) {
      std::byte* const m1 = displaced(mem, mem_step);
      std::byte* const m2 = displaced(m1, mem_step);
      std::byte* const m3 = displaced(m2, mem_step);
      move_four<Packing, Block>(mem, m1, m2, m3, stream, stream_step);
      mem = displaced(m3, mem_step);
      stream += 4 * stream_step;
    }
  }
  for (; i < n; ++i) {
    move_block<Packing, Block>(mem, stream, block);
    mem = displaced(mem, mem_step);
    stream += stream_step;
  }
}

template <bool Packing, std::size_t Block>
void move_rows(std::byte* mem, std::byte* stream, const rows& r) noexcept {
  for (std::int64_t i = 0; i < r.n1; ++i) {
    move_row<Packing, Block>(mem, stream, r.n0, r.mem0, r.stream0, r.block);
    mem = displaced(mem, r.mem1);
    stream += r.stream1;
  }
}

/// Copies blocks of one length at any displacements in memory, contiguous in the stream.
template <bool Packing, std::size_t Block>
void move_indexed(std::byte* mem, std::byte* stream, const std::int64_t* at, std::int64_t n,
                  std::size_t block) noexcept {
  constexpr auto apart = static_cast<std::int64_t>(Block);
  std::int64_t i = 0;
  if constexpr (Block != 0 && Block <= 16) {
    for (; i + 4 <= n; i += 4) {
      move_four<Packing, Block>(displaced(mem, at[i]), displaced(mem, at[i + 1]),
                                displaced(mem, at[i + 2]), displaced(mem, at[i + 3]), stream,
                                apart);
      stream += 4 * apart;
    }
  }
  for (; i < n; ++i) {
    move_block<Packing, Block>(displaced(mem, at[i]), stream, block);
    stream += Block != 0 ? Block : block;
  }
}

/// Packs bytes 0 .. 3 and 8 .. 15 of each of `n` elements. Loads the bytes between with them; each
/// store except the last also writes into the space of the next element.
inline void pack_holed(const std::byte* mem, std::byte* stream, std::int64_t n,
                       std::int64_t mem_step) noexcept {
  using words [[gnu::vector_size(16)]] = std::int32_t;
  const auto one = [](const std::byte* from, std::byte* to) {
    words w;
    std::memcpy(&w, from, sizeof w);
    w = __builtin_shufflevector(w, w, 0, 2, 3, 3);
    std::memcpy(to, &w, sizeof w);
  };
  for (; n > 4; n -= 4) {
    one(mem, stream);
    one(mem + mem_step, stream + 12);
    one(mem + 2 * mem_step, stream + 24);
    one(mem + 3 * mem_step, stream + 36);
    mem += 4 * mem_step;
    stream += 48;
  }
  for (; n > 1; --n, mem += mem_step, stream += 12) one(mem, stream);
  if (n == 1) {
    std::memcpy(stream, mem, 4);
    std::memcpy(stream + 4, mem + 8, 8);
  }
}

/// Copies two blocks of each of `n` elements, as of a record with padding.
template <bool Packing, std::size_t A, std::size_t B>
void move_pairs(std::byte* mem, std::byte* stream, std::int64_t second, std::int64_t n,
                std::int64_t mem_step, std::int64_t stream_step) noexcept {
  if constexpr (Packing && A == 4 && B == 8)
    if (second == 8 && stream_step == 12) return pack_holed(mem, stream, n, mem_step);
  std::byte* mem_b = displaced(mem, second);
  std::byte* stream_b = stream + A;
  const auto one = [&](std::int64_t k) {
    move_block<Packing, A>(displaced(mem, k * mem_step), stream + k * stream_step, A);
    move_block<Packing, B>(displaced(mem_b, k * mem_step), stream_b + k * stream_step, B);
  };
  const auto advance = [&](std::int64_t k) {
    mem = displaced(mem, k * mem_step);
    mem_b = displaced(mem_b, k * mem_step);
    stream += k * stream_step;
    stream_b += k * stream_step;
  };
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {  // The loop costs as much as a block.
    one(0), one(1), one(2), one(3);
    advance(4);
  }
  for (; i < n; ++i, advance(1)) one(0);
}

using pairs_move = void (*)(std::byte*, std::byte*, std::int64_t, std::int64_t, std::int64_t,
                            std::int64_t) noexcept;
using rows_move = void (*)(std::byte*, std::byte*, const rows&) noexcept;
using indexed_move = void (*)(std::byte*, std::byte*, const std::int64_t*, std::int64_t,
                              std::size_t) noexcept;

/// A block in up to three nested loops, the innermost first.
struct block_loops {
  static constexpr unsigned depth_max = 3;
  struct level {
    std::int64_t count = 0, stride = 0;
    friend bool operator==(const level&, const level&) = default;
  };

  std::int64_t block = 0;
  unsigned depth = 0;
  level levels[depth_max] = {};
  rows_move move[2] = {};  // To memory, and from memory.
};

/// True if the loops alone show that the blocks do not overlap.
inline bool surely_disjoint(const block_loops& l) noexcept {
  const auto reach_of = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  block_loops::level levels[block_loops::depth_max];
  for (unsigned i = 0; i < l.depth; ++i) {  // Sorts by stride.
    unsigned k = i;
    for (; k > 0 && reach_of(levels[k - 1].stride) > reach_of(l.levels[i].stride); --k)
      levels[k] = levels[k - 1];
    levels[k] = l.levels[i];
  }
  std::int64_t reach = l.block;
  for (unsigned i = 0; i < l.depth; ++i) {
    const std::int64_t stride = reach_of(levels[i].stride);
    if (stride < reach) return false;
    reach += (levels[i].count - 1) * stride;
  }
  return true;
}

/// Calls `take` with the block length as a template argument; 0 if it is not a common one.
template <class Take>
constexpr auto with_block(std::size_t block, Take&& take) noexcept {
  switch (block) {
    case 1: return take.template operator()<1>();
    case 2: return take.template operator()<2>();
    case 4: return take.template operator()<4>();
    case 8: return take.template operator()<8>();
    case 12: return take.template operator()<12>();
    case 16: return take.template operator()<16>();
    case 24: return take.template operator()<24>();
    case 32: return take.template operator()<32>();
    case 64: return take.template operator()<64>();
    default: return take.template operator()<0>();
  }
}
/// Returns nullptr if one of the lengths is not a common one.
template <bool Packing>
pairs_move pairs_move_of(std::int64_t a, std::int64_t b) noexcept {
  const auto with = [](std::int64_t length, auto&& take) -> pairs_move {
    switch (length) {
      case 1: return take.template operator()<1>();
      case 2: return take.template operator()<2>();
      case 4: return take.template operator()<4>();
      case 8: return take.template operator()<8>();
      case 16: return take.template operator()<16>();
      default: return nullptr;
    }
  };
  return with(a, [&]<std::size_t A>() {
    return with(b, []<std::size_t B>() -> pairs_move { return &move_pairs<Packing, A, B>; });
  });
}
template <bool Packing>
rows_move rows_move_of(std::size_t block) noexcept {
  return with_block(block, []<std::size_t B>() -> rows_move { return &move_rows<Packing, B>; });
}
template <bool Packing>
indexed_move indexed_move_of(std::size_t block) noexcept {
  return with_block(block,
                    []<std::size_t B>() -> indexed_move { return &move_indexed<Packing, B>; });
}

}  // namespace mpx::inline v0::detail
