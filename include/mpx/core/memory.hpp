// SPDX-License-Identifier: BSL-1.0
#pragma once
// What happens when memory is out: errc::no_resources, said with a text that needs no memory; and
// objects whose memory is mpx's own.

#include <cstddef>
#include <new>

#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::detail {

/// The error of a failed allocation. The first call makes it, and so needs memory; a copy of it
/// does not. (Environments call this when they are made.)
inline const error& out_of_memory() {
  static const error made(errc::no_resources,
                          "memory is out: give the process more (ulimit -v, the limit of its "
                          "control group), or start fewer ranks on this machine");
  return made;
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_out_of_memory() {
  throw error(out_of_memory());
}

/// What a class derives from whose objects are made by `new`: their memory comes through the
/// platform. `new` throws errc::no_resources; `new (std::nothrow)` yields nullptr.
/// (Where a class needs more than the alignment of std::max_align_t, only the latter.)
struct allocated {
  // Always inline: a compiler that sees one half of a pair warns of the other.
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
