// SPDX-License-Identifier: BSL-1.0
#pragma once
// The ranks of a call as a logical mesh. A hybrid algorithm uses an algorithm for short data along
// one of its dimensions, and one for long data along the other.

#include "mpx/coll/algorithms/among.hpp"

namespace mpx::inline v0::coll {

/// A mesh of as many rows as columns, or more. Rows hold consecutive ranks. A prime number of ranks
/// is one column.
/// Source: Barnett, Gupta, Payne, Shuler, van de Geijn, Watts 1994.
class mesh {
 public:
  mesh(rank_t me, rank_t ranks) noexcept : me_(me) {
    for (rank_t c = 1; c * c <= ranks; ++c)
      if (ranks % c == 0) columns_ = c;
    rows_ = ranks / columns_;
  }
  rank_t rows() const noexcept { return rows_; }
  rank_t columns() const noexcept { return columns_; }
  rank_t row_of(rank_t r) const noexcept { return r / columns_; }
  rank_t column_of(rank_t r) const noexcept { return r % columns_; }
  /// The row and the column of this rank.
  rank_t row() const noexcept { return row_of(me_); }
  rank_t column() const noexcept { return column_of(me_); }
  /// The ranks of these.
  some_ranks in_row() const noexcept { return {columns_, column(), me_ - column()}; }
  some_ranks in_column() const noexcept { return {rows_, row(), column(), columns_}; }

 private:
  rank_t me_;
  rank_t columns_ = 1;
  rank_t rows_ = 1;
};

}  // namespace mpx::inline v0::coll
