// SPDX-License-Identifier: BSL-1.0
#pragma once
// A sparse matrix in compressed rows, and how it is assembled from the entries of a file.
// Assembled matrices are symmetric with a positive diagonal, as conjugate gradients need.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "world.hpp"

namespace cg {

/// The input cannot be used. `what()` names the file, the line where there is one, what is wrong
/// and what to do about it.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One nonzero, and the line of the file that gave it.
struct entry {
  index_t row;
  index_t column;
  double value;
  index_t line;
};

/// Entries of a file, with both triangles in full.
struct entry_list {
  std::string file;
  index_t rows = 0;
  std::vector<entry> entries;
};

/// Row r has the entries row_begin[r] .. row_begin[r + 1] - 1 of `columns` and `values`.
struct csr_matrix {
  std::vector<index_t> row_begin{0};
  std::vector<index_t> columns;
  std::vector<double> values;

  index_t rows() const noexcept { return row_begin.size() - 1; }
  index_t nonzeros() const noexcept { return columns.size(); }
};

namespace detail {

inline bool in_row_order(const entry& a, const entry& b) {
  return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line);
}

/// Requires: `list` in row order.
inline void refuse_duplicates(const entry_list& list) {
  const auto same_place = [](const entry& a, const entry& b) {
    return a.row == b.row && a.column == b.column;
  };
  const auto first = std::adjacent_find(list.entries.begin(), list.entries.end(), same_place);
  if (first == list.entries.end()) return;
  throw input_error(
      fmt::format("{}:{}: entry ({}, {}) was given before, in line {}; keep one of them", list.file,
                  first[1].line, first->row + 1, first->column + 1, first->line));
}

/// Requires: `list` in row order.
inline void refuse_asymmetry(const entry_list& list) {
  constexpr double tolerance = 1e-12;  // Assembled matrices differ by rounding.
  for (const entry& e : list.entries) {
    const entry mirror{e.column, e.row, 0, 0};
    const auto found =
        std::lower_bound(list.entries.begin(), list.entries.end(), mirror, in_row_order);
    const bool present =
        found != list.entries.end() && found->row == e.column && found->column == e.row;
    const double other = present ? found->value : 0;
    if (std::abs(e.value - other) <= tolerance * std::abs(e.value)) continue;
    throw input_error(fmt::format(
        "{}:{}: entry ({}, {}) is {} but entry ({}, {}) is {}; conjugate gradients need a "
        "symmetric matrix",
        list.file, e.line, e.row + 1, e.column + 1, e.value, e.column + 1, e.row + 1, other));
  }
}

/// Requires: `list` in row order.
inline void refuse_bad_diagonal(const entry_list& list) {
  index_t row = 0;  // The next row whose diagonal has not been seen.
  const auto refuse_missing = [&] {
    throw input_error(
        fmt::format("{}: row {} has no diagonal entry, so the matrix is not positive definite; "
                    "conjugate gradients cannot solve it",
                    list.file, row + 1));
  };
  for (const entry& e : list.entries) {
    if (e.row != e.column) continue;
    if (e.row != row) refuse_missing();
    if (!(e.value > 0)) {
      throw input_error(fmt::format(
          "{}:{}: diagonal entry ({}, {}) is {}, so the matrix is not positive definite; "
          "conjugate gradients cannot solve it",
          list.file, e.line, row + 1, row + 1, e.value));
    }
    ++row;
  }
  if (row != list.rows) refuse_missing();
}

}  // namespace detail

/// Brings the entries of a file into compressed rows.
/// Errors: input_error for an entry that is given twice, an asymmetric matrix, or a diagonal that
///         is not positive.
inline csr_matrix assemble(entry_list list) {
  std::sort(list.entries.begin(), list.entries.end(), detail::in_row_order);
  detail::refuse_duplicates(list);
  detail::refuse_asymmetry(list);
  detail::refuse_bad_diagonal(list);

  csr_matrix matrix;
  matrix.row_begin.assign(list.rows + 1, 0);
  matrix.columns.reserve(list.entries.size());
  matrix.values.reserve(list.entries.size());
  for (const entry& e : list.entries) {
    matrix.columns.push_back(e.column);
    matrix.values.push_back(e.value);
    matrix.row_begin[e.row + 1] = matrix.columns.size();
  }
  return matrix;
}

}  // namespace cg
