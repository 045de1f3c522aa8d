// SPDX-License-Identifier: BSL-1.0
#pragma once
// Reads a Matrix Market file: coordinate; real or integer; general or symmetric. Nothing in the
// file is trusted, and the memory used stays in proportion to its size, whatever it claims.
// Source: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats, NISTIR 5935, 1996.

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "sparse_matrix.hpp"

namespace cg {

namespace detail {

inline std::string read_text(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw input_error(fmt::format("{}: no such file; check the path", file));
  }
  if (std::filesystem::is_directory(status)) {
    throw input_error(fmt::format("{}: is a directory; name a Matrix Market file (.mtx)", file));
  }
  if (!error && !std::filesystem::is_regular_file(status)) {
    throw input_error(fmt::format("{}: is not a regular file; name a Matrix Market file", file));
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = in ? std::streamoff{in.tellg()} : -1;
  std::string text;
  if (bytes >= 0) {
    text.resize(static_cast<std::size_t>(bytes));
    in.seekg(0).read(text.data(), bytes);
  }
  if (!in || bytes < 0) {
    const std::string reason = std::generic_category().message(errno != 0 ? errno : EIO);
    throw input_error(fmt::format("{}: cannot be read: {}; check its permissions", file, reason));
  }
  return text;
}

inline std::string lower(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// A word of the file as an error message may show it: short and printable.
inline std::string quoted(std::string_view word) {
  constexpr std::size_t shown_max = 32;
  std::string result(word.substr(0, shown_max));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + result + (word.size() > shown_max ? "...'" : "'");
}

}  // namespace detail

class matrix_market_reader {
 public:
  explicit matrix_market_reader(const std::string& file)
      : text_(detail::read_text(file)), rest_(text_) {
    list_.file = file;
  }
  matrix_market_reader(const matrix_market_reader&) = delete;  // It holds views of its own text.
  matrix_market_reader& operator=(const matrix_market_reader&) = delete;

  /// Errors: input_error.
  entry_list read() && {
    read_banner();
    const index_t stored = read_sizes();
    // Eight bytes to a line, and two entries from a line of a symmetric file: close, and bounded.
    list_.entries.reserve(std::min(2 * stored, text_.size() / 4));
    for (index_t n = 0; n < stored; ++n) {
      if (!next_line()) {
        fail(fmt::format("the file ends after {} of {} entries", n, stored),
             "it seems truncated, get it again");
      }
      read_entry();
    }
    if (next_line()) {
      fail(fmt::format("more than the {} entries that the size line announces", stored),
           "correct the size line or remove the rest");
    }
    return std::move(list_);
  }

 private:
  void read_banner() {
    constexpr std::string_view remedy =
        "a Matrix Market file begins with '%%MatrixMarket matrix coordinate real symmetric'";
    if (!take_line()) fail("the file is empty", remedy);
    if (const auto word = next_word(); detail::lower(word) != "%%matrixmarket") {
      fail(fmt::format("the banner is {}", detail::quoted(word)), remedy);
    }
    const std::string object = detail::lower(next_word());
    const std::string format = detail::lower(next_word());
    const std::string field = detail::lower(next_word());
    const std::string symmetry = detail::lower(next_word());
    expect_one_of("object", object, "matrix");
    expect_one_of("format", format, "coordinate");
    expect_one_of("field", field, "real", "integer");
    expect_one_of("symmetry", symmetry, "symmetric", "general");
    expect_end();
    integer_ = field == "integer";
    symmetric_ = symmetry == "symmetric";
  }

  /// Returns how many entries the file stores.
  index_t read_sizes() {
    if (!next_line()) fail("the size line is missing", "give 'ROWS COLUMNS ENTRIES'");
    const index_t rows = next_count("number of rows");
    const index_t columns = next_count("number of columns");
    const index_t stored = next_count("number of entries");
    expect_end();
    if (rows != columns) {
      fail(fmt::format("the matrix is {} x {}", rows, columns), "it must be square to be solved");
    }
    if (rows == 0) fail("the matrix has no rows", "give one with at least one");
    // Refused here, before memory is taken for rows that the file cannot fill.
    if (stored < rows) {
      fail(fmt::format("{} rows but {} entries leave a diagonal entry out", rows, stored),
           "conjugate gradients need a positive definite matrix");
    }
    list_.rows = rows;
    return stored;
  }

