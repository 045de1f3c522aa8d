// SPDX-License-Identifier: BSL-1.0
#pragma once
// Datatypes made at run time: which bytes of memory a message contains, and in which order. MPI's
// constructors, with 64-bit arguments everywhere.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "mpx/core/status.hpp"
#include "mpx/data/detail/description.hpp"

namespace mpx::inline v0 {

/// Index of an array that varies fastest in memory.
enum class array_order : std::uint8_t {
  c,        ///< The last one.
  fortran,  ///< The first one.
};

/// Distribution of one dimension of an array over a row of ranks.
enum class distribution : std::uint8_t {
  none,    ///< Every rank holds all of it.
  block,   ///< Each rank holds one block.
  cyclic,  ///< Blocks are dealt out cyclically.
};
/// Block length chosen by the library: equal blocks for `block`, 1 for `cyclic`.
inline constexpr std::int64_t distribution_default = -1;

class datatype;
namespace detail {
struct type_maker;
}

/// Number of arguments of each kind of a datatype's constructor. Source: MPI 4.1, 5.1.13.
struct type_envelope {
  combiner how{};             ///< Constructor.
  std::size_t integers = 0;   ///< Counts, block lengths, ranks, orders.
  std::size_t addresses = 0;  ///< Displacements and strides in bytes, bounds.
  std::size_t types = 0;      ///< Datatypes.
};
struct type_contents;

/// List of 64-bit numbers for one call: in braces, or any contiguous range of std::int64_t.
class number_list : public std::span<const std::int64_t> {
 public:
  /// From numbers in braces. They must stay valid for the call.
  constexpr number_list(std::initializer_list<std::int64_t> l) noexcept  // NOLINT(*-explicit-*)
      : span(l.begin(), l.size()) {}
  /// From a range. It must stay valid for the call.
  template <std::ranges::contiguous_range R>
  requires std::same_as<std::ranges::range_value_t<R>, std::int64_t>
  constexpr number_list(const R& r) noexcept  // NOLINT(*-explicit-*)
      : span(std::ranges::data(r), std::ranges::size(r)) {}
  /// Rejects other integer types.
  template <std::ranges::range R>
  requires(std::integral<std::ranges::range_value_t<R>> &&
           !std::same_as<std::ranges::range_value_t<R>, std::int64_t>)
  constexpr number_list(const R&) noexcept {  // NOLINT(*-explicit-*)
    static_assert(std::same_as<std::ranges::range_value_t<R>, std::int64_t>,
                  "a list of a datatype's sizes, counts or displacements is a contiguous range of "
                  "std::int64_t, or numbers in braces");
  }
};

/// The bytes of memory that make up a message, and their order. A value type; copies share one
/// description.
///
/// Bounds, extents and displacements are in bytes and may be negative. There is no commit: the
/// constructor normalises a datatype: it merges adjacent blocks, reduces nests of constant strides
/// to one or two loops, and selects a copy loop for the block length. An operation keeps what it
/// needs: the datatype may be destroyed before the operation completes.
/// Errors:     of all constructors: errc::datatype, with the argument's name, for a null datatype,
///             a negative count or block length, lists of different lengths, or results beyond 64
///             bits.
/// Threads:    copies may be used by different threads.
/// Cost:       a copy increments a count.
/// Source:     MPI 4.1, 5.1.
class datatype {
  using site = std::source_location;

 public:
  /// Makes a null datatype. Any use of it is an error.
  datatype() = default;

