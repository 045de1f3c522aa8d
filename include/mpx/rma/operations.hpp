// SPDX-License-Identifier: BSL-1.0
#pragma once
// Operations of accumulates as numbers for the wire, and how elements are combined in the target's
// memory: each element atomically.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mpx/coll/operations.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/rma/element_locks.hpp"

namespace mpx::inline v0::rma {

/// MPI's predefined operations. The values are part of the wire format.
enum class combine : std::uint8_t {
  replace,
  no_op,
  sum,
  prod,
  max,
  min,
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  maxloc,
  minloc,
  count_
};

namespace detail {

template <class Op>
constexpr combine number_of() noexcept {
  if constexpr (std::is_same_v<Op, replace_t>) return combine::replace;
  if constexpr (std::is_same_v<Op, no_op_t>) return combine::no_op;
  if constexpr (std::is_same_v<Op, std::plus<>>) return combine::sum;
  if constexpr (std::is_same_v<Op, std::multiplies<>>) return combine::prod;
  if constexpr (std::is_same_v<Op, max_t>) return combine::max;
  if constexpr (std::is_same_v<Op, min_t>) return combine::min;
  if constexpr (std::is_same_v<Op, std::logical_and<>>) return combine::logical_and;
  if constexpr (std::is_same_v<Op, std::logical_or<>>) return combine::logical_or;
  if constexpr (std::is_same_v<Op, logical_xor_t>) return combine::logical_xor;
  if constexpr (std::is_same_v<Op, std::bit_and<>>) return combine::bit_and;
  if constexpr (std::is_same_v<Op, std::bit_or<>>) return combine::bit_or;
  if constexpr (std::is_same_v<Op, std::bit_xor<>>) return combine::bit_xor;
  if constexpr (std::is_same_v<Op, maxloc_t>) return combine::maxloc;
  if constexpr (std::is_same_v<Op, minloc_t>) return combine::minloc;
  return combine::count_;
}
template <class T>
constexpr bool has(combine op) noexcept {
  if (op == combine::replace || op == combine::no_op) return true;
  if (op == combine::maxloc || op == combine::minloc) return mpx::detail::is_located<T>;
  if (op >= combine::bit_and && op <= combine::bit_xor) return std::is_integral_v<T>;
  if (op == combine::sum || op == combine::prod)
    return requires(const T& a) {
      static_cast<T>(a + a);
      static_cast<T>(a * a);
    };
  return op < combine::count_ && std::is_arithmetic_v<T>;
}

}  // namespace detail

/// A predefined operation (mpx::sum, mpx::replace, ...) that applies to elements of T.
template <class Op, class T>
concept Operation = detail::has<T>(detail::number_of<std::remove_cvref_t<Op>>());

namespace detail {

/// Unsigned integer of N bytes; void if there is none.
template <std::size_t N>
struct word_of {
  using type = void;
};
template <>
struct word_of<1> {
  using type = std::uint8_t;
};
template <>
struct word_of<2> {
  using type = std::uint16_t;
};
template <>
struct word_of<4> {
  using type = std::uint32_t;
};
template <>
struct word_of<8> {
  using type = std::uint64_t;
};
/// Integer type as which elements of T are accessed atomically; void: they need a lock.
template <class T>
using atomic_word =
    typename word_of<std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>
                         ? sizeof(T)
                         : 0>::type;

template <class T>
T combined(combine op, const T& there, const T& given) noexcept {
  const auto by = [&](const auto& f) {
    if constexpr (requires { static_cast<T>(f(there, given)); })
      return static_cast<T>(f(there, given));
    return there;
  };
  switch (op) {
    case combine::replace: return given;
    case combine::sum: return by(mpx::sum);
    case combine::prod: return by(mpx::prod);
    default: break;
  }
  if constexpr (std::is_arithmetic_v<T>) {
    switch (op) {
      case combine::max: return by(mpx::max);
      case combine::min: return by(mpx::min);
      case combine::logical_and: return by(mpx::logical_and);
      case combine::logical_or: return by(mpx::logical_or);
      case combine::logical_xor: return by(mpx::logical_xor);
      default: break;
    }
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case combine::bit_and: return by(mpx::bit_and);
      case combine::bit_or: return by(mpx::bit_or);
      case combine::bit_xor: return by(mpx::bit_xor);
      default: break;
    }
  }
  if constexpr (mpx::detail::is_located<T>) {
    if (op == combine::maxloc) return mpx::maxloc(there, given);
    if (op == combine::minloc) return mpx::minloc(there, given);
  }
  return there;
}

/// Replaces the element `there` by `there op given`, atomically. `given` need not be aligned.
/// Returns:    the previous value.
template <class T>
[[MPX_ALWAYS_INLINE]] inline T combine_one(combine op, std::byte* there, const std::byte* given,
                                           element_locks& locks, std::uint32_t who) noexcept {
  T value{};
  if (given != nullptr) std::memcpy(&value, given, sizeof(T));
  using word = atomic_word<T>;
  if constexpr (!std::is_void_v<word>) {
    const platform::atomic_ref<word> at(*reinterpret_cast<word*>(there));
    if (op == combine::no_op) return std::bit_cast<T>(at.load(platform::memory_order_seq_cst));
    if (op == combine::replace) return std::bit_cast<T>(at.exchange(std::bit_cast<word>(value)));
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (op == combine::sum) return static_cast<T>(at.fetch_add(static_cast<word>(value)));
    }
    word old = at.load(platform::memory_order_relaxed);
    while (!at.compare_exchange_weak(
        old, std::bit_cast<word>(combined(op, std::bit_cast<T>(old), value)))) {
    }
    return std::bit_cast<T>(old);
  } else {
    T old{};
    const element_lock held(locks, there, who);
    std::memcpy(&old, there, sizeof(T));
    if (op == combine::no_op) return old;
    value = combined(op, old, value);
    std::memcpy(there, &value, sizeof(T));
    return old;
  }
}

