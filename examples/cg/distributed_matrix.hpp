// SPDX-License-Identifier: BSL-1.0
#pragma once
// A matrix whose rows are spread over the ranks, and its product with a vector spread likewise.
// A vector to be multiplied has room for the rank's own entries, then for the ghosts of its halo.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "distribution.hpp"
#include "halo.hpp"
#include "world.hpp"

namespace cg {

class distributed_matrix {
 public:
  /// Collective.
  distributed_matrix(const communicator& world, row_block block)
      : total_rows_(block.partition.rows()),
        rows_(std::move(block.rows)),
        ghosts_(foreign_columns(rows_, block.partition, world.rank())),
        halo_(world, block.partition, ghosts_) {
    renumber_columns(block.partition.begin(world.rank()));
    split_rows();
  }

  /// Total number of rows.
  index_t rows() const noexcept { return total_rows_; }
  /// Number of rows that this rank owns.
  index_t owned() const noexcept { return rows_.rows(); }
  /// The length of a vector that can be multiplied.
  index_t extended() const noexcept { return owned() + ghosts_.size(); }
  const halo& neighbours() const noexcept { return halo_; }

  /// The diagonal entries of the owned rows.
  std::vector<double> diagonal() const {
    std::vector<double> result(owned(), 0);
    for (index_t row = 0; row < owned(); ++row) {
      for (index_t i = rows_.row_begin[row]; i < rows_.row_begin[row + 1]; ++i) {
        if (rows_.columns[i] == row) result[row] = rows_.values[i];
      }
    }
    return result;
  }

  /// y = A x. The ghosts of x travel while the rows that need none are computed. Collective.
  /// Requires: x.size() == extended(); y.size() == owned().
  /// Effects:  overwrites the ghosts at the end of x.
  void multiply(std::span<double> x, std::span<double> y, time_split& time) {
    {
      const scoped_timer timer(time.halo_s);
      halo_.start(x.first(owned()), x.subspan(owned()));
    }
    {
      const scoped_timer timer(time.matvec_s);
      multiply_rows(interior_, x, y);
    }
    {
      const scoped_timer timer(time.halo_s);
      halo_.finish();
    }
    const scoped_timer timer(time.matvec_s);
    multiply_rows(boundary_, x, y);
  }

 private:
  static std::vector<index_t> foreign_columns(const csr_matrix& rows,
                                              const row_partition& partition, rank_t rank) {
    std::vector<index_t> foreign;
    for (const index_t column : rows.columns) {
      if (partition.owner(column) != rank) foreign.push_back(column);
    }
    std::sort(foreign.begin(), foreign.end());
    foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
    return foreign;
  }

  /// From columns of the whole matrix to positions in an extended vector.
  void renumber_columns(index_t first_row) {
    for (index_t& column : rows_.columns) {
      if (column >= first_row && column - first_row < owned()) {
        column -= first_row;
      } else {
        const auto ghost = std::lower_bound(ghosts_.begin(), ghosts_.end(), column);
        column = owned() + static_cast<index_t>(ghost - ghosts_.begin());
      }
    }
  }

  void split_rows() {
    for (index_t row = 0; row < owned(); ++row) {
      bool needs_ghost = false;
      for (index_t i = rows_.row_begin[row]; i < rows_.row_begin[row + 1]; ++i) {
        needs_ghost |= rows_.columns[i] >= owned();
      }
      (needs_ghost ? boundary_ : interior_).push_back(row);
    }
  }

  void multiply_rows(const std::vector<index_t>& which, std::span<const double> x,
                     std::span<double> y) const {
    for (const index_t row : which) {
      double sum = 0;
      for (index_t i = rows_.row_begin[row]; i < rows_.row_begin[row + 1]; ++i) {
        sum += rows_.values[i] * x[rows_.columns[i]];
      }
      y[row] = sum;
    }
  }

  index_t total_rows_;
  csr_matrix rows_;
  std::vector<index_t> ghosts_;    // The foreign columns, ascending.
  std::vector<index_t> interior_;  // Rows that touch no ghost,
  std::vector<index_t> boundary_;  // and those that do.
  halo halo_;
};

}  // namespace cg
