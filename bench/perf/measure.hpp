// SPDX-License-Identifier: BSL-1.0
#pragma once
// Runs a test of mpx-perf over a stack.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpx/mpx.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "board.h"
#include "loops.hpp"
#include "one_sided.hpp"
#include "overlap.hpp"
#include "pack.hpp"
#include "tests.hpp"

namespace perf {

/// Default number of repetitions: that of the OSU benchmarks, fewer for long messages.
inline setting defaults(const options& o, std::size_t size) {
  const bool one_by_one = o.test == "latency";
  const bool by_time = o.test == "ring" || o.test == "allreduce" || o.test.starts_with("poll_") ||
                       o.test.starts_with("coll_");
  std::uint64_t iters = one_by_one ? 10000 : 200;
  if (size > 8192) iters = one_by_one ? 1000 : std::max<std::uint64_t>(8, (4u << 20) / size);
  if (by_time) iters = std::uint64_t{1} << 40;
  if (o.test == "exchange") iters = 2000;
  setting s;
  s.size = size;
  s.iters = o.iters.value_or(iters);
  s.warmup = o.warmup.value_or(std::max<std::uint64_t>(2, by_time ? 2 : iters / 10));
  s.window = o.window;
  s.tags = o.reverse ? o.window : o.tags;
  s.buffers = o.buffers;
  s.order = o.order == "sends"      ? order::sends
            : o.order == "sendrecv" ? order::sendrecv
                                    : order::receives;
  s.posted = o.posted;
  s.reverse = o.reverse;
  s.recv_any = o.recv_any;
  s.seconds = o.seconds;
  return s;
}

inline mpx::rma::protocol protocol_of(std::string_view name) {
  using enum mpx::rma::protocol;
  return name == "direct"      ? direct
         : name == "rdma"      ? rdma
         : name == "buffered"  ? buffered
         : name == "send_recv" ? send_recv
         : name == "portals"   ? portals
                               : automatic;
}

/// All tests but those of a bare card (nic_...).
struct all_tests {
  static bool has(std::string_view test) { return !test.starts_with("nic_"); }

  template <class Stack>
  class of {
   public:
    of(mpx::communicator<Stack> world, const options& o, const setting& s)
        : test_(o.test), s_(s), loops_(world, s) {
      if (test_.starts_with("pack_")) packed_.emplace(test_, s.size);
      if (test_.starts_with("rma_"))
        windows_.emplace(world, s.size, s.window, protocol_of(o.protocol));
      if (test_.starts_with("overlap_")) overlap_.emplace(world, s.size);
    }
    double measure() {
      if (packed_) return packed_->measure(s_.iters);
      if (windows_) return windows_->measure(test_, s_.seconds);
      if (overlap_) return overlap_->measure(test_);
      for (const auto& [name, loop] : loops)
        if (name == test_) return (loops_.*loop)();
      throw std::logic_error("a test without a loop");
    }

   private:
    struct named {
      std::string_view name;
      double (bench<Stack>::*loop)();
    };
    static constexpr named loops[] = {
        {"latency", &bench<Stack>::latency_us},
        {"bw", &bench<Stack>::bandwidth},
        {"bibw", &bench<Stack>::bandwidth_both_ways},
        {"rate", &bench<Stack>::rate},
        {"exchange", &bench<Stack>::exchange_us},
        {"ring", &bench<Stack>::ring_us},
        {"poll_test", &bench<Stack>::poll_test_us},
        {"poll_probe", &bench<Stack>::poll_probe_us},
        {"poll_any", &bench<Stack>::poll_any_us},
        {"allreduce", &bench<Stack>::allreduce_us},
        {"coll_barrier", &bench<Stack>::barrier_us},
        {"coll_bcast", &bench<Stack>::bcast_us},
        {"coll_allreduce", &bench<Stack>::sum_us},
        {"coll_allgather", &bench<Stack>::allgather_us},
        {"coll_alltoall", &bench<Stack>::alltoall_us},
        {"coll_reduce_scatter", &bench<Stack>::reduce_scatter_us},
        {"coll_neighbor_alltoall", &bench<Stack>::neighbor_alltoall_us},
        {"idle_cpu", &bench<Stack>::idle_cpu_s},
    };

