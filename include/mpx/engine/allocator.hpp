// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory from which long messages are copied once, for the containers of a program.

#include <cstddef>

#include "mpx/core/aligned.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Shared-arena allocation without the stack's type, so that containers need not name it.
/// It allocates from an endpoint's arena, if its transport has one.
class shared_heap {
 public:
  template <class Endpoint>
  explicit shared_heap(Endpoint& e) noexcept : endpoint_(&e), calls_(calls_of<Endpoint>) {}
  shared_heap(const shared_heap&) = delete;
  shared_heap& operator=(const shared_heap&) = delete;

  void* allocate(std::size_t bytes, std::size_t alignment) {
    return calls_.allocate(endpoint_, bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes) noexcept { calls_.deallocate(endpoint_, p, bytes); }

 private:
  struct calls {
    void* (*allocate)(void* endpoint, std::size_t bytes, std::size_t alignment);
    void (*deallocate)(void* endpoint, void* p, std::size_t bytes) noexcept;
  };
  template <class Endpoint>
  static void* allocate_from([[maybe_unused]] void* endpoint, std::size_t bytes,
                             std::size_t alignment) {
    if constexpr (gives_memory<typename Endpoint::transport_type>) {
      return static_cast<Endpoint*>(endpoint)->allocate(bytes, alignment);
    } else {
      return allocate_aligned(bytes, alignment);
    }
  }
  template <class Endpoint>
  static void deallocate_from([[maybe_unused]] void* endpoint, void* p,
                              [[maybe_unused]] std::size_t bytes) noexcept {
    if constexpr (gives_memory<typename Endpoint::transport_type>) {
      static_cast<Endpoint*>(endpoint)->deallocate(p, bytes);
    } else {
      free_aligned(p);
    }
  }
  template <class Endpoint>
  static constexpr calls calls_of{&allocate_from<Endpoint>, &deallocate_from<Endpoint>};

  void* endpoint_;
  const calls& calls_;
};

}  // namespace detail

/// Allocates where the transport's peers can read: a long message from there is copied once,
/// without the kernel; over network cards, in memory that is registered once. An ordinary allocator
/// otherwise. The environment outlives what it allocated.
/// Errors: mpx::error with errc::no_resources when the arena is full.
template <class T>
class allocator {
 public:
  using value_type = T;  ///< As containers ask for it.

  /// For the library: programs ask environment::allocator.
  explicit allocator(detail::shared_heap& heap) noexcept : heap_(&heap) {}
  /// Of the same memory, for another type.
  template <class U>
  allocator(const allocator<U>& other) noexcept : heap_(other.heap_) {}  // NOLINT(*-explicit-*)

  /// Room for `n` objects. Errors: errc::no_resources.
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) detail::throw_out_of_memory();
    return static_cast<T*>(heap_->allocate(n * sizeof(T), alignof(T)));
  }
  /// Gives back what `allocate(n)` returned.
  void deallocate(T* p, std::size_t n) noexcept { heap_->deallocate(p, n * sizeof(T)); }

  /// Whether one may give back what the other has allocated.
  template <class U>
  friend bool operator==(const allocator& a, const allocator<U>& b) noexcept {
    return a.heap_ == b.heap_;
  }

 private:
  template <class>
  friend class allocator;
  detail::shared_heap* heap_;
};

}  // namespace mpx::inline v0
