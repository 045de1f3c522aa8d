// SPDX-License-Identifier: BSL-1.0
// Puts to a portal, beside sends and puts to a window by packets, of a rank to itself over inproc;
// and the cost of a search by the number of match entries, and of messages in a heap.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>
#include <mpx/rma.hpp>
#include <span>
#include <vector>

namespace {

namespace portals = mpx::portals;
using stack = mpx::stack<mpx::transport::inproc>;
constexpr mpx::match_bits all_bits = ~mpx::match_bits{0};

/// A put into a single block, and its event.
void portal_put(benchmark::State& state) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    std::vector<std::byte> out(bytes, std::byte{1});
    std::vector<std::byte> in(bytes);
    portals::table<stack> table(world);
    portals::events<stack> events(table, 8);
    portals::single_block block{std::span(in)};
    const auto entry = table.attach(0, block, {}, events);
    for (auto _ : state) {
      table.put(out, 0, {.portal = 0});
      benchmark::DoNotOptimize(events.wait());
    }
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(portal_put)->Arg(8)->Arg(512)->Arg(16000)->Arg(1 << 20);

/// A put that is acknowledged.
void portal_put_acknowledged(benchmark::State& state) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    std::vector<std::byte> out(bytes, std::byte{1});
    std::vector<std::byte> in(bytes);
    portals::table<stack> table(world);
    portals::single_block block{std::span(in)};
    const auto entry = table.attach(0, block, {});
    portals::receipt saved;
    for (auto _ : state) table.put_acknowledged(out, 0, {.portal = 0}, saved);
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(portal_put_acknowledged)->Arg(8)->Arg(512)->Arg(16000)->Arg(1 << 20);

/// A get from a single block.
void portal_get(benchmark::State& state) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    const std::vector<std::byte> from(bytes, std::byte{1});
    std::vector<std::byte> in(bytes);
    portals::table<stack> table(world);
    portals::single_block block{std::span(from)};
    const auto entry = table.attach(0, block, {.how = {.direction = portals::access::read_only}});
    for (auto _ : state) table.get(in, 0, {.portal = 0});
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(portal_get)->Arg(8)->Arg(512)->Arg(16000)->Arg(1 << 20);

/// The same by a window: a put and a flush, by records or by the window's portals.
void window_put_by(benchmark::State& state, mpx::rma::protocol by) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    const std::vector<std::byte> out(bytes, std::byte{1});
    auto window = mpx::allocate_window<std::byte>(world, bytes, by);
    auto epoch = window.lock_all();
    for (auto _ : state) {
      window.put(out, 0, 0);
      window.flush(0);
    }
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
void window_put(benchmark::State& state) { window_put_by(state, mpx::rma::protocol::buffered); }
BENCHMARK(window_put)->Arg(8)->Arg(512)->Arg(16000)->Arg(1 << 20);
void window_put_portals(benchmark::State& state) {
  window_put_by(state, mpx::rma::protocol::portals);
}
BENCHMARK(window_put_portals)->Arg(8)->Arg(512)->Arg(16000)->Arg(1 << 20);

/// A put of 8 bytes that the last of so many match entries takes.
void portal_search(benchmark::State& state) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
    const auto entries = static_cast<std::uint64_t>(state.range(0));
    std::uint64_t in = 0;
    portals::table<stack> table(world, {.entries = static_cast<std::uint32_t>(entries)});
    portals::events<stack> events(table, 8);
    portals::single_block block{std::span(&in, 1)};
    std::vector<portals::entry<stack>> all;
    for (std::uint64_t i = 1; i <= entries; ++i)
      all.push_back(table.append(0, {.bits = i}, block, {}, events));
    for (auto _ : state) {
      table.put(in, 0, {.portal = 0, .bits = entries});
      benchmark::DoNotOptimize(events.wait());
    }
  });
}
BENCHMARK(portal_search)->RangeMultiplier(10)->Range(1, 100'000);

/// A message is put into a heap with so many messages, and taken out from behind them.
void portal_heap(benchmark::State& state) {
  mpx::run_threads<stack>(1, [&](mpx::communicator<stack> world) {
    const auto messages = static_cast<std::uint64_t>(state.range(0));
    portals::table<stack> table(world);
    portals::dynamic_block heap((messages + 1) * (portals::dynamic_block::overhead_bytes + 64));
    const auto rest =
        table.append(0, {.ignore = all_bits}, heap, {.how = {.keep = portals::saves::both}});
    for (std::uint64_t i = 1; i <= messages; ++i) table.put(i, 0, {.portal = 0, .bits = i});
    while (table.counted().accepted < messages) world.progress();
    for (auto _ : state) {
      table.put(messages, 0, {.portal = 0, .bits = 0});
      portals::heap_message<stack> m;
      while (!(m = table.take(heap, {.bits = 0}))) world.progress();
      benchmark::DoNotOptimize(m.data());
    }
  });
}
BENCHMARK(portal_heap)->RangeMultiplier(10)->Range(1, 10'000);

}  // namespace
