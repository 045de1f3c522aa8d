// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where a buffer's bytes lie, for the lists of memory that alltoallw and neighbor_alltoallw take.

#include <concepts>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/datatype/memory.hpp"

namespace mpx::inline v0 {

/// The memory of a buffer that a layout spreads: a strided view, a typed buffer, a struct's fields.
/// Requires: the buffer outlives the operation that uses it, its elements too; a temporary is
/// refused. Errors: errc::datatype: its layout cannot be sent.
template <LayoutBuffer B>
memory memory_of(const B& buffer, std::source_location where = std::source_location::current()) {
  if (buffer.fault(false) != errc{}) buffer.raise_fault("memory_of", false, where);
  return buffer.borrow();
}
template <LayoutBuffer B>
requires(!std::is_reference_v<B>)
memory memory_of(const B&& buffer) = delete;

/// The memory of a contiguous buffer or of one value. Requires: it outlives the operation.
template <class B>
requires(SendBuffer<B&> && !LayoutBuffer<B> && BufferOutlivesCall<B &&>)
memory memory_of(B&& buffer) noexcept {
  return detail::bytes_of(buffer);
}

/// A list of such buffers, one for each block: an array or vector of views. The elements outlive
/// the operation that uses them.
template <class R>
concept BufferList = std::ranges::forward_range<R> && std::is_lvalue_reference_v<R> &&
                     std::is_lvalue_reference_v<std::ranges::range_reference_t<R>> &&
                     !std::same_as<std::ranges::range_value_t<R>, memory> &&
                     (LayoutBuffer<std::ranges::range_value_t<R>> ||
                      ContiguousBuffer<std::ranges::range_value_t<R>>);

/// The memory of each.
template <BufferList R>
std::vector<memory> memories_of(R&& list, std::source_location where) {
  std::vector<memory> all;
  for (auto& one : list) {
    if constexpr (LayoutBuffer<decltype(one)>)
      all.push_back(memory_of(one, where));
    else
      all.push_back(memory_of(one));
  }
  return all;
}

}  // namespace mpx::inline v0
