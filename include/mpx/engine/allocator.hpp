// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory from which long messages are copied once, for the containers of a program.

#include <cstddef>

#include "mpx/core/aligned.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Shared-arena allocation without the stack's type, so that containers need not name it.
class shared_heap {
 public:
  shared_heap() = default;
  shared_heap(const shared_heap&) = delete;
  shared_heap& operator=(const shared_heap&) = delete;
  virtual ~shared_heap() = default;
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void deallocate(void* p, std::size_t bytes) noexcept = 0;
};

/// Allocates from an endpoint's arena, if its transport has one.
template <class Endpoint>
class endpoint_heap final : public shared_heap {
 public:
  explicit endpoint_heap(Endpoint& e) noexcept : endpoint_(e) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if constexpr (SharedMemoryTransport<typename Endpoint::transport_type>) {
      return endpoint_.allocate_shared(bytes, alignment);
    } else {
      return allocate_aligned(bytes, alignment);
    }
  }
  void deallocate(void* p, std::size_t bytes) noexcept override {
    if constexpr (SharedMemoryTransport<typename Endpoint::transport_type>) {
      endpoint_.deallocate_shared(p, bytes);
    } else {
      free_aligned(p);
    }
  }

 private:
  Endpoint& endpoint_;
};

}  // namespace detail

/// Allocates where the transport's peers can read: a long message from there is copied once,
/// without the kernel. An ordinary allocator otherwise. The environment outlives what it allocated.
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
