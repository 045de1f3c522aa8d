// SPDX-License-Identifier: BSL-1.0
// A user's stencil: a grid of ranks, whose halos are put into windows, columns by a datatype.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>

namespace {

struct block {
  std::size_t rows, columns;
  std::size_t pitch() const { return columns + 2; }
  std::size_t cells() const { return (rows + 2) * pitch(); }
};

class plate {
 public:
  template <class Grid>
  plate(const Grid& grid, block size)
      : size_(size), window_(mpx::allocate_window<double>(grid, 2 * size.cells())) {
    const auto [above, below] = grid.shift(0);
    const auto [left, right] = grid.shift(1);
    above_ = above, below_ = below, left_ = left, right_ = right;
    for (double& cell : window_.local()) cell = 0;
  }

  void heat(int from) {
    if (above_ == mpx::proc_null)
      for (std::size_t j = 0; j < size_.pitch(); ++j) at(from, 0, j) = at(1 - from, 0, j) = 1;
  }
  double& at(int which, std::size_t i, std::size_t j) const {
    return window_.local()[static_cast<std::size_t>(which) * size_.cells() + i * size_.pitch() + j];
  }
  std::span<double> row(int which, std::size_t i) const {
    return {&at(which, i, 1), size_.columns};
  }
  std::uint64_t place(int which, std::size_t i, std::size_t j) const {
    return static_cast<std::size_t>(which) * size_.cells() + i * size_.pitch() + j;
  }

  void exchange(int which) {
    window_.fence();
    if (above_ != mpx::proc_null)
      window_.put(row(which, 1), above_, place(which, size_.rows + 1, 1));
    if (below_ != mpx::proc_null) window_.put(row(which, size_.rows), below_, place(which, 0, 1));
    const auto column = mpx::datatype::vector(static_cast<std::int64_t>(size_.rows), 1,
                                              static_cast<std::int64_t>(size_.pitch()),
                                              mpx::datatype::of<double>());
    if (left_ != mpx::proc_null)
      window_.put(mpx::buffer(&at(which, 1, 1), 1, column), left_,
                  mpx::rma::typed{place(which, 1, size_.columns + 1), 1, column});
    if (right_ != mpx::proc_null)
      window_.put(mpx::buffer(&at(which, 1, size_.columns), 1, column), right_,
                  mpx::rma::typed{place(which, 1, 0), 1, column});
    window_.fence();
  }

  double step(int from) {
    double change = 0;
    for (std::size_t i = 1; i <= size_.rows; ++i)
      for (std::size_t j = 1; j <= size_.columns; ++j) {
        const double next =
            (at(from, i - 1, j) + at(from, i + 1, j) + at(from, i, j - 1) + at(from, i, j + 1)) / 4;
        change = std::max(change, std::abs(next - at(from, i, j)));
        at(1 - from, i, j) = next;
      }
    return change;
  }
  void free() { window_.free(); }

 private:
  block size_;
  mpx::window<double> window_;
  mpx::rank_t above_, below_, left_, right_;
};

}  // namespace

int main(int argc, char** argv) {
  mpx::environment<> env;
  auto world = env.world();
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  const auto dims = mpx::dims_create<2>(world.size());
  const auto grid = mpx::cart_create(world, {{dims[0], false}, {dims[1], false}}, mpx::reorder);
  plate p(grid, {40, 30});
  p.heat(0);
  double change = 1;
  for (int s = 0; s < steps && change > 1e-9; ++s) {
    p.exchange(s % 2);
    change = grid.allreduce(p.step(s % 2), mpx::max);
  }
  const auto coords = grid.coords<2>();
  std::vector<double> mids = grid.gather(p.at(0, 20, 15), 0);
  if (grid.rank() == 0) {
    for (double m : mids) std::printf("%.5f ", m);
    std::printf("change %.3g at (%d, %d)\n", change, coords[0], coords[1]);
  }
  p.free();
}
