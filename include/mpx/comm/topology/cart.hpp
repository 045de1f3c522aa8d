// SPDX-License-Identifier: BSL-1.0
#pragma once
// Cartesian grids of ranks: positions and neighbours, computed without communication.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {

/// One dimension of a grid.
struct cart_dimension {
  rank_t size = 1;        ///< Number of ranks along it.
  bool periodic = false;  ///< True if the last position is next to the first one.

  /// True if both are equal.
  friend bool operator==(const cart_dimension&, const cart_dimension&) = default;
};

/// The partners of a rank when data moves along a dimension; proc_null where the grid ends.
struct cart_shifted {
  /// The rank whose data arrives here, or proc_null.
  rank_t source;
  /// The rank to which this rank's data goes, or proc_null.
  rank_t destination;

  /// True if both are equal.
  friend bool operator==(const cart_shifted&, const cart_shifted&) = default;
};

/// A Cartesian grid. Ranks are numbered in row-major order.
///
/// Functions report errors by an mpx::error, or in a std::error_code.
class cart_topology {
 public:
  /// A grid without dimensions, of one rank.
  cart_topology() = default;
  /// A grid with these dimensions.
  /// Errors: errc::dims if a size is not positive, or the number of ranks overflows a rank_t.
  explicit cart_topology(std::span<const cart_dimension> dims,
                         std::source_location where = std::source_location::current())
      : dims_(dims.begin(), dims.end()) {
    if (const errc why = check(dims); why != errc{})
      throw error(why, "a Cartesian grid" + detail_text(), where);
    for (const cart_dimension& d : dims) size_ *= d.size;
  }
  /// A grid with these dimensions, given as a list in braces.
  cart_topology(std::initializer_list<cart_dimension> dims,
                std::source_location where = std::source_location::current())
      : cart_topology(std::span(dims.begin(), dims.size()), where) {}

  /// Returns errc::dims if there is no grid with these dimensions, else errc{}.
  [[nodiscard]] static errc check(std::span<const cart_dimension> dims) noexcept {
    std::int64_t ranks = 1;
    for (const cart_dimension& d : dims) {
      if (d.size < 1) return errc::dims;
      ranks *= d.size;
      if (ranks > std::numeric_limits<rank_t>::max()) return errc::dims;
    }
    return errc{};
  }

  [[nodiscard]] rank_t size() const noexcept { return size_; }  ///< Number of ranks.
  /// Size and period of each dimension.
  [[nodiscard]] std::span<const cart_dimension> dims() const noexcept { return dims_; }

