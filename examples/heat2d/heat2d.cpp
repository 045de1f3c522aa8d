// SPDX-License-Identifier: BSL-1.0
// Heat that spreads in a plate: each rank of a grid has a block of it, and exchanges its edges with
// its neighbours in every step, columns as they lie in memory, by persistent requests. From the
// root of the tree, with or without CMake (it uses CLI11, fmt, and libpng where CMake finds it):
//
//   cmake --preset release && cmake --build --preset release --target heat2d mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/heat2d --size 200
//
//   g++ -std=c++20 -O2 -Iinclude examples/heat2d/*.cpp -o heat2d -pthread -lfmt
//   mpxrun -n 4 ./heat2d --size 200
//
// The answer is checked: the plate begins with two waves, of which each decays by a factor a step
// that is known. Exits with 1 if it is wrong. `--image plate.png` writes a picture of the plate.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "image.hpp"

namespace heat2d {
namespace {

using stack = mpx::stack<>;
using grid_type = mpx::cart_communicator<stack>;

constexpr double rate = 0.2;  // Of heat that goes over in a step, times steps, by distance squared.

struct options {
  std::size_t size = 256;
  int steps = 200;
  std::string image;
};

/// A wave in the plate, which is cold at its edges, and how it decays.
struct wave {
  double rows;
  double columns;
  double height;

  double at(std::size_t row, std::size_t column, std::size_t size) const {
    const double h = std::numbers::pi / static_cast<double>(size + 1);
    return height * std::sin(rows * h * static_cast<double>(row + 1)) *
           std::sin(columns * h * static_cast<double>(column + 1));
  }
  /// By which factor it shrinks in each step.
  double decay(std::size_t size) const {
    const double half = std::numbers::pi / static_cast<double>(size + 1) / 2;
    const auto square = [](double x) { return x * x; };
    return 1 - 4 * rate * (square(std::sin(rows * half)) + square(std::sin(columns * half)));
  }
};
constexpr std::array waves{wave{1, 2, 1.0}, wave{5, 3, 0.5}};

/// Which of `size` rows or columns the `i`-th of `parts` has: from here to where the next begins.
std::size_t begin_of(mpx::rank_t i, mpx::rank_t parts, std::size_t size) {
  return size * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts);
}

/// A rank's block, with a border of what its neighbours have.
class block {
 public:
  block(const grid_type& grid, std::size_t size) : size_(size) {
    const auto [row, column] = grid.coords<2>();
    const auto dims = grid.dims();
    first_row_ = begin_of(row, dims[0].size, size);
    first_column_ = begin_of(column, dims[1].size, size);
    rows_ = begin_of(row + 1, dims[0].size, size) - first_row_;
    columns_ = begin_of(column + 1, dims[1].size, size) - first_column_;
    for (auto& field : fields_) field.assign((rows_ + 2) * width(), 0);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j)
        for (const wave& w : waves)
          at(0, i + 1, j + 1) += w.at(first_row_ + i, first_column_ + j, size);
    for (std::size_t f = 0; f < 2; ++f) prepare(grid, f);
  }

  /// A step from field `from` to the other one.
  void step(std::size_t from) {
    mpx::start_all(requests_[from]);
    // Inner points need no border: they are updated while the borders are in transit.
    for (std::size_t i = 2; i < rows_; ++i) update_row(from, i, 2, columns_);
    mpx::wait_all(requests_[from]);
    update_row(from, 1, 1, columns_ + 1);
    if (rows_ > 1) update_row(from, rows_, 1, columns_ + 1);
    for (std::size_t i = 2; i < rows_; ++i) {
      update_row(from, i, 1, 2);
      if (columns_ > 1) update_row(from, i, columns_, columns_ + 1);
    }
  }

