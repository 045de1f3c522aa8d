// SPDX-License-Identifier: BSL-1.0
#pragma once
// Output of rank 0 while the other ranks compute: a line of progress, and a history of residuals.

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

#include "world.hpp"

namespace cg {

/// Shows how far the solver is: one line, written over and over, on a terminal; elsewhere a line
/// each time two more digits are won, and every few seconds.
class progress {
 public:
  void show(index_t iteration, double residual) {
    const auto now = clock::now();
    const bool digits_won = residual <= next_residual_;
    if (now < next_time_ && (terminal_ || !digits_won)) return;
    next_time_ = now + (terminal_ ? terminal_period : log_period);
    if (digits_won) next_residual_ = residual / 100;
    fmt::print("{}iteration {:6}  residual {:8.2e}{}", terminal_ ? "\r" : "  ", iteration, residual,
               terminal_ ? "" : "\n");
    std::fflush(stdout);
  }

  /// Wipes the line on a terminal, where the results are about to stand.
  void finish() const {
    if (terminal_) fmt::print("\r{:44}\r", "");
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds terminal_period{50};
  static constexpr std::chrono::seconds log_period{5};

  bool terminal_ = isatty(STDOUT_FILENO) == 1;
  clock::time_point next_time_ = clock::now() + (terminal_ ? terminal_period : log_period);
  double next_residual_ = 1e-2;
};

/// The residual of each iteration, as a file of comma-separated values. Without a name it does
/// nothing.
class history {
 public:
  history() = default;

  /// Errors: std::system_error if the file cannot be written.
  explicit history(const std::string& file) : file_(file), out_(file) {
    check();
    out_ << "iteration,residual\n";
  }

  void add(index_t iteration, double residual) {
    if (out_.is_open()) out_ << fmt::format("{},{:.17g}\n", iteration, residual);
  }

  /// Errors: std::system_error if not all of it could be written.
  void close() {
    if (!out_.is_open()) return;
    out_.close();
    check();
  }

 private:
  void check() const {
    if (out_) return;
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), file_);
  }

  std::string file_;
  std::ofstream out_;
};

}  // namespace cg
