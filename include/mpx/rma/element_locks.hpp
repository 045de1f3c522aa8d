// SPDX-License-Identifier: BSL-1.0
#pragma once
// How those who combine elements of one target keep out of each other's way: by atomic
// instructions, by a lock of an element that has none, and, where there are many, by the lock of
// them all.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0::rma {

struct element_locks;

/// Whoever combines many elements has them to himself, and needs no atomic instructions. Where
/// nobody does, it is open: who combines a few says so in a word of its own, looks whether it is
/// open, and that is all. The first to come with many closes it, and waits once for those who have
/// not seen that: an asymmetric Dekker, whose other half is a heavy barrier. From then on all take
/// it, until enough in a row have come with a few. Zeroed memory is open.
///
/// bits 0 .. 29: the holder + 1; 30: some may not have seen that it is closed; 31: it is closed.
class bulk_lock {
 public:
  bool is_open() const noexcept { return word_.load(platform::memory_order_acquire) == 0; }
  /// `who` takes it, from the dead as well: see element_locks. Returns false if it is open and who
  /// comes with a few need not take it.
  bool lock(const element_locks& locks, std::uint32_t who, bool many) noexcept;
  void unlock(const element_locks& locks, bool many) noexcept;

 private:
  static constexpr std::uint32_t closed = std::uint32_t{1} << 31;
  static constexpr std::uint32_t closing = std::uint32_t{1} << 30;
  static constexpr std::uint32_t holders = closing - 1;

  static void wait_for_few(const element_locks& locks) noexcept;

  platform::atomic<std::uint32_t> word_{0};
  std::uint32_t in_a_row_ = 0;  // Its holder's: how many have come with a few.
};

/// Locks of elements that no instruction combines at once: each guards those of some addresses. The
/// places are counted from `base`, so that all who reach the memory agree. Held for the length of a
/// few copies; who holds one is written there, so that a holder that has died does not stop others:
/// `is_dead(who)` is asked after a long while, and what the dead one was at is left as it is.
/// With them goes the lock of all elements, for which the same holds.
struct element_locks {
  static constexpr std::size_t count = 16;
  platform::atomic<std::uint32_t>* words = nullptr;  // `count` of them; 0: free, else holder + 1.
  const std::byte* base = nullptr;
  bool (*is_dead)(void* with, std::uint32_t who) noexcept = nullptr;
  void* with = nullptr;
  bulk_lock* bulk = nullptr;  // nullptr: nobody has them to himself.
  /// What rank `who` says: how many of its threads combine a few. nullptr: it reaches nothing here.
  platform::atomic<std::uint32_t>* (*few_of)(void* with, std::uint32_t who) noexcept = nullptr;
  platform::atomic<std::uint32_t>* few = nullptr;  // This rank's own.
  std::uint32_t ranks = 0;       // 0: it is not agreed yet that anybody may have them to himself.
  bool threads = false;          // More than one of this rank may say so.
  std::uint64_t one_by_one = 0;  // How many have been combined so although they were many.
  std::uint32_t in_a_row_max = 64;  // Who come with a few, before it is open again.
  std::uint32_t looks_per_question = 4096;

  platform::atomic<std::uint32_t>& of(const std::byte* there) const noexcept {
    return words[static_cast<std::size_t>(there - base) / 16 % count];
  }
  /// Whether it pays to have them to oneself for `n` of them: to close an open lock takes as long
  /// as one or two thousand atomic instructions.
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
  /// Waits for `who` a moment, the `looks`-th in a row. Returns whether it is known to be dead.
  bool wait_for(std::uint32_t who, std::uint32_t looks) const noexcept {
    const std::uint32_t since = looks % looks_per_question;
    if (since == looks_per_question - 1 && is_dead != nullptr && is_dead(with, who)) return true;
    platform::relax();
    if (since > 64) ::sched_yield();
    return false;
  }
};

/// Holds the lock of one element.
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

/// Says that its rank combines a few elements, where nobody has them to himself.
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
  /// Whether they may be combined.
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
      // What a dead holder may not have waited for is waited for again.
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

/// Calls `combine`, which has a few elements to combine, where nobody else has them to himself.
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