  /// The largest difference to what is known of field `f` after `steps` steps.
  double error(std::size_t f, int steps) const {
    double worst = 0;
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j) {
        double expected = 0;
        for (const wave& w : waves)
          expected +=
              w.at(first_row_ + i, first_column_ + j, size_) * std::pow(w.decay(size_), steps);
        worst = std::max(worst, std::abs(fields_[f][(i + 1) * width() + j + 1] - expected));
      }
    return worst;
  }

  /// The whole plate at rank 0; empty elsewhere.
  std::vector<double> gathered(const grid_type& grid, std::size_t f) const {
    const auto mine = mpx::sub_block(mpx::matrix(fields_[f].data(), rows_ + 2, width()), {1, 1},
                                     {rows_, columns_});
    auto sending = grid.isend(mine, 0, 9);
    std::vector<double> plate(grid.rank() == 0 ? size_ * size_ : 0);
    for (mpx::rank_t r = 0; r < grid.size() && grid.rank() == 0; ++r) {
      const auto at = grid.coords(r);
      const auto dims = grid.dims();
      const std::size_t row = begin_of(at[0], dims[0].size, size_);
      const std::size_t column = begin_of(at[1], dims[1].size, size_);
      grid.recv(mpx::sub_block(mpx::matrix(plate.data(), size_, size_), {row, column},
                               {begin_of(at[0] + 1, dims[0].size, size_) - row,
                                begin_of(at[1] + 1, dims[1].size, size_) - column}),
                r, 9);
    }
    sending.wait();
    return plate;
  }

 private:
  std::size_t width() const { return columns_ + 2; }
  double& at(std::size_t f, std::size_t i, std::size_t j) { return fields_[f][i * width() + j]; }

  /// The exchange of the edges of field `f`: rows in one piece, columns as they lie.
  void prepare(const grid_type& grid, std::size_t f) {
    const auto whole = mpx::matrix(fields_[f].data(), rows_ + 2, width());
    const auto row = [&](std::size_t i) { return mpx::sub_block(whole, {i, 1}, {1, columns_}); };
    const auto column = [&](std::size_t j) { return mpx::sub_block(whole, {1, j}, {rows_, 1}); };
    const auto [above, below] = grid.shift(0);
    const auto [left, right] = grid.shift(1);
    auto& r = requests_[f];
    r.push_back(grid.recv_init(row(0), above, 0));
    r.push_back(grid.recv_init(row(rows_ + 1), below, 1));
    r.push_back(grid.recv_init(column(0), left, 2));
    r.push_back(grid.recv_init(column(columns_ + 1), right, 3));
    r.push_back(grid.send_init(row(1), above, 1));
    r.push_back(grid.send_init(row(rows_), below, 0));
    r.push_back(grid.send_init(column(1), left, 3));
    r.push_back(grid.send_init(column(columns_), right, 2));
  }
  void update_row(std::size_t from, std::size_t i, std::size_t begin, std::size_t end) {
    const std::size_t w = width();
    const double* const old = fields_[from].data() + i * w;
    const double* const above = old - static_cast<std::ptrdiff_t>(w);
    double* const next = fields_[1 - from].data() + i * w;
    for (std::size_t j = begin; j < end; ++j)
      next[j] = old[j] + rate * (old[j - 1] + old[j + 1] + above[j] + old[j + w] - 4 * old[j]);
  }

  std::size_t size_;
  std::size_t first_row_ = 0;
  std::size_t first_column_ = 0;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::array<std::vector<double>, 2> fields_;
  std::array<std::vector<mpx::persistent_request<stack>>, 2> requests_;
};

int run(mpx::communicator<stack> world, int argc, char** argv) {
  CLI::App app("Heat that spreads in a plate, over a grid of ranks.", "heat2d");
  options chosen;
  app.add_option("--size", chosen.size, "Rows and columns of the plate")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 15));
  app.add_option("--steps", chosen.steps, "Steps in time")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 24));
  app.add_option("--image", chosen.image, "Write a picture of the plate at the end to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const bool help = e.get_exit_code() == 0;
    if (world.rank() == 0) app.exit(e);
    world.barrier();  // A rank that leaves early could end the job before rank 0 has spoken.
    return help ? 0 : 2;
  }

  const auto dims = mpx::dims_create<2>(world.size());
  const auto grid = mpx::cart_create(world, {{dims[0]}, {dims[1]}}, mpx::reorder);
  if (chosen.size < static_cast<std::size_t>(dims[0])) {
    if (world.rank() == 0)
      fmt::print(stderr, "heat2d: a plate of {} rows is too small for {} ranks; take --size {}\n",
                 chosen.size, world.size(), dims[0]);
    world.barrier();
    return 2;
  }
  block mine(grid, chosen.size);
  const auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < chosen.steps; ++s) mine.step(static_cast<std::size_t>(s % 2));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  const auto last = static_cast<std::size_t>(chosen.steps % 2);
  const double error = grid.allreduce(mine.error(last, chosen.steps),
                                      [](double a, double b) { return a > b ? a : b; });
  const bool right = error < 1e-11;
  std::string written;
  bool failed = false;
  if (!chosen.image.empty()) {
    const std::vector<double> plate = mine.gathered(grid, last);
    try {
      if (grid.rank() == 0) written = write_image(chosen.image, plate, chosen.size, chosen.size);
    } catch (const std::exception& e) {
      fmt::print(stderr, "heat2d: {}\n", e.what());
      failed = true;
    }
  }
  if (grid.rank() == 0) {
    fmt::print("heat2d: {0} x {0} points on {1} x {2} ranks, {3} steps\n", chosen.size, dims[0],
               dims[1], chosen.steps);
    if (chosen.steps > 0)
      fmt::print(
          "{:.1f} million points a second\n",
          static_cast<double>(chosen.size * chosen.size) * chosen.steps / took.count() / 1e6);
    fmt::print("error {:.1e}\n", error);
    if (!written.empty()) fmt::print("picture in {}\n", written);
    std::fflush(stdout);
    if (!right) fmt::print(stderr, "heat2d: the answer is wrong\n");
  }
  failed = grid.allreduce(failed ? 1 : 0, std::plus<>{}) != 0;
  return right && !failed ? 0 : 1;
}

}  // namespace
}  // namespace heat2d

int main(int argc, char** argv) try {
  mpx::environment<heat2d::stack> env;
  try {
    return heat2d::run(env.world(), argc, argv);
  } catch (const std::exception& e) {  // The other ranks may wait for this one.
    fmt::print(stderr, "heat2d: rank {}: {}\n", env.rank(), e.what());
    env.abort(1);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "heat2d: {}\n", e.what());
  return 1;
}
