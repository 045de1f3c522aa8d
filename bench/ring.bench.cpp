// SPDX-License-Identifier: BSL-1.0
// The ring of 64-byte lines by itself, one thread at both ends: instructions and stores, no cache
// misses between cores. raw_perf and mpx-perf measure what the crossing adds.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <vector>

#include "perf/line_ring.hpp"

namespace {

/// One packet in, one packet out.
void put_take(benchmark::State& state) {
  perf::line_ring r;
  const std::vector<std::byte> data(static_cast<std::size_t>(state.range(0)), std::byte{1});
  const mpx::frame_header header{};
  for (auto _ : state) {
    if (!r.put(header, data) || !r.ready()) {
      state.SkipWithError("the ring lost a packet");
      break;
    }
    r.take([](std::span<const std::byte> payload) { benchmark::DoNotOptimize(payload.data()); });
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(put_take)->Arg(8)->Arg(40)->Arg(41)->Arg(512)->Arg(4096)->Arg(16384);

/// A poll that finds nothing.
void not_ready(benchmark::State& state) {
  perf::line_ring r;
  for (auto _ : state) benchmark::DoNotOptimize(r.ready());
}
BENCHMARK(not_ready);

}  // namespace
