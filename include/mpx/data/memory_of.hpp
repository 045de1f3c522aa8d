// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory of a buffer, for the lists that alltoallw and neighbor_alltoallw take.

#include <concepts>
#include <cstddef>
#include <source_location>
#include <span>
#include <type_traits>

#include "mpx/core/error.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/data/memory.hpp"

namespace mpx::inline v0 {

/// Returns the memory of a layout buffer: a strided view, a typed buffer, the fields of a struct.
/// Requires:   the buffer and its elements outlive the operation that uses the memory. Temporaries
///             are rejected.
/// Errors:     errc::datatype if the layout cannot be sent.
template <LayoutBuffer B>
memory memory_of(const B& buffer, std::source_location where = std::source_location::current()) {
  if (buffer.fault(false) != errc{}) buffer.raise_fault("memory_of", false, where);
  return buffer.borrow();
}
template <LayoutBuffer B>
requires(!std::is_reference_v<B>)
memory memory_of(const B&& buffer) = delete;

/// Returns the memory of a contiguous buffer or of one value.
/// Requires:   the buffer outlives the operation that uses the memory.
template <class B>
requires(SendBuffer<B&> && !LayoutBuffer<B> && BufferOutlivesCall<B &&>)
memory memory_of(B&& buffer) noexcept {
  return detail::bytes_of(buffer);
}

/// A list of buffers, one for each block: an array or vector of views. The elements outlive the
/// operation that uses them.
template <class R>
concept BufferList = std::ranges::forward_range<R> && std::is_lvalue_reference_v<R> &&
                     std::is_lvalue_reference_v<std::ranges::range_reference_t<R>> &&
                     !std::same_as<std::ranges::range_value_t<R>, memory> &&
                     (LayoutBuffer<std::ranges::range_value_t<R>> ||
                      ContiguousBuffer<std::ranges::range_value_t<R>>);

/// A list of buffers to receive into: none is const.
template <class R>
concept ReceivedBufferList = BufferList<R> && ReceiveBuffer<std::ranges::range_reference_t<R>>;

namespace detail {

/// The memory of each buffer of a list, for one call, and the fault of the first buffer that cannot
/// be used. The call reports it on all ranks, as for a single layout buffer.
template <BufferList R>
class listed_memory {
 public:
  static constexpr bool has_layouts = LayoutBuffer<std::ranges::range_value_t<R>>;

  listed_memory(R list, bool received) : received_(received) {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& one : list) ++n;
    if (!all_.try_extend(n)) {
      fault_ = errc::no_resources;
      return;
    }
    std::size_t i = 0;
    for (auto& one : list) {
      if constexpr (!has_layouts) {
        all_[i++] = memory_of(one);
      } else if (const errc why = one.fault(received); why == errc{}) {
        all_[i++] = one.borrow();
      } else if (fault_ == errc{}) {
        fault_ = why;
        if constexpr (requires { one.fault_text(received); })
          fault_text_ = one.fault_text(received);
      }
    }
  }
  /// Empty if memory is exhausted.
  std::span<const memory> all() const noexcept { return {all_.begin(), all_.size()}; }
  bool received() const noexcept { return received_; }
  errc fault(bool) const noexcept { return fault_; }
  const char* fault_text(bool) const noexcept { return fault_text_; }

 private:
  plain_array<memory> all_;
  bool received_;
  errc fault_{};
  const char* fault_text_ = "a layout that cannot be used";
};

}  // namespace detail

}  // namespace mpx::inline v0
