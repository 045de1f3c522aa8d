// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory of mpx itself, from the C library and the kernel. All of it is allocated by these
// functions through `platform::`, so that a test can count allocations and make them fail.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>

#include "mpx/config.hpp"

namespace mpx::inline v0::platform::system_memory {

/// Returns `bytes` aligned for any fundamental type, or nullptr.
inline void* allocate(std::size_t bytes) noexcept { return std::malloc(bytes == 0 ? 1 : bytes); }

/// Resizes memory of `allocate` or `reallocate` (or nullptr) to `bytes`.
/// Requires:   bytes > 0.
/// Returns:    nullptr, with the memory unchanged, if memory is exhausted.
inline void* reallocate(void* p, std::size_t bytes) noexcept { return std::realloc(p, bytes); }

/// Returns `bytes` aligned to `alignment`, or nullptr.
/// Requires:   alignment is a power of two, and divides bytes > 0.
inline void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return std::aligned_alloc(alignment, bytes);
}

/// Frees memory of the three functions above; nullptr is allowed.
inline void deallocate(void* p) noexcept { std::free(p); }

/// Zeroed tables of at least this size are mapped as pages. (A heap has to clear, and so touches,
/// memory that it reuses.)
inline constexpr std::size_t zeroed_pages_bytes_min = 8192;

/// Returns `bytes` zero bytes, aligned for any type, or nullptr.
/// Cost:       below `zeroed_pages_bytes_min` as std::calloc; else a system call, and memory for
///             each page that is written. Huge pages are disabled: one would touch 2 MiB at once.
inline void* allocate_zeroed(std::size_t bytes) noexcept {
  if (bytes < zeroed_pages_bytes_min) return std::calloc(1, bytes == 0 ? 1 : bytes);
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  ::madvise(p, bytes, MADV_NOHUGEPAGE);  // Fails on kernels without huge pages, which is fine.
  return p;
}

/// Frees memory of `allocate_zeroed(bytes)`.
inline void deallocate_zeroed(void* p, std::size_t bytes) noexcept {
  if (bytes < zeroed_pages_bytes_min) {
    std::free(p);
  } else {
    ::munmap(p, bytes);
  }
}

}  // namespace mpx::inline v0::platform::system_memory
