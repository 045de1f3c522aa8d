// SPDX-License-Identifier: BSL-1.0
#pragma once
// What can be sent and received as it lies in memory: a trivially copyable value, or a contiguous
// range of them. Views are what the byte forms below the typed forms work on.

#include <cstddef>
#include <span>
#include <system_error>
#include <type_traits>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// A buffer whose bytes lie as a layout says: what mpx::buffer and the views of mpx/datatype.hpp
/// make. `layout_buffer` is the type of its elements, or std::byte. Its memory, for one operation:
/// `lend()` for a call that blocks; `keep()` for one that outlives the buffer, without memory when
/// there is none for that. Either is dropped once. `fault(received)`: what is wrong with it.
template <class B>
concept LayoutBuffer =
    requires(const std::remove_cvref_t<B>& b) { typename std::remove_cvref_t<B>::layout_buffer; };

/// A type whose bytes mean the same in another process: trivially copyable, and no address, be it a
/// pointer, a view such as std::span, or a std::error_code, which has that of its category.
template <class T>
concept Transferable =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_member_pointer_v<T> &&
    !std::is_null_pointer_v<T> && !std::is_same_v<std::remove_cv_t<T>, std::error_code> &&
    !std::is_same_v<std::remove_cv_t<T>, std::error_condition> && !LayoutBuffer<T> &&
    !std::ranges::enable_borrowed_range<std::remove_cv_t<T>>;

/// A range of transferable elements in one piece: span, vector, array, C array, string, ...
template <class R>
concept ContiguousBuffer = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                           Transferable<std::ranges::range_value_t<R>>;

namespace detail {

// What compilers print of a buffer that cannot be sent.
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

/// What a send takes: a contiguous buffer, one value, or what a layout spreads.
template <class B>
concept SendBuffer = detail::no_pointer_but_a_std_span_of_it_and_a_length<B> &&
                     detail::trivially_copyable_or_a_contiguous_range_of_such<B>;

/// What a receive takes: the same, writable, and no temporary unless it is a view.
template <class B>
concept ReceiveBuffer = SendBuffer<B> && detail::to_be_written_and_no_temporary_unless_a_view<B>;

/// A buffer that is still there when a nonblocking call has returned: an lvalue, or a view such as
/// std::span. A temporary value or container is not.
template <class B>
concept BufferOutlivesCall = std::is_lvalue_reference_v<B> || LayoutBuffer<B> ||
                             (ContiguousBuffer<B> && std::ranges::borrowed_range<B>);

namespace detail {

/// The bytes of a buffer to send that lies in one piece.
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

/// The bytes of a buffer to receive into that lies in one piece.
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
