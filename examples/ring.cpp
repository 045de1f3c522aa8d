// SPDX-License-Identifier: BSL-1.0
// A token goes round a ring of ranks; rank 0 times its laps: ring [LAPS]. From the root of the tree,
// with or without CMake (it uses fmt):
//
//   cmake --preset release && cmake --build --preset release --target ring mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/ring 1000
//
//   g++ -std=c++20 -O2 -Iinclude examples/ring.cpp -o ring -pthread -lfmt
//   mpxrun -n 4 ./ring 1000

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mpx/mpx.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace {

using communicator = mpx::communicator<mpx::stack<>>;

constexpr int laps_max = 10'000'000;
constexpr int laps_default = 10'000;
constexpr int warm_up_laps = 100;

/// The number of laps from the command line, or nothing where it makes no sense.
std::optional<int> parse_laps(int argc, char** argv) {
  if (argc == 1) return laps_default;
  const std::string_view text = argv[1];
  int laps = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), laps);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (argc > 2 || !whole || laps < 1 || laps > laps_max) return std::nullopt;
  return laps;
}

/// Rank 0 sends the token off and takes it back. The receive is posted first, so that a ring of one
/// rank, which sends to itself, works too.
void lead_lap(communicator world, std::uint64_t& token) {
  std::uint64_t returned = 0;
  auto arrival = world.irecv(returned, world.size() - 1);
  world.send(token, 1 % world.size());
  arrival.wait();
  token = returned + 1;
}

/// Every other rank passes it on, one larger.
void follow_lap(communicator world, std::uint64_t& token) {
  world.recv(token, world.rank() - 1);
  ++token;
  world.send(token, (world.rank() + 1) % world.size());
}

std::vector<double> run_laps(communicator world, int laps, std::uint64_t& token) {
  using clock = std::chrono::steady_clock;
  std::vector<double> lap_us;
  lap_us.reserve(static_cast<std::size_t>(laps));
  for (int lap = 0; lap < laps; ++lap) {
    const auto start = clock::now();
    world.rank() == 0 ? lead_lap(world, token) : follow_lap(world, token);
    lap_us.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
  }
  return lap_us;
}

void report(std::vector<double> lap_us, mpx::rank_t ranks) {
  std::sort(lap_us.begin(), lap_us.end());
  const auto hop_us = [&](double quantile) {
    const auto last = static_cast<double>(lap_us.size() - 1);
    return lap_us[static_cast<std::size_t>(quantile * last)] / ranks;
  };
  fmt::print("ring of {} ranks, {} laps\n", ranks, lap_us.size());
  fmt::print("one hop: median {:.3f} us, in the fastest lap {:.3f} us, in the slowest {:.3f} us\n",
             hop_us(0.5), hop_us(0.0), hop_us(1.0));
}

}  // namespace

int main(int argc, char** argv) {
  mpx::environment<> env;
  auto world = env.world();

  const auto laps = parse_laps(argc, argv);
  if (!laps) {
    if (world.rank() == 0)
      fmt::print(stderr, "usage: ring [LAPS]   with LAPS in 1..{}\n", laps_max);
    world.barrier();  // A rank that leaves early could end the job before rank 0 has spoken.
    return 2;
  }

  std::uint64_t token = 0;
  run_laps(world, warm_up_laps, token);
  auto lap_us = run_laps(world, *laps, token);
  if (world.rank() != 0) return 0;

  // Each hop adds one: a lost or doubled token shows.
  const auto hops =
      static_cast<std::uint64_t>(warm_up_laps + *laps) * static_cast<std::uint64_t>(world.size());
  if (token != hops) {
    fmt::print(stderr, "ring: the token says {} after {} hops\n", token, hops);
    return 1;
  }
  report(std::move(lap_us), world.size());
  return 0;
}
