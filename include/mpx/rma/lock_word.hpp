// SPDX-License-Identifier: BSL-1.0
#pragma once
// Lock words and counters by which the ranks of a window synchronise in memory that they share. The
// target's service uses them on behalf of ranks that do not map that memory.

#include <cstddef>
#include <cstdint>
#include <new>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"
#include "mpx/rma/element_locks.hpp"

namespace mpx::inline v0::rma {

/// Reader-writer lock that names its writer. A waiting writer keeps out new readers, so that it is
/// not starved, except readers that hold another lock: other ranks, and in the end the writer,
/// might wait for them. Zeroed memory is a free lock.
///
/// bits 0 .. 20: readers inside; 21 .. 41: the writer's rank + 1; 42 .. 63: waiting writers.
class lock_word {
 public:
  /// Tries to acquire the lock for rank `who`. `wanted`: the writer has called `want`. `passes`:
  /// the reader holds another lock.
  bool try_lock(bool exclusive, rank_t who, bool wanted, bool passes = false) noexcept {
    std::uint64_t old = word_.load(platform::memory_order_relaxed);
    for (;;) {
      if (refuses(old, exclusive, passes)) return false;
      const std::uint64_t next =
          exclusive ? old + held_by(who) - (wanted ? one_waits : 0) : old + one_reader;
      if (word_.compare_exchange_strong(old, next, platform::memory_order_seq_cst)) return true;
    }
  }
  /// True if try_lock would fail now.
  bool refuses(bool exclusive, bool passes) const noexcept {
    return refuses(word_.load(platform::memory_order_relaxed), exclusive, passes);
  }
  /// `want` registers a waiting writer; `give_up` removes it.
  void want() noexcept { word_.fetch_add(one_waits, platform::memory_order_relaxed); }
  void give_up() noexcept { word_.fetch_sub(one_waits, platform::memory_order_seq_cst); }
  void unlock(bool exclusive) noexcept {
    if (exclusive) {
      word_.fetch_and(~writer, platform::memory_order_seq_cst);
    } else {
      word_.fetch_sub(1, platform::memory_order_seq_cst);
    }
  }
  bool is_free() const noexcept {
    return (word_.load(platform::memory_order_relaxed) & (readers | writer)) == 0;
  }
  // For ranks that access the word of another rank by a card, with a value read there.
  static constexpr std::uint64_t one_reader = 1;
  static constexpr std::uint64_t one_writer = std::uint64_t{1} << 21;
  static constexpr std::uint64_t one_waits = std::uint64_t{1} << 42;
  static constexpr std::uint64_t writer = one_waits - one_writer;
  static constexpr std::uint64_t held_by(rank_t who) noexcept {
    return (std::uint64_t{static_cast<std::uint32_t>(who)} + 1) * one_writer;
  }
  static constexpr bool is_last_reader(std::uint64_t word) noexcept {
    return (word & readers) == one_reader;
  }
  static constexpr bool refuses(std::uint64_t word, bool exclusive, bool passes) noexcept {
    if (exclusive) return (word & (readers | writer)) != 0;
    return (word & (writer | (passes ? 0 : waiting))) != 0;
  }
  bool has_readers() const noexcept {
    return (word_.load(platform::memory_order_relaxed) & readers) != 0;
  }
  /// Returns the writer inside; proc_null: none.
  rank_t holder() const noexcept {
    const auto who =
        static_cast<rank_t>((word_.load(platform::memory_order_acquire) & writer) / one_writer);
    return who == 0 ? rank_t{proc_null} : who - 1;
  }

 private:
  static constexpr std::uint64_t readers = one_writer - 1;
  static constexpr std::uint64_t waiting = ~(one_waits - 1);

