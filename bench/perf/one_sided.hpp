// SPDX-License-Identifier: BSL-1.0
#pragma once
// The loops of mpx-perf over windows: those of the OSU micro-benchmarks, and ghost cells of a
// torus. Each is the twin of one in mpi_perf.c.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "board.h"

namespace perf {

/// One test over windows, of one size. Rank 0 accesses the memory of rank 1, which waits in a
/// barrier; all ranks exchange ghost cells.
template <class Stack>
class one_sided {
 public:
  using element = std::int64_t;

  one_sided(mpx::communicator<Stack> world, std::size_t size, unsigned window,
            mpx::rma::protocol by)
      : world_(world),
        count_(std::max<std::size_t>(size / sizeof(element), 1)),
        window_(window),
        out_(count_, 1),
        in_(std::max<std::size_t>(count_, window)),
        there_(mpx::allocate_window<element>(world, 4 * count_, by)) {}
  ~one_sided() { there_.free(); }
  one_sided(const one_sided&) = delete;
  one_sided& operator=(const one_sided&) = delete;

  /// Returns us an operation, or GB/s.
  double measure(std::string_view test, double seconds) {
    gets_ = test.starts_with("rma_get");
    combines_ = test.starts_with("rma_accumulate");
    if (test.ends_with("_fence")) return everybody(seconds, [this](std::uint64_t n) { fences(n); });
    const std::size_t all = count_ * sizeof(element);
    if (test.ends_with("_pscw"))
      return everybody(seconds, [this](std::uint64_t n) { starts(n, 1); });
    if (test.ends_with("_pscw_bw"))
      return static_cast<double>(all * window_) / 1e3 /
             everybody(seconds, [this](std::uint64_t n) { starts(n, window_); });
    if (test.starts_with("rma_ghost")) {
      find_neighbours();
      if (test == "rma_ghost_pscw")
        return everybody(seconds, [this](std::uint64_t n) { ghosts_by_starts(n); });
      const bool each = test != "rma_ghost";
      return everybody(seconds, [this, each](std::uint64_t n) { ghosts(n, each); });
    }
    // A call, or a window of them, before each flush.
    const bool window = test.ends_with("_bw");
    const std::string_view what = window ? test.substr(0, test.size() - 3) : test;
    const auto flushed = [&](std::size_t bytes, auto&& access) {
      if (!window) return passive(seconds, [&] { access(0u); });
      return static_cast<double>(bytes * window_) / 1e3 / passive(seconds, [&] {
               for (unsigned i = 0; i < window_; ++i) access(i);
             });
    };
    if (what == "rma_put") return flushed(all, [this](unsigned) { put(); });
    if (what == "rma_get") return flushed(all, [this](unsigned) { get(); });
    if (what == "rma_accumulate") return flushed(all, [this](unsigned) { accumulate(); });
    if (what == "rma_fetch_and_op")
      return flushed(sizeof(element),
                     [this](unsigned i) { there_.fetch_and_op(out_[0], in_[i], 1, 0, mpx::sum); });
    return flushed(sizeof(element),
                   [this](unsigned i) { there_.compare_and_swap(in_[i], out_[0], in_[i], 1, 0); });
  }

 private:
  static constexpr std::uint64_t tries = 4;

  void put() {
    if (count_ == 1)
      there_.put(out_[0], 1, 0);
    else
      there_.put(out_, 1, 0);
  }
  void get() {
    if (count_ == 1)
      there_.get(in_[0], 1, 0);
    else
      there_.get(std::span(in_).first(count_), 1, 0);
  }
  void accumulate() { there_.accumulate(out_, 1, 0, mpx::sum); }
  void access() {
    if (combines_)
      accumulate();
    else if (gets_)
      get();
    else
      put();
  }

