// SPDX-License-Identifier: BSL-1.0
#pragma once
// The words that all parts of the solver share. `stack` is the one line that chooses how messages
// travel: every other file would stay as it is for another transport or protocol.

#include <chrono>
#include <cstddef>
#include <mpx/mpx.hpp>

namespace cg {

using stack = mpx::stack<>;
using environment = mpx::environment<stack>;
using communicator = mpx::communicator<stack>;
using request = mpx::request<stack>;
using mpx::rank_t;

/// Counts and indices of rows, columns and entries, from 0.
using index_t = std::size_t;

/// Ranks are signed, as in MPI; containers are not.
constexpr std::size_t slot(rank_t rank) noexcept { return static_cast<std::size_t>(rank); }

/// An operation for reductions.
inline constexpr auto maximum = [](auto a, auto b) { return a < b ? b : a; };

/// Time that the solver spent in each part, in seconds.
struct time_split {
  double total_s = 0;
  double matvec_s = 0;
  double halo_s = 0;
  double allreduce_s = 0;
};

/// Adds the time of its own life to `total_s`.
class scoped_timer {
 public:
  explicit scoped_timer(double& total_s) : total_s_(total_s) {}
  scoped_timer(const scoped_timer&) = delete;
  scoped_timer& operator=(const scoped_timer&) = delete;
  ~scoped_timer() { total_s_ += std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  double& total_s_;
  clock::time_point start_ = clock::now();
};

}  // namespace cg
