// SPDX-License-Identifier: BSL-1.0
// Jacobi's iteration on a square whose upper edge is hot, each rank with some of its rows. After
// every step a rank puts its outer rows where its neighbours keep copies of them, their ghost
// cells. From the root of the tree, with or without CMake (it uses CLI11 and fmt):
//
//   cmake --preset release && cmake --build --preset release --target ghost_cells mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/ghost_cells --size 500 --sync neighbours
//
//   g++ -std=c++20 -O2 -Iinclude examples/ghost_cells/*.cpp -o ghost_cells -pthread -lfmt
//   mpxrun -n 4 ./ghost_cells --size 500 --sync neighbours
//
// The answer is checked: each rank computes the whole square by itself as well, and compares its
// rows, which have to be the same to the last bit. Exits with 1 if anything is wrong.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using communicator = mpx::communicator<mpx::stack<>>;

/// A step of rows 1 .. rows of `from`, which have `width` points; the first and last of each row,
/// and the rows before and behind, stay.
void relax(std::span<const double> from, std::span<double> to, std::size_t rows,
           std::size_t width) {
  for (std::size_t i = 1; i <= rows; ++i)
    for (std::size_t j = 1; j + 1 < width; ++j) {
      const std::size_t at = i * width + j;
      to[at] = 0.25 * (from[at - width] + from[at + width] + from[at - 1] + from[at + 1]);
    }
}

std::size_t first_row(mpx::rank_t rank, mpx::rank_t ranks, std::size_t rows) {
  return rows * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
}

/// This rank's rows between two rows of ghost cells, twice: a step reads one and writes the other.
class plate {
 public:
  plate(const communicator& world, std::size_t size, bool neighbours_only)
      : rank_(world.rank()),
        last_(world.size() - 1),
        width_(size + 2),
        rows_(first_row(rank_ + 1, world.size(), size) - first_row(rank_, world.size(), size)),
        rows_above_(rank_ == 0 ? 0
                               : first_row(rank_, world.size(), size) -
                                     first_row(rank_ - 1, world.size(), size)),
        neighbours_only_(neighbours_only) {
    for (auto& w : windows_) w = mpx::allocate_window<double>(world, (rows_ + 2) * width_);
    std::vector<mpx::rank_t> beside;
    if (rank_ > 0) beside.push_back(rank_ - 1);
    if (rank_ < last_) beside.push_back(rank_ + 1);
    beside_ = mpx::include(world.group(), beside);
    if (rank_ == 0)  // The hot edge is the ghost row of the rank with the first rows.
      for (auto& w : windows_) std::fill_n(w.local().begin(), width_, 1.0);
    world.barrier();
    if (!neighbours_only_)
      for (auto& w : windows_) w.fence();
  }
  void step() {
    auto& next = windows_[1 - now_];
    const auto to = next.local();
    relax(windows_[now_].local(), to, rows_, width_);
    if (neighbours_only_) {
      next.post(beside_);
      next.start(beside_);
    }
    if (rank_ > 0) next.put(to.subspan(width_, width_), rank_ - 1, (rows_above_ + 1) * width_);
    if (rank_ < last_) next.put(to.subspan(rows_ * width_, width_), rank_ + 1, 0);
    if (neighbours_only_) {
      next.complete();
      next.wait();
    } else {
      next.fence();
    }
    now_ = 1 - now_;
  }
  /// Without the ghost cells.
  std::span<const double> own() const {
    return windows_[now_].local().subspan(width_, rows_ * width_);
  }
  void free() {
    for (auto& w : windows_) {
      if (!neighbours_only_) w.fence(mpx::rma::assertion::no_succeed);
      w.free();
    }
  }

 private:
  mpx::rank_t rank_;
  mpx::rank_t last_;
  std::size_t width_;
  std::size_t rows_;
  std::size_t rows_above_;
  bool neighbours_only_;
  mpx::group beside_;
  mpx::window<double> windows_[2];
  std::size_t now_ = 0;
};

/// All rows, by this rank alone.
std::vector<double> alone(std::size_t size, int steps) {
  std::vector<double> now((size + 2) * (size + 2), 0.0);
  std::fill_n(now.begin(), size + 2, 1.0);
  std::vector<double> next = now;
  for (int s = 0; s < steps; ++s) {
    relax(now, next, size, size + 2);
    std::swap(now, next);
  }
  return now;
}

int run(communicator world, int argc, char** argv) {
  std::size_t size = 200;
  int steps = 200;
  std::string sync = "fence";
  CLI::App app("Jacobi's iteration with ghost cells; run it under mpxrun.", "ghost_cells");
  app.add_option("--size", size, "inner points of a side")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--steps", steps, "of the iteration")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--sync", sync, "fence (all ranks), or neighbours (post, start, complete, wait)")
      ->capture_default_str()
      ->check(CLI::IsMember({"fence", "neighbours"}));
  const auto refused = [&](int code) {
    world.barrier();  // A rank that leaves early could end the job before rank 0 has spoken.
    return code;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (world.rank() == 0) app.exit(e);
    return refused(e.get_exit_code() == 0 ? 0 : 2);
  }
  if (size < static_cast<std::size_t>(world.size())) {
    if (world.rank() == 0)
      fmt::print(stderr, "ghost_cells: --size {} is too small for {} ranks\n", size, world.size());
    return refused(2);
  }

  plate mine(world, size, sync == "neighbours");
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; ++s) mine.step();
  world.barrier();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  const std::vector<double> all = alone(size, steps);
  const std::size_t skipped = (first_row(world.rank(), world.size(), size) + 1) * (size + 2);
  const auto own = mine.own();
  const bool same =
      std::equal(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(skipped));
  const bool right = world.allreduce(same ? 1 : 0, mpx::min) == 1;
  mine.free();
  if (world.rank() == 0) {
    fmt::print("ghost_cells: {} x {} points on {} ranks, {} steps\n", size, size, world.size(),
               steps);
    if (steps > 0) fmt::print("{:.2f} us a step\n", took.count() / steps * 1e6);
    if (!right) fmt::print(stderr, "ghost_cells: the answer is wrong\n");
    std::fflush(stdout);
  }
  world.barrier();
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  mpx::environment<> env;
  try {
    return run(env.world(), argc, argv);
  } catch (const std::exception& e) {  // The other ranks may wait for this one.
    fmt::print(stderr, "ghost_cells: rank {}: {}\n", env.rank(), e.what());
    env.abort(1);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "ghost_cells: {}\n", e.what());
  return 1;
}
