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
/// MPI's constants are. Objects stay where they are until they are erased.
/// Limits:     `slots_max` objects at once.
/// Threads:    any, also at the same time, unless `set_locking(false)` was called; an object is used by
///             the threads that the program allows.
template <class T, std::uint32_t Kind, std::uint32_t Slots = 1u << 24>
class handle_table {
  static_assert(Kind > 0 && Kind < 4096);
  static constexpr std::uint32_t chunk_slots = 1024;
  struct slot {
    mpx::platform::atomic<std::uint32_t> use{0};  // Odd while it holds an object.
    std::uint32_t next = 0;                       // Free slot after this one, plus 1.
    alignas(T) std::byte bytes[sizeof(T)];
    T* object() noexcept { return std::launder(reinterpret_cast<T*>(bytes)); }
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
    std::uint32_t at = 0;
    if (free_ != 0) {
      at = free_ - 1;
      free_ = slot_at(at).next;
    } else {
      if (made_ == slots_max) return 0;
      at = made_;
      if (at % chunk_slots == 0)
        chunks_[at / chunk_slots].store(new slot[chunk_slots], mpx::platform::memory_order_release);
      ++made_;
    }
    slot& s = slot_at(at);
    ::new (static_cast<void*>(s.bytes)) T{std::forward<Args>(args)...};
    const std::uint32_t use = s.use.load(mpx::platform::memory_order_relaxed) + 1;
    s.use.store(use, mpx::platform::memory_order_release);
    ++alive_;
    return name(at, use);
  }
  /// Returns the object of a handle; nullptr if there is none, or the handle is of another kind.
  T* find(std::uintptr_t handle) noexcept {
    if ((handle & 0xfff) != Kind) return nullptr;
    const auto at = static_cast<std::uint32_t>(handle >> 12 & 0xff'ffff);
    if (at / chunk_slots >= chunk_count) return nullptr;
    slot* const chunk = chunks_[at / chunk_slots].load(mpx::platform::memory_order_acquire);
    if (chunk == nullptr) return nullptr;
    slot& s = chunk[at % chunk_slots];
    const std::uint32_t use = s.use.load(mpx::platform::memory_order_acquire);
    return use % 2 == 1 && name(at, use) == handle ? s.object() : nullptr;
  }
  /// Destroys the object of a handle.
  void erase(std::uintptr_t handle) noexcept {
    T* const object = find(handle);
    if (object == nullptr) return;
    const auto at = static_cast<std::uint32_t>(handle >> 12 & 0xff'ffff);
    slot& s = slot_at(at);
    object->~T();
    const guard held = locked();
    s.use.store(s.use.load(mpx::platform::memory_order_relaxed) + 1,
                mpx::platform::memory_order_release);
    s.next = free_;
    free_ = at + 1;
    --alive_;
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
    const std::uint32_t use = chunk[at % chunk_slots].use.load(mpx::platform::memory_order_acquire);
    return use % 2 == 1 ? name(at, use) : 0;
  }
  /// Number of objects.
  [[nodiscard]] std::size_t size() const noexcept { return alive_; }
  /// Calls `use(object)` for each object.
  template <class Use>
  void each(Use&& use) {
    for (std::uint32_t at = 0; at < made_; ++at) {
      slot& s = slot_at(at);
      if (s.use.load(mpx::platform::memory_order_relaxed) % 2 == 1) use(*s.object());
    }
  }
  /// Destroys all objects.
  void clear() noexcept {
    for (std::uint32_t at = 0; at < made_; ++at) {
      slot& s = slot_at(at);
      const std::uint32_t use = s.use.load(mpx::platform::memory_order_relaxed);
      if (use % 2 == 1) erase(name(at, use));
    }
  }

 private:
  static constexpr std::uint32_t chunk_count = (Slots + chunk_slots - 1) / chunk_slots;
  static std::uintptr_t name(std::uint32_t at, std::uint32_t use) noexcept {
    return std::uintptr_t{use & 0xfff'ffff} << 36 | std::uintptr_t{at} << 12 | Kind;
  }
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

  std::mutex lock_;
  bool locks_ = true;
  std::uint32_t made_ = 0;
  std::uint32_t free_ = 0;
  std::size_t alive_ = 0;
  mpx::platform::atomic<slot*> chunks_[chunk_count] = {};
};

}  // namespace mpx_mpi