  void read_entry() {
    const index_t row = next_index("row");
    const index_t column = next_index("column");
    const double value = next_value();
    expect_end();
    if (symmetric_ && column > row) {
      fail(fmt::format("entry ({}, {}) lies above the diagonal", row + 1, column + 1),
           "a symmetric file stores the lower triangle");
    }
    list_.entries.push_back({row, column, value, line_});
    if (symmetric_ && row != column) list_.entries.push_back({column, row, value, line_});
  }

  index_t next_count(std::string_view what) {
    const auto word = next_word();
    const auto value = to_number<std::int64_t>(word);
    if (!value || *value < 0) {
      fail(fmt::format("the {} is {}", what, shown(word)), "write it as a whole number");
    }
    return static_cast<index_t>(*value);
  }

  /// Indices count from 1 in the file, from 0 in memory.
  index_t next_index(std::string_view what) {
    const auto word = next_word();
    const auto value = to_number<std::int64_t>(word);
    if (!value) fail(fmt::format("the {} is {}", what, shown(word)), "write 'ROW COLUMN VALUE'");
    if (*value < 1 || static_cast<index_t>(*value) > list_.rows) {
      fail(fmt::format("{} {} is out of range", what, *value),
           fmt::format("rows and columns count from 1 to {}", list_.rows));
    }
    return static_cast<index_t>(*value) - 1;
  }

  double next_value() {
    auto word = next_word();
    if (word.starts_with('+')) word.remove_prefix(1);
    if (integer_) {
      const auto value = to_number<std::int64_t>(word);
      if (!value) fail(fmt::format("the value is {}", shown(word)), "write it as an integer");
      return static_cast<double>(*value);
    }
    const auto value = to_number<double>(word);
    if (!value || !std::isfinite(*value)) {
      fail(fmt::format("the value is {}", shown(word)), "write it as a finite decimal number");
    }
    return *value;
  }

  template <class T>
  static std::optional<T> to_number(std::string_view word) {
    T value{};
    const char* const begin = word.data();
    const char* const end = begin + word.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
  }

  static std::string shown(std::string_view word) {
    return word.empty() ? "missing" : detail::quoted(word);
  }

  template <class... Allowed>
  void expect_one_of(std::string_view what, const std::string& word, Allowed... allowed) {
    if (((word == allowed) || ...)) return;
    std::string choice;
    ((choice += choice.empty() ? "" : " or ", choice += allowed), ...);
    fail(fmt::format("the {} is {}", what, shown(word)),
         fmt::format("this solver reads {}", choice));
  }

  void expect_end() {
    if (const auto word = next_word(); !word.empty()) {
      fail(fmt::format("unexpected {}", detail::quoted(word)), "remove it");
    }
  }

  /// Steps to the next line that is neither blank nor a comment.
  bool next_line() {
    while (take_line()) {
      const auto start = words_.find_first_not_of(blanks);
      if (start != std::string_view::npos && words_[start] != '%') return true;
    }
    return false;
  }

  bool take_line() {
    if (rest_.empty()) return false;
    const auto end = std::min(rest_.find('\n'), rest_.size());
    words_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }

  /// The next word of the line, or an empty one at its end.
  std::string_view next_word() {
    words_.remove_prefix(std::min(words_.find_first_not_of(blanks), words_.size()));
    const auto word = words_.substr(0, words_.find_first_of(blanks));
    words_.remove_prefix(word.size());
    return word;
  }

  [[noreturn]] void fail(std::string_view what, std::string_view remedy) const {
    throw input_error(
        fmt::format("{}:{}: {}; {}", list_.file, std::max<index_t>(line_, 1), what, remedy));
  }

  static constexpr std::string_view blanks = " \t\r\v\f";

  std::string text_;
  std::string_view rest_;   // The lines that are still to come,
  std::string_view words_;  // and what is left of the current one.
  index_t line_ = 0;
  bool integer_ = false;
  bool symmetric_ = false;
  entry_list list_;
};

/// Reads a symmetric positive definite matrix, as far as that can be checked cheaply.
/// Errors: input_error, whose text names the file and the line.
inline csr_matrix read_matrix_market(const std::string& file) {
  return assemble(matrix_market_reader(file).read());
}

}  // namespace cg
