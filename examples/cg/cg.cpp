// SPDX-License-Identifier: BSL-1.0
// Solves A x = b in parallel by conjugate gradients, for a matrix A from a Matrix Market file and
// b = A*1, so that the solution is all ones. From the root of the tree, with or without CMake (it
// uses CLI11 and fmt):
//
//   cmake --preset release && cmake --build --preset release --target cg mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/cg examples/data/1138_bus.mtx
//
//   g++ -std=c++20 -O2 -Iinclude examples/cg/cg.cpp -o cg -pthread -lfmt
//   mpxrun -n 4 ./cg examples/data/1138_bus.mtx
//
// With libpmix (pmix.cpp), Open MPI's mpirun starts it, too: in CMake where that is found, else by
// `examples/cg/*.cpp ... $(pkg-config --cflags --libs pmix)`.
//
// Rank 0 reads the file and hands out the rows (distribution.hpp); each rank learns which entries
// it needs of which neighbour (halo.hpp); then all iterate (solver.hpp) and rank 0 reports.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <mpx/bootstrap/pmi1.hpp>  // It may be started by Slurm or Hydra, too.
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "matrix_market.hpp"
#include "report.hpp"
#include "solver.hpp"

namespace cg {
namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

struct options {
  std::string matrix_file;
  std::string history_file;
  double tolerance = 1e-10;
  std::optional<std::int64_t> iterations_max;  ///< Absent: ten times the rows.
  bool quiet = false;
};

/// Data that rank 0 alone holds, from the start to the end.
struct inputs {
  csr_matrix matrix;
  history residuals;
};

/// Errors: CLI::ParseError, which is also how --help is asked for.
options parse(CLI::App& app, int argc, char** argv) {
  options result;
  app.add_option("matrix", result.matrix_file, "Matrix Market file, symmetric positive definite")
      ->required();
  app.add_option("--tolerance", result.tolerance, "Relative residual to stop at")
      ->capture_default_str();
  app.add_option("--max-iterations", result.iterations_max, "Give up after so many")
      ->default_str("10 x rows")
      ->check(CLI::PositiveNumber);
  app.add_flag("--quiet", result.quiet, "Print the results, no progress");
  app.add_option("--csv", result.history_file, "Write the residual of each iteration to this file");
  app.parse(argc, argv);
  const bool sensible = result.tolerance > 0 && result.tolerance < 1;  // NaN is not.
  if (!sensible) {
    throw CLI::ValidationError("--tolerance", "must lie between 0 and 1");
  }
  return result;
}

void complain(const std::string& what) {
  fmt::print(stderr, "cg: {}\n", what);
  std::fflush(stderr);
}

/// Broadcasts whether rank 0 succeeded, so that all ranks continue or all end. Collective.
bool agree(communicator world, bool fine_at_root) {
  int fine = fine_at_root ? 1 : 0;
  world.bcast(fine, 0);
  return fine != 0;
}

/// Opens the history only after the matrix was read, so that a slip in the name loses no file.
inputs open_inputs(const options& chosen) {
  inputs result{read_matrix_market(chosen.matrix_file), {}};
  if (chosen.history_file.empty()) return result;
  std::error_code none;
  if (std::filesystem::equivalent(chosen.matrix_file, chosen.history_file, none)) {
    throw input_error(
        fmt::format("{}: is the matrix itself; give --csv another name", chosen.history_file));
  }
  result.residuals = history(chosen.history_file);
  return result;
}

/// Runs `action` where only rank 0 does, and says what went wrong. Returns whether all went well.
template <class Action>
bool succeeds(const options& chosen, Action action) {
  try {
    action();
    return true;
  } catch (const input_error& e) {
    complain(e.what());
  } catch (const std::system_error& e) {
    complain(fmt::format("{}; choose a file for --csv that can be written", e.what()));
  } catch (const std::bad_alloc&) {
    complain(
        fmt::format("{}: not enough memory to read it; take a smaller matrix or a larger machine",
                    chosen.matrix_file));
  }
  return false;
}

void report_layout(communicator world, const options& chosen, const csr_matrix& whole,
                   const distributed_matrix& matrix) {
  const index_t rows_max = world.reduce(matrix.owned(), maximum, 0);
  const index_t halo_max = world.reduce(matrix.neighbours().entries_received(), maximum, 0);
  const index_t halo = world.reduce(matrix.neighbours().entries_received(), std::plus<>{}, 0);
  const index_t messages = world.reduce(matrix.neighbours().messages_received(), std::plus<>{}, 0);
  if (world.rank() != 0) return;
  fmt::print("matrix:     {}, {} rows, {} nonzeros\n", chosen.matrix_file, whole.rows(),
             whole.nonzeros());
  fmt::print("ranks:      {}, at most {} rows each\n", world.size(), rows_max);
  fmt::print("halo:       {} entries in {} messages, at most {} entries to one rank\n", halo,
             messages, halo_max);
  std::fflush(stdout);
}

/// The times are means over the ranks, so that they add up.
void report_results(communicator world, const solution& found) {
  double error = 0;
  for (const double x : found.x) error = std::max(error, std::abs(x - 1));
  error = world.reduce(error, maximum, 0);
  const auto& [total_s, matvec_s, halo_s, allreduce_s] = found.time;
  std::array seconds{total_s, matvec_s, halo_s, allreduce_s};
  for (double& s : seconds) s = world.reduce(s, std::plus<>{}, 0) / world.size();
  if (world.rank() != 0) return;

  const auto percent = [&](double s) { return 100 * s / seconds[0]; };
  const double rest_s = seconds[0] - seconds[1] - seconds[2] - seconds[3];
  fmt::print("iterations: {}\n", found.iterations);
  fmt::print("residual:   {:.3e}\n", found.residual);
  fmt::print("error:      {:.3e}\n", error);
  fmt::print("time:       {:.3f} ms, {:.2f} us an iteration\n", seconds[0] * 1e3,
             seconds[0] * 1e6 / static_cast<double>(std::max<index_t>(found.iterations, 1)));
  fmt::print("            matvec {:.0f}%, halo {:.0f}%, allreduce {:.0f}%, vectors {:.0f}%\n",
             percent(seconds[1]), percent(seconds[2]), percent(seconds[3]), percent(rest_s));
  std::fflush(stdout);
}

/// Says why there is no solution; nothing where there is one.
std::optional<std::string> failure(const options& chosen, const solution& found) {
  const auto told = [&](std::string_view what) {
    return fmt::format("{}: {} (iteration {}, residual {:.3e})", chosen.matrix_file, what,
                       found.iterations, found.residual);
  };
  switch (found.how) {
    case verdict::converged: return std::nullopt;
    case verdict::iteration_limit:
      return told("no convergence; raise --max-iterations or --tolerance");
    case verdict::not_positive_definite:
      return told("breakdown: the matrix is not positive definite, which conjugate gradients need");
    case verdict::overflow:
      return told("breakdown: numbers grew beyond a double; scale the matrix down");
  }
  return told("internal error");
}

int run(communicator world, int argc, char** argv) {
  CLI::App app("Solves A x = A*1 by conjugate gradients on all ranks.", "cg");
  options chosen;
  try {
    chosen = parse(app, argc, argv);
  } catch (const CLI::ParseError& e) {
    const bool help = e.get_exit_code() == 0;
    if (world.rank() == 0) app.exit(e);
    world.barrier();  // A rank that leaves early could end the job before rank 0 has spoken.
    return help ? 0 : exit_usage;
  }

  inputs at_root;
  const bool readable =
      world.rank() != 0 || succeeds(chosen, [&] { at_root = open_inputs(chosen); });
  if (!agree(world, readable)) return exit_failure;

  distributed_matrix matrix(world, distribute(world, at_root.matrix));
  report_layout(world, chosen, at_root.matrix, matrix);

  time_split setup;
  std::vector<double> ones(matrix.extended(), 1);
  std::vector<double> b(matrix.owned());
  matrix.multiply(ones, b, setup);

  progress line;
  const auto observe = [&](index_t iteration, double residual) {
    if (world.rank() != 0) return;
    if (!chosen.quiet) line.show(iteration, residual);
    at_root.residuals.add(iteration, residual);
  };
  const index_t limit =
      chosen.iterations_max ? static_cast<index_t>(*chosen.iterations_max) : 10 * matrix.rows();
  const solution found = solve(world, matrix, b, {chosen.tolerance, limit}, observe);
  if (world.rank() == 0 && !chosen.quiet) line.finish();

  const auto problem = failure(chosen, found);
  if (!problem) report_results(world, found);
  if (problem && world.rank() == 0) complain(*problem);
  const bool recorded = world.rank() != 0 || succeeds(chosen, [&] { at_root.residuals.close(); });
  return agree(world, recorded && !problem) ? 0 : exit_failure;
}

}  // namespace
}  // namespace cg

int main(int argc, char** argv) {
  try {
    cg::environment env;
    try {
      return cg::run(env.world(), argc, argv);
    } catch (const std::exception& e) {
      // The other ranks may wait for this one: they must not wait for ever.
      cg::complain(fmt::format("rank {}: {}", env.world().rank(), e.what()));
      env.abort(cg::exit_failure);
      return cg::exit_failure;
    }
  } catch (const std::exception& e) {
    cg::complain(e.what());
    return cg::exit_failure;
  }
}
