// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory of this process, for the tests that limit it.

#include <doctest/doctest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdio>

namespace memory_of_process {

/// Memory that was allocated and not given back.
inline double heap_bytes() {
  const struct mallinfo2 m = ::mallinfo2();
  return static_cast<double>(m.uordblks + m.hblkhd);
}

/// Pages that this process has written to and does not share, as the kernel counts them.
inline double private_bytes() {
  std::FILE* const f = std::fopen("/proc/self/smaps_rollup", "r");
  REQUIRE(f != nullptr);
  char line[256];
  unsigned long kib = 0;
  bool found = false;
  while (!found && std::fgets(line, sizeof line, f) != nullptr)
    found = std::sscanf(line, "Anonymous: %lu kB", &kib) == 1;
  std::fclose(f);
  REQUIRE(found);
  return static_cast<double>(kib) * 1024;
}

/// Both, at one moment or as a difference.
struct use {
  double heap = 0;
  double pages = 0;

  static use now() { return {heap_bytes(), private_bytes()}; }
  friend use operator-(const use& a, const use& b) { return {a.heap - b.heap, a.pages - b.pages}; }
  friend use operator/(const use& a, double n) { return {a.heap / n, a.pages / n}; }
};

/// False, and says so, where an allocator of a sanitizer keeps books around every block.
inline bool measurable() {
#ifdef MPX_TEST_SANITIZED
  MESSAGE("not measured: a sanitizer's allocator is in the way");
  return false;
#else
  return true;
#endif
}

}  // namespace memory_of_process
