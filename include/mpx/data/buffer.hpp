// SPDX-License-Identifier: BSL-1.0
#pragma once
// Buffers that can be sent and received as they lie in memory: a trivially copyable value, or a
// contiguous range of them. The byte forms of calls work on views of such buffers.

#include <concepts>
#include <cstddef>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// A buffer whose bytes are arranged by a layout: made by mpx::buffer and the views of
/// mpx/datatype.hpp.
/// - `layout_buffer`: its element type, or std::byte.
/// - `lend()`: its memory for a call that blocks. `keep()`: its memory for an operation that
///   outlives the buffer; without memory if none can be allocated. Either result is dropped once.
/// - `fault(received)`: the reason why it cannot be sent or received; errc{} if it can.
template <class B>
concept LayoutBuffer =
    requires(const std::remove_cvref_t<B>& b) { typename std::remove_cvref_t<B>::layout_buffer; };

namespace detail {

/// Element type of a buffer: that of its elements, or of itself.
template <class B>
struct payload_of {
  using type = std::remove_cv_t<std::remove_all_extents_t<std::remove_reference_t<B>>>;
};
template <std::ranges::range B>
struct payload_of<B> : payload_of<std::ranges::range_value_t<B>> {};
template <class B>
using payload_t = typename payload_of<B>::type;

template <class T>
concept IsIterator = !std::is_pointer_v<T> && std::input_or_output_iterator<T>;
/// Models std::reference_wrapper.
template <class T>
concept IsReference = requires(const T& t) {
  typename T::type;
  { t.get() } -> std::same_as<typename T::type&>;
  { t } -> std::convertible_to<typename T::type&>;
};
/// A capturing closure is copyable but not assignable; the same holds for types with a reference or
/// const member. A captureless closure converts to a pointer by unary plus.
template <class T>
concept IsClosure = std::is_class_v<T> && (!std::is_copy_assignable_v<T> || requires(const T& t) {
                      requires std::is_pointer_v<decltype(+t)>;
                    });

template <class T>
struct is_transferable;  // Defined below, because it is recursive.
/// Converts to any type: initialises any member of an aggregate.
struct any_member {
  template <class T>
  operator T() const noexcept;  // NOLINT(*-explicit-*)
};
/// Converts only to types that cannot be transferred.
struct address_member {
  template <class T>
  requires(!is_transferable<T>::value)
  operator T() const noexcept;  // NOLINT(*-explicit-*)
};
/// Number of members of an aggregate that are examined.
inline constexpr std::size_t members_seen_max = 16;
inline constexpr std::size_t no_member = members_seen_max;
/// True if T can be initialised from that many members, the `Odd`th of which cannot be transferred.
template <class T, std::size_t Odd, std::size_t... I>
constexpr bool is_made_of(std::index_sequence<I...>) noexcept {
  // clang-format off
  return requires { T{std::conditional_t<I == Odd, address_member, any_member>()...}; };
  // clang-format on
}
template <class T, std::size_t N = 0>
constexpr std::size_t members_of() noexcept {
  if constexpr (N != members_seen_max &&
                is_made_of<T, no_member>(std::make_index_sequence<N + 1>())) {
    return members_of<T, N + 1>();
  } else {
    return N;
  }
}
template <class T, std::size_t... I>
constexpr bool has_address_among(std::index_sequence<I...>) noexcept {
  return (is_made_of<T, I>(std::index_sequence<I...>()) || ...);
}
template <class T>
constexpr bool has_an_address() noexcept {
  if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T> ||
                std::is_same_v<T, std::error_code> || std::is_same_v<T, std::error_condition> ||
                std::ranges::enable_borrowed_range<T>) {
    return true;
  } else if constexpr (std::ranges::range<T>) {  // Such as std::array.
    return has_an_address<payload_t<T>>();
  } else if constexpr (std::is_aggregate_v<T> && std::is_trivially_copyable_v<T>) {
    return has_address_among<T>(std::make_index_sequence<members_of<T>()>());
  } else {
    return false;
  }
}

template <class T>
inline constexpr bool is_said_to_be_safe = enable_transfer<T> || LayoutBuffer<T>;

// Names that compilers print for a payload that cannot be sent.
template <class T>
inline constexpr bool no_iterator_but_a_range_or_what_it_points_to =
    is_said_to_be_safe<T> || !IsIterator<T>;
template <class T>
inline constexpr bool no_reference_wrapper_but_what_it_refers_to =
    is_said_to_be_safe<T> || !IsReference<T>;
template <class T>
inline constexpr bool no_closure_and_no_member_that_is_a_reference_or_const =
    is_said_to_be_safe<T> || !IsClosure<T>;
template <class T>
inline constexpr bool no_pointer_view_or_other_address_inside =
    is_said_to_be_safe<T> || !has_an_address<T>();

