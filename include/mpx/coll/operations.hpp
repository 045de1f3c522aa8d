// SPDX-License-Identifier: BSL-1.0
#pragma once
// Function objects for reductions: MPI's operations, the trait that tells which of them commute,
// and how a program declares that its own operation commutes.

#include <string>  // Also declares std::plus and the like.
#include <type_traits>
#include <utility>

#include "mpx/core/types.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0 {

/// The greater of two values.
struct max_t {
  /// Returns `a`, unless `b` is greater.
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
/// The lesser of two values.
struct min_t {
  /// Returns `a`, unless `b` is less.
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
/// Logical exclusive or.
struct logical_xor_t {
  /// Returns true if exactly one of them is true.
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(static_cast<bool>(a) != static_cast<bool>(b));
  }
};
/// The second of two values.
struct replace_t {
  /// Returns `b`.
  template <class T>
  [[nodiscard]] constexpr T operator()(const T&, const T& b) const {
    return b;
  }
};
/// The first of two values.
struct no_op_t {
  /// Returns `a`.
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T&) const {
    return a;
  }
};

/// A value and its index, for maxloc and minloc.
template <class T, class Index = rank_t>
struct located {
  T value;      ///< The value that is compared.
  Index index;  ///< Its index, e.g. a rank: of equal values, the least index wins.
  /// True if value and index are equal.
  friend bool operator==(const located&, const located&) = default;
};
/// The greatest value, with the least index that has it.
struct maxloc_t {
  /// Returns the operand with the greater value; of equal values that with the lesser index.
  template <class P>
  [[nodiscard]] constexpr P operator()(const P& a, const P& b) const {
    if (a.value < b.value) return b;
    return b.value < a.value || a.index < b.index ? a : b;
  }
};
/// The least value, with the least index that has it.
struct minloc_t {
  /// Returns the operand with the lesser value; of equal values that with the lesser index.
  template <class P>
  [[nodiscard]] constexpr P operator()(const P& a, const P& b) const {
    if (b.value < a.value) return b;
    return a.value < b.value || a.index < b.index ? a : b;
  }
};

inline constexpr std::plus<> sum{};                 ///< MPI_SUM
inline constexpr std::multiplies<> prod{};          ///< MPI_PROD
inline constexpr max_t max{};                       ///< MPI_MAX
inline constexpr min_t min{};                       ///< MPI_MIN
inline constexpr std::logical_and<> logical_and{};  ///< MPI_LAND
inline constexpr std::logical_or<> logical_or{};    ///< MPI_LOR
inline constexpr logical_xor_t logical_xor{};       ///< MPI_LXOR
inline constexpr std::bit_and<> bit_and{};          ///< MPI_BAND
inline constexpr std::bit_or<> bit_or{};            ///< MPI_BOR
inline constexpr std::bit_xor<> bit_xor{};          ///< MPI_BXOR
inline constexpr maxloc_t maxloc{};                 ///< MPI_MAXLOC, of mpx::located
inline constexpr minloc_t minloc{};                 ///< MPI_MINLOC, of mpx::located
inline constexpr replace_t replace{};               ///< MPI_REPLACE
inline constexpr no_op_t no_op{};                   ///< MPI_NO_OP

namespace detail {

template <class Op>
struct commutative_t {
  [[no_unique_address]] Op op;
  template <class T>
  constexpr decltype(auto) operator()(const T& a, const T& b) {
    return op(a, b);
  }
};
template <class Op>
inline constexpr bool commutes_on_numbers = false;
template <class T>
inline constexpr bool commutes_on_numbers<std::plus<T>> = true;
template <class T>
inline constexpr bool commutes_on_numbers<std::multiplies<T>> = true;
template <class T>
inline constexpr bool commutes_on_numbers<std::logical_and<T>> = true;
template <class T>
inline constexpr bool commutes_on_numbers<std::logical_or<T>> = true;
template <class T>
inline constexpr bool commutes_on_numbers<std::bit_and<T>> = true;
template <class T>
inline constexpr bool commutes_on_numbers<std::bit_or<T>> = true;
template <class T>
inline constexpr bool commutes_on_numbers<std::bit_xor<T>> = true;
template <>
inline constexpr bool commutes_on_numbers<max_t> = true;
template <>
inline constexpr bool commutes_on_numbers<min_t> = true;
template <>
inline constexpr bool commutes_on_numbers<logical_xor_t> = true;
/// True if the result depends on the order of operands: of a NaN and a number, and of zeros of both
/// signs, max and min return the first. Ranks that are to get the same bits then use the same
/// order.
template <class Op, class T>
inline constexpr bool prefers_first =
    (std::is_same_v<Op, max_t> || std::is_same_v<Op, min_t>) && std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_located = false;
template <class T, class Index>
inline constexpr bool is_located<located<T, Index>> = std::is_arithmetic_v<T>;

}  // namespace detail