  /// Makes one element of a basic type: arithmetic, an enumeration, std::byte, std::complex.
  template <detail::Basic T>
  static datatype of() {
    return basic(detail::basic_of<T>());
  }
  /// Makes `count` consecutive elements of `type`.
  static datatype contiguous(std::int64_t count, const datatype& type,
                             site where = site::current());
  /// Makes `count` blocks of `block_length` elements; `stride` is in elements.
  static datatype vector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                         const datatype& type, site where = site::current());
  /// As vector, with a stride in bytes.
  static datatype hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride_bytes,
                          const datatype& type, site where = site::current());
  /// Makes blocks of different lengths; displacements are in elements.
  static datatype indexed(number_list block_lengths, number_list displacements,
                          const datatype& type, site where = site::current());
  /// As indexed, with displacements in bytes.
  static datatype hindexed(number_list block_lengths, number_list displacements_bytes,
                           const datatype& type, site where = site::current());
  /// Makes blocks of equal length; displacements are in elements.
  static datatype indexed_block(std::int64_t block_length, number_list displacements,
                                const datatype& type, site where = site::current());
  /// As indexed_block, with displacements in bytes.
  static datatype hindexed_block(std::int64_t block_length, number_list displacements_bytes,
                                 const datatype& type, site where = site::current());
  /// Makes blocks of different types; displacements are in bytes.
  static datatype structure(number_list block_lengths, number_list displacements_bytes,
                            std::span<const datatype> types, site where = site::current());
  /// As above, with types in braces.
  static datatype structure(number_list block_lengths, number_list displacements_bytes,
                            std::initializer_list<datatype> types, site where = site::current()) {
    return structure(block_lengths, displacements_bytes, std::span(types.begin(), types.size()),
                     where);
  }
  /// Makes a block of an array of any number of dimensions. Its extent is that of the whole array.
  static datatype subarray(number_list sizes, number_list sub_sizes, number_list starts,
                           array_order order, const datatype& type, site where = site::current());
  /// Makes the part of `rank` of an array that is distributed over a grid of `size` ranks. The last
  /// dimension of the grid varies fastest with the rank.
  static datatype darray(std::int64_t size, std::int64_t rank, number_list sizes,
                         std::span<const distribution> distributions, number_list arguments,
                         number_list grid, array_order order, const datatype& type,
                         site where = site::current());
  /// Makes a datatype of the same bytes with another lower bound and extent.
  static datatype resized(const datatype& type, std::int64_t lower_bound, std::int64_t extent,
                          site where = site::current());
  /// Makes an equal datatype. (A copy serves as well; only contents differ.)
  datatype dup(site where = site::current()) const;

  /// False for a null datatype.
  explicit operator bool() const noexcept { return of_.get() != nullptr; }
  /// True if one is a copy of the other.
  friend bool operator==(const datatype& a, const datatype& b) noexcept {
    return a.of_.get() == b.of_.get();
  }

  // Requires of all following functions: the datatype is not null.
  /// Returns the number of bytes of data.
  [[nodiscard]] std::int64_t size() const noexcept { return of_->bytes; }
  /// Returns the lower bound, relative to the address of an element.
  [[nodiscard]] std::int64_t lower_bound() const noexcept { return of_->lower; }
  /// Returns the distance of consecutive elements of an array.
  [[nodiscard]] std::int64_t extent() const noexcept { return of_->extent; }
  /// Returns the offset of the first byte of data.
  [[nodiscard]] std::int64_t true_lower_bound() const noexcept { return of_->bounds.true_low; }
  /// Returns the distance from the first byte of data to the end of the last.
  [[nodiscard]] std::int64_t true_extent() const noexcept {
    return of_->bounds.true_high - of_->bounds.true_low;
  }
  /// Returns the number of basic elements.
  [[nodiscard]] std::int64_t elements() const noexcept { return of_->basics->count; }
  /// Returns the number of contiguous blocks of an element.
  [[nodiscard]] std::int64_t blocks() const noexcept { return of_->body.what->blocks; }

  /// Returns the constructor and its numbers of arguments.
  [[nodiscard]] type_envelope envelope() const noexcept {
    return {of_->made_by, of_->integers.size(), of_->addresses.size(), of_->types.size()};
  }
  /// Returns the arguments of the constructor, in the order of MPI 4.1, 5.1.13.
  [[nodiscard]] type_contents contents() const;

  /// For the library.
  [[nodiscard]] const detail::type_description* description() const noexcept { return of_.get(); }

 private:
  explicit datatype(detail::type_reference of) noexcept : of_(std::move(of)) {}
  static datatype basic(basic_type what);
  friend struct detail::type_maker;

  detail::type_reference of_;
};

/// Arguments of a datatype's constructor.
struct type_contents {
  std::vector<std::int64_t> integers;   ///< Counts, block lengths, ranks, orders.
  std::vector<std::int64_t> addresses;  ///< Displacements and strides in bytes, bounds.
  std::vector<datatype> types;          ///< Datatypes.
};

/// Returns the number of elements of `type` in a message; nothing if it is not a whole number, or
/// if an element has no bytes and the message has some.
/// Source:     MPI_Get_count.
[[nodiscard]] inline std::optional<std::int64_t> get_count(const status& of,
                                                           const datatype& type) noexcept {
  const auto bytes = static_cast<std::int64_t>(of.bytes());
  if (!type) return std::nullopt;
  if (type.size() == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  if (bytes % type.size() != 0) return std::nullopt;
  return bytes / type.size();
}
/// Returns the number of basic elements in a message; nothing if one was truncated.
/// Source:     MPI_Get_elements.
[[nodiscard]] inline std::optional<std::int64_t> get_elements(const status& of,
                                                              const datatype& type) {
  const auto bytes = static_cast<std::int64_t>(of.bytes());
  if (!type) return std::nullopt;
  if (type.size() == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  const std::int64_t whole = bytes / type.size();
  const auto rest = detail::elements_in(*type.description()->basics, bytes - whole * type.size());
  if (!rest) return std::nullopt;
  return whole * type.elements() + *rest;
}

}  // namespace mpx::inline v0

#include "mpx/data/detail/type_constructors.hpp"  // IWYU pragma: keep
