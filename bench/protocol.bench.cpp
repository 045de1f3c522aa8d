// SPDX-License-Identifier: BSL-1.0
// Thresholds between the paths of the protocol: the same message by either path.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <mpx/mpx.hpp>
#include <vector>

namespace {

/// Everything above 40 bytes is long: the announcement's price.
using announces = mpx::stack<mpx::transport::inproc, mpx::protocol::tiny_short_long<40, 40>>;
/// Everything up to a packet's limit is short: the second copy's price.
using eager = mpx::stack<mpx::transport::inproc, mpx::protocol::tiny_short_long<40, 64 * 1024>>;

template <class Stack>
void to_oneself(benchmark::State& state) {
  mpx::run_threads<Stack>(1, [&](mpx::communicator<Stack> world) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    std::vector<std::byte> out(bytes, std::byte{1});
    std::vector<std::byte> in(bytes);
    for (auto _ : state) {
      auto arrival = world.irecv(in, 0, 7);
      auto departure = world.isend(out, 0, 7);
      arrival.wait();
      departure.wait();
    }
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(to_oneself<eager>)->Arg(8)->Arg(40)->RangeMultiplier(4)->Range(256, 64 * 1024);
BENCHMARK(to_oneself<announces>)->Arg(8)->Arg(40)->RangeMultiplier(4)->Range(256, 64 * 1024);

}  // namespace
