// SPDX-License-Identifier: BSL-1.0
// sim_portals: bcast and allgather over portals beside the algorithms by messages, in virtual time
// under the LogGP network of sim_scale. Prints CSV.
//    sim_portals --ranks 16,64,256,1024,4096 > portals.csv
// Ways: `messages` (the default), `tree` (bcast), `ring` (allgather), `long_short` and `short_long`
// by messages; over portals `portals` (the default's algorithm), `portals_tree`, `bucket` (the
// ring), `portals_long_short` and `portals_short_long`.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>
#include <mpx/sim.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace sim = mpx::sim;
using mpx::coll::algorithm;
using by_messages = sim::stack;
using by_portals = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::portals::by_portals<>>;

constexpr std::int64_t round_ns = 10'000'000'000;             // No operation takes longer.
constexpr std::size_t data_bytes_max = std::size_t{1} << 28;  // Of the results of all ranks.
constexpr mpx::rank_t ring_ranks_max = 1024;                  // n * n messages.

enum class what : std::uint8_t { bcast, allgather };

/// Time from the common start of all ranks to the end of the last one, of the second call.
template <class Stack>
double measure_us(what op, std::size_t bytes, mpx::rank_t ranks, algorithm by) {
  sim::loggp model;
  model.far = {.latency_ns = 3700, .overhead_ns = 200, .gap_ns = 5, .byte_ns = 0.04};
  // One pair of buffers serves all ranks: 4,096 of them would need gigabytes.
  std::vector<std::byte> out(bytes);
  std::vector<std::byte> in(op == what::bcast ? bytes : bytes * static_cast<std::size_t>(ranks));
  std::int64_t last = 0;
  sim::options limits;
  limits.time_max_ns = round_ns * 4;
  sim::run<Stack>(
      ranks, model, 1,
      [&](mpx::environment<Stack>& env) {
        const auto world = env.world().with(by);
        for (std::int64_t i = 1; i <= 2; ++i) {
          env.transport().compute(round_ns * i - env.now_ns());
          if (op == what::bcast) {
            world.bcast(std::span(world.rank() == 0 ? out : in).first(bytes), 0);
          } else {
            world.allgather(out, in);
          }
          if (i == 2) last = std::max(last, env.now_ns() - round_ns * i);
        }
      },
      limits);
  return static_cast<double>(last) / 1e3;
}

struct way {
  std::string_view name;
  what op;
  bool over_portals;
  algorithm by;
};
constexpr way ways[] = {
    {"messages", what::bcast, false, algorithm::automatic},
    {"tree", what::bcast, false, algorithm::binomial},
    {"long_short", what::bcast, false, algorithm::long_short},
    {"short_long", what::bcast, false, algorithm::short_long},
    {"portals", what::bcast, true, algorithm::automatic},
    {"portals_tree", what::bcast, true, algorithm::binomial},
    {"portals_long_short", what::bcast, true, algorithm::long_short},
    {"portals_short_long", what::bcast, true, algorithm::short_long},
    {"messages", what::allgather, false, algorithm::automatic},
    {"ring", what::allgather, false, algorithm::ring},
    {"long_short", what::allgather, false, algorithm::long_short},
    {"short_long", what::allgather, false, algorithm::short_long},
    {"portals", what::allgather, true, algorithm::automatic},
    {"bucket", what::allgather, true, algorithm::ring},
    {"portals_long_short", what::allgather, true, algorithm::long_short},
    {"portals_short_long", what::allgather, true, algorithm::short_long},
};

template <class T>
bool is_wanted(const std::vector<T>& wanted, const T& x) {
  return wanted.empty() || std::ranges::find(wanted, x) != wanted.end();
}

struct choice {
  std::vector<mpx::rank_t> ranks = {16, 64, 256, 1024};
  std::vector<std::size_t> sizes = {8, 4096, 65536, std::size_t{1} << 20};
  std::vector<std::string> tests;  // Empty: all.
  std::vector<std::string> ways;   // Empty: all.
};

void run(const choice& of) {
  fmt::print("test,way,bytes,ranks,time_us\n");
  for (const way& w : ways)
    for (const std::size_t bytes : of.sizes)
      for (const mpx::rank_t ranks : of.ranks) {
        const bool gathers = w.op == what::allgather;
        const auto n = static_cast<std::size_t>(ranks);
        if (!is_wanted<std::string>(of.tests, gathers ? "allgather" : "bcast")) continue;
        if (!is_wanted(of.ways, std::string(w.name))) continue;
        if (gathers && bytes * n * n > data_bytes_max * 16) continue;
        if (gathers && w.by == algorithm::ring && ranks > ring_ranks_max) continue;
        const double us = w.over_portals ? measure_us<by_portals>(w.op, bytes, ranks, w.by)
                                         : measure_us<by_messages>(w.op, bytes, ranks, w.by);
        fmt::print("{},{},{},{},{:.3f}\n", gathers ? "allgather" : "bcast", w.name, bytes, ranks,
                   us);
        std::fflush(stdout);
      }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"bcast and allgather over portals and by messages, in virtual time"};
  choice of;
  app.add_option("--ranks", of.ranks, "numbers of ranks")
      ->delimiter(',')
      ->check(CLI::Range(2, 65536));
  app.add_option("--bytes", of.sizes, "of the message, or of a block")->delimiter(',');
  app.add_option("--tests", of.tests, "bcast, allgather; default: both")->delimiter(',');
  app.add_option("--ways", of.ways, "default: all")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  run(of);
}
