// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where mpx gets memory of its own: the C library and the kernel. All of it comes through the names
// below by way of `platform::`, so that a test can count it and refuse it.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>

#include "mpx/config.hpp"

namespace mpx::inline v0::platform::system_memory {

/// Returns `bytes` aligned for any fundamental type, or nullptr.
inline void* allocate(std::size_t bytes) noexcept { return std::malloc(bytes == 0 ? 1 : bytes); }

/// Moves what `allocate` or this returned (or nothing, from nullptr) to `bytes`, or returns nullptr
/// and leaves it as it is. Requires: bytes > 0.
inline void* reallocate(void* p, std::size_t bytes) noexcept { return std::realloc(p, bytes); }

/// Returns `bytes` aligned to `alignment`, or nullptr.
/// Requires: alignment is a power of two, and divides bytes > 0.
inline void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return std::aligned_alloc(alignment, bytes);
}

/// Gives back what the three above returned; nullptr is nothing.
inline void deallocate(void* p) noexcept { std::free(p); }

/// Tables from this size on are pages of their own. (A heap clears, and so touches, what it hands
/// out again.)
inline constexpr std::size_t zeroed_pages_bytes_min = 8192;

/// Returns `bytes` zero bytes, aligned for any type, or nullptr.
/// Cost:    below `zeroed_pages_bytes_min` as std::calloc; else a system call, and a page of memory
///          for each page that is written. Huge pages are declined: one would touch 2 MiB at once.
inline void* allocate_zeroed(std::size_t bytes) noexcept {
  if (bytes < zeroed_pages_bytes_min) return std::calloc(1, bytes == 0 ? 1 : bytes);
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  ::madvise(p, bytes, MADV_NOHUGEPAGE);  // A kernel without huge pages refuses: all the better.
  return p;
}

/// Gives back what `allocate_zeroed(bytes)` returned.
inline void deallocate_zeroed(void* p, std::size_t bytes) noexcept {
  if (bytes < zeroed_pages_bytes_min) {
    std::free(p);
  } else {
    ::munmap(p, bytes);
  }
}

}  // namespace mpx::inline v0::platform::system_memory
