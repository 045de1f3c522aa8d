// SPDX-License-Identifier: BSL-1.0
#pragma once
// Tables of the objects behind handles. A handle names a slot and the use of the slot, so that null,
// freed and foreign handles are recognised and never followed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "mpx/core/atomic.hpp"
#include "mpx/core/platform.hpp"

namespace mpx_mpi {

/// Objects of one kind. A handle is (use << 36 | slot << 12 | Kind), and is never below 4096, where
/// MPI's constants are: uses are odd. Objects stay where they are until they are erased.
/// Limits:     `slots_max` objects at once.
/// Threads:    any, also at the same time, unless `set_locking(false)` was called; an object is used by
///             the threads that the program allows.
/// Cost:       a lookup is one load of the slot's name and one comparison. Making an object takes the
///             slot that was freed last.
template <class T, std::uint32_t Kind, std::uint32_t Slots = 1u << 24>
class handle_table {
  static_assert(Kind > 0 && Kind < 4096);
  static constexpr std::uint32_t chunk_slots = 1024;
  struct slot {
    mpx::platform::atomic<std::uintptr_t> name{0};  // Its handle; free: the next one, less Kind.
    slot* next = nullptr;                           // Free slot after this one.
    alignas(T) std::byte bytes[sizeof(T)];
    [[gnu::returns_nonnull]] T* object() noexcept {
      return std::launder(reinterpret_cast<T*>(bytes));
    }
    bool alive() const noexcept { return is_kind(name.load(mpx::platform::memory_order_relaxed)); }
  };

 public:
  static constexpr std::uint32_t slots_max = Slots;  ///< Maximum number of objects.

  handle_table() = default;
  handle_table(const handle_table&) = delete;
  handle_table& operator=(const handle_table&) = delete;
  ~handle_table() {
    clear();
    for (auto& c : chunks_) delete[] c.load(mpx::platform::memory_order_relaxed);
  }

  /// With false, the program promises that no two threads call at the same time.
  void set_locking(bool locks) noexcept { locks_ = locks; }

  /// Makes an object.
  /// Returns:    its handle; 0 if the table is full.
  template <class... Args>
  std::uintptr_t put(Args&&... args) {
    const guard held = locked();
    if (free_ == nullptr && !add_slot()) [[unlikely]]
      return 0;
    return put_in_free(std::forward<Args>(args)...);
  }
  /// True if a slot that was used before is free, and there is no locking.
  bool has_free() const noexcept { return !locks_ && free_ != nullptr; }
  /// As `put`. Requires: has_free().
  template <class... Args>
  [[MPX_ALWAYS_INLINE]] std::uintptr_t put_in_free(Args&&... args) {
    slot& s = *free_;
    ::new (static_cast<void*>(s.bytes)) T{std::forward<Args>(args)...};
    free_ = s.next;
    const std::uintptr_t name = s.name.load(mpx::platform::memory_order_relaxed) + Kind;
    s.name.store(name, mpx::platform::memory_order_release);
    return name;
  }
  /// Returns the object of a handle; nullptr if there is none, or the handle is of another kind.
  T* find(std::uintptr_t handle) noexcept {
    slot* const s = slot_of(handle);
    return s == nullptr ? nullptr : s->object();
  }
  /// Destroys the object of a handle.
  void erase(std::uintptr_t handle) noexcept {
    if (slot* const s = slot_of(handle); s != nullptr) erase(handle, *s->object());
  }
  /// Destroys the object of a handle, which the caller has found; once, if an array names it twice.
  void erase(std::uintptr_t handle, T& object) noexcept {
    auto* const s =
        reinterpret_cast<slot*>(reinterpret_cast<std::byte*>(&object) - offsetof(slot, bytes));
    if (s->name.load(mpx::platform::memory_order_relaxed) != handle) [[unlikely]]
      return;
    object.~T();
    const guard held = locked();
    s->name.store(handle - Kind + next_use, mpx::platform::memory_order_release);
    s->next = free_;
    free_ = s;
  }
  /// Returns a number above 4095 for an object, for languages whose handles are integers.
  static int to_int(std::uintptr_t handle) noexcept {
    return static_cast<int>((handle >> 12 & 0xff'ffff) + 4096);
  }
  /// Returns the handle of the object that has this number now; 0 if there is none.
  std::uintptr_t from_int(int number) noexcept {
    if (number < 4096) return 0;
    const auto at = static_cast<std::uint32_t>(number - 4096);
    if (at / chunk_slots >= chunk_count) return 0;
    slot* const chunk = chunks_[at / chunk_slots].load(mpx::platform::memory_order_acquire);
    if (chunk == nullptr) return 0;
    const auto name = chunk[at % chunk_slots].name.load(mpx::platform::memory_order_acquire);
    return is_kind(name) ? name : 0;
  }
  /// Calls `use(object)` for each object.
  template <class Use>
  void each(Use&& use) {
    for (std::uint32_t at = 0; at < made_; ++at)
      if (slot& s = slot_at(at); s.alive()) use(*s.object());
  }
  /// Destroys all objects.
  void clear() noexcept {
    for (std::uint32_t at = 0; at < made_; ++at)
      if (slot& s = slot_at(at); s.alive()) erase(s.name.load(mpx::platform::memory_order_relaxed));
  }

 private:
  static constexpr std::uint32_t chunk_count = (Slots + chunk_slots - 1) / chunk_slots;
  static constexpr std::uintptr_t first_use = std::uintptr_t{1} << 36;
  static constexpr std::uintptr_t next_use = std::uintptr_t{2} << 36;
  static bool is_kind(std::uintptr_t name) noexcept { return (name & 0xfff) == Kind; }

  class guard {
   public:
    explicit guard(std::mutex* lock) : lock_(lock) {
      if (lock != nullptr) lock->lock();
    }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() {
      if (lock_ != nullptr) lock_->unlock();
    }

   private:
    std::mutex* lock_;
  };
  [[nodiscard]] guard locked() { return guard(locks_ ? &lock_ : nullptr); }
  slot& slot_at(std::uint32_t at) noexcept {
    return chunks_[at / chunk_slots].load(mpx::platform::memory_order_relaxed)[at % chunk_slots];
  }
  /// The slot of a handle's object; nullptr if there is no such object.
  slot* slot_of(std::uintptr_t handle) noexcept {
    if (!is_kind(handle)) [[unlikely]]
      return nullptr;
    const auto at = static_cast<std::uint32_t>(handle >> 12 & 0xff'ffff);
    if (at / chunk_slots >= chunk_count) return nullptr;
    slot* const chunk = chunks_[at / chunk_slots].load(mpx::platform::memory_order_acquire);
    if (chunk == nullptr) [[unlikely]]
      return nullptr;
    slot& s = chunk[at % chunk_slots];
    return s.name.load(mpx::platform::memory_order_acquire) == handle ? &s : nullptr;
  }
  /// Makes a slot that was never used the free one. Returns false if there is none.
  [[gnu::noinline]] bool add_slot() {
    if (made_ == slots_max) return false;
    const std::uint32_t at = made_;
    if (at % chunk_slots == 0)
      chunks_[at / chunk_slots].store(new slot[chunk_slots], mpx::platform::memory_order_release);
    ++made_;
    free_ = &slot_at(at);
    free_->name.store(first_use | std::uintptr_t{at} << 12, mpx::platform::memory_order_relaxed);
    return true;
  }

  std::mutex lock_;
  bool locks_ = true;
  std::uint32_t made_ = 0;
  slot* free_ = nullptr;
  mpx::platform::atomic<slot*> chunks_[chunk_count] = {};
};

}  // namespace mpx_mpi
