// SPDX-License-Identifier: BSL-1.0
#pragma once
// A few words that a forked child finds zeroed. A process detects that it is a child by a word that
// it reads anyway.

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>

#include "mpx/core/error.hpp"

namespace mpx::inline v0::detail {

/// Owns a T on a page of its own. In a child of fork(2), all bytes of T are zero.
/// Errors:     errc::no_resources.
/// Cost:       a page.
/// Source:     madvise(2), MADV_WIPEONFORK, Linux 4.14.
template <class T>
class wiped_on_fork {
 public:
  wiped_on_fork() {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= bytes);
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw error(errc::no_resources, "no memory for a page: check `ulimit -v`");
    ::madvise(p, bytes, MADV_WIPEONFORK);  // Older kernels: a child is not detected.
    value_ = ::new (p) T{};
  }
  wiped_on_fork(const wiped_on_fork&) = delete;
  wiped_on_fork& operator=(const wiped_on_fork&) = delete;
  ~wiped_on_fork() { ::munmap(value_, bytes); }

  T& operator*() const noexcept { return *value_; }
  T* operator->() const noexcept { return value_; }

 private:
  static constexpr std::size_t bytes = 4096;

  T* value_;
};

/// Same interface for ranks that are not processes: fibers of a simulation.
template <class T>
class never_wiped {
 public:
  T& operator*() noexcept { return value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

 private:
  T value_{};
};

}  // namespace mpx::inline v0::detail
