// SPDX-License-Identifier: BSL-1.0
#pragma once
// Platform of mpx in this folder: at each operation through which threads interact, the scheduler
// chooses the thread that continues. Include it before mpx.
//
// A load, a store and a read-modify-write of an atomic word, a lock, a sleep and a wake-up are
// schedule points. Stores that are no fences wait in a store buffer of their thread, from where the
// thread itself sees them; a heavy barrier empties all buffers. Timeouts never end a sleep while
// something is explored: a missed wake-up is a schedule in which everybody sleeps.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scheduler.hpp"

#ifdef MPX_PLATFORM
#error "include this before mpx"
#endif
#define MPX_PLATFORM explore

namespace mpx::inline v0::platform::system_memory {}

namespace explore {

using namespace mpx::platform::system_memory;  // No thread interacts through this.

/// The operations of a word, over what std has for it.
template <class T, class Real>
class word_operations {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);

 public:
  static T load(const Real& real, const void* at, std::memory_order order) noexcept {
    scheduler* const s = scheduler::here();
    if (s == nullptr) return real.load(order);
    s->point("load", at);
    if (s->planted(fault::kind::stuck_load, at)) return word_of(s->planted().value);
    T own{};
    if (s->buffers() && s->forwarded(at, own)) return own;
    return real.load(order);
  }
  static T word_of(std::uint64_t value) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<T>(value);
    } else {
      return static_cast<T>(value);
    }
  }
  static void store(Real& real, void* at, T value, std::memory_order order) noexcept {
    scheduler* const s = scheduler::here();
    if (s == nullptr) return real.store(value, order);
    s->point("store", at);
    if (s->planted(fault::kind::lost_store, at)) return;
    if (s->planted(fault::kind::weak_store, at)) order = std::memory_order_relaxed;
    if (!s->buffers()) {
      real.store(value, order);
    } else if (order == std::memory_order_seq_cst) {
      s->flush();
      real.store(value, order);
    } else {
      s->keep(static_cast<T*>(at), value, order == std::memory_order_release);
    }
    s->point("stored", at);
  }
  /// `change(real)` is a read-modify-write.
  template <class Change>
  static auto change(Real& real, void* at, std::memory_order order, Change change) noexcept {
    scheduler* const s = scheduler::here();
    if (s == nullptr) return change(real);
    s->point("change", at);
    if (s->buffers())
      s->flush_before(at, order != std::memory_order_relaxed && order != std::memory_order_acquire);
    const auto was = change(real);
    s->point("changed", at);
    return was;
  }
};

template <class T>
class atomic {
  using real = std::atomic<T>;
  using operations = word_operations<T, real>;

 public:
  static constexpr bool is_always_lock_free = real::is_always_lock_free;

  atomic() noexcept = default;
  constexpr atomic(T value) noexcept : real_(value) {}  // NOLINT(*-explicit-*): as std::atomic.
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    return operations::load(real_, &real_, order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    operations::store(real_, &real_, value, order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return operations::change(real_, &real_, order,
                              [&](real& r) { return r.exchange(value, order); });
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    scheduler* const s = scheduler::here();
    if (s != nullptr && s->planted(fault::kind::lost_or, &real_)) return load(order);
    return operations::change(real_, &real_, order,
                              [&](real& r) { return r.fetch_or(value, order); });
  }
  T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return operations::change(real_, &real_, order,
                              [&](real& r) { return r.fetch_and(value, order); });
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return operations::change(real_, &real_, order,
                              [&](real& r) { return r.fetch_add(value, order); });
  }
  T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return operations::change(real_, &real_, order,
                              [&](real& r) { return r.fetch_sub(value, order); });
  }
  bool compare_exchange_strong(T& expected, T value,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
    return operations::change(real_, &real_, order, [&](real& r) {
      return r.compare_exchange_strong(expected, value, order);
    });
  }

 private:
  real real_;
};

/// The part that mpx uses.
template <class T>
class atomic_ref {
  using operations = word_operations<T, const std::atomic_ref<T>>;

