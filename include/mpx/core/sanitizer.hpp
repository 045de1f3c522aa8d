// SPDX-License-Identifier: BSL-1.0
#pragma once
// Checks of a program's buffers under AddressSanitizer. The kernel, or a peer, reads and writes
// long messages where they lie: no instruction of this process touches them that the sanitizer
// sees.

#include <cstddef>

#include "mpx/config.hpp"

#if MPX_ADDRESS_SANITIZER
extern "C" {
void* __asan_region_is_poisoned(void* begin, std::size_t bytes);  // NOLINT(*-reserved-identifier)
void __asan_report_load1(void* address);                          // NOLINT(*-reserved-identifier)
void __asan_report_store1(void* address);                         // NOLINT(*-reserved-identifier)
}
#endif

namespace mpx::inline v0::detail {

#if MPX_ADDRESS_SANITIZER
/// Reports the first byte of the piece that must not be read, as AddressSanitizer does, and ends
/// the program. Cost: a look at each 8 bytes' shadow; nothing without that sanitizer.
inline void check_readable(const void* piece, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  if (void* const bad = __asan_region_is_poisoned(const_cast<void*>(piece), bytes); bad != nullptr)
    __asan_report_load1(bad);
}
/// The same of one that must not be written.
inline void check_writable(void* piece, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  if (void* const bad = __asan_region_is_poisoned(piece, bytes); bad != nullptr)
    __asan_report_store1(bad);
}
#else
constexpr void check_readable(const void*, std::size_t) noexcept {}
constexpr void check_writable(void*, std::size_t) noexcept {}
#endif

}  // namespace mpx::inline v0::detail
