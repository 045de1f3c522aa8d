// SPDX-License-Identifier: BSL-1.0
#pragma once
// The words by which ranks exclude each other from a target's memory, in memory that all of them
// reach; the target's service takes them on behalf of ranks that do not.

#include <cstddef>
#include <cstdint>
#include <new>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"
#include "mpx/rma/element_locks.hpp"

namespace mpx::inline v0::rma {

/// Readers, or one writer, whom the word names. A writer that waits keeps new readers out, so that
/// it is not starved; but not those who hold another lock: they might be who others, and in the end
/// it, wait for. Zeroed memory is free.
///
/// bits 0 .. 20: readers inside; 21 .. 41: the writer's rank + 1; 42 .. 63: writers that wait.
class lock_word {
 public:
  /// `who` tries. `wanted`: of a writer, that it has called `want`. `passes`: of a reader, that it
  /// holds others.
  bool try_lock(bool exclusive, rank_t who, bool wanted, bool passes = false) noexcept {
    std::uint64_t old = word_.load(platform::memory_order_relaxed);
    for (;;) {
      if (refuses(old, exclusive, passes)) return false;
      const std::uint64_t next =
          exclusive ? old + (std::uint64_t{static_cast<std::uint32_t>(who)} + 1) * one_writer -
                          (wanted ? one_waits : 0)
                    : old + 1;
      if (word_.compare_exchange_strong(old, next, platform::memory_order_seq_cst)) return true;
    }
  }
  /// Whether that would be in vain now.
  bool refuses(bool exclusive, bool passes) const noexcept {
    return refuses(word_.load(platform::memory_order_relaxed), exclusive, passes);
  }
  /// A writer waits from now on, or, given up, no more.
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
  /// The writer inside; proc_null: there is none.
  rank_t holder() const noexcept {
    const auto who =
        static_cast<rank_t>((word_.load(platform::memory_order_acquire) & writer) / one_writer);
    return who == 0 ? rank_t{proc_null} : who - 1;
  }

 private:
  static constexpr std::uint64_t one_writer = std::uint64_t{1} << 21;
  static constexpr std::uint64_t one_waits = std::uint64_t{1} << 42;
  static constexpr std::uint64_t readers = one_writer - 1;
  static constexpr std::uint64_t writer = one_waits - one_writer;
  static constexpr std::uint64_t waiting = ~(one_waits - 1);

  static bool refuses(std::uint64_t word, bool exclusive, bool passes) noexcept {
    if (exclusive) return (word & (readers | writer)) != 0;
    return (word & (writer | (passes ? 0 : waiting))) != 0;
  }

  platform::atomic<std::uint64_t> word_{0};
};

/// What a rank has to do with a lock word, beside it, so that the living know what the dead held.
struct lock_part {
  static constexpr std::uint32_t none = 0;
  static constexpr std::uint32_t tries = 1;    ///< Or leaves, or is the writer, as the word says.
  static constexpr std::uint32_t waits = 2;    ///< It has been refused.
  static constexpr std::uint32_t counted = 3;  ///< The same, of a writer that the word counts.
  static constexpr std::uint32_t reads = 4;    ///< The word counts it as a reader.
};

/// What one rank tells another one that owns a control block. Written by the former alone, but for
/// `part`.
struct control_words {
  platform::atomic<std::uint64_t> sent;       ///< Records that fences have counted.
  platform::atomic<std::uint32_t> posts;      ///< "You may access me": how often.
  platform::atomic<std::uint32_t> completes;  ///< "I have": how often.
  platform::atomic<std::uint32_t> part;       ///< In the owner's lock: see lock_part.
};

/// By which all ranks of a window meet: each has one, says there that it has come, and looks for
/// the others'. Meetings are counted from 1; who has left one may be at the next, but not beyond.
class meeting_words {
 public:
  /// Of its owner. `sends`: what the others hear besides.
  void come(std::uint64_t which, bool sends) noexcept {
    words_[which % 2].exchange(2 * which + (sends ? 1 : 0), platform::memory_order_seq_cst);
  }
  /// Whether the owner has come. `sends` becomes true if it has said so.
  bool has_come(std::uint64_t which, bool& sends) const noexcept {
    const std::uint64_t word = words_[which % 2].load(platform::memory_order_acquire);
    if (word / 2 != which) return false;
    sends = sends || word % 2 != 0;
    return true;
  }

 private:
  platform::atomic<std::uint64_t> words_[2];
};

/// What the ranks of a window meet in, one for each target: in memory that they share, if they do.
/// Behind it are, for each rank, a bit that it sleeps until the lock is free, and its words.
struct control_block {
  alignas(cache_line_bytes) lock_word lock;
  platform::atomic<std::uint32_t> queued;  // The target's service has requests that wait.
  alignas(cache_line_bytes) meeting_words meetings;
  alignas(cache_line_bytes) platform::atomic<std::uint64_t> in_meeting;  // Of rank 0: who sleeps.
  platform::atomic<std::uint32_t> dozing;  // The owner sleeps until posts or completes change.
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> elements[element_locks::count];
  alignas(cache_line_bytes) bulk_lock bulk;
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> few;  // The owner's: see bulk_lock.

  /// In `bytes` bytes of zeros at `room`. (In a template nvcc refuses this expression, since the
  /// block is over-aligned.)
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
  /// Those of rank `r` of `ranks`.
  control_words& of(rank_t r, rank_t ranks) noexcept {
    return reinterpret_cast<control_words*>(sleeping() + masks(ranks))[r];
  }
};

/// What the living do about rank `dead`, of which a lock and its words may still speak: if it was
/// a reader, or waited, it is struck off, by whoever comes first. Returns whether it held the lock
/// as a writer, or may have: that stays so, since what it was at may be half done.
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