  /// Writes the coordinates of `rank` to `into`, one for each dimension.
  /// Errors: errc::rank; errc::dims if the length of `into` is not the number of dimensions.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  void coords(rank_t rank, std::span<rank_t> into, How&& how = {},
              std::source_location where = std::source_location::current()) const {
    errc why{};
    if (rank < 0 || rank >= size_) {
      why = errc::rank;
    } else if (into.size() != dims_.size()) {
      why = errc::dims;
    } else {
      for (std::size_t d = dims_.size(); d-- > 0; rank /= dims_[d].size)
        into[d] = rank % dims_[d].size;
    }
    end(how, why, {"coords", rank, into.size()}, where);
  }
  /// Returns the coordinates of `rank`. Errors: errc::rank.
  [[nodiscard]] std::vector<rank_t> coords(
      rank_t rank, std::source_location where = std::source_location::current()) const {
    std::vector<rank_t> at(dims_.size());
    coords(rank, at, detail::throws_t{}, where);
    return at;
  }

  /// Returns the rank at coordinates `at`. Coordinates of periodic dimensions wrap around.
  /// Errors: errc::dims if the length of `at` is not the number of dimensions; errc::argument if a
  /// coordinate is outside of a dimension that is not periodic.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  [[nodiscard]] rank_t rank(std::span<const rank_t> at, How&& how = {},
                            std::source_location where = std::source_location::current()) const {
    errc why = at.size() == dims_.size() ? errc{} : errc::dims;
    rank_t rank = 0;
    asked about{"rank", 0, at.size()};
    for (std::size_t d = 0; why == errc{} && d < dims_.size(); ++d) {
      const std::int64_t x = wrapped(at[d], dims_[d]);
      if (x < 0) {
        why = errc::argument;
        about = {"rank", at[d], d};
      }
      rank = rank * dims_[d].size + static_cast<rank_t>(x);
    }
    end(how, why, about, where);
    return why == errc{} ? rank : rank_t{proc_null};
  }
  /// Returns the rank at coordinates given as a list in braces.
  [[nodiscard]] rank_t rank(std::initializer_list<rank_t> at,
                            std::source_location where = std::source_location::current()) const {
    return rank(std::span(at.begin(), at.size()), detail::throws_t{}, where);
  }

  /// Returns the neighbours of `rank` at distance `displacement` along dimension `dim`. Data moves
  /// from the source to `rank`, and from `rank` to the destination.
  /// Errors: errc::rank; errc::dims if there is no such dimension. Source: MPI 4.1, 8.5.6.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  [[nodiscard]] cart_shifted shift(
      rank_t rank, std::size_t dim, rank_t displacement = 1, How&& how = {},
      std::source_location where = std::source_location::current()) const {
    errc why{};
    if (rank < 0 || rank >= size_) why = errc::rank;
    if (dim >= dims_.size()) why = errc::dims;
    cart_shifted found{proc_null, proc_null};
    if (why == errc{}) {
      rank_t stride = 1;
      for (std::size_t d = dim + 1; d < dims_.size(); ++d) stride *= dims_[d].size;
      const cart_dimension& along = dims_[dim];
      const rank_t x = rank / stride % along.size;
      const auto beside = [&](std::int64_t by) {
        const std::int64_t place = wrapped(x + by, along);
        if (place < 0) return rank_t{proc_null};
        const auto there = static_cast<rank_t>(place);
        return rank + (there - x) * stride;
      };
      found = {beside(-std::int64_t{displacement}), beside(displacement)};
    }
    end(how, why, {"shift", rank, dim, true}, where);
    return found;
  }

  /// Returns the grid of the dimensions whose flag in `keep` is true.
  /// Errors: errc::dims if the length of `keep` is not the number of dimensions.
  [[nodiscard]] cart_topology sub(
      std::span<const bool> keep,
      std::source_location where = std::source_location::current()) const {
    if (keep.size() != dims_.size())
      throw error(errc::dims, text_of(errc::dims, {"sub", 0, keep.size()}), where);
    std::vector<cart_dimension> kept;
    for (std::size_t d = 0; d < dims_.size(); ++d)
      if (keep[d]) kept.push_back(dims_[d]);
    return cart_topology(kept);
  }
  /// Place of a rank in the subgrids of a grid.
  struct sub_place {
    /// The number of the subgrid.
    rank_t grid;
    /// The rank in that subgrid.
    rank_t rank;
  };
  /// Returns the subgrid of `rank` if the dimensions `keep` are kept.
  /// Requires: `keep` as for `sub`; 0 <= rank < size().
  [[nodiscard]] sub_place sub_of(rank_t rank, std::span<const bool> keep) const noexcept {
    sub_place in{0, 0};
    rank_t stride = size_;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      stride /= dims_[d].size;
      rank_t& number = keep[d] ? in.rank : in.grid;
      number = number * dims_[d].size + rank / stride % dims_[d].size;
    }
    return in;
  }

  /// Returns the neighbours of `rank` in the order of neighbour collectives: for each dimension the
  /// lower and the upper one; proc_null if there is none. Requires: 0 <= rank < size().
  [[nodiscard]] std::vector<rank_t> neighbors(rank_t rank) const {
    std::vector<rank_t> all;
    all.reserve(2 * dims_.size());
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const cart_shifted s = shift(rank, d);
      all.push_back(s.source);
      all.push_back(s.destination);
    }
    return all;
  }

  /// True if both are equal.
  friend bool operator==(const cart_topology&, const cart_topology&) = default;

 private:
  /// Returns the coordinate, wrapped if periodic; -1 if it is outside.
  static std::int64_t wrapped(std::int64_t x, const cart_dimension& along) noexcept {
    if (along.periodic) return ((x % along.size) + along.size) % along.size;
    return x >= 0 && x < along.size ? x : -1;
  }
  std::string detail_text() const {
    std::string s(" of");
    if (dims_.empty()) s += " no dimensions";
    for (const cart_dimension& d : dims_) detail::append(s, d.periodic ? " (%d)" : " %d", d.size);
    return s;
  }
  /// Arguments of a call, for its error text.
  struct asked {
    const char* call;
    rank_t number;         // A rank, or a coordinate.
    std::size_t dims;      // Number of dimensions, or the dimension concerned.
    bool one_dim = false;  // `dims` is a dimension to shift along.
  };
  [[gnu::noinline, gnu::cold]] std::string text_of(errc why, const asked& about) const {
    const std::size_t n = dims_.size();
    if (why == errc::argument)
      return detail::formatted("%s: coordinate %d of dimension %zu is outside of 0 .. %d",
                               about.call, about.number, about.dims, dims_[about.dims].size - 1);
    if (why == errc::dims && !about.one_dim)
      return detail::formatted("%s with %zu numbers: this grid has %zu dimension%s", about.call,
                               about.dims, n, n == 1 ? "" : "s");
    if (why == errc::dims) {
      std::string s =
          detail::formatted("%s along dimension %zu: this grid has ", about.call, about.dims);
      if (n == 0) return s + "no dimensions";
      detail::append(s, "dimensions 0 .. %zu", n - 1);
      return s;
    }
    return detail::formatted("%s of %d in a Cartesian grid", about.call, about.number) +
           detail_text() + detail::formatted(": ranks here are 0 .. %d", size_ - 1);
  }
  template <class How>
  void end(How& how, errc why, const asked& about, std::source_location where) const {
    if constexpr (detail::is_code<How&>) {
      detail::store(how, why);
    } else if (why != errc{}) {
      throw error(why, text_of(why, about), where);
    }
  }

  std::vector<cart_dimension> dims_;
  rank_t size_ = 1;
};

}  // namespace mpx::inline v0
