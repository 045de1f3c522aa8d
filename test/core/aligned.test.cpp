// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <mpx/core/aligned.hpp>
#include <ostream>

namespace {

using mpx::detail::allocate_aligned;
using mpx::detail::free_aligned;

TEST_CASE("aligned: memory of any size and alignment") {
  for (std::size_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
    for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 10'000u}) {
      void* p = allocate_aligned(bytes, alignment);
      CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
      CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
      std::memset(p, 1, bytes);
      free_aligned(p);
    }
  }
  free_aligned(nullptr);
}

TEST_CASE("aligned: too much is an error") {
  for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - 62}) {
    try {
      free_aligned(allocate_aligned(bytes, 64));
      FAIL("no error");
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::no_resources);
    }
  }
}

}  // namespace
