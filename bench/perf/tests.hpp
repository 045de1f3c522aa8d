// SPDX-License-Identifier: BSL-1.0
#pragma once
// The tests of mpx-perf, and the stacks that it offers: each source of perf/stack_*.cpp adds some.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board.h"

namespace perf {

struct options {
  std::string test;
  std::size_t size_first = 0;
  std::size_t size_last = 0;
  std::optional<std::uint64_t> iters;
  std::optional<std::uint64_t> warmup;
  unsigned window = 64;
  int samples = 1;
  double seconds = 0.2;
  std::string format = "table";
  std::string probe_file;
  std::string order = "receives";
  std::string path = "automatic";
  std::string protocol = "automatic";
  std::string stack = "default";
  unsigned tags = 1;
  unsigned buffers = 1;
  bool pin = false;
  bool posted = false;
  bool reverse = false;
  bool recv_any = false;
  bool arena = false;
};

/// A test, with the sizes that it goes through by default.
struct test_kind {
  std::string_view name;
  std::string_view unit;
  std::string_view title;
  std::size_t size_first;
  std::size_t size_last;
};

inline constexpr test_kind tests[] = {
    {"latency", "us", "one-way latency", 1, 4 << 20},
    {"bw", "GB/s", "bandwidth", 1, 4 << 20},
    {"bibw", "GB/s", "bandwidth, both ways", 1, 4 << 20},
    {"rate", "M/s", "millions of messages a second", 8, 8},
    {"exchange", "us", "exchanges from a cold start, one way", 8, 8},
    {"ring", "us", "token ring, a hop", 8, 8},
    {"poll_test", "us", "token ring by test, a hop", 8, 8},
    {"poll_probe", "us", "token ring by iprobe, a hop", 8, 8},
    {"poll_any", "us", "all to all by test_any, a round", 8, 8},
    {"allreduce", "us", "allreduce of one double", 8, 8},
    {"pack_column", "GB/s", "packing a column of a matrix of doubles", 8, 1 << 20},
    {"pack_record", "GB/s", "packing records with a hole", 12, 1 << 20},
    {"pack_indexed", "GB/s", "packing doubles at irregular places", 8, 1 << 20},
    {"pack_face", "GB/s", "packing a face of a cube", 8, 1 << 20},
    {"coll_barrier", "us", "barrier", 8, 8},
    {"coll_bcast", "us", "bcast, from one root after the other", 8, 1 << 20},
    {"coll_allreduce", "us", "allreduce, a sum of doubles", 8, 1 << 20},
    {"coll_allgather", "us", "allgather, blocks of so much", 8, 1 << 20},
    {"coll_alltoall", "us", "alltoall, blocks of so much", 8, 1 << 20},
    {"coll_reduce_scatter", "us", "reduce_scatter_block, results of so much", 8, 1 << 20},
    {"coll_neighbor_alltoall", "us", "neighbor_alltoall on a ring, blocks of so much", 8, 1 << 20},
    {"rma_put", "us", "a put and a flush", 8, 4 << 20},
    {"rma_get", "us", "a get and a flush", 8, 4 << 20},
    {"rma_accumulate", "us", "an accumulate and a flush", 8, 1 << 20},
    {"rma_fetch_and_op", "us", "a fetch_and_op and a flush", 8, 8},
    {"rma_compare_and_swap", "us", "a compare_and_swap and a flush", 8, 8},
    {"rma_put_fence", "us", "a put and a fence", 8, 1 << 20},
    {"rma_put_pscw", "us", "start, a put, complete; post and wait", 8, 1 << 20},
    {"rma_get_fence", "us", "a get and a fence", 8, 1 << 20},
    {"rma_get_pscw", "us", "start, a get, complete; post and wait", 8, 1 << 20},
    {"rma_put_bw", "GB/s", "a window of puts and a flush", 8, 4 << 20},
    {"rma_get_bw", "GB/s", "a window of gets and a flush", 8, 4 << 20},
    {"rma_put_pscw_bw", "GB/s", "start, a window of puts, complete; post and wait", 8, 4 << 20},
    {"rma_get_pscw_bw", "GB/s", "start, a window of gets, complete; post and wait", 8, 4 << 20},
    {"rma_ghost_pscw", "us", "ghost cells of a torus, by start and post", 8, 64 << 10},
    {"rma_accumulate_fence", "us", "an accumulate and a fence", 8, 1 << 20},
    {"rma_accumulate_pscw", "us", "start, an accumulate, complete; post and wait", 8, 1 << 20},
    {"rma_accumulate_bw", "GB/s", "a window of accumulates and a flush", 8, 4 << 20},
    {"rma_fetch_and_op_bw", "GB/s", "a window of fetch_and_ops and a flush", 8, 8},
    {"rma_compare_and_swap_bw", "GB/s", "a window of compare_and_swaps and a flush", 8, 8},
    {"rma_ghost", "us", "ghost cells of a torus, a put a side", 8, 64 << 10},
    {"rma_ghost_elements", "us", "ghost cells of a torus, a put an element", 8, 64 << 10},
    {"overlap_send", "%", "share of a send that proceeds while its ranks sleep", 64 << 10, 4 << 20},
    {"overlap_put", "%", "share of a put and a flush that proceeds while its ranks sleep", 64 << 10,
     4 << 20},
    {"overlap_allreduce", "%", "share of an allreduce that proceeds while its ranks sleep",
     64 << 10, 4 << 20},
    {"nic_latency", "us", "one-way latency of a bare card", 8, 4 << 20},
    {"nic_bw", "GB/s", "bandwidth of a bare card", 4096, 4 << 20},
    {"nic_register", "us", "registering memory with a card, and deregistering it", 4096, 4 << 20},
    {"nic_copy", "us", "copying memory instead of registering it", 4096, 4 << 20},
    {"idle_cpu", "s", "CPU time of a rank blocked in a receive", 1, 1},
};

/// Returns the test of that name, which there is.
const test_kind& kind_of(std::string_view name);

/// Prints samples, in the format that was asked for.
class reporter {
 public:
  reporter(const options& o, const test_kind& kind, int ranks);
  void sample(std::size_t size, double value, const perf_mark& before, const perf_mark& after);

 private:
  std::string format_;
  const test_kind& kind_;
  int ranks_;
};

/// A stack that messages can pass through.
struct offered_stack {
  std::string_view name;
  std::string_view path;                    // of its long messages
  bool (*measures)(std::string_view test);  // true for the tests that it has
  void (*run)(const options& o);
};

/// All of the program, in no order.
inline std::vector<offered_stack>& offered_stacks() {
  static std::vector<offered_stack> all;
  return all;
}

/// Adds stacks before main begins.
struct offer {
  template <class... Stacks>
  explicit offer(Stacks... stacks) {
    (offered_stacks().push_back(stacks), ...);
  }
};

}  // namespace perf