    std::string_view test_;
    setting s_;
    bench<Stack> loops_;
    std::optional<overlap<Stack>> overlap_;
    std::optional<packed> packed_;
    std::optional<one_sided<Stack>> windows_;
  };
};

/// Few tests, which are soon compiled.
struct few_tests {
  static bool has(std::string_view test) {
    return test == "latency" || test == "bw" || test == "rate";
  }

  template <class Stack>
  class of {
   public:
    of(mpx::communicator<Stack> world, const options& o, const setting& s)
        : test_(o.test), loops_(world, s) {}
    double measure() {
      return test_ == "latency" ? loops_.latency_us()
             : test_ == "rate"  ? loops_.rate()
                                : loops_.bandwidth();
    }

   private:
    std::string_view test_;
    bench<Stack> loops_;
  };
};

/// Those, a broadcast, and an exchange between neighbours.
struct hosts_tests {
  static bool has(std::string_view test) {
    return few_tests::has(test) || test == "coll_bcast" || test == "coll_neighbor_alltoall";
  }

  template <class Stack>
  class of {
   public:
    of(mpx::communicator<Stack> world, const options& o, const setting& s)
        : test_(o.test), loops_(world, s), few_(world, o, s) {}
    double measure() {
      return test_ == "coll_bcast"               ? loops_.bcast_us()
             : test_ == "coll_neighbor_alltoall" ? loops_.neighbor_alltoall_us()
                                                 : few_.measure();
    }

   private:
    std::string_view test_;
    bench<Stack> loops_;
    few_tests::of<Stack> few_;
  };
};

/// Few tests, and the share of communication that proceeds while the program sleeps.
struct overlap_tests {
  static bool has(std::string_view test) {
    return few_tests::has(test) || test.starts_with("overlap_");
  }

  template <class Stack>
  class of {
   public:
    of(mpx::communicator<Stack> world, const options& o, const setting& s)
        : test_(o.test), few_(world, o, s) {
      if (!few_tests::has(test_)) overlap_.emplace(world, s.size);
    }
    double measure() { return overlap_ ? overlap_->measure(test_) : few_.measure(); }

   private:
    std::string_view test_;
    few_tests::of<Stack> few_;
    std::optional<overlap<Stack>> overlap_;
  };
};

template <class Tests, class Stack>
void measure_all(mpx::communicator<Stack> world, const options& o, perf_side& side,
                 std::span<std::byte> out, std::span<std::byte> in) {
  std::optional<reporter> report;
  if (world.rank() == 0) report.emplace(o, kind_of(o.test), world.size());
  perf_mark before = perf_bracket(&side);
  for (std::size_t size = o.size_first; size <= o.size_last; size = size == 0 ? 1 : size * 2) {
    setting s = defaults(o, size);
    s.out = out.first(size * o.buffers);
    s.in = in.first(size * o.buffers);
    typename Tests::template of<Stack> test(world, o, s);
    for (int i = 0; i < o.samples; ++i) {
      const double value = test.measure();
      const perf_mark after = perf_bracket(&side);
      if (report) report->sample(size, value, before, after);
      before = after;
    }
  }
}

template <class Tests, class Stack>
void run(const options& o) {
  perf_side side;
  perf_join(&side, nullptr, 0, 1);
  mpx::environment<Stack> env;
  auto world = env.world();
  if (world.size() < 2)
    throw std::runtime_error("needs at least 2 ranks: mpxrun -n 2 mpx-perf " + o.test);
  side.rank = world.rank();
  side.ranks = world.size();
  side.board = perf_open_board(o.probe_file.c_str());
  if (o.pin) perf_pin(world.rank(), &side.usable);

  const std::size_t bytes = o.size_last * o.buffers;
  if (o.arena) {
    const auto arena = env.template allocator<std::byte>();
    std::vector<std::byte, mpx::allocator<std::byte>> out(bytes, std::byte{1}, arena);
    std::vector<std::byte, mpx::allocator<std::byte>> in(bytes, std::byte{2}, arena);
    measure_all<Tests>(world, o, side, buffer(out), buffer(in));
  } else {
    std::vector<std::byte> out(bytes, std::byte{1});
    std::vector<std::byte> in(bytes, std::byte{2});
    measure_all<Tests>(world, o, side, buffer(out), buffer(in));
  }
}

/// A stack to offer, with these tests.
template <class Tests, class Stack>
constexpr offered_stack over(std::string_view name, std::string_view path = "automatic") {
  return {name, path, &Tests::has, &run<Tests, Stack>};
}

}  // namespace perf
