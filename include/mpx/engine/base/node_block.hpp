// SPDX-License-Identifier: BSL-1.0
#pragma once
// Layout of the shared-memory block through which the ranks of a communicator on one node run
// collectives, and the state that each rank keeps about it.
//
// Every rank has four slots. A slot is a cache line with a flag and up to 48 bytes of data; larger
// data has room elsewhere in the block. Piece k of the call with serial s uses slot (s + k) % 4.
// The flag's value is a *tag*, made of the call's serial and the number of the piece. A flag is
// written by its owner alone, so calls never mix: a rank that waits for a tag finds that tag or an
// older one. Before a rank writes a slot again, it knows that every other rank has *read* its last
// contents: from what they have published since, or from the words in which they say so. Therefore
// no call needs a second synchronization, and one rank may be three calls ahead.
//
// Long data moves in pieces. With each piece its rank publishes the number of bytes left in the
// call, this piece included, so lengths that differ are detected at the first piece, wherever
// pieces end.
//
// If ranks outnumber cores, each rank yields until the ranks that share its core have arrived, and
// then polls for the others without yielding. So a call needs n - 1 context switches in total on a
// core of n ranks. To combine long vectors, arriving ranks are counted, and the last one combines
// the vectors for all.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mpx/core/frame.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/engine/axes/collective_question.hpp"

