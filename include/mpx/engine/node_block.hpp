// SPDX-License-Identifier: BSL-1.0
#pragma once
// The block of memory in which the ranks of a communicator meet, and what each keeps of it.
//
// Every rank has four slots, each a cache line with a flag, and beside it room for what is longer.
// A call uses slot `serial % 4`; its *tag*, made of its serial and the number of a piece, is the
// flag. Flags are written by their owner alone, so that calls never mix: who waits for a tag finds
// that one or an older one. Before a rank writes a slot again it knows that every other one has
// *left* what was there: from what they have shown since, or from the words in which they say so.
// So no call needs a second meeting, and one rank may be three calls ahead.
//
// What is long goes in pieces. With each its rank shows how much of the call is left, the piece
// included: so lengths that differ are found at the first piece, wherever the pieces end.
//
// Where ranks outnumber cores each of them gives its core away until those that share it have come,
// and then looks for the others without a pause: so a call takes one change of a core for each of
// its ranks but one. Who combines long vectors counts: the last to come does it, for all.

#include <cstddef>
#include <cstdint>

#include "mpx/core/frame.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"
#include "mpx/protocol/scheme_learner.hpp"

namespace mpx::inline v0::coll {

/// serial << 32 | piece + 1. Zeroed memory is the tag of nothing.
using node_tag = std::uint64_t;

constexpr node_tag tag_of(tag_t serial, std::uint32_t piece) noexcept {
  return node_tag{static_cast<std::uint32_t>(serial)} << 32 | (piece + 1);
}
/// Behind the last piece of a call.
constexpr node_tag end_of(tag_t serial) noexcept { return tag_of(serial, 0xffff'fffe); }
/// Serials have 31 bits, and go round.
constexpr tag_t serial_before(tag_t serial) noexcept { return (serial - 1) & 0x7fff'ffff; }
/// Whether a is b or later.
constexpr bool reaches(node_tag a, node_tag b) noexcept {
  return static_cast<std::int64_t>((a - b) << 1) >= 0;
}

inline constexpr rank_t node_ranks_max = 64;  // A bit for each in a word.
inline constexpr std::uint64_t all_ranks = ~std::uint64_t{0};
inline constexpr unsigned node_slots = 4;
inline constexpr std::size_t node_inline_bytes = 48;    // What fits a flag's line;
inline constexpr std::size_t node_near_bytes = 256;     // what is near those of all other ranks,
inline constexpr std::size_t node_piece_bytes = 65536;  // and what has pages of its own.
// What one rank shows to others that read it meanwhile goes in smaller pieces.
inline constexpr std::size_t node_stream_bytes = 16384;

// What a flag is raised for is not data, but where it lies; or data for some of the ranks, and a
// list of them.
inline constexpr std::size_t node_is_loan = std::size_t{1} << 63;
inline constexpr std::size_t node_is_edges = std::size_t{1} << 62;
/// A flag, and what it is raised for.
struct node_slot {
  alignas(cache_line_bytes) std::byte data[node_inline_bytes];
  platform::atomic<std::uint64_t> bytes;  // From here on to the call's end. Before the flag.
  platform::atomic<node_tag> flag;
};
static_assert(sizeof(node_slot) == cache_line_bytes);

/// What one rank writes. The words of a rank share no line with another's.
struct node_rank {
  node_slot slot[node_slots];
  alignas(cache_line_bytes) platform::atomic<node_tag> left;  // It reads nothing up to this tag.
};

/// How many have come to a piece of a call: serial << 33 | piece << 8 | how many.
struct alignas(cache_line_bytes) node_come {
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
  alignas(cache_line_bytes) platform::atomic<std::uint64_t> sleeping;  // A bit for each rank.
  platform::atomic<std::uint64_t> gone;  // Ranks that have let go of the block.
  node_slot met[node_slots];  // Raised by the last to come, with what it has made of all.
  node_come come[node_slots];
  // The core that each rank was last seen on, + 1, where ranks outnumber cores.
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> core[node_ranks_max];
};

/// What a rank lends to one other for a call.
struct loan {
  remote_memory in;
  remote_memory out;
};
static_assert(sizeof(loan) * node_ranks_max <= node_piece_bytes &&
              sizeof(loan) * 2 > node_inline_bytes);

/// A rank's view of the block. Zeroed memory is a block in which nobody has met.
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
  /// A bit for each rank.
  std::uint64_t everybody() const noexcept { return all_ranks >> (node_ranks_max - ranks_); }
  node_head& head() const noexcept { return *reinterpret_cast<node_head*>(base_); }
  node_rank& of(rank_t r) const noexcept {
    return reinterpret_cast<node_rank*>(base_ + sizeof(node_head))[r];
  }
  /// Where `bytes` of rank r lie; of r == ranks: what the last to come has made.
  [[MPX_ALWAYS_INLINE]] std::byte* data(rank_t r, unsigned slot, std::size_t bytes) const noexcept {
    if (bytes <= node_inline_bytes) return this->slot(r, slot).data;
    const auto rank = static_cast<std::size_t>(r);
    if (bytes <= node_near_bytes)
      return base_ + near_at(ranks_) +
             (static_cast<std::size_t>(ranks_ + 1) * slot + rank) * node_near_bytes;
    return base_ + far_at(ranks_) + (rank * node_slots + slot) * stride;
  }
  node_slot& slot(rank_t r, unsigned i) const noexcept {
    return r == ranks_ ? head().met[i] : of(r).slot[i];
  }
  bool has_shown(rank_t r, unsigned i, node_tag tag) const noexcept {
    return slot(r, i).flag.load(platform::memory_order_acquire) == tag;
  }

 private:
  // Of one slot that of all ranks is together: where many processes take turns on a core, each
  // finds the places of all pages forgotten.
  static constexpr std::size_t near_at(rank_t n) noexcept { return flags_bytes(n); }
  static constexpr std::size_t far_at(rank_t n) noexcept {
    return near_at(n) + static_cast<std::size_t>(n + 1) * node_slots * node_near_bytes;
  }
  // Not a power of two: what is read of all ranks would fall on few lines of the cache.
  static constexpr std::size_t stride = node_piece_bytes + 3 * cache_line_bytes;

  std::byte* base_ = nullptr;
  rank_t ranks_ = 0;
};

/// What a rank knows of the others in a block; endpoint::forget_node lets go of that.
struct node_state : mpx::detail::allocated {
  /// Whether any rank makes that collective call here, and not by messages.
  bool has_met(tag_t serial) const noexcept {
    const unsigned slot = static_cast<std::uint32_t>(serial) % node_slots;
    for (rank_t r = 0; r < block.ranks(); ++r)
      if (block.has_shown(r, slot, tag_of(serial, 0))) return true;
    return false;
  }

  bool claims_of(std::size_t bytes) const noexcept { return claims && bytes >= claimed_bytes_min; }
  /// Ends this rank's reading of what another one has shown to nobody else.
  [[MPX_ALWAYS_INLINE]] void claim(const memory& read) const noexcept {
    if (claims_of(read.bytes)) platform::claim_lines(read.base, read.bytes);
  }

  /// Asks for lines that this rank is about to show something in, where that pays: not so many that
  /// they take the place of what is copied.
  void own_early(const std::byte* to, std::size_t bytes) const noexcept {
    if (owns_early && bytes <= owned_bytes_max) platform::own_lines(to, bytes);
  }

  /// The same where it has just shown so much, for the slot after that, which it shows next if the
  /// next call is like this one. Those who read there have mostly left, and while it waits for them
  /// here it has nothing else to do. (Not for who only shows: it is ahead of those who read.)
  void own_next(rank_t me, unsigned slot, std::size_t bytes) const noexcept {
    if (bytes > node_near_bytes) own_early(block.data(me, (slot + 1) % node_slots, bytes), bytes);
  }
  static constexpr std::size_t owned_bytes_max = 4096;

  node_block block;
  std::uint64_t own = 0;     // The block's name where it was made.
  bool crowded = false;      // Ranks outnumber cores,
  std::uint32_t core = 0;    // of which the others know this rank to be on that one.
  unsigned turns = 0;        // Waits until it looks whether the others are spread evenly,
  unsigned turns_apart = 0;  // and from one such look to the next.
  int luck = 0;              // Of one that waits for those on other cores, without a pause.
  tag_t rooted = -1;         // The last call in which one rank shows something to all,
  rank_t root = 0;           // which one that was,
  rank_t root_after = 0;     // and which one it is in the next, if roots go on as they did.
  bool reads = false;        // All had better copy from each other's memory;
  bool may_read = false;     // or can, and whether that pays is to be learnt.
  bool fenced = false;       // The kernel has no barrier for others: each flag needs a fence.
  bool claims = false;       // See platform::claiming_pays; not where ranks share cores.
  bool owns_early = false;   // See platform::owning_early_pays; the same.
  node_tag left = 0;         // As the others know it.
  node_tag all_left = 0;
  node_tag left_by[node_ranks_max] = {};   // What each other is known to have left, besides.
  node_tag used[node_slots] = {};          // What this rank has raised,
  std::uint64_t readers[node_slots] = {};  // and which of the others may read that.
  // Of rank 0, what reading (a get) and showing (packets) have cost.
  protocol::scheme_learner alltoall_ways;
  protocol::scheme_learner allgather_ways;
};

}  // namespace mpx::inline v0::coll
