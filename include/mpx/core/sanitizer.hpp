// SPDX-License-Identifier: BSL-1.0
#pragma once
// Checks of a program's buffers under AddressSanitizer. The kernel or a peer may read and write
// long messages in place, without an instruction of this process that the sanitizer could check.

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
/// Reports the first byte that must not be read, as AddressSanitizer does, and ends the program.
/// Cost:       a check of the shadow byte of each 8 bytes; nothing without that sanitizer.
inline void check_readable(const void* piece, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  if (void* const bad = __asan_region_is_poisoned(const_cast<void*>(piece), bytes); bad != nullptr)
    __asan_report_load1(bad);
}
/// As check_readable, for memory to be written.
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
