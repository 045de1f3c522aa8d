// SPDX-License-Identifier: BSL-1.0
#pragma once
// Mutual exclusion of ranks that combine elements of one target: atomic instructions, a lock per
// element if there is no such instruction, and a lock of all elements for long accumulates.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0::rma {

struct element_locks;

/// Lock of all elements of a target. A rank that holds it combines many elements without atomic
/// instructions.
///
/// While the lock is open, a rank that combines few elements only sets a flag of its own and checks
/// that the lock is open. The first rank with many elements closes the lock and waits once for
/// ranks that have not seen it closed: an asymmetric Dekker algorithm, whose other half is a heavy
/// barrier. From then on every rank takes the lock, until enough ranks in a row had few elements.
/// Zeroed memory is an open lock.
///
/// bits 0 .. 29: holder + 1; 30: some ranks may not have seen it closed; 31: closed.
class bulk_lock {
 public:
  bool is_open() const noexcept { return word_.load(platform::memory_order_acquire) == 0; }
  /// Acquires the lock for rank `who`, also from a failed holder: see element_locks.
  /// Returns:    false if the lock is open and not `many`: it need not be taken then.
  bool lock(const element_locks& locks, std::uint32_t who, bool many) noexcept;
  void unlock(const element_locks& locks, bool many) noexcept;

 private:
  static constexpr std::uint32_t closed = std::uint32_t{1} << 31;
  static constexpr std::uint32_t closing = std::uint32_t{1} << 30;
  static constexpr std::uint32_t holders = closing - 1;

  static void wait_for_few(const element_locks& locks) noexcept;

  platform::atomic<std::uint32_t> word_{0};
  std::uint32_t in_a_row_ = 0;  // Written by the holder: acquisitions in a row with few elements.
};

/// Locks of elements that no instruction can combine atomically, and the lock of all elements. Each
/// lock guards the elements at some addresses, counted from `base`, so that all ranks that map the
/// memory agree. A lock is held for a few copies; it contains its holder, so that a failed holder
/// does not block others: after many polls `is_dead(who)` is asked. Elements that a failed holder
/// was writing are left as they are.
struct element_locks {
  static constexpr std::size_t count = 16;
  platform::atomic<std::uint32_t>* words = nullptr;  // `count` words; 0: free, else holder + 1.
  const std::byte* base = nullptr;
  bool (*is_dead)(void* with, std::uint32_t who) noexcept = nullptr;
  void* with = nullptr;
  bulk_lock* bulk = nullptr;  // nullptr: not used.
  /// Returns the flag of rank `who`: the number of its threads that combine few elements. nullptr:
  /// that rank does not map this memory.
  platform::atomic<std::uint32_t>* (*few_of)(void* with, std::uint32_t who) noexcept = nullptr;
  platform::atomic<std::uint32_t>* few = nullptr;  // This rank's own.
  std::uint32_t ranks = 0;       // 0: the ranks have not agreed yet to use `bulk`.
  bool threads = false;          // Several threads of this rank may set `few`.
  std::uint64_t one_by_one = 0;  // Elements combined one by one although there were many.
  // Acquisitions in a row with few elements before `bulk` opens again.
  std::uint32_t in_a_row_max = 64;
  std::uint32_t looks_per_question = 4096;

  platform::atomic<std::uint32_t>& of(const std::byte* there) const noexcept {
    return words[static_cast<std::size_t>(there - base) / 16 % count];
  }
  /// True if `n` elements are worth taking the bulk lock. Closing an open lock takes as long as one
  /// to two thousand atomic instructions.
  bool are_many(std::size_t n) noexcept {
    constexpr std::size_t few_elements = 4;
    constexpr std::uint64_t closing_pays = 1024;
    if (n <= few_elements || bulk == nullptr || ranks == 0) return false;
    if (!bulk->is_open()) return true;
    one_by_one += n;
    if (one_by_one < closing_pays) return false;
    one_by_one = 0;
    return true;
  }
  /// Relaxes or yields once while `who` holds a lock; `looks` is the number of polls so far.
  /// Returns:    true if `who` is known to have failed.
  bool wait_for(std::uint32_t who, std::uint32_t looks) const noexcept {
    const std::uint32_t since = looks % looks_per_question;
    if (since == looks_per_question - 1 && is_dead != nullptr && is_dead(with, who)) return true;
    platform::relax();
    if (since > 64) ::sched_yield();
    return false;
  }
};

