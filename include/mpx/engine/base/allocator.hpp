// SPDX-License-Identifier: BSL-1.0
#pragma once
// An allocator for containers, with memory from which long messages are copied only once.

#include <cstddef>

#include "mpx/core/aligned.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Allocation from an endpoint's shared arena, if its transport has one, without the stack's type,
/// so that containers need not name it.
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

/// Allocates memory that the transport's peers can read. A long message from there is copied once,
/// without the kernel; over network cards the memory is registered once. An ordinary allocator if
/// the transport has no such memory.
/// Requires: the environment outlives the allocated memory.
/// Errors: mpx::error with errc::no_resources if the arena is full.
template <class T>
class allocator {
 public:
  using value_type = T;  ///< Required of allocators.

  /// For the library. Programs call environment::allocator.
  explicit allocator(detail::shared_heap& heap) noexcept : heap_(&heap) {}
  /// An allocator of the same memory for another type.
  template <class U>
  allocator(const allocator<U>& other) noexcept : heap_(other.heap_) {}  // NOLINT(*-explicit-*)

  /// Allocates memory for `n` objects.
  /// Errors: errc::no_resources.
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) detail::throw_out_of_memory();
    return static_cast<T*>(heap_->allocate(n * sizeof(T), alignof(T)));
  }
  /// Frees memory that `allocate(n)` returned.
  void deallocate(T* p, std::size_t n) noexcept { heap_->deallocate(p, n * sizeof(T)); }

  /// True if memory allocated by one can be freed by the other.
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
