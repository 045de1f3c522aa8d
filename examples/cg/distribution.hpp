// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which rank owns which rows, and how rank 0 hands the rows of the matrix out.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sparse_matrix.hpp"
#include "world.hpp"

namespace cg {

/// Contiguous blocks of rows, one for each rank, in the order of ranks. With more ranks than rows
/// some blocks are empty.
class row_partition {
 public:
  /// Requires: `begin` ascends from 0 and has one element more than there are ranks.
  explicit row_partition(std::vector<index_t> begin) : begin_(std::move(begin)) {}

  index_t begin(rank_t rank) const noexcept { return begin_[slot(rank)]; }
  index_t end(rank_t rank) const noexcept { return begin_[slot(rank) + 1]; }
  index_t size(rank_t rank) const noexcept { return end(rank) - begin(rank); }
  index_t rows() const noexcept { return begin_.back(); }

  rank_t owner(index_t row) const noexcept {
    const auto after = std::upper_bound(begin_.begin(), begin_.end(), row);
    return static_cast<rank_t>(after - begin_.begin()) - 1;
  }

 private:
  std::vector<index_t> begin_;
};

/// Cuts the rows into blocks of about as many nonzeros each: the work of a product is in those.
inline std::vector<index_t> balanced_cuts(const csr_matrix& matrix, rank_t ranks) {
  std::vector<index_t> cuts{0};
  const auto& row_begin = matrix.row_begin;
  for (rank_t rank = 1; rank < ranks; ++rank) {
    const auto share = static_cast<double>(rank) / ranks;
    const auto target = static_cast<index_t>(share * static_cast<double>(matrix.nonzeros()));
    const auto cut = std::lower_bound(row_begin.begin(), row_begin.end(), target);
    cuts.push_back(static_cast<index_t>(cut - row_begin.begin()));
  }
  cuts.push_back(matrix.rows());
  return cuts;
}

/// A rank's part of the matrix: its rows, with the columns of the whole.
struct row_block {
  row_partition partition;
  csr_matrix rows;
};

namespace detail {

inline constexpr mpx::tag_t rows_tag = 1;

inline csr_matrix cut_rows(const csr_matrix& whole, index_t begin, index_t end) {
  const auto at = [](const auto& v, index_t i) {
    return v.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const index_t first = whole.row_begin[begin];
  const index_t last = whole.row_begin[end];
  csr_matrix part;
  part.row_begin.assign(at(whole.row_begin, begin), at(whole.row_begin, end + 1));
  for (index_t& offset : part.row_begin) offset -= first;
  part.columns.assign(at(whole.columns, first), at(whole.columns, last));
  part.values.assign(at(whole.values, first), at(whole.values, last));
  return part;
}

inline void send_rows(communicator world, const csr_matrix& part, rank_t to) {
  world.send(part.row_begin, to, rows_tag);
  world.send(part.columns, to, rows_tag);
  world.send(part.values, to, rows_tag);
}

inline csr_matrix receive_rows(communicator world, index_t rows) {
  csr_matrix part;
  part.row_begin.resize(rows + 1);
  world.recv(part.row_begin, 0, rows_tag);
  part.columns.resize(part.row_begin.back());
  part.values.resize(part.row_begin.back());
  world.recv(part.columns, 0, rows_tag);
  world.recv(part.values, 0, rows_tag);
  return part;
}

}  // namespace detail

/// Hands the rows out, from rank 0 to all. Collective.
/// Requires: `whole` is the matrix at rank 0, and is not looked at elsewhere.
inline row_block distribute(communicator world, const csr_matrix& whole) {
  std::vector<index_t> cuts(slot(world.size()) + 1);
  if (world.rank() == 0) cuts = balanced_cuts(whole, world.size());
  world.bcast(cuts, 0);

  row_partition partition(std::move(cuts));
  if (world.rank() != 0) {
    auto rows = detail::receive_rows(world, partition.size(world.rank()));
    return {std::move(partition), std::move(rows)};
  }
  for (rank_t rank = 1; rank < world.size(); ++rank) {
    const auto part = detail::cut_rows(whole, partition.begin(rank), partition.end(rank));
    detail::send_rows(world, part, rank);
  }
  auto rows = detail::cut_rows(whole, 0, partition.end(0));
  return {std::move(partition), std::move(rows)};
}

}  // namespace cg