  platform::atomic<std::uint64_t> word_{0};
};

/// State of one rank with regard to a lock word, kept beside it: tells other ranks what a failed
/// rank held.
struct lock_part {
  static constexpr std::uint32_t none = 0;
  /// Acquiring or releasing, or the writer inside, as the word says.
  static constexpr std::uint32_t tries = 1;
  static constexpr std::uint32_t waits = 2;  ///< Refused.
  /// Refused, and counted in the word as a waiting writer.
  static constexpr std::uint32_t counted = 3;
  static constexpr std::uint32_t reads = 4;  ///< Counted in the word as a reader.
};

/// Words of one rank in the control block of another. Only that rank writes them, except `part`.
struct control_words {
  platform::atomic<std::uint64_t> sent;       ///< Records counted by fences.
  platform::atomic<std::uint32_t> posts;      ///< Exposure epochs opened to the owner.
  platform::atomic<std::uint32_t> completes;  ///< Access epochs to the owner completed.
  platform::atomic<std::uint32_t> part;       ///< State in the owner's lock: see lock_part.
};

/// One rank's words of the barrier of a window's ranks. Each rank announces its arrival in its own
/// words and polls those of the others. Barriers are counted from 1. A rank may be one barrier
/// ahead of the others, not more: hence two words.
class barrier_words {
 public:
  /// Announces the owner's arrival. `sends`: one bit for all other ranks.
  void arrive(std::uint64_t which, bool sends) noexcept {
    words_[which % 2].exchange(2 * which + (sends ? 1 : 0), platform::memory_order_seq_cst);
  }
  /// True if the owner has arrived. Sets `sends` if the owner did so.
  bool has_arrived(std::uint64_t which, bool& sends) const noexcept {
    const std::uint64_t word = words_[which % 2].load(platform::memory_order_acquire);
    if (word / 2 != which) return false;
    sends = sends || word % 2 != 0;
    return true;
  }

 private:
  platform::atomic<std::uint64_t> words_[2];
};

/// Synchronisation words of one target, in memory shared with the other ranks if there is any.
/// Followed by a bit for each rank (set while it sleeps until the lock is free) and by the
/// control_words of each rank.
struct control_block {
  alignas(cache_line_bytes) lock_word lock;
  platform::atomic<std::uint32_t> queued;  // Number of requests that wait at the target's service.
  alignas(cache_line_bytes) barrier_words barrier;
  // Block of rank 0 only: ranks that sleep in the barrier.
  alignas(cache_line_bytes) platform::atomic<std::uint64_t> in_barrier;
  // Threads of the owner that sleep until posts or completes change.
  platform::atomic<std::uint32_t> dozing;
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> elements[element_locks::count];
  alignas(cache_line_bytes) bulk_lock bulk;
  // The owner's flag: see bulk_lock.
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> few;

  /// Constructs a block in `bytes` zeroed bytes at `room`. (nvcc refuses this expression in a
  /// template, because the block is over-aligned.)
  static control_block* make(void* room) noexcept { return ::new (room) control_block; }
  static constexpr std::size_t masks(rank_t ranks) noexcept {
    return (static_cast<std::size_t>(ranks) + 63) / 64;
  }
  static constexpr std::size_t bytes(rank_t ranks) noexcept {
    return sizeof(control_block) + masks(ranks) * sizeof(std::uint64_t) +
           static_cast<std::size_t>(ranks) * sizeof(control_words);
  }
  platform::atomic<std::uint64_t>* sleeping() noexcept {
    return reinterpret_cast<platform::atomic<std::uint64_t>*>(this + 1);
  }
  /// The word of `sleeping` that has the bit of rank `r`, and that bit.
  platform::atomic<std::uint64_t>& sleeping_with(rank_t r) noexcept { return sleeping()[r / 64]; }
  static constexpr std::uint64_t bit_of(rank_t r) noexcept { return std::uint64_t{1} << (r % 64); }
  /// Words of rank `r` of `ranks`.
  control_words& of(rank_t r, rank_t ranks) noexcept {
    return reinterpret_cast<control_words*>(sleeping() + masks(ranks))[r];
  }
};

/// Cleans up after the failed rank `dead`: the first rank to call removes it from the readers or
/// waiting writers.
/// Returns:    true if it held the lock as a writer, or may have. The lock then stays held, since
///             its writes may be incomplete.
inline bool held_by_dead(control_block& c, rank_t dead, rank_t ranks) noexcept {
  if (c.lock.holder() == dead) return true;
  platform::atomic<std::uint32_t>& part = c.of(dead, ranks).part;
  std::uint32_t was = part.load(platform::memory_order_acquire);
  if (was == lock_part::tries) return true;
  if (was == lock_part::counted && part.compare_exchange_strong(was, lock_part::none))
    c.lock.give_up();
  if (was == lock_part::reads && part.compare_exchange_strong(was, lock_part::none))
    c.lock.unlock(false);
  return false;
}

}  // namespace mpx::inline v0::rma
