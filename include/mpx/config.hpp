// SPDX-License-Identifier: BSL-1.0
#pragma once
// Version, ABI namespace and assertion levels: the only macros of mpx live in this file.
// Everything public is in `mpx::inline v0`, so that two versions in one program fail to link, not
// to run.

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
#include MPX_NEEDS  // No such file: a compiler goes on after #error, and ends here.
#endif

#ifdef MPX_SINGLE_HEADER
#error "headers of mpx's tree beside its single header, which define the same: use one of the two"
#define MPX_NEEDS <mpx/one of the two: see the error above>
#include MPX_NEEDS
#endif

#include <cstdio>
#include <cstdlib>

#define MPX_VERSION_MAJOR 0
#define MPX_VERSION_MINOR 1
#define MPX_VERSION_PATCH 0
#define MPX_VERSION_STRING "0.1.0"

/// 0: preconditions are assumed; 1: cheap preconditions are checked; 2: internal invariants too.
/// Translation units of one program may differ: no layout depends on it. Of a function that several
/// of them instantiate, the linker keeps one, and with it that one's level. The default follows
/// NDEBUG.
#ifndef MPX_ASSERT_LEVEL
#ifdef NDEBUG
#define MPX_ASSERT_LEVEL 0
#else
#define MPX_ASSERT_LEVEL 1
#endif
#endif

/// Where atomic words, locks, sleep, time and memory come from: a namespace with the names of
/// `platform::native`. A test that explores interleavings names its own before it includes mpx, and
/// decides at each of these operations which thread goes on; one that runs out of memory, which
/// allocation fails. Every translation unit must agree.
#ifndef MPX_PLATFORM
#define MPX_PLATFORM native
#endif

/// 1: the default stack is compiled in a library that the program links (the CMake target
/// mpx::compiled sets it); 2: in that library itself; 0: wherever it is used.
#ifndef MPX_COMPILED
#define MPX_COMPILED 0
#endif

/// 1 if this is compiled for AddressSanitizer.
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

/// Names a template's instance that such a library holds; see mpx/instances.hpp.
#if MPX_COMPILED == 1
#define MPX_INSTANCE(...) extern template __VA_ARGS__;
#elif MPX_COMPILED == 2
#define MPX_INSTANCE(...) template __VA_ARGS__;
#else
#define MPX_INSTANCE(...)
#endif

/// Of what a fast path is made of: one function where the compiler optimises. Elsewhere the copies
/// would be no faster, and take a tenth of a small program's time to compile.
#ifdef __OPTIMIZE__
#define MPX_ALWAYS_INLINE gnu::always_inline
#else
#define MPX_ALWAYS_INLINE
#endif

/// Of loops over many elements: for vectors that not all machines have. See has_wide_vectors.
#ifdef __x86_64__
#define MPX_WIDE_VECTORS gnu::target("avx2")
#else
#define MPX_WIDE_VECTORS
#endif

namespace mpx::inline v0 {

/// The wire format's version: ranks with another one are refused at start-up.
inline constexpr unsigned wire_version = 12;

namespace detail {

/// `line` 0: which line of the program it was is not known.
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

/// A precondition of the caller: `condition` must hold; `why` says what to do about it.
/// MPX_ASSERT_AT names the program's line, a std::source_location; of an empty one, none.
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

/// An invariant of mpx itself.
#if MPX_ASSERT_LEVEL >= 2
#define MPX_INVARIANT(condition) MPX_ASSERT(condition, "an invariant of mpx: please report this")
#else
#define MPX_INVARIANT(condition) void(0)
#endif
