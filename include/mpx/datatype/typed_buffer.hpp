// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory that a datatype describes, as what is sent and received.

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

#include "mpx/datatype/buffer.hpp"
#include "mpx/datatype/memory.hpp"
#include "mpx/datatype/type.hpp"

namespace mpx::inline v0 {

/// `count` elements of `type` from `base` on: a buffer for any call. Owns no data; the datatype may
/// go before the operation is complete. Made by mpx::buffer.
/// Errors of calls with it: errc::datatype: a null datatype, a negative count, what reaches beyond
/// the address space; of receives, bytes that lie at the same place (what is scattered over more
/// than four million pieces is not looked through).
template <bool Writable>
class typed_buffer {
 public:
  using layout_buffer = std::byte;            ///< Elements that go with any others.
  static constexpr bool writable = Writable;  ///< Whether a receive takes it.

  /// See mpx::buffer.
  typed_buffer(std::byte* base, std::int64_t count, const datatype& type) noexcept
      : base_(base), count_(count), type_(type) {}

  /// How many bytes of data it has; the greatest number, if there are more than addresses.
  std::size_t bytes() const noexcept {
    if (!type_ || count_ <= 0) return 0;
    std::int64_t all = 0;
    return __builtin_mul_overflow(count_, type_.size(), &all) ? static_cast<std::size_t>(-1)
                                                              : static_cast<std::size_t>(all);
  }
  /// How many one element has: what collectives count and place blocks by.
  std::size_t element_bytes() const noexcept {
    return type_ ? static_cast<std::size_t>(type_.size()) : 0;
  }
  std::int64_t count() const noexcept { return count_; }   ///< How many elements.
  const datatype& type() const noexcept { return type_; }  ///< What they are.

  /// What is wrong with it, to be sent or received: errc::datatype or nothing.
  errc fault(bool received) const noexcept {
    return fault_text(received) == nullptr ? errc{} : errc::datatype;
  }
  /// The same in words; nullptr: nothing.
  const char* fault_text(bool received) const noexcept {
    if (!type_) return "the datatype is null";
    if (count_ < 0) return "the count is negative";
    const detail::type_description& d = *type_.description();
    if (!d.is_addressable(base_, count_)) return "it reaches beyond the address space";
    if (received && !d.is_disjoint(count_))
      return "the datatype has bytes that lie at the same place";
    return nullptr;
  }
  /// Throws what says so.
  [[noreturn, gnu::noinline, gnu::cold]] void raise_fault(const char* call, bool received,
                                                          std::source_location where) const {
    const char* const why = fault_text(received);
    throw error(errc::datatype,
                detail::formatted("%s: %s, %lld elements at %p", call, why == nullptr ? "?" : why,
                                  static_cast<long long>(count_), static_cast<void*>(base_)),
                where);
  }

  /// For the library: its memory; whoever gets it drops its layout, once.
  memory lend() const noexcept {
    const memory m = borrow();
    if (m.how != nullptr) m.how->keep();
    return m;
  }
  /// The same.
  memory keep() const noexcept { return lend(); }
  /// Its memory for as long as this is there; nobody drops the layout.
  memory borrow() const noexcept {
    const detail::type_description& d = *type_.description();
    const std::size_t n = bytes();
    if (n == 0) return {};
    if (d.in_one_piece(count_)) return {detail::displaced(base_, d.body.at), n};
    return {base_, n, &d};
  }

 private:
  std::byte* base_;
  std::int64_t count_;
  datatype type_;
};

/// `count` elements of `type`, the first at `base`, to be sent or received:
/// `world.send(mpx::buffer(matrix, 1, column), 1)`. Without an address displacements are addresses.
inline typed_buffer<true> buffer(void* base, std::int64_t count, const datatype& type) noexcept {
  return {static_cast<std::byte*>(base), count, type};
}
/// The same, to be sent only.
inline typed_buffer<false> buffer(const void* base, std::int64_t count,
                                  const datatype& type) noexcept {
  return {const_cast<std::byte*>(static_cast<const std::byte*>(base)), count, type};
}

}  // namespace mpx::inline v0
