// SPDX-License-Identifier: BSL-1.0
// sim_flow: how many short messages leave eagerly with equal shares of the unexpected memory, and
// with flow::zeno, as jobs grow. Counted in the simulator: the figures are the same on any machine.
//    sim_flow --json results/flow.json

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fstream>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace sim = mpx::sim;
using mpx::rank_t;
using event = mpx::event;

constexpr std::uint64_t memory_bytes = std::uint64_t{4} << 20;
template <class Flow>
using over = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::trace::counters, Flow>;
using equal = over<mpx::flow::credits<memory_bytes>>;
using zeno_1 = over<mpx::flow::zeno<1, memory_bytes>>;
using zeno_4 = over<mpx::flow::zeno<4, memory_bytes>>;
using zeno_16 = over<mpx::flow::zeno<16, memory_bytes>>;

/// 200 Gbit/s, as in sim_scale ("atlahs").
constexpr sim::loggp network{
    .far = {.latency_ns = 3700, .overhead_ns = 200, .gap_ns = 5, .byte_ns = 0.04}};
constexpr std::size_t message_bytes = 4000;
constexpr std::int64_t late_ns = 500'000;  // Receivers compute meanwhile.

struct buffers {
  std::vector<std::byte> out = std::vector<std::byte>(message_bytes);
  std::vector<std::byte> in = std::vector<std::byte>(message_bytes);
};

/// Calls that a rank makes while it computes, so that it answers.
template <class Environment>
void compute(Environment& env, std::int64_t ns) {
  auto world = env.world();
  for (int i = 0; i < 20; ++i) {
    env.transport().compute(ns / 20);
    world.iprobe(mpx::any_source, 99);
  }
}

/// A grid of two dimensions, a ring of rows: 20 rounds of 16 messages to each of four neighbours.
template <class Environment>
void stencil(Environment& env, buffers& b) {
  auto world = env.world();
  rank_t width = 1;
  while (width * width < world.size()) width *= 2;
  const rank_t n = world.size();
  const rank_t me = world.rank();
  const rank_t next_to[] = {(me + 1) % n, (me + n - 1) % n, (me + width) % n, (me + n - width) % n};
  for (int round = 0; round < 20; ++round) {
    std::vector<decltype(world.isend(b.out, 0, 0))> sends;
    for (int i = 0; i < 16; ++i)
      for (int side = 0; side < 4; ++side) sends.push_back(world.isend(b.out, next_to[side], side));
    compute(env, late_ns);
    for (int i = 0; i < 16; ++i)
      for (int side = 0; side < 4; ++side) world.recv(b.in, next_to[side ^ 1], side);
    mpx::wait_all(sends);
  }
}

/// Each rank sends one message to each other; two rounds.
template <class Environment>
void alltoall(Environment& env, buffers& b) {
  auto world = env.world();
  const rank_t n = world.size();
  for (int round = 0; round < 2; ++round) {
    std::vector<decltype(world.isend(b.out, 0, 0))> sends;
    for (rank_t i = 1; i < n; ++i)
      sends.push_back(world.isend(b.out, (world.rank() + i) % n, round));
    compute(env, late_ns);
    for (rank_t i = 1; i < n; ++i) world.recv(b.in, (world.rank() + n - i) % n, round);
    mpx::wait_all(sends);
  }
}

/// Rank 0 gives a task to a worker, which answers with 64 messages; at most 3 workers have tasks at
/// a time, and a worker has eight in a row.
template <class Environment>
void master_worker(Environment& env, buffers& b) {
  auto world = env.world();
  constexpr int results = 64;
  constexpr int in_a_row = 8;
  const rank_t workers = world.size() - 1;
  const int tasks = in_a_row * static_cast<int>(workers < 48 ? workers : 48);
  if (world.rank() == 0) {
    const auto worker_of = [&](int task) {  // Three at a time, each for some tasks.
      const int group = task / (3 * in_a_row);
      return static_cast<rank_t>(1 + (group * 3 + task % 3) % static_cast<int>(workers));
    };
    for (int task = 0; task < 3; ++task) world.send(task, worker_of(task), 1);
    for (int task = 0; task < tasks; ++task) {
      compute(env, late_ns);
      for (int i = 0; i < results; ++i) world.recv(b.in, worker_of(task), 2);
      if (task + 3 < tasks) world.send(task + 3, worker_of(task + 3), 1);
    }
    for (rank_t w = 1; w <= workers; ++w) world.send(-1, w, 1);
    return;
  }
  for (;;) {
    int task = 0;
    world.recv(task, 0, 1);
    if (task < 0) return;
    std::vector<decltype(world.isend(b.out, 0, 0))> sends;
    for (int i = 0; i < results; ++i) sends.push_back(world.isend(b.out, 0, 2));
    mpx::wait_all(sends);
  }
}

struct counts {
  std::uint64_t eager = 0;
  std::uint64_t announced = 0;
  std::uint64_t packets = 0;
  std::uint64_t credits = 0;
};

template <class Stack>
nlohmann::json measure(std::string_view flow, std::string_view pattern, rank_t ranks) {
  counts all;
  buffers b;
  const sim::result r = sim::run<Stack>(ranks, network, 1, [&](mpx::environment<Stack>& env) {
    if (pattern == "stencil") stencil(env, b);
    if (pattern == "alltoall") alltoall(env, b);
    if (pattern == "master/worker") master_worker(env, b);
    all.eager += env.trace()[event::eager_sent];
    all.announced += env.trace()[event::announced_for_flow];
    all.packets += env.trace()[event::packets_sent];
    all.credits += env.trace()[event::credits_sent];
  });
  const double share =
      100.0 * static_cast<double>(all.eager) / static_cast<double>(all.eager + all.announced);
  const double us = static_cast<double>(r.virtual_ns) / 1000;
  fmt::print("{:<14} {:>6} {:<10} {:>9} {:>9} {:>6.1f} % {:>10} {:>8} {:>10.0f} us\n", pattern,
             ranks, flow, all.eager, all.announced, share, all.packets, all.credits, us);
  return {{"pattern", pattern},
          {"ranks", ranks},
          {"flow", flow},
          {"eager", all.eager},
          {"announced", all.announced},
          {"packets", all.packets},
          {"credits", all.credits},
          {"time_us", us}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Counts messages that leave eagerly, for equal shares and flow::zeno.");
  rank_t most = 1024;
  std::string json;
  app.add_option("--ranks", most, "the largest job");
  app.add_option("--json", json, "file for the results");
  CLI11_PARSE(app, argc, argv);

  fmt::print("{} MiB of unexpected memory for each rank, messages of {} bytes\n",
             memory_bytes >> 20, message_bytes);
  fmt::print("{:<14} {:>6} {:<10} {:>9} {:>9} {:>8} {:>10} {:>8}\n", "pattern", "ranks", "flow",
             "eager", "announced", "eager", "packets", "updates");
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string_view pattern : {"stencil", "alltoall", "master/worker"}) {
    for (rank_t ranks = 16; ranks <= most; ranks *= 4) {
      rows.push_back(measure<equal>("credits", pattern, ranks));
      rows.push_back(measure<zeno_1>("zeno<1>", pattern, ranks));
      rows.push_back(measure<zeno_4>("zeno<4>", pattern, ranks));
      rows.push_back(measure<zeno_16>("zeno<16>", pattern, ranks));
    }
  }
  if (!json.empty()) std::ofstream(json) << rows.dump(1) << '\n';
  return 0;
}
