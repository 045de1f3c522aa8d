// SPDX-License-Identifier: BSL-1.0
#pragma once
// The part of a communication that proceeds while the program makes no call, for any stack. The
// twin of `overlap` in mpi_perf.c.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <string_view>
#include <vector>

#include "board.h"

namespace perf {

/// One test of one size. Rank 0 sends to rank 1, or puts into its memory, or all ranks sum up;
/// between start and end all sleep. They sleep instead of computing, since copying needs a core,
/// and the machine may have no free one.
template <class Stack>
class overlap {
 public:
  overlap(mpx::communicator<Stack> world, std::size_t size)
      : world_(world), data_(std::max<std::size_t>(size / sizeof(double), 1), 1.0) {}

  /// Returns the hidden share in per cent: 0 if sleep and communication take their sum, 100 if the
  /// sleep alone takes as long as both.
  double measure(std::string_view test) {
    if (test == "overlap_send")
      return hidden([this](double sleep_s) {
        mpx::request<Stack> r;
        if (world_.rank() == 1) r = world_.irecv(data_, 0, 3);
        if (world_.rank() == 0) r = world_.isend(data_, 1, 3);
        perf_sleep(sleep_s);
        r.wait();
      });
    if (test == "overlap_allreduce")
      return hidden([this](double sleep_s) {
        auto r = world_.allreduce(data_, sums_, std::plus<>{}, mpx::start);
        perf_sleep(sleep_s);
        r.wait();
      });
    auto there = mpx::allocate_window<double>(world_, data_.size());
    auto epoch = there.lock_all();
    const double share = hidden([&](double sleep_s) {
      if (world_.rank() == 0) there.put(data_, 1, 0);
      perf_sleep(sleep_s);
      if (world_.rank() == 0) there.flush(1);
    });
    epoch.unlock();
    there.free();
    return share;
  }

 private:
  static constexpr int repetitions = 20;
  static constexpr double sleep_s_min = 4e-3;

  /// Returns the mean time of `body` at the slowest rank.
  template <class Body>
  double time_of(Body&& body) {
    double took = 0;
    for (int i = 0; i < repetitions; ++i) {
      world_.barrier();
      const double start = perf_now();
      body();
      took += perf_now() - start;
    }
    return world_.allreduce(took, mpx::max) / repetitions;
  }
  /// `communicate(sleep_s)` sleeps between the start and the end of its communication.
  template <class Communicate>
  double hidden(Communicate&& communicate) {
    communicate(0);
    const double alone = time_of([&] { communicate(0); });
    const double sleep_s = std::max(4 * alone, sleep_s_min);
    const double sleeping = time_of([&] { perf_sleep(sleep_s); });
    const double both = time_of([&] { communicate(sleep_s); });
    return std::clamp((alone + sleeping - both) / alone, 0.0, 1.0) * 100;
  }

  mpx::communicator<Stack> world_;
  std::vector<double> data_;
  std::vector<double> sums_ = data_;
};

}  // namespace perf