/// True if `op(a, b)` equals `op(b, a)` for all T, so that elements may be combined in any order.
/// It is true for MPI's operations and their equivalents of the standard library on numbers, and
/// for the result of `commutative`. It is false for all others, whose operands keep rank order.
/// Programs may specialise it for their own operations.
template <class Op, class T>
inline constexpr bool is_commutative =
    (detail::commutes_on_numbers<Op> && std::is_arithmetic_v<T>) ||
    ((std::is_same_v<Op, maxloc_t> || std::is_same_v<Op, minloc_t>) && detail::is_located<T>);
template <class Op, class T>
inline constexpr bool is_commutative<detail::commutative_t<Op>, T> = true;

/// Declares that `op` commutes.
template <class Op>
constexpr detail::commutative_t<std::remove_cvref_t<Op>> commutative(Op&& op) {
  return {std::forward<Op>(op)};
}

/// An operation on elements whose type and size are known at run time only: one call combines many
/// elements. For reductions of any buffer; of buffers with a layout it combines the packed data.
/// Does not own `context`, which must stay valid until the call is complete.
struct any_operation {
  /// Stores left[i] op right[i] to out[i] for all elements of `bytes`. `out` may be `left` or
  /// `right`; otherwise none of them overlap. May throw.
  using function = void (*)(void* context, std::byte* out, const std::byte* left,
                            const std::byte* right, std::size_t bytes);

  function combine = nullptr;     ///< Combines elements.
  void* context = nullptr;        ///< First argument of `combine`.
  std::size_t element_bytes = 1;  ///< Bytes of an element; data is never split within one.
  bool commutes = false;          ///< If false, the order of ranks is kept.
};

namespace detail {

/// The reduction of elements of type T by Op.
template <class T, class Op>
struct typed_reduction {
  static_assert(alignof(T) <= scratch_alignment, "elements of at most a cache line's alignment");

  [[no_unique_address]] mutable Op op;

  void set(reduction& r) const noexcept {
    using op_type = std::remove_cv_t<Op>;
    r = {apply, &op, sizeof(T), is_commutative<op_type, T>,
         commutes_on_numbers<op_type> && std::is_arithmetic_v<T>};
  }
  static void apply(void* context, std::byte* out, const std::byte* left, const std::byte* right,
                    std::size_t bytes) {
    using op_type = std::remove_cv_t<Op>;
    constexpr bool commutes = is_commutative<op_type, T> && !prefers_first<op_type, T>;
    Op& op = *static_cast<Op*>(context);
    const std::size_t count = bytes / sizeof(T);
    T* const __restrict c = reinterpret_cast<T*>(out);
    const T* const __restrict a =
        reinterpret_cast<const T*>(commutes && out == right ? right : left);
    const T* const __restrict b =
        reinterpret_cast<const T*>(commutes && out == right ? left : right);
    if (a == c) {
      for (std::size_t i = 0; i < count; ++i) c[i] = op(std::as_const(c[i]), b[i]);
    } else if (!commutes && b == c) {
      for (std::size_t i = 0; i < count; ++i) c[i] = op(a[i], std::as_const(c[i]));
    } else {
      for (std::size_t i = 0; i < count; ++i) c[i] = op(a[i], b[i]);
    }
  }
};
template <class T>
struct typed_reduction<T, any_operation> {
  mutable any_operation op;

  void set(reduction& r) const noexcept {
    r = {op.combine, op.context, op.element_bytes, op.commutes, false};
  }
  static void apply(void* context, std::byte* out, const std::byte* left, const std::byte* right,
                    std::size_t bytes) {
    const auto& op = *static_cast<const any_operation*>(context);
    op.combine(op.context, out, left, right, bytes);
  }
};

}  // namespace detail

}  // namespace mpx::inline v0
