// SPDX-License-Identifier: BSL-1.0
#pragma once
// ABI namespace, wire version and assertion levels. The only macros of mpx are defined in this file
// and in mpx/version.hpp. Public names are in `mpx::inline v0`, so that two versions in one program
// fail at link time instead of at run time.

#include "mpx/version.hpp"

#if (defined(__clang__) && __clang_major__ < 16) || \
    (!defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12)
#error "mpx needs C++20 as g++ 12, clang 16 or later have it: this compiler is older"
#define MPX_NEEDS <mpx/needs a later compiler: see the error above>
#elif __cplusplus < 202002L
#error "mpx needs C++20 and g++ 12 or clang 16 or later: compile with -std=c++20"
#define MPX_NEEDS <mpx/needs C++20: see the error above>
#elif !defined(__cpp_exceptions)
#error "mpx needs exceptions, also where error codes are asked for: leave -fno-exceptions out"
#define MPX_NEEDS <mpx/needs exceptions: see the error above>
#endif
#if !defined(MPX_NEEDS) && !__has_include(<boost/intrusive/circular_list_algorithms.hpp>)
#error "mpx needs the headers of Boost, 1.74 or later: libboost1.81-dev, libboost-dev, boost-devel"
#define MPX_NEEDS <mpx/needs the headers of Boost: see the error above>
#endif
#ifdef MPX_NEEDS
#include MPX_NEEDS  // No such file: stops compilers that continue after #error.
#endif

#ifdef MPX_SINGLE_HEADER
#error "headers of mpx's tree beside its single header, which define the same: use one of the two"
#define MPX_NEEDS <mpx/one of the two: see the error above>
#include MPX_NEEDS
#endif

#include <cstdio>
#include <cstdlib>

/// 0: preconditions are not checked; 1: cheap preconditions are checked; 2: internal invariants
/// too. Translation units of one program may differ, because no layout depends on the level. If
/// several of them instantiate a function, the linker keeps one instance, with the level of its
/// translation unit. The default follows NDEBUG.
#ifndef MPX_ASSERT_LEVEL
#ifdef NDEBUG
#define MPX_ASSERT_LEVEL 0
#else
#define MPX_ASSERT_LEVEL 1
#endif
#endif

/// Namespace that provides atomic words, locks, sleep, time and memory, with the names of
/// `platform::native`. A test defines its own before it includes mpx: one that explores
/// interleavings decides at each of these operations which thread continues, one that runs out of
/// memory decides which allocation fails. All translation units must agree.
#ifndef MPX_PLATFORM
#define MPX_PLATFORM native
#endif

/// 1: the default stack is compiled in a library that the program links (set by the CMake target
/// mpx::compiled); 2: in that library itself; 0: in every translation unit that uses it.
#ifndef MPX_COMPILED
#define MPX_COMPILED 0
#endif

/// 1 if compiled for AddressSanitizer.
#if defined(__SANITIZE_ADDRESS__)
#define MPX_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MPX_ADDRESS_SANITIZER 1
#else
#define MPX_ADDRESS_SANITIZER 0
#endif
#else
#define MPX_ADDRESS_SANITIZER 0
#endif

/// Declares or defines a template instance that the library of MPX_COMPILED holds; see
/// mpx/instances.hpp.
#if MPX_COMPILED == 1
#define MPX_INSTANCE(...) extern template __VA_ARGS__;
#elif MPX_COMPILED == 2
#define MPX_INSTANCE(...) template __VA_ARGS__;
#else
#define MPX_INSTANCE(...)
#endif

/// Attribute of functions on a fast path: always inlined in optimised builds. In other builds the
/// copies would be no faster, and take a tenth of a small program's compile time.
#ifdef __OPTIMIZE__
#define MPX_ALWAYS_INLINE gnu::always_inline
#else
#define MPX_ALWAYS_INLINE
#endif

/// Attribute of loops over many elements: compiles them for vectors that not all machines have. See
/// has_wide_vectors.
#ifdef __x86_64__
#define MPX_WIDE_VECTORS gnu::target("avx2")
#else
#define MPX_WIDE_VECTORS
#endif

namespace mpx::inline v0 {

/// Version of the wire format. Ranks with another version are refused at start-up.
inline constexpr unsigned wire_version = 15;

namespace detail {

/// Prints the violated precondition and aborts. `line` 0: the line of the program is unknown.
[[noreturn]] inline void assertion_failed(const char* what, const char* why, const char* file,
                                          int line) noexcept {
  if (line == 0)
    std::fprintf(stderr, "mpx: precondition violated: %s (%s)\n", why, what);
  else
    std::fprintf(stderr, "%s:%d: mpx: precondition violated: %s (%s)\n", file, line, why, what);
  std::abort();
}

}  // namespace detail
}  // namespace mpx::inline v0

/// Checks a precondition of the caller: `condition` must hold; `why` tells the caller how to fix
/// it. MPX_ASSERT_AT reports the source location `where` of the program; none if it is empty.
#if MPX_ASSERT_LEVEL >= 1
#define MPX_ASSERT(condition, why) \
  ((condition) ? void(0) : ::mpx::detail::assertion_failed(#condition, why, __FILE__, __LINE__))
#define MPX_ASSERT_AT(condition, why, where)                                           \
  ((condition) ? void(0)                                                               \
               : ::mpx::detail::assertion_failed(#condition, why, (where).file_name(), \
                                                 static_cast<int>((where).line())))
#else
#define MPX_ASSERT(condition, why) void(0)
#define MPX_ASSERT_AT(condition, why, where) void(0)
#endif

/// Checks an invariant of mpx itself.
#if MPX_ASSERT_LEVEL >= 2
#define MPX_INVARIANT(condition) MPX_ASSERT(condition, "an invariant of mpx: please report this")
#else
#define MPX_INVARIANT(condition) void(0)
#endif
