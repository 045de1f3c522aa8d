// SPDX-License-Identifier: BSL-1.0
#pragma once
// Conjugate gradients with Jacobi's preconditioner: two allreduces and one halo exchange to an
// iteration. Source: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 9.1.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <functional>
#include <span>
#include <vector>

#include "distributed_matrix.hpp"
#include "world.hpp"

namespace cg {

enum class verdict {
  converged,
  iteration_limit,
  not_positive_definite,  ///< A direction p was found with p'Ap <= 0.
  overflow,               ///< A number left the range of a double.
};

struct stop_rule {
  double tolerance;  ///< On the norm of the residual, relative to the norm of b.
  index_t iterations_max;
};

struct solution {
  verdict how = verdict::iteration_limit;
  index_t iterations = 0;
  double residual = 1;    ///< Relative to the norm of b.
  std::vector<double> x;  ///< This rank's entries.
  time_split time;
};

namespace detail {

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Saad's names: r is the residual, z the preconditioned one, p the direction, q = A p.
template <class Observer>
verdict iterate(communicator world, distributed_matrix& matrix, std::span<const double> b,
                const stop_rule& stop, Observer& observe, solution& state) {
  auto& [how, iterations, residual, x, time] = state;
  const index_t n = matrix.owned();
  std::vector<double> inverse_diagonal = matrix.diagonal();
  for (double& d : inverse_diagonal) d = 1 / d;
  std::vector<double> r(b.begin(), b.end());
  std::vector<double> z(n);
  std::vector<double> p(matrix.extended(), 0);
  std::vector<double> q(n);

  // Several sums in one reduction: its cost is in the trip, not in the length.
  const auto sum_over_ranks = [&]<std::size_t N>(std::array<double, N> sums) {
    const scoped_timer timer(time.allreduce_s);
    world.allreduce(std::span<double>{sums}, std::plus<>{});
    return sums;
  };
  const auto precondition = [&] {
    for (index_t i = 0; i < n; ++i) z[i] = inverse_diagonal[i] * r[i];
  };

  precondition();
  std::copy(z.begin(), z.end(), p.begin());
  auto [rz, bb] = sum_over_ranks(std::array{dot(r, z), dot(b, b)});
  const double b_norm = std::sqrt(bb);
  if (!std::isfinite(b_norm)) return verdict::overflow;
  observe(iterations, residual);

  while (iterations < stop.iterations_max) {
    matrix.multiply(p, q, time);
    const auto [pq] = sum_over_ranks(std::array{dot(std::span{p}.first(n), q)});
    if (!std::isfinite(pq)) return verdict::overflow;
    if (pq <= 0) return verdict::not_positive_definite;

    const double alpha = rz / pq;
    for (index_t i = 0; i < n; ++i) x[i] += alpha * p[i];
    for (index_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
    precondition();
    const auto [rz_next, rr] = sum_over_ranks(std::array{dot(r, z), dot(r, r)});
    residual = std::sqrt(rr) / b_norm;
    ++iterations;
    observe(iterations, residual);
    if (residual <= stop.tolerance) return verdict::converged;

    const double beta = rz_next / rz;
    rz = rz_next;
    for (index_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
  }
  return verdict::iteration_limit;
}

}  // namespace detail

/// Solves A x = b from x = 0. Collective.
/// Requires: `b` holds this rank's entries; the diagonal of A is positive.
/// Effects:  calls `observe(iteration, residual)` before the first iteration and after each.
/// Returns:  the solution and how it ended, the same on every rank but for x and time: every
///           decision is taken on a reduced number, which all ranks hold alike.
template <std::invocable<index_t, double> Observer>
solution solve(communicator world, distributed_matrix& matrix, std::span<const double> b,
               const stop_rule& stop, Observer observe) {
  solution result;
  result.x.assign(matrix.owned(), 0);
  {
    const scoped_timer timer(result.time.total_s);
    result.how = detail::iterate(world, matrix, b, stop, observe, result);
  }
  return result;
}

}  // namespace cg