 public:
  explicit atomic_ref(T& word) noexcept : at_(&word), real_(word) {}
  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    // Data behind a mark is read past the buffer: it has to be in memory, too.
    if (scheduler* const s = scheduler::here(); s != nullptr && s->keeps(at_)) s->flush();
    return operations::load(real_, at_, order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) const noexcept {
    operations::store(real_, at_, value, order);
  }
  T fetch_add(T value) const noexcept {
    return change([&](auto& r) { return r.fetch_add(value); });
  }
  T exchange(T value) const noexcept {
    return change([&](auto& r) { return r.exchange(value); });
  }
  bool compare_exchange_strong(T& expected, T value) const noexcept {
    return change([&](auto& r) { return r.compare_exchange_strong(expected, value); });
  }
  bool compare_exchange_weak(T& expected, T value) const noexcept {
    return compare_exchange_strong(expected, value);
  }

 private:
  template <class Change>
  auto change(Change what) const noexcept {
    std::atomic_ref<T> real(*at_);
    return operations::change(real, at_, std::memory_order_seq_cst, what);
  }

  T* at_;
  std::atomic_ref<T> real_;
};

class mutex {
 public:
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() {
    scheduler* const s = scheduler::here();
    if (s != nullptr) s->point("lock", this);
    while (held_.exchange(true, std::memory_order_acquire))
      if (s != nullptr)
        s->block(this, false);  // Outside there is one thread, which waits for none.
    if (s != nullptr && s->buffers()) s->flush_before(this, false);
  }
  bool try_lock() {
    if (scheduler* const s = scheduler::here()) s->point("try_lock", this);
    return !held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept {
    scheduler* const s = scheduler::here();
    if (s != nullptr) s->flush();
    held_.store(false, std::memory_order_release);
    if (s == nullptr) return;
    s->release(this, ~std::size_t{0});
    s->point("unlocked", this);
  }

 private:
  std::atomic<bool> held_{false};
};

inline void prefetch_to_write(const void*) noexcept {}
inline void prefetch_exclusive(const std::byte*, std::size_t) noexcept {}
inline void copy_for_readers(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}
inline std::uint32_t current_core() noexcept { return scheduler::instance().core(); }
inline void move_to_core(std::uint32_t) noexcept {}
inline bool owning_early_pays() noexcept { return true; }
inline std::size_t owning_early_lines() noexcept { return 8; }
inline bool claiming_pays() noexcept { return true; }
inline void claim_lines(std::byte* from, std::size_t bytes) {
  if (scheduler* const s = scheduler::here()) s->point("claim", from);
  std::memset(from, 0, bytes);
}
/// A turn of a loop that waits for others.
inline void relax() noexcept {
  if (scheduler* const s = scheduler::here()) s->yield();
}

inline void yield() noexcept { relax(); }

inline bool futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t /*timeout_ns*/) noexcept {
  scheduler* const s = scheduler::here();
  if (s == nullptr) return true;
  s->point("futex_wait", &word);
  s->flush();  // The kernel compares under a lock.
  const auto& real = reinterpret_cast<const std::atomic<std::uint32_t>&>(word);
  if (real.load(std::memory_order_seq_cst) != expected &&
      !s->planted(fault::kind::hasty_sleep, &word))
    return false;
  if (s->sleeps_lightly()) return false;
  return s->block(&word, true);
}

inline void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  scheduler* const s = scheduler::here();
  if (s == nullptr) return;
  s->point("futex_wake", &word);
  s->flush();
  if (s->planted(fault::kind::no_wake, &word)) return;
  s->release(&word, static_cast<std::size_t>(count));
  s->point("woken", &word);
}

inline bool barrier_refused = false;  // As by a kernel without membarrier, or a filter.
inline bool register_heavy_barrier() noexcept { return !barrier_refused; }
inline void heavy_barrier() noexcept {
  scheduler* const s = scheduler::here();
  if (s == nullptr || barrier_refused) return;
  s->point("heavy barrier", nullptr);
  if (!s->planted(fault::kind::no_heavy_barrier, nullptr)) s->flush_all();
}

inline bool register_process_barrier() noexcept { return register_heavy_barrier(); }
inline void process_barrier() noexcept { heavy_barrier(); }

/// A clock on which every look takes a microsecond.
inline std::int64_t now_ns() noexcept { return scheduler::instance().later_ns(1000); }
inline bool ranks_may_move() noexcept { return false; }
inline int usable_cores() noexcept { return scheduler::instance().cores; }

}  // namespace explore
