// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory of zero bytes, for tables with a place for each peer of a job: a large one takes no memory
// where it is not written, so that peers that are never talked to cost nothing but addresses.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace mpx::inline v0::detail {

/// Tables from this size on are pages of their own. (A heap clears, and so touches, what it hands
/// out again.)
inline constexpr std::size_t zeroed_pages_bytes_min = 8192;

/// Returns `bytes` zero bytes, aligned for any type. Errors: std::bad_alloc.
/// Cost:    below `zeroed_pages_bytes_min` as std::calloc; else a system call, and a page of memory
///          for each page that is written. Huge pages are declined: one would touch 2 MiB at once.
inline void* take_zeroed(std::size_t bytes) {
  if (bytes < zeroed_pages_bytes_min) {
    void* p = std::calloc(1, bytes == 0 ? 1 : bytes);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  ::madvise(p, bytes, MADV_NOHUGEPAGE);  // A kernel without huge pages refuses: all the better.
  return p;
}

/// Gives back what `take_zeroed(bytes)` returned.
inline void give_zeroed(void* p, std::size_t bytes) noexcept {
  if (bytes < zeroed_pages_bytes_min) {
    std::free(p);
  } else {
    ::munmap(p, bytes);
  }
}

}  // namespace mpx::inline v0::detail
