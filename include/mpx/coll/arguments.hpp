// SPDX-License-Identifier: BSL-1.0
#pragma once
// Arguments of collectives: values and ranges, counts and displacements, mpx::in_place, operations.

#include <array>
#include <concepts>
#include <source_location>
#include <span>
#include <vector>

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/operations.hpp"
#include "mpx/core/error.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {

namespace detail {
struct in_place_t {};
}  // namespace detail

/// Passed instead of an input buffer: the rank's data is in the result buffer already.
inline constexpr detail::in_place_t in_place{};

}  // namespace mpx::inline v0

namespace mpx::inline v0::detail {

/// Argument of a reduction in place: a range, which holds the result; a value, of which a copy is
/// combined and returned; or a temporary container, which is returned.
template <class V>
concept ReducedInPlace = (std::ranges::range<V> || LayoutBuffer<V>) && ReceiveBuffer<V>;
template <class V>
concept ReducedValue =
    !std::ranges::range<std::remove_cvref_t<V>> && Transferable<std::remove_cvref_t<V>>;
template <class V>
concept ReducedContainer = std::is_rvalue_reference_v<V> && ContiguousBuffer<V> &&
                           !std::is_const_v<std::remove_reference_t<V>> && !ReducedInPlace<V>;
template <class V>
concept Reducible = ReducedInPlace<V> || ReducedValue<V> || ReducedContainer<V>;
template <class V>
struct element_of {
  using type = std::remove_cvref_t<V>;
};
template <std::ranges::range V>
struct element_of<V> {
  using type = std::ranges::range_value_t<V>;
};
template <LayoutBuffer V>
struct element_of<V> {
  using type = typename std::remove_cvref_t<V>::layout_buffer;
};
template <class V>
using element_of_t = typename element_of<V>::type;
/// Two buffers of the same element type; the second is written.
template <class In, class Out>
concept ReducedBetween = SendBuffer<const In&> && ReceiveBuffer<Out> &&
                         std::same_as<element_of_t<const In>, element_of_t<Out>>;
/// The type that an operation combines: T, or the elements of T if T is an array that the operation
/// does not accept.
template <class T, class Op>
struct combined {
  using type = T;
};
template <class T, class Op>
using combined_t = typename combined<T, Op>::type;
template <class T, std::size_t N, class Op>
requires(!std::invocable<Op&, const T (&)[N], const T (&)[N]>)
struct combined<T[N], Op> : combined<T, Op> {};
template <class T, std::size_t N, class Op>
requires(!std::invocable<Op&, const std::array<T, N>&, const std::array<T, N>&>)
struct combined<std::array<T, N>, Op> : combined<T, Op> {};
/// The reduction for buffers of type V.
template <class V, class Op>
using reduction_of = typed_reduction<combined_t<element_of_t<V>, Op>, Op>;
/// `Op` can be called with two elements of V, or combines elements of any type.
template <class Op, class V>
concept Reduces =
    std::same_as<Op, any_operation> || std::invocable<Op&, const combined_t<element_of_t<V>, Op>&,
                                                      const combined_t<element_of_t<V>, Op>&>;

template <class B>
memory place_of_layout(const B& buffer) noexcept;  // Both: see mpx/datatype.hpp.
template <class B>
std::size_t unit_of_layout(const B& buffer) noexcept;

/// The memory of a buffer. Memory of an input is never written, in spite of the pointer's type. A
/// buffer with a fault has no memory: see `made_call`.
template <class B>
[[MPX_ALWAYS_INLINE]] inline memory place_of(const B& buffer) noexcept {
  if constexpr (LayoutBuffer<B>) {
    return place_of_layout(buffer);
  } else {
    return bytes_of(buffer);
  }
}
/// Size of one element in bytes.
template <class B>
[[MPX_ALWAYS_INLINE]] inline std::size_t unit_of(const B& buffer) noexcept {
  if constexpr (LayoutBuffer<B>) {
    return unit_of_layout(buffer);
  } else {
    return sizeof(element_of_t<const B>);
  }
}

/// Use of a buffer by a call. A buffer with a layout may have a fault, which the call reports.
struct plain_use {
  static constexpr bool has_layout = false;
};
template <class B>
struct layout_use {
  static constexpr bool has_layout = true;
  const B* buffer;  // nullptr: ignored at this rank.
  bool received;
};
/// Input or output of a call. `counts`: false if the buffer is ignored at this rank.
template <class B>
[[MPX_ALWAYS_INLINE]] inline auto reads([[maybe_unused]] const B& b,
                                        [[maybe_unused]] bool counts = true) noexcept {
  if constexpr (LayoutBuffer<B>) {
    return layout_use<B>{counts ? &b : nullptr, false};
  } else {
    return plain_use();
  }
}
template <class B>
[[MPX_ALWAYS_INLINE]] inline auto writes([[maybe_unused]] const B& b,
                                         [[maybe_unused]] bool counts = true) noexcept {
  if constexpr (LayoutBuffer<B>) {
    return layout_use<B>{counts ? &b : nullptr, true};
  } else {
    return plain_use();
  }
}

/// Use of a list of buffers; see listed_memory.
template <class List>
auto uses_all([[maybe_unused]] const List& list) noexcept {
  if constexpr (List::has_layouts) {
    return layout_use<List>{&list, list.received()};
  } else {
    return plain_use();
  }
}

/// Address for an empty buffer without one: a null address would mean mpx::in_place.
inline constexpr std::byte nowhere{};
inline memory somewhere(const memory& m) noexcept {
  return m.exists() ? m : memory(const_cast<std::byte*>(&nowhere), 0);
}

/// Input of a rank: a value, a range, or mpx::in_place.
template <class In>
concept Gives = SendBuffer<In> || std::same_as<std::remove_cvref_t<In>, in_place_t>;
template <class In>
memory given(const In& in) noexcept {
  if constexpr (std::same_as<In, in_place_t>) {
    return {};
  } else {
    return somewhere(place_of(in));
  }
}

/// Output for a rank's own block: a buffer, or mpx::in_place.
template <class Out>
concept Takes = ReceiveBuffer<Out> || std::same_as<std::remove_cvref_t<Out>, in_place_t>;
template <class Out>
memory taken(Out& out) noexcept {
  if constexpr (std::same_as<std::remove_cv_t<Out>, in_place_t>) {
    return {};
  } else {
    return given(out);
  }
}

/// True if elements of type A may be received as elements of type B: equal types, integers of equal
/// size and signedness, or std::byte on either side.
template <class A, class B>
inline constexpr bool may_be_elements =
    std::same_as<A, B> || std::same_as<A, std::byte> || std::same_as<B, std::byte> ||
    (std::integral<A> && std::integral<B> && !std::same_as<A, bool> && !std::same_as<B, bool> &&
     sizeof(A) == sizeof(B) && std::is_signed_v<A> == std::is_signed_v<B>);
// The names of these conditions appear in error messages of compilers.
template <class In, class Out>
inline constexpr bool elements_of_one_type_go_in_and_out =
    may_be_elements<std::remove_cv_t<element_of_t<In>>, std::remove_cv_t<element_of_t<Out>>>;
template <class In>
inline constexpr bool elements_of_one_type_go_in_and_out<In, in_place_t> = true;
template <class Out>
inline constexpr bool elements_of_one_type_go_in_and_out<in_place_t, Out> = true;
template <class In, class Out>
concept Fit = elements_of_one_type_go_in_and_out<std::remove_cvref_t<In>, std::remove_cvref_t<Out>>;
/// Input and output of a call, with matching element types.
template <class In, class Out>
concept Gathers = Gives<In> && ReceiveBuffer<Out> && Fit<In, Out>;
template <class In, class Out>
concept Scatters = SendBuffer<In> && Takes<Out> && Fit<In, Out>;

/// Counts or displacements: a contiguous range of integers of 32 or 64 bits, one for each rank.
template <class C>
concept Counts =
    std::ranges::contiguous_range<C> && std::ranges::sized_range<C> &&
    std::integral<std::ranges::range_value_t<C>> &&
    (sizeof(std::ranges::range_value_t<C>) == 4 || sizeof(std::ranges::range_value_t<C>) == 8);

template <class C>
coll::numbers numbers_of(const C& c) noexcept {
  using value = std::ranges::range_value_t<C>;
  return {std::ranges::data(c), sizeof(value) == 8, std::ranges::size(c),
          std::is_unsigned_v<value>};
}

template <class B>
std::size_t elements_of(const B& buffer) noexcept {
  return place_of(buffer).bytes / sizeof(element_of_t<const B>);
}
/// `sum_of` and `product_of` return the largest size_t on overflow, so that an allocation fails.
inline std::size_t sum_of(const std::vector<std::int64_t>& counts) noexcept {
  std::size_t sum = 0;
  for (const std::int64_t c : counts)
    if (__builtin_add_overflow(sum, static_cast<std::size_t>(c), &sum))
      return static_cast<std::size_t>(-1);
  return sum;
}
inline std::size_t product_of(std::size_t elements, rank_t ranks) noexcept {
  std::size_t all = 0;
  return __builtin_mul_overflow(elements, ranks, &all) ? static_cast<std::size_t>(-1) : all;
}

/// True if no error has been stored.
template <class How>
bool well([[maybe_unused]] const std::remove_reference_t<How>& how) noexcept {
  if constexpr (is_code<How>) return !how;
  return true;
}
/// Runs `call` on a range, or on a copy of a value. Returns the copy if `here` and there is no
/// error, else the value. A temporary container is returned as well.
template <class How, class V, class Call>
auto in_place_or_copied(std::remove_reference_t<V>& value, std::remove_reference_t<How>& how,
                        bool here, Call&& call) {
  using result_type = std::remove_cvref_t<V>;
  if constexpr (ReducedContainer<V&&> && BlockingForm<How>) {
    call(place_of(value));
    return result_type(std::move(value));
  } else if constexpr (std::ranges::range<V> || LayoutBuffer<V> || !BlockingForm<How>) {
    return call(place_of(value));
  } else {
    result_type result = value;
    call(place_of(result));
    return here && well<How>(how) ? result : result_type(value);
  }
}

/// Blocks that are separate pieces of memory.
inline coll::blocks pieces_of(std::span<const memory> all) noexcept {
  coll::blocks b;
  b.pieces = all.data();
  b.counts.many = all.size();
  return b;
}
/// The memory of a buffer, for blocks that lie in it together.
template <class B>
coll::blocks blocks_of(const B& buffer) noexcept {
  const memory all = place_of(buffer);
  coll::blocks b;
  b.base = all.base;
  b.room = all.bytes;
  b.how = all.how;
  b.together = true;
  b.unit = unit_of(buffer);
  return b;
}
/// Blocks in `buffer` with these lengths, one after the other.
template <class B, class C>
coll::blocks blocks_at(const B& buffer, const C& counts) noexcept {
  coll::blocks b = blocks_of(buffer);
  b.counts = numbers_of(counts);
  return b;
}
/// Blocks in `buffer` with these lengths and displacements.
template <class B, class C, class P>
coll::blocks blocks_at(const B& buffer, const C& counts, const P& displacements) noexcept {
  coll::blocks b = blocks_at(buffer, counts);
  b.displacements = numbers_of(displacements);
  return b;
}

}  // namespace mpx::inline v0::detail

namespace mpx::inline v0 {

/// Combines element by element, without communication: inout[i] = in[i] op inout[i].
/// Errors:     errc::argument if the ranges differ in length.
/// Source:     MPI_Reduce_local.
template <class In, class Out, class Op>
requires detail::ReducedBetween<In, Out&&> && detail::Reduces<Op, In>
void reduce_local(const In& in, Out&& inout, Op op,
                  std::source_location where = std::source_location::current()) {
  const auto from = detail::bytes_of(in);
  const auto to = detail::writable_bytes_of(inout);
  if (from.size() != to.size())
    throw error(errc::argument, "reduce_local: ranges of different lengths", where);
  if (!from.empty())
    detail::reduction_of<const In, Op>::apply(&op, to.data(), from.data(), to.data(), to.size());
}

}  // namespace mpx::inline v0
