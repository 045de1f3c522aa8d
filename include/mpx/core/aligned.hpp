// SPDX-License-Identifier: BSL-1.0
#pragma once
// Aligned allocation whose memory is freed without knowing the alignment.

#include <cstddef>
#include <string>

#include "mpx/core/memory.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::detail {

/// Returns `bytes` of memory aligned to `alignment`, at least to a cache line.
/// Requires:   alignment is a power of two.
/// Errors:     errc::no_resources.
inline void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
  if (alignment < cache_line_bytes) alignment = cache_line_bytes;
  const std::size_t whole = (bytes + alignment - 1) & ~(alignment - 1);
  void* p = whole < bytes ? nullptr
                          : platform::allocate_aligned(whole == 0 ? alignment : whole, alignment);
  if (p != nullptr) return p;
  try {
    throw_error(errc::no_resources, "no memory for %zu bytes", bytes);
  } catch (const std::bad_alloc&) {  // No memory for the text either.
    throw_out_of_memory();
  }
}

/// Frees memory of `allocate_aligned`.
inline void free_aligned(void* p) noexcept { platform::deallocate(p); }

}  // namespace mpx::inline v0::detail
