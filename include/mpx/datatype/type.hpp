// SPDX-License-Identifier: BSL-1.0
#pragma once
// Datatypes that a program puts together as it runs: which bytes of its memory are sent, and in
// which order. MPI's constructors, with 64 bits everywhere.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "mpx/core/status.hpp"
#include "mpx/datatype/detail/description.hpp"

namespace mpx::inline v0 {

/// Which index of an array varies fastest in memory.
enum class array_order : std::uint8_t {
  c,        ///< The last one.
  fortran,  ///< The first one.
};

/// How one dimension of an array is dealt out to a row of processes.
enum class distribution : std::uint8_t {
  none,    ///< All of it to each.
  block,   ///< A block to each.
  cyclic,  ///< Blocks in turn.
};
/// The block length of a distribution that the library chooses: equal blocks, or single elements.
inline constexpr std::int64_t distribution_default = -1;

class datatype;
namespace detail {
struct type_maker;
}

/// How many arguments of each kind the constructor of a datatype got.
struct type_envelope {
  combiner how{};             ///< The constructor.
  std::size_t integers = 0;   ///< Counts, block lengths, ranks, orders.
  std::size_t addresses = 0;  ///< Displacements and strides in bytes, bounds.
  std::size_t types = 0;      ///< Datatypes.
};
struct type_contents;

/// A list of 64-bit numbers for one call: braces, or any contiguous range of std::int64_t.
class number_list : public std::span<const std::int64_t> {
 public:
  /// Of numbers in braces, which last for the call.
  constexpr number_list(std::initializer_list<std::int64_t> l) noexcept  // NOLINT(*-explicit-*)
      : span(l.begin(), l.size()) {}
  /// Of a range, which lasts for the call.
  template <std::ranges::contiguous_range R>
  requires std::same_as<std::ranges::range_value_t<R>, std::int64_t>
  constexpr number_list(const R& r) noexcept  // NOLINT(*-explicit-*)
      : span(std::ranges::data(r), std::ranges::size(r)) {}
  /// Other integers are refused.
  template <std::ranges::range R>
  requires(std::integral<std::ranges::range_value_t<R>> &&
           !std::same_as<std::ranges::range_value_t<R>, std::int64_t>)
  constexpr number_list(const R&) noexcept {  // NOLINT(*-explicit-*)
    static_assert(std::same_as<std::ranges::range_value_t<R>, std::int64_t>,
                  "a list of a datatype's sizes, counts or displacements is a contiguous range of "
                  "std::int64_t, or numbers in braces");
  }
};

/// Which bytes of memory make a message, and in which order: a value; copies share what it is.
///
/// Bounds, extents and displacements are in bytes and may be negative. There is nothing to commit:
/// a datatype is brought into its normal form when it is made, so that adjacent blocks are merged,
/// nests of constant strides become a loop or two, and a loop for that very block length is chosen.
/// An operation under way keeps what it needs: the datatype may go before it is complete.
/// Errors of all constructors: errc::datatype, with the argument's name: a null datatype, a
/// negative count or block length, lists of different lengths, what does not fit 64 bits.
/// Threads: copies may be used by several. Cost of a copy: a count. Source: MPI 4.1, 5.1.
class datatype {
  using site = std::source_location;

 public:
  /// Null: any use of it is an error.
  datatype() = default;

