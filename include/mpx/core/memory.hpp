// SPDX-License-Identifier: BSL-1.0
#pragma once
// Handling of exhausted memory: errc::no_resources, with a text that needs no memory; and a base
// class for objects allocated through the platform.

#include <cstddef>
#include <new>

#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::detail {

/// Returns the error of a failed allocation. The first call constructs it, which needs memory;
/// copies do not. (The constructor of an environment calls this.)
inline const error& out_of_memory() {
  static const error made(errc::no_resources,
                          "memory is out: give the process more (ulimit -v, the limit of its "
                          "control group), or start fewer ranks on this machine");
  return made;
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_out_of_memory() {
  throw error(out_of_memory());
}

/// Base class of objects made by `new`, which allocates through the platform. `new` throws
/// errc::no_resources; `new (std::nothrow)` returns nullptr. (Classes aligned more than
/// std::max_align_t have only the latter.)
struct allocated {
  // Always inline: a compiler that sees only one half of a pair warns about the other.
  [[gnu::always_inline]] static void* operator new(std::size_t bytes) {
    void* p = platform::allocate(bytes);
    if (p == nullptr) throw_out_of_memory();
    return p;
  }
  [[gnu::always_inline]] static void* operator new(std::size_t bytes,
                                                   const std::nothrow_t&) noexcept {
    return platform::allocate(bytes);
  }
  [[gnu::always_inline]] static void* operator new(std::size_t bytes, std::align_val_t alignment,
                                                   const std::nothrow_t&) noexcept {
    return platform::allocate_aligned(bytes, static_cast<std::size_t>(alignment));
  }
  [[gnu::always_inline]] static void operator delete(void* p) noexcept { platform::deallocate(p); }
  [[gnu::always_inline]] static void operator delete(void* p, std::align_val_t) noexcept {
    platform::deallocate(p);
  }
  [[gnu::always_inline]] static void operator delete(void* p, std::align_val_t,
                                                     const std::nothrow_t&) noexcept {
    platform::deallocate(p);
  }
  [[gnu::always_inline]] static void operator delete(void* p, const std::nothrow_t&) noexcept {
    platform::deallocate(p);
  }
};

}  // namespace mpx::inline v0::detail