/// Combines elements that no other rank combines: each becomes `f(there, given)`. Works by cache
/// lines, which compilers vectorise.
template <class T, class F>
[[gnu::always_inline]] inline void combine_lines(T* __restrict there,
                                                 const std::byte* __restrict given, std::size_t n,
                                                 F f) noexcept {
  const auto one = [&](std::size_t i) __attribute__((always_inline)) {
    T value;
    std::memcpy(&value, given + i * sizeof(T), sizeof(T));
    there[i] = f(there[i], value);
  };
  constexpr std::size_t line = sizeof(T) < 64 ? 64 / sizeof(T) : 1;
  std::size_t i = 0;
  for (; n - i >= line; i += line)
#pragma GCC unroll 64
    for (std::size_t j = 0; j < line; ++j) one(i + j);
  for (; i < n; ++i) one(i);
}
template <class T, class F>
[[MPX_WIDE_VECTORS]] void combine_wide(T* there, const std::byte* given, std::size_t n,
                                       F f) noexcept {
  combine_lines(there, given, n, f);
}
/// Combines elements that no other rank combines by `op`. `given`, `fetched`: see element_type.
template <class T>
void combine_alone(combine op, std::byte* there, const std::byte* given, std::byte* fetched,
                   std::size_t n) noexcept {
  if (fetched != nullptr) std::memcpy(fetched, there, n * sizeof(T));
  if (op == combine::no_op) return;
  if (op == combine::replace) {
    std::memcpy(there, given, n * sizeof(T));
    return;
  }
  T* const at = reinterpret_cast<T*>(there);
  if constexpr (std::is_arithmetic_v<T>) {
    const auto by = [&](const auto& f) {
      const auto one = [&f](const T& a, const T& b) { return static_cast<T>(f(a, b)); };
      platform::has_wide_vectors() ? combine_wide(at, given, n, one)
                                   : combine_lines(at, given, n, one);
    };
    switch (op) {
      case combine::sum: return by(mpx::sum);
      case combine::prod: return by(mpx::prod);
      case combine::max: return by(mpx::max);
      case combine::min: return by(mpx::min);
      default: break;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, given + i * sizeof(T), sizeof(T));
    at[i] = combined(op, at[i], value);
  }
}

/// Maximum length combined in one hold of the bulk lock.
inline constexpr std::size_t held_bytes_max = std::size_t{64} << 10;

