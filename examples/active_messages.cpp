// SPDX-License-Identifier: BSL-1.0
// Active messages on portals: active_messages [HOPS]. Walkers wander over the ranks. A message is a
// walker, and a handler at each rank counts it and sends it on, while the rank's program waits in a
// barrier or does something else. Rank 0 waits until all walkers are home.
// From the root of the tree, with or without CMake (it uses fmt):
//
//   cmake --preset release && cmake --build --preset release --target active_messages mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/active_messages 1000
//
//   g++ -std=c++20 -O2 -Iinclude examples/active_messages.cpp -o active_messages -pthread -lfmt
//   mpxrun -n 4 ./active_messages 1000

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>
#include <optional>
#include <string_view>

namespace {

namespace portals = mpx::portals;

constexpr portals::index wander = 0, home = 1;
/// All walkers of a job. Handlers may have 64 packets to one rank waiting, so none is refused.
constexpr int walkers = 48;

struct walker {
  std::uint32_t hops;   // Left.
  std::uint32_t state;  // Of its random numbers.

  mpx::rank_t step(mpx::rank_t ranks) noexcept {
    --hops;
    state = state * 1664525u + 1013904223u;
    return static_cast<mpx::rank_t>((state >> 8) % static_cast<std::uint32_t>(ranks));
  }
};

std::optional<int> parse_hops(int argc, char** argv) {
  if (argc == 1) return 1000;
  const std::string_view text = argv[1];
  int hops = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hops);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (argc > 2 || !whole || hops < 1 || hops > 1'000'000) return std::nullopt;
  return hops;
}

std::uint64_t walk(const mpx::communicator<>& world, int hops) {
  portals::table<> table(world);
  std::uint64_t visits = 0;
  const auto visit = table.handle(
      wander, {.ignore = ~mpx::match_bits{0}},
      [&visits, ranks = world.size()](portals::handling& h, const portals::event& e) noexcept {
        walker w;
        if (e.data.size() != sizeof w) std::abort();
        std::memcpy(&w, e.data.data(), sizeof w);
        ++visits;
        const bool done = w.hops == 0;
        const mpx::rank_t next = done ? 0 : w.step(ranks);
        const portals::address there{.portal = done ? home : wander};
        if (h.put(std::as_bytes(std::span(&w, 1)), next, there) != mpx::errc{}) std::abort();
      });
  // Headers alone: a message home has nothing to say.
  const std::span<std::byte> none[walkers] = {};
  portals::independent_block arrivals(none);
  portals::events<> events(table, walkers);
  const auto back = table.attach(home, arrivals, {.how = {.keep = portals::saves::header}}, events);
  world.barrier();

  if (world.rank() == 0) {
    for (std::uint32_t i = 0; i < walkers; ++i) {
      walker w{static_cast<std::uint32_t>(hops), i};
      const mpx::rank_t first = w.step(world.size());
      table.put(w, first, {.portal = wander});
    }
    for (int i = 0; i < walkers; ++i)
      if (events.wait().kind == portals::event_kind::lost)
        throw mpx::error(mpx::errc::peer_lost, "a rank is gone, with the walkers that it had");
  }
  world.barrier();  // The other ranks take part from in here.
  return visits;
}

}  // namespace

int main(int argc, char** argv) {
  mpx::environment<> env;
  auto world = env.world();
  const auto hops = parse_hops(argc, argv);
  if (!hops) {
    if (world.rank() == 0)
      fmt::print(stderr, "usage: active_messages [HOPS]   with HOPS in 1..1000000\n");
    world.barrier();
    return 2;
  }
  const std::uint64_t visits = world.allreduce(walk(world, *hops), mpx::sum);
  if (world.rank() == 0)
    fmt::print("active_messages: {} walkers made {} visits to {} ranks\n", walkers, visits,
               world.size());
  return visits == static_cast<std::uint64_t>(*hops) * walkers ? 0 : 1;
}