template <class T>
concept PayloadWithoutAddress = no_iterator_but_a_range_or_what_it_points_to<T> &&
                                no_reference_wrapper_but_what_it_refers_to<T> &&
                                no_closure_and_no_member_that_is_a_reference_or_const<T> &&
                                no_pointer_view_or_other_address_inside<T>;

}  // namespace detail

/// A type whose bytes mean the same in another process: trivially copyable, or declared safe by
/// `mpx::enable_transfer`, and without addresses. Detected as addresses are pointers, iterators,
/// views such as std::span, std::reference_wrapper, closures, std::error_code (it contains the
/// address of its category), and members of aggregates that are one of these, up to the 16th
/// member.
template <class T>
concept Transferable = (std::is_trivially_copyable_v<T> || enable_transfer<std::remove_cv_t<T>>) &&
                       !LayoutBuffer<T> && detail::PayloadWithoutAddress<detail::payload_t<T>> &&
                       !std::ranges::enable_borrowed_range<std::remove_cv_t<T>>;

template <class T>
struct detail::is_transferable : std::bool_constant<Transferable<T>> {};

template <class A, class B>
inline constexpr bool enable_transfer<std::pair<A, B>> = Transferable<A> && Transferable<B>;
template <class... T>  // <utility> declares std::tuple, for std::pair.
inline constexpr bool enable_transfer<std::tuple<T...>> = (Transferable<T> && ...);

/// A contiguous range of transferable elements: span, vector, array, C array, string, ...
template <class R>
concept ContiguousBuffer = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                           Transferable<std::ranges::range_value_t<R>>;

namespace detail {

// Names that compilers print for a buffer that cannot be sent.
template <class B>
inline constexpr bool no_pointer_but_a_std_span_of_it_and_a_length =
    !std::is_pointer_v<std::remove_cvref_t<B>>;
template <class B>
inline constexpr bool trivially_copyable_or_a_contiguous_range_of_such =
    ContiguousBuffer<B> || LayoutBuffer<B> ||
    (!std::ranges::range<std::remove_cvref_t<B>> && Transferable<std::remove_cvref_t<B>>);

template <class B>
concept Writable = (LayoutBuffer<B> && std::remove_cvref_t<B>::writable) ||
                   (ContiguousBuffer<B> && std::ranges::borrowed_range<B> &&
                    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<B>>>) ||
                   (!LayoutBuffer<B> && !std::ranges::range<std::remove_cvref_t<B>> &&
                    std::is_lvalue_reference_v<B> && !std::is_const_v<std::remove_reference_t<B>>);
template <class B>
inline constexpr bool to_be_written_and_no_temporary_unless_a_view = Writable<B>;

}  // namespace detail

/// Buffer of a send: a contiguous buffer, one value, or a layout buffer.
template <class B>
concept SendBuffer = detail::no_pointer_but_a_std_span_of_it_and_a_length<B> &&
                     detail::PayloadWithoutAddress<detail::payload_t<B>> &&
                     detail::trivially_copyable_or_a_contiguous_range_of_such<B>;

/// Buffer of a receive: a send buffer that is writable, and not a temporary unless it is a view.
template <class B>
concept ReceiveBuffer = SendBuffer<B> && detail::to_be_written_and_no_temporary_unless_a_view<B>;

/// A buffer that still exists after a nonblocking call has returned: an lvalue, or a view such as
/// std::span. Not a temporary value or container.
template <class B>
concept BufferOutlivesCall = std::is_lvalue_reference_v<B> || LayoutBuffer<B> ||
                             (ContiguousBuffer<B> && std::ranges::borrowed_range<B>);

namespace detail {

/// Returns the bytes of a contiguous buffer to send.
template <SendBuffer B>
requires(!LayoutBuffer<B>)
[[MPX_ALWAYS_INLINE]] inline std::span<const std::byte> bytes_of(const B& buffer) noexcept {
  if constexpr (ContiguousBuffer<const B&>) {
    return {reinterpret_cast<const std::byte*>(std::ranges::data(buffer)),
            std::ranges::size(buffer) * sizeof(std::ranges::range_value_t<B>)};
  } else {
    return {reinterpret_cast<const std::byte*>(&buffer), sizeof(B)};
  }
}

/// Returns the bytes of a contiguous buffer to receive into.
template <class B>
requires(ReceiveBuffer<B &&> && !LayoutBuffer<B>)
[[MPX_ALWAYS_INLINE]] inline std::span<std::byte> writable_bytes_of(B&& buffer) noexcept {
  if constexpr (ContiguousBuffer<B>) {
    return {
        reinterpret_cast<std::byte*>(std::ranges::data(buffer)),
        std::ranges::size(buffer) * sizeof(std::ranges::range_value_t<std::remove_reference_t<B>>)};
  } else {
    return {reinterpret_cast<std::byte*>(&buffer), sizeof(buffer)};
  }
}

}  // namespace detail

}  // namespace mpx::inline v0
