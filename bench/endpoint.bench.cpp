// SPDX-License-Identifier: BSL-1.0
// Cost that the engine adds to a transport, and cost of each path of the protocol: a rank sends to
// itself over inproc, beside the bare transport doing the same.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <mpx/mpx.hpp>
#include <span>
#include <vector>

namespace {

using stack = mpx::stack<mpx::transport::inproc>;

/// Takes packets and keeps nothing.
struct counting_sink {
  std::size_t packets = 0;
  void packet(mpx::peer_id, const mpx::frame_header&, std::span<const std::byte> payload) noexcept {
    benchmark::DoNotOptimize(payload.data());
    ++packets;
  }
  std::span<std::byte> place(mpx::peer_id, const mpx::frame_header&, std::size_t) noexcept {
    return {};
  }
  void complete(mpx::cookie_t, bool) noexcept {}
  void malformed(mpx::peer_id) noexcept {}
  void unreachable(mpx::peer_id) noexcept {}
};

void bare_transport(benchmark::State& state) {
  mpx::bootstrap::singleton job;
  mpx::transport::inproc transport(job);
  const std::vector<std::byte> data(static_cast<std::size_t>(state.range(0)), std::byte{1});
  const mpx::frame_header header{};
  counting_sink sink;
  for (auto _ : state) {
    if (transport.post(0, header, data, 0) != mpx::outcome::done) {
      state.SkipWithError("the post was refused");
      break;
    }
    transport.poll(sink);
  }
  if (sink.packets != static_cast<std::size_t>(state.iterations()))
    state.SkipWithError("packets were lost");
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(bare_transport)->Arg(8)->Arg(40)->Arg(512)->Arg(16384);

/// irecv, isend, wait for both: tiny up to 40 bytes, short up to 16 KiB, long above.
void endpoint(benchmark::State& state) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
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
BENCHMARK(endpoint)->Arg(8)->Arg(40)->Arg(41)->Arg(512)->Arg(16384)->Arg(16385)->Arg(1 << 20);

/// The same, but the message is there before the receive.
void endpoint_unexpected(benchmark::State& state) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    std::vector<std::byte> out(bytes, std::byte{1});
    std::vector<std::byte> in(bytes);
    for (auto _ : state) {
      auto departure = world.isend(out, 0, 7);
      if (world.iprobe(0, 8)) break;
      world.recv(in, 0, 7);
      departure.wait();
    }
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(endpoint_unexpected)->Arg(8)->Arg(512)->Arg(16384)->Arg(16385);

}  // namespace