  /// Number of repetitions for a call that took `once` us. The same at all ranks.
  std::uint64_t repetitions(double seconds, double once) {
    auto n = static_cast<std::uint64_t>(seconds * 1e6 / once) + 1;
    world_.bcast(n, 0);
    return n;
  }
  /// `access()`, then a flush, again and again by rank 0. Returns us each.
  template <class Access>
  double passive(double seconds, Access&& access) {
    const auto run = [&](std::uint64_t n) {
      world_.barrier();
      double took = 0;
      if (world_.rank() == 0) {
        auto epoch = there_.lock_all();
        const double start = perf_now();
        for (std::uint64_t i = 0; i < n; ++i) {
          access();
          there_.flush(1);
        }
        took = perf_now() - start;
      }
      world_.barrier();
      return took * 1e6;
    };
    run(tries);
    const std::uint64_t n = repetitions(seconds, run(tries) / tries);
    return run(n) / static_cast<double>(n);
  }
  /// `loop(n)` by all ranks.
  template <class Loop>
  double everybody(double seconds, Loop&& loop) {
    const auto run = [&](std::uint64_t n) {
      world_.barrier();
      const double start = perf_now();
      loop(n);
      return (perf_now() - start) * 1e6;
    };
    run(tries);
    const std::uint64_t n = repetitions(seconds, run(tries) / tries);
    return run(n) / static_cast<double>(n);
  }

  void fences(std::uint64_t n) {
    there_.fence();
    for (std::uint64_t i = 0; i < n; ++i) {
      if (world_.rank() == 0) access();
      there_.fence();
    }
    there_.fence(mpx::rma::assertion::no_succeed);
  }
  /// `accesses` in each of `n` epochs.
  void starts(std::uint64_t n, unsigned accesses) {
    const mpx::rank_t first[] = {0};
    const mpx::rank_t second[] = {1};
    const mpx::group origin = mpx::include(world_.group(), first);
    const mpx::group target = mpx::include(world_.group(), second);
    for (std::uint64_t i = 0; i < n; ++i) {
      if (world_.rank() == 0) {
        there_.start(target);
        for (unsigned k = 0; k < accesses; ++k) access();
        there_.complete();
      } else if (world_.rank() == 1) {
        there_.post(origin);
        there_.wait();
      }
    }
    world_.barrier();
  }

  /// Targets of the cells of each side: the neighbours in a torus of two dimensions.
  void find_neighbours() {
    const auto dims = mpx::dims_create<2>(world_.size());
    const auto torus = mpx::cart_create(world_, {{dims[0], true}, {dims[1], true}});
    for (std::size_t d = 0; d < 2; ++d) {
      const auto [before, after] = torus.shift(static_cast<int>(d));
      beside_[2 * d] = before;
      beside_[2 * d + 1] = after;
    }
  }
  /// Cells sent down in a dimension arrive from the other side there.
  void ghosts(std::uint64_t n, bool each) {
    there_.fence();
    for (std::uint64_t i = 0; i < n; ++i) {
      for (std::size_t side = 0; side < beside_.size(); ++side) {
        const std::uint64_t at = (side ^ 1u) * count_;
        if (each) {
          for (std::size_t k = 0; k < count_; ++k) there_.put(out_[k], beside_[side], at + k);
        } else {
          there_.put(out_, beside_[side], at);
        }
      }
      there_.fence();
    }
    there_.fence(mpx::rma::assertion::no_succeed);
  }

  /// As ghosts, a put a side, each rank in an epoch with its neighbours alone.
  void ghosts_by_starts(std::uint64_t n) {
    std::vector<mpx::rank_t> ranks(beside_.begin(), beside_.end());
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    const mpx::group beside = mpx::include(world_.group(), ranks);
    for (std::uint64_t i = 0; i < n; ++i) {
      there_.post(beside);
      there_.start(beside);
      for (std::size_t side = 0; side < beside_.size(); ++side)
        there_.put(out_, beside_[side], (side ^ 1u) * count_);
      there_.complete();
      there_.wait();
    }
    world_.barrier();
  }

  mpx::communicator<Stack> world_;
  std::size_t count_;
  unsigned window_;
  bool gets_ = false;
  bool combines_ = false;
  std::vector<element> out_;
  std::vector<element> in_;
  mpx::window<element, Stack> there_;
  std::array<mpx::rank_t, 4> beside_{};
};

}  // namespace perf