/// Replaces the element by `given` if it is equal to `compare`, byte for byte, atomically.
/// Returns:    the previous value.
template <class T>
T swap_one(std::byte* there, const std::byte* compare, const std::byte* given, element_locks& locks,
           std::uint32_t who) noexcept {
  using word = atomic_word<T>;
  if constexpr (!std::is_void_v<word>) {
    word expected{};
    word value{};
    std::memcpy(&expected, compare, sizeof(T));
    std::memcpy(&value, given, sizeof(T));
    const platform::atomic_ref<word> at(*reinterpret_cast<word*>(there));
    at.compare_exchange_strong(expected, value);
    return std::bit_cast<T>(expected);
  } else {
    T old{};
    const element_lock held(locks, there, who);
    std::memcpy(&old, there, sizeof(T));
    if (std::memcmp(there, compare, sizeof(T)) == 0) std::memcpy(there, given, sizeof(T));
    return old;
  }
}

}  // namespace detail

/// Maximum size of a window's element.
inline constexpr std::size_t element_bytes_max = 256;

/// Element type of a window, with run-time values only.
struct element_type {
  std::size_t bytes;
  std::size_t alignment;
  bool (*has)(combine op) noexcept;
  /// Combines `count` elements. `given` is nullptr for no_op; `fetched` is nullptr if previous
  /// values are not wanted. Neither need be aligned.
  void (*apply)(combine op, std::byte* there, const std::byte* given, std::byte* fetched,
                std::size_t count, element_locks& locks, std::uint32_t who) noexcept;
  void (*swap)(std::byte* there, const std::byte* compare, const std::byte* given,
               std::byte* fetched, element_locks& locks, std::uint32_t who) noexcept;
  bool is_word;       ///< Elements are combined by atomic instructions, without a lock.
  bool is_integer;    ///< Their sum is that of integers of their size, modulo 2^n.
  std::size_t reach;  ///< Bytes of memory from its first to its last byte; `bytes` of data.
  // Of an element of a byte_window:
  std::uint16_t number;   ///< Its number in records; else 0.
  std::uint16_t hole_at;  ///< Offset of the hole within it; 0: none.
  std::size_t extent;     ///< Bytes of memory from one element to the next.
};

namespace detail {

/// Returns p + i; nullptr if p is. (nvcc does not take a generic lambda in its place.)
template <class T>
constexpr T* behind(T* p, std::size_t i) noexcept {
  return p == nullptr ? p : p + i;
}

template <class T>
inline constexpr element_type type_of{
    sizeof(T),
    alignof(T),
    [](combine op) noexcept { return has<T>(op); },
    [](combine op, std::byte* there, const std::byte* given, std::byte* fetched, std::size_t count,
       element_locks& locks, std::uint32_t who) noexcept {
      const std::size_t n = count * sizeof(T);
      if (locks.are_many(count)) {
        constexpr std::size_t most = sizeof(T) < held_bytes_max ? held_bytes_max / sizeof(T) : 1;
        for (std::size_t i = 0; i < n; i += most * sizeof(T)) {
          locks.bulk->lock(locks, who, true);
          combine_alone<T>(op, there + i, behind(given, i), behind(fetched, i),
                           mpx::detail::lesser(most, (n - i) / sizeof(T)));
          locks.bulk->unlock(locks, true);
        }
        return;
      }
      with_few(locks, who, [&] {
        for (std::size_t i = 0; i < n; i += sizeof(T)) {
          const T old = combine_one<T>(op, there + i, behind(given, i), locks, who);
          if (fetched != nullptr) std::memcpy(fetched + i, &old, sizeof(T));
        }
      });
    },
    [](std::byte* there, const std::byte* compare, const std::byte* given, std::byte* fetched,
       element_locks& locks, std::uint32_t who) noexcept {
      with_few(locks, who, [&] {
        const T old = swap_one<T>(there, compare, given, locks, who);
        std::memcpy(fetched, &old, sizeof(T));
      });
    },
    !std::is_void_v<atomic_word<T>>,
    std::is_integral_v<T> && !std::is_same_v<T, bool>,
    sizeof(T),
    0,
    0,
    0};

}  // namespace detail

}  // namespace mpx::inline v0::rma
