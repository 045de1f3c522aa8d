// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory of any alignment that can be given back without knowing it.

#include <cstddef>
#include <string>

#include "mpx/core/memory.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// Returns `bytes` aligned to `alignment`, and to a cache line at least.
/// Requires: alignment is a power of two. Errors: errc::no_resources.
inline void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
  if (alignment < cache_line_bytes) alignment = cache_line_bytes;
  const std::size_t whole = (bytes + alignment - 1) & ~(alignment - 1);
  void* p = whole < bytes ? nullptr
                          : platform::allocate_aligned(whole == 0 ? alignment : whole, alignment);
  if (p != nullptr) return p;
  try {
    throw_error(errc::no_resources, "no memory for %zu bytes", bytes);
  } catch (const std::bad_alloc&) {  // Nor for the text.
    throw_out_of_memory();
  }
}

/// Gives back what `allocate_aligned` returned.
inline void free_aligned(void* p) noexcept { platform::deallocate(p); }

}  // namespace mpx::inline v0::detail
