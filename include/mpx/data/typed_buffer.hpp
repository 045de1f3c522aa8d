// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory described by a datatype, as a buffer for calls.

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

#include "mpx/data/buffer.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/data/type.hpp"

namespace mpx::inline v0 {

/// Buffer of `count` elements of `type` from `base` on, for any call. Does not own the data. The
/// datatype may be destroyed before the operation completes. Made by mpx::buffer.
/// Errors:     of calls: errc::datatype for a null datatype, a negative count, or data beyond the
///             address space; for receives also if bytes overlap (not checked for more than four
///             million pieces).
template <bool Writable>
class typed_buffer {
 public:
  using layout_buffer = std::byte;            ///< Matches elements of any type.
  static constexpr bool writable = Writable;  ///< True if a receive accepts it.

  /// See mpx::buffer.
  typed_buffer(std::byte* base, std::int64_t count, const datatype& type) noexcept
      : base_(base), count_(count), type_(type) {}

  /// Returns the number of bytes of data; the maximum of std::size_t if it overflows.
  [[nodiscard]] std::size_t bytes() const noexcept {
    if (!type_ || count_ <= 0) return 0;
    std::int64_t all = 0;
    return __builtin_mul_overflow(count_, type_.size(), &all) ? static_cast<std::size_t>(-1)
                                                              : static_cast<std::size_t>(all);
  }
  /// Returns the number of bytes of one element: the unit of counts and displacements in
  /// collectives.
  [[nodiscard]] std::size_t element_bytes() const noexcept {
    return type_ ? static_cast<std::size_t>(type_.size()) : 0;
  }
  /// Number of elements.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] const datatype& type() const noexcept { return type_; }  ///< Type of the elements.

  /// Returns errc::datatype if it cannot be sent or received, else errc{}.
  [[nodiscard]] errc fault(bool received) const noexcept {
    return fault_text(received) == nullptr ? errc{} : errc::datatype;
  }
  /// Returns the reason for fault as text; nullptr: none.
  [[nodiscard]] const char* fault_text(bool received) const noexcept {
    if (!type_) return "the datatype is null";
    if (count_ < 0) return "the count is negative";
    const detail::type_description& d = *type_.description();
    if (!d.is_addressable(base_, count_)) return "it reaches beyond the address space";
    if (received && !d.is_disjoint(count_))
      return "the datatype has bytes that lie at the same place";
    return nullptr;
  }
  /// Throws the error of fault.
  [[noreturn, gnu::noinline, gnu::cold]] void raise_fault(const char* call, bool received,
                                                          std::source_location where) const {
    const char* const why = fault_text(received);
    throw error(errc::datatype,
                detail::formatted("%s: %s, %lld elements at %p", call, why == nullptr ? "?" : why,
                                  static_cast<long long>(count_), static_cast<void*>(base_)),
                where);
  }

  /// For the library: returns its memory; the receiver of the result drops its layout once.
  [[nodiscard]] memory lend() const noexcept {
    memory m = borrow();
    if (m.how != nullptr) m.how = m.how->keep();
    return m;
  }
  /// For the library: as lend.
  [[nodiscard]] memory keep() const noexcept { return lend(); }
  /// For the library: returns its memory, valid as long as this buffer; the layout must not be
  /// dropped.
  [[nodiscard]] memory borrow() const noexcept {
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

/// Makes a buffer of `count` elements of `type`, the first at `base`:
/// `world.send(mpx::buffer(matrix, 1, column), 1)`. With base nullptr, displacements are addresses.
inline typed_buffer<true> buffer(void* base, std::int64_t count, const datatype& type) noexcept {
  return {static_cast<std::byte*>(base), count, type};
}
/// As above, for sends only.
inline typed_buffer<false> buffer(const void* base, std::int64_t count,
                                  const datatype& type) noexcept {
  return {const_cast<std::byte*>(static_cast<const std::byte*>(base)), count, type};
}

}  // namespace mpx::inline v0