namespace mpx::inline v0::coll {

/// serial << 32 | piece + 1. Zeroed memory is no call's tag.
using node_tag = std::uint64_t;

constexpr node_tag tag_of(tag_t serial, std::uint32_t piece) noexcept {
  return node_tag{static_cast<std::uint32_t>(serial)} << 32 | (piece + 1);
}
/// The tag behind the last piece of a call.
constexpr node_tag end_of(tag_t serial) noexcept { return tag_of(serial, 0xffff'fffe); }
/// Serials have 31 bits and wrap around.
constexpr tag_t serial_before(tag_t serial) noexcept { return (serial - 1) & 0x7fff'ffff; }
/// True if a is b or later.
constexpr bool reaches(node_tag a, node_tag b) noexcept {
  return static_cast<std::int64_t>((a - b) << 1) >= 0;
}

inline constexpr rank_t node_ranks_max = 64;  // One bit for each in a word.
inline constexpr std::uint64_t all_ranks = ~std::uint64_t{0};
inline constexpr unsigned node_slots = 4;
inline constexpr std::size_t node_inline_bytes = 48;    // In the flag line, up to this size;
inline constexpr std::size_t node_near_bytes = 256;     // beside the data of the other ranks;
inline constexpr std::size_t node_piece_bytes = 65536;  // in an area of its own, with padding.
// Size of the pieces that one rank publishes while others read them.
inline constexpr std::size_t node_stream_bytes = 16384;

// Mark in `bytes`: the data is for some ranks only, and begins with a table of them. With 0 bytes:
// these ranks receive messages instead.
inline constexpr std::size_t node_is_selective = std::size_t{1} << 62;
/// A flag, and the data that it publishes.
struct node_slot {
  alignas(cache_line_bytes) std::byte data[node_inline_bytes];
  platform::atomic<std::uint64_t> bytes;  // Bytes left in the call. Written before the flag.
  platform::atomic<node_tag> flag;
};
static_assert(sizeof(node_slot) == cache_line_bytes);

/// The part of the block that one rank writes. It shares no cache line with another rank's part.
struct node_rank {
  node_slot slot[node_slots];
  // The owner has finished reading everything up to this tag.
  alignas(cache_line_bytes) platform::atomic<node_tag> read_up_to;
};

/// Number of ranks that have arrived at a piece of a call: serial << 33 | piece << 8 | number.
struct alignas(cache_line_bytes) arrival_count {
  platform::atomic<std::uint64_t> count;

  static constexpr std::uint64_t first(tag_t serial, std::uint32_t piece) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(serial)} << 33 | std::uint64_t{piece} << 8;
  }
  static constexpr bool is_of(std::uint64_t word, std::uint64_t first) noexcept {
    return word >> 8 == first >> 8;
  }
  static constexpr bool is_later(std::uint64_t word, std::uint64_t first) noexcept {
    return word != 0 && static_cast<std::int64_t>(word - first) > 0;
  }
};

struct node_head {
  alignas(cache_line_bytes) platform::atomic<std::uint64_t> sleeping;  // One bit for each rank.
  platform::atomic<std::uint64_t> gone;  // Number of ranks that have released the block.
  node_slot combined[node_slots];        // Published by the last rank to arrive: the combined data.
  arrival_count arrivals[node_slots];
  // The core on which each rank was last seen, + 1, if ranks outnumber cores.
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> core[node_ranks_max];
};

/// A rank's view of the block. Zeroed memory is a block that no call has used.
class node_block {
 public:
  node_block() = default;
  node_block(std::byte* base, rank_t ranks) noexcept : base_(base), ranks_(ranks) {}

  static constexpr std::size_t flags_bytes(rank_t n) noexcept {
    return sizeof(node_head) + static_cast<std::size_t>(n) * sizeof(node_rank);
  }
  static constexpr std::size_t bytes(rank_t n) noexcept {
    return far_at(n) + static_cast<std::size_t>(n + 1) * node_slots * stride;
  }
  explicit operator bool() const noexcept { return base_ != nullptr; }
  rank_t ranks() const noexcept { return ranks_; }
  /// One bit for each rank.
  std::uint64_t everybody() const noexcept { return all_ranks >> (node_ranks_max - ranks_); }
  node_head& head() const noexcept { return *reinterpret_cast<node_head*>(base_); }
  node_rank& of(rank_t r) const noexcept {
    return reinterpret_cast<node_rank*>(base_ + sizeof(node_head))[r];
  }
  /// Address of `bytes` of rank r; of r == ranks: of the data that the last rank to arrive has
  /// combined.
  [[MPX_ALWAYS_INLINE]] std::byte* data(rank_t r, unsigned slot, std::size_t bytes) const noexcept {
    if (bytes <= node_inline_bytes) return this->slot(r, slot).data;
    const auto rank = static_cast<std::size_t>(r);
    if (bytes <= node_near_bytes)
      return base_ + near_at(ranks_) +
             (static_cast<std::size_t>(ranks_ + 1) * slot + rank) * node_near_bytes;
    return base_ + far_at(ranks_) + (rank * node_slots + slot) * stride;
  }
  node_slot& slot(rank_t r, unsigned i) const noexcept {
    return r == ranks_ ? head().combined[i] : of(r).slot[i];
  }
  bool has_published(rank_t r, unsigned i, node_tag tag) const noexcept {
    return slot(r, i).flag.load(platform::memory_order_acquire) == tag;
  }
  /// Removes ranks that have published `tag` in slot i from `missing`, up to the first that has
  /// not. Returns true if none is left.
  [[MPX_ALWAYS_INLINE]] bool have_published(std::uint64_t& missing, unsigned i,
                                            node_tag tag) const noexcept {
    for (; missing != 0; missing &= missing - 1)
      if (!has_published(static_cast<rank_t>(std::countr_zero(missing)), i, tag)) return false;
    return true;
  }

 private:
  // Data of one slot is together for all ranks: if many processes take turns on a core, each of
  // them finds all TLB entries evicted.
  static constexpr std::size_t near_at(rank_t n) noexcept { return flags_bytes(n); }
  static constexpr std::size_t far_at(rank_t n) noexcept {
    return near_at(n) + static_cast<std::size_t>(n + 1) * node_slots * node_near_bytes;
  }
  // Not a power of two: data read from all ranks would map to few cache sets.
  static constexpr std::size_t stride = node_piece_bytes + 3 * cache_line_bytes;

  std::byte* base_ = nullptr;
  rank_t ranks_ = 0;
};

/// A rank's knowledge of the others in a block. endpoint::forget_node releases it.
struct node_state : mpx::detail::allocated {
  /// True if any rank runs that collective call through the block, not by messages.
  bool is_used_by(tag_t serial) const noexcept {
    const unsigned slot = static_cast<std::uint32_t>(serial) % node_slots;
    for (rank_t r = 0; r < block.ranks(); ++r)
      if (block.has_published(r, slot, tag_of(serial, 0))) return true;
    return false;
  }

  bool claims_lines(std::size_t bytes) const noexcept {
    return claiming_pays && bytes >= claimed_bytes_min;
  }
  /// Ends this rank's reading of data that another rank has published for it alone. Stores to each
  /// line and so takes its ownership; the contents are lost. The publisher's next store there is
  /// faster where claiming_pays.
  [[MPX_ALWAYS_INLINE]] void claim_lines(const memory& read) const noexcept {
    if (claims_lines(read.bytes)) platform::claim_lines(read.base, read.bytes);
  }

  /// Requests ownership of lines that this rank is about to write, if that is faster. Not of so
  /// many lines that they evict the data to be copied.
  void prefetch_to_write(const std::byte* to, std::size_t bytes) const noexcept {
    if (prefetch_pays && bytes <= prefetch_bytes_max) platform::prefetch_exclusive(to, bytes);
  }

  /// Requests ownership of the lines of the next slot, after writing `bytes` to this one; the next
  /// call probably writes as much there. Its readers have mostly finished, and this rank has
  /// nothing else to do while it waits for them. (Not called by a rank that only publishes: it is
  /// ahead of its readers.)
  void prefetch_next(rank_t me, unsigned slot, std::size_t bytes) const noexcept {
    if (bytes > node_near_bytes)
      prefetch_to_write(block.data(me, (slot + 1) % node_slots, bytes), bytes);
  }
  static constexpr std::size_t prefetch_bytes_max = 4096;

  node_block block;
  std::uint64_t own = 0;                       // Name of the block if this rank made it.
  bool oversubscribed = false;                 // Ranks outnumber cores.
  std::uint32_t core = 0;                      // The core on which the others know this rank to be.
  bool may_move = platform::ranks_may_move();  // To another core: MPX_MAY_MOVE.
  unsigned checks_due_in = 0;   // Waits until the next check of the spread over cores,
  unsigned check_interval = 0;  // and between two such checks.
  tag_t rooted = -1;            // Last call in which one rank published to all others;
  rank_t root = 0;              // that rank,
  rank_t root_after = 0;        // and the expected one of the next such call.
  // No membarrier in the kernel: each flag needs a fence. Else a sleeping rank issues a membarrier
  // before its last look, so that flags need none.
  bool fenced = false;
  bool claiming_pays = false;   // See platform::claiming_pays; false if ranks share cores.
  bool prefetch_pays = false;   // See platform::owning_early_pays; likewise.
  node_tag read_up_to = 0;      // As published to the others.
  node_tag all_read_up_to = 0;  // Tag up to which all others are known to have read.
  node_tag read_up_to_by[node_ranks_max] = {};  // The same of each one, if later.
  node_tag used[node_slots] = {};               // Tags that this rank has published,
  std::uint64_t readers[node_slots] = {};       // and the ranks that may read them.
  // For each operation the last length for which the stack's policy chose the block, + 1.
  std::size_t chosen_bytes[operations] = {};
};

/// Completes a question about a call of ranks that have a block.
inline void ask_of_block(question& q, const node_state& s) noexcept {
  q.near = q.meets = true;
  q.oversubscribed = s.oversubscribed;
}

}  // namespace mpx::inline v0::coll