  /// One element of a basic type: arithmetic, an enumeration, std::byte, std::complex.
  template <detail::Basic T>
  static datatype of() {
    return basic(detail::basic_of<T>());
  }
  /// `count` of `type`, one behind the other.
  static datatype contiguous(std::int64_t count, const datatype& type,
                             site where = site::current());
  /// `count` blocks of `block_length` elements; `stride` is in elements.
  static datatype vector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                         const datatype& type, site where = site::current());
  /// The same, with a stride in bytes.
  static datatype hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride_bytes,
                          const datatype& type, site where = site::current());
  /// Blocks of different lengths; displacements are in elements.
  static datatype indexed(number_list block_lengths, number_list displacements,
                          const datatype& type, site where = site::current());
  /// The same, with displacements in bytes.
  static datatype hindexed(number_list block_lengths, number_list displacements_bytes,
                           const datatype& type, site where = site::current());
  /// Blocks of one length; displacements are in elements.
  static datatype indexed_block(std::int64_t block_length, number_list displacements,
                                const datatype& type, site where = site::current());
  /// The same, with displacements in bytes.
  static datatype hindexed_block(std::int64_t block_length, number_list displacements_bytes,
                                 const datatype& type, site where = site::current());
  /// Blocks of different types; displacements are in bytes.
  static datatype structure(number_list block_lengths, number_list displacements_bytes,
                            std::span<const datatype> types, site where = site::current());
  /// The same, with types in braces.
  static datatype structure(number_list block_lengths, number_list displacements_bytes,
                            std::initializer_list<datatype> types, site where = site::current()) {
    return structure(block_lengths, displacements_bytes, std::span(types.begin(), types.size()),
                     where);
  }
  /// A block of an array of any number of dimensions: its extent is that of the whole array.
  static datatype subarray(number_list sizes, number_list sub_sizes, number_list starts,
                           array_order order, const datatype& type, site where = site::current());
  /// What `rank` of `size` ranks holds of an array that is dealt out to a grid of them. Ranks are
  /// placed in the grid with the last dimension fastest.
  static datatype darray(std::int64_t size, std::int64_t rank, number_list sizes,
                         std::span<const distribution> distributions, number_list arguments,
                         number_list grid, array_order order, const datatype& type,
                         site where = site::current());
  /// The same bytes, with another lower bound and extent.
  static datatype resized(const datatype& type, std::int64_t lower_bound, std::int64_t extent,
                          site where = site::current());
  /// An equal datatype. (A copy is as good; contents tell the two apart.)
  datatype dup(site where = site::current()) const;

  /// False of a null datatype.
  explicit operator bool() const noexcept { return of_.get() != nullptr; }
  /// Whether both are the same, or copies of one.
  friend bool operator==(const datatype& a, const datatype& b) noexcept {
    return a.of_.get() == b.of_.get();
  }

  // Requires of all that follows: it is not null.
  /// How many bytes of data it has.
  std::int64_t size() const noexcept { return of_->bytes; }
  /// Where it begins, with respect to an element's address.
  std::int64_t lower_bound() const noexcept { return of_->lower; }
  /// How far apart two elements of an array are.
  std::int64_t extent() const noexcept { return of_->extent; }
  /// Where its first byte of data is.
  std::int64_t true_lower_bound() const noexcept { return of_->bounds.true_low; }
  /// From its first byte of data to behind its last.
  std::int64_t true_extent() const noexcept { return of_->bounds.true_high - of_->bounds.true_low; }
  /// How many basic elements it has.
  std::int64_t elements() const noexcept { return of_->basics->count; }
  /// How many pieces of memory an element comes to.
  std::int64_t blocks() const noexcept { return of_->body.what->blocks; }

  /// How it was made.
  type_envelope envelope() const noexcept {
    return {of_->made_by, of_->integers.size(), of_->addresses.size(), of_->types.size()};
  }
  /// What it was made of: the arguments, in the order of MPI 4.1, 5.1.13.
  type_contents contents() const;

  /// For the library.
  const detail::type_description* description() const noexcept { return of_.get(); }

 private:
  explicit datatype(detail::type_reference of) noexcept : of_(std::move(of)) {}
  static datatype basic(basic_type what);
  friend struct detail::type_maker;

  detail::type_reference of_;
};

/// The arguments that a datatype was made of.
struct type_contents {
  std::vector<std::int64_t> integers;   ///< Counts, block lengths, ranks, orders.
  std::vector<std::int64_t> addresses;  ///< Displacements and strides in bytes, bounds.
  std::vector<datatype> types;          ///< Datatypes.
};

/// How many elements of `type` a message was; nothing if it was no whole number of them, or if an
/// element has no bytes and the message has. Source: MPI_Get_count.
inline std::optional<std::int64_t> get_count(const status& of, const datatype& type) noexcept {
  const auto bytes = static_cast<std::int64_t>(of.bytes());
  if (!type) return std::nullopt;
  if (type.size() == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  if (bytes % type.size() != 0) return std::nullopt;
  return bytes / type.size();
}
/// How many basic elements a message was; nothing if one was cut. Source: MPI_Get_elements.
inline std::optional<std::int64_t> get_elements(const status& of, const datatype& type) {
  const auto bytes = static_cast<std::int64_t>(of.bytes());
  if (!type) return std::nullopt;
  if (type.size() == 0) return bytes == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  const std::int64_t whole = bytes / type.size();
  const auto rest = detail::elements_in(*type.description()->basics, bytes - whole * type.size());
  if (!rest) return std::nullopt;
  return whole * type.elements() + *rest;
}

}  // namespace mpx::inline v0

#include "mpx/datatype/detail/type_constructors.hpp"  // IWYU pragma: keep