/// Holds the lock of one element for its lifetime.
class element_lock {
 public:
  element_lock(const element_locks& locks, const std::byte* there, std::uint32_t who) noexcept
      : word_(locks.of(there)) {
    for (std::uint32_t looks = 0;; ++looks) {
      std::uint32_t holder = 0;
      if (word_.compare_exchange_strong(holder, who + 1, platform::memory_order_acquire)) return;
      if (locks.wait_for(holder - 1, looks) &&
          word_.compare_exchange_strong(holder, who + 1, platform::memory_order_acquire))
        return;
    }
  }
  element_lock(const element_lock&) = delete;
  element_lock& operator=(const element_lock&) = delete;
  ~element_lock() { word_.store(0, platform::memory_order_release); }

 private:
  platform::atomic<std::uint32_t>& word_;
};

/// Sets this rank's flag while it combines few elements, if the bulk lock is open.
class few_guard {
 public:
  [[MPX_ALWAYS_INLINE]] explicit few_guard(const element_locks& locks) noexcept : locks_(locks) {
    if (locks.bulk == nullptr) return;
    if (locks.threads) [[unlikely]]
      locks.few->fetch_add(1, platform::memory_order_relaxed);
    else
      locks.few->store(1, platform::memory_order_relaxed);
    platform::signal_fence();
    may_ = locks.bulk->is_open();
    if (!may_) [[unlikely]]
      leave();
  }
  few_guard(const few_guard&) = delete;
  few_guard& operator=(const few_guard&) = delete;
  [[MPX_ALWAYS_INLINE]] ~few_guard() {
    if (may_ && locks_.bulk != nullptr) leave();
  }
  /// True if the elements may be combined without the bulk lock.
  [[MPX_ALWAYS_INLINE]] explicit operator bool() const noexcept { return may_; }

 private:
  [[MPX_ALWAYS_INLINE]] void leave() noexcept {
    if (locks_.threads) [[unlikely]]
      locks_.few->fetch_sub(1, platform::memory_order_release);
    else
      locks_.few->store(0, platform::memory_order_release);
  }
  const element_locks& locks_;
  bool may_ = true;
};

inline bool bulk_lock::lock(const element_locks& locks, std::uint32_t who, bool many) noexcept {
  for (std::uint32_t looks = 0;; ++looks) {
    std::uint32_t old = word_.load(platform::memory_order_relaxed);
    if (old == 0 && !many) return false;
    const std::uint32_t holder = old & holders;
    if (holder == 0 || locks.wait_for(holder - 1, looks)) {
      // A failed holder may not have finished waiting: wait again.
      const std::uint32_t begins = old == 0 ? closing : old & closing;
      if (word_.compare_exchange_strong(old, closed | begins | (who + 1),
                                        platform::memory_order_acquire)) {
        if (begins != 0) wait_for_few(locks);
        return true;
      }
    }
  }
}

inline void bulk_lock::unlock(const element_locks& locks, bool many) noexcept {
  in_a_row_ = many ? 0 : in_a_row_ + 1;
  word_.store(in_a_row_ < locks.in_a_row_max ? closed : 0, platform::memory_order_release);
}

inline void bulk_lock::wait_for_few(const element_locks& locks) noexcept {
  platform::heavy_barrier();
  for (std::uint32_t r = 0; r < locks.ranks; ++r) {
    const auto* const few = locks.few_of(locks.with, r);
    if (few == nullptr) continue;
    for (std::uint32_t looks = 0; few->load(platform::memory_order_acquire) != 0; ++looks)
      if (locks.wait_for(r, looks)) break;
  }
}

/// Calls `combine`, which combines few elements, while no other rank holds the bulk lock.
template <class F>
void with_few(const element_locks& locks, std::uint32_t who, F&& combine) noexcept {
  for (;;) {
    if (const few_guard few(locks); few) return combine();
    if (!locks.bulk->lock(locks, who, false)) continue;
    combine();
    return locks.bulk->unlock(locks, false);
  }
}

}  // namespace mpx::inline v0::rma
