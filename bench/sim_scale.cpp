// SPDX-License-Identifier: BSL-1.0
// sim_scale: what collectives and a halo exchange cost as jobs grow, in the simulator's virtual
// time under a published LogGP network, and how fast the simulator itself is.
//    sim_scale --ranks 2:4096 --node-size 1 --node-size 16 --json results/scale.json

#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms.hpp"

namespace {

namespace sim = mpx::sim;
using mpx::rank_t;

/// A published set of LogGP parameters between nodes.
struct network {
  std::string_view name;
  std::string_view source;
  sim::loggp::link far;
};
constexpr network networks[] = {
    {"atlahs",
     "a network of 200 Gbit/s as ATLAHS of ETH Zurich simulates it (github.com/spcl/atlahs, "
     "demo/ai_nccl/README.md: LogGOPSim -L 3700 -o 200 -g 5 -O 0 -G 0.04)",
     {.latency_ns = 3700, .overhead_ns = 200, .gap_ns = 5, .byte_ns = 0.04}},
    {"loggopsim",
     "the defaults of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010; github.com/spcl/LogGOPSim, "
     "simulator.ggo: L 2500, o 1500, g 1000, O 0, G 6)",
     {.latency_ns = 2500, .overhead_ns = 1500, .gap_ns = 1000, .byte_ns = 6}},
};
/// Within a node: mpx over shared memory, from README.md. 8 bytes take 81 ns one way, 2 o + L, of
/// which o is assumed to be 20; 25.4 million messages a second; 15.4 GB/s at 64 KiB.
constexpr sim::loggp::link shared_memory{
    .latency_ns = 41, .overhead_ns = 20, .gap_ns = 39, .byte_ns = 0.065};

using stack = sim::stack;
using environment = mpx::environment<stack>;
using communicator = mpx::communicator<stack>;
using request = mpx::request<stack>;

constexpr std::int64_t round_ns = 10'000'000'000;  // No operation takes longer.

/// What the ranks of one run share. Nobody looks at what they receive but for sums, so that one
/// place serves all: 4,096 ranks with buffers of their own would need gigabytes.
struct shared_buffers {
  explicit shared_buffers(std::size_t bytes) : out_(bytes), in_(bytes), out(out_), in(in_) {}

 private:
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;

 public:
  std::span<std::byte> out;
  std::span<std::byte> in;
};

using mpx::coll::algorithm;
using mpx::coll::operation;

void barrier(communicator& world, std::size_t, shared_buffers&, algorithm by) {
  world.with(by).barrier();
}

void bcast(communicator& world, std::size_t bytes, shared_buffers& b, algorithm by) {
  world.with(by).bcast((world.rank() == 0 ? b.out : b.in).first(bytes), 0);
}

void allreduce(communicator& world, std::size_t bytes, shared_buffers&, algorithm by) {
  std::vector<double> values(bytes / sizeof(double), 1.0);
  world.with(by).allreduce(std::span(values), mpx::sum);
  if (values.back() != static_cast<double>(world.size()))
    throw std::runtime_error("allreduce: the sum is wrong");
}

void reduce(communicator& world, std::size_t bytes, shared_buffers&, algorithm by) {
  std::vector<double> values(bytes / sizeof(double), 1.0);
  world.with(by).reduce(std::span(values), mpx::sum, 0);
}

/// Of a vector of `bytes`, or of as many elements as there are ranks.
void reduce_scatter(communicator& world, std::size_t bytes, shared_buffers&, algorithm by) {
  const auto n = static_cast<std::size_t>(world.size());
  const std::size_t each = std::max<std::size_t>(bytes / sizeof(double) / n, 1);
  std::vector<double> values(each * n, 1.0);
  std::vector<double> sums(each);
  world.with(by).reduce_scatter_block(values, sums, mpx::sum);
}

/// Blocks of so many bytes.
void gather(communicator& world, std::size_t bytes, shared_buffers& b, algorithm by) {
  const auto n = static_cast<std::size_t>(world.size());
  world.with(by).gather(b.out.first(bytes), b.in.first(bytes * n), 0);
}

void scatter(communicator& world, std::size_t bytes, shared_buffers& b, algorithm by) {
  const auto n = static_cast<std::size_t>(world.size());
  world.with(by).scatter(b.out.first(bytes * n), b.in.first(bytes), 0);
}

void allgather(communicator& world, std::size_t bytes, shared_buffers& b, algorithm by) {
  const auto n = static_cast<std::size_t>(world.size());
  world.with(by).allgather(b.out.first(bytes), b.in.first(bytes * n));
}

void alltoall(communicator& world, std::size_t bytes, shared_buffers& b, algorithm by) {
  const auto n = static_cast<std::size_t>(world.size());
  world.with(by).alltoall(b.out.first(bytes * n), b.in.first(bytes * n));
}

/// Each rank of a torus exchanges a side with each of its neighbours: both axes are powers of two,
/// the first as long as the second or twice as long. An axis of one rank needs no messages.
void halo(communicator& world, std::size_t bytes, shared_buffers& all, algorithm) {
  struct {
    std::span<std::byte> out, in;
  } b{all.out.first(bytes), all.in.first(bytes)};
  rank_t columns = 1;
  while (columns * columns < world.size()) columns *= 2;
  const rank_t rows = world.size() / columns;
  const rank_t x = world.rank() % columns;
  const rank_t y = world.rank() / columns;
  const std::array<rank_t, 4> neighbours = {
      y * columns + (x + 1) % columns, y * columns + (x + columns - 1) % columns,
      (y + 1) % rows * columns + x, (y + rows - 1) % rows * columns + x};
  std::vector<request> requests;
  requests.reserve(8);
  for (int k = 0; k < 4; ++k)  // What comes from the right went to the left: tag ^ 1.
    if (neighbours[k] != world.rank()) requests.push_back(world.irecv(b.in, neighbours[k], k ^ 1));
  for (int k = 0; k < 4; ++k)
    if (neighbours[k] != world.rank()) requests.push_back(world.isend(b.out, neighbours[k], k));
  mpx::wait_all(requests);
}

struct test {
  std::string_view name;
  std::vector<std::size_t> sizes;  // Of the operation's data; of one side for halo.
  void (*run)(communicator&, std::size_t, shared_buffers&, algorithm);
  int operation = -1;  // Whose algorithms it has.
  rank_t ranks_max = 65536;
  bool by_rank = false;  // `bytes` for each rank.
};
constexpr int of(operation o) { return static_cast<int>(o); }
const std::vector<test> tests = {
    {"barrier", {0}, barrier, of(operation::barrier)},
    {"bcast", {8, 65536}, bcast, of(operation::bcast)},
    {"allreduce", {8, 65536}, allreduce, of(operation::allreduce)},
    {"halo", {1024, 65536}, halo},
};
/// What is measured by every algorithm, besides.
const std::vector<test> algorithm_tests = {
    {"barrier", {0}, barrier, of(operation::barrier)},
    {"bcast", {8, 4096, 65536, 1 << 20}, bcast, of(operation::bcast)},
    {"reduce", {8, 4096, 65536, 1 << 20}, reduce, of(operation::reduce)},
    {"allreduce", {8, 4096, 65536, 1 << 20}, allreduce, of(operation::allreduce)},
    {"reduce_scatter", {4096, 65536, 1 << 20}, reduce_scatter, of(operation::reduce_scatter)},
    {"gather", {8, 1024, 16384}, gather, of(operation::gather), 4096, true},
    {"scatter", {8, 1024, 16384}, scatter, of(operation::scatter), 4096, true},
    {"allgather", {8, 1024, 16384}, allgather, of(operation::allgather), 512, true},
    {"alltoall", {8, 1024, 16384}, alltoall, of(operation::alltoall), 256, true},
};
/// Of all ranks' data together, so that a job fits the machine; of a tested algorithm that was so
/// many times slower than the best at half as many ranks, nothing more is to be learnt.
constexpr std::size_t data_bytes_max = std::size_t{1} << 28;
constexpr double hopeless = 4;

struct options {
  std::string network = "atlahs";
  std::string ranks = "2:4096";
  rank_t ranks_first = 2;
  rank_t ranks_last = 4096;
  std::vector<rank_t> node_sizes = {1, 16};
  std::vector<std::string> tests;
  std::vector<std::size_t> sizes;
  bool algorithms = false;
  int rounds = 2;
  std::uint64_t seed = 1;
  bool csv = false;
  std::string json;
};

struct row {
  std::string_view test;
  std::string_view algorithm;
  std::size_t bytes;
  rank_t ranks;
  rank_t node_size;
  double time_us;  // From all ranks' common start to the end of the last one.
  double packets;  // Of one operation, all ranks together.
  double copies;   // As packets: gets, by which long data moves.
  std::uint64_t events;
  double wall_s;
  double cpu_s;  // What a busy machine does not spoil.
};

const network& network_of(std::string_view name) {
  return *std::find_if(std::begin(networks), std::end(networks),
                       [&](const network& n) { return n.name == name; });
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

row measure(const options& o, const test& t, std::size_t bytes, rank_t ranks, rank_t node_size,
            algorithm by) {
  sim::loggp model;
  model.far = network_of(o.network).far;
  model.near = shared_memory;
  model.node_size = node_size;
  shared_buffers buffers(bytes * (t.by_rank ? static_cast<std::size_t>(ranks) : 1));
  std::vector<std::int64_t> last(static_cast<std::size_t>(o.rounds) + 1);  // The first warms up.
  sim::options limits;
  limits.time_max_ns = round_ns * (o.rounds + 3);
  const double cpu = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const sim::result r = sim::run<stack>(
      ranks, model, o.seed,
      [&](environment& env) {
        communicator world = env.world();
        for (std::size_t i = 0; i < last.size(); ++i) {
          const std::int64_t start = round_ns * static_cast<std::int64_t>(i + 1);
          env.transport().compute(start - env.now_ns());  // All begin at once.
          t.run(world, bytes, buffers, by);
          const std::int64_t took = env.now_ns() - start;
          if (took > round_ns)
            throw std::runtime_error("an operation took too long to be measured");
          last[i] = std::max(last[i], took);
        }
      },
      limits);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  double sum_ns = 0;
  for (std::size_t i = 1; i < last.size(); ++i) sum_ns += static_cast<double>(last[i]);
  const auto rounds = static_cast<double>(last.size());
  return {t.name,
          bench::name_of(by),
          bytes,
          ranks,
          node_size,
          sum_ns / o.rounds / 1e3,
          static_cast<double>(r.packets) / rounds,
          static_cast<double>(r.gets + r.puts) / rounds,
          r.events,
          wall.count(),
          cpu_seconds() - cpu};
}

double peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1024;
}

void print_header(const options& o) {
  if (o.csv) {
    fmt::print("test,algorithm,bytes,ranks,node_size,time_us,packets,copies,events,wall_s,cpu_s\n");
    return;
  }
  fmt::print("# network {}: {}\n", o.network, network_of(o.network).source);
  fmt::print("{:<14} {:<18} {:>7} {:>6} {:>9} {:>12} {:>11} {:>11} {:>11} {:>8} {:>10}\n", "test",
             "algorithm", "bytes", "ranks", "node size", "virtual us", "packets", "copies",
             "events", "wall s", "M events/s");
}

void print_row(const options& o, const row& r) {
  if (o.csv) {
    fmt::print("{},{},{},{},{},{:.3f},{:.1f},{:.1f},{},{:.6f},{:.6f}\n", r.test, r.algorithm,
               r.bytes, r.ranks, r.node_size, r.time_us, r.packets, r.copies, r.events, r.wall_s,
               r.cpu_s);
  } else {
    fmt::print(
        "{:<14} {:<18} {:>7} {:>6} {:>9} {:>12.2f} {:>11.0f} {:>11.0f} {:>11} {:>8.2f} {:>10.2f}\n",
        r.test, r.algorithm, r.bytes, r.ranks, r.node_size, r.time_us, r.packets, r.copies,
        r.events, r.wall_s, static_cast<double>(r.events) / r.wall_s / 1e6);
  }
  std::fflush(stdout);
}

nlohmann::ordered_json json_of(const sim::loggp::link& l) {
  return {{"L_ns", l.latency_ns}, {"o_ns", l.overhead_ns}, {"g_ns", l.gap_ns}, {"G_ns", l.byte_ns}};
}

void write_json(const options& o, const std::vector<row>& rows, double events_per_s,
                double events_per_cpu_s) {
  nlohmann::ordered_json all;
  const network& n = network_of(o.network);
  all["network"] = {{"name", n.name},
                    {"source", n.source},
                    {"far", json_of(n.far)},
                    {"near", json_of(shared_memory)}};
  all["seed"] = o.seed;
  all["events_per_s"] = events_per_s;
  all["events_per_cpu_s"] = events_per_cpu_s;
  all["peak_bytes"] = peak_bytes();
  for (const row& r : rows)
    all["rows"].push_back({{"test", r.test},
                           {"algorithm", r.algorithm},
                           {"bytes", r.bytes},
                           {"ranks", r.ranks},
                           {"node_size", r.node_size},
                           {"time_us", r.time_us},
                           {"packets", r.packets},
                           {"copies", r.copies},
                           {"events", r.events},
                           {"wall_s", r.wall_s},
                           {"cpu_s", r.cpu_s}});
  std::ofstream file(o.json);
  file << all.dump(1) << "\n";
  file.close();
  if (!file) throw std::runtime_error("cannot write " + o.json);
}

/// "A" or "A:B", powers of two.
void parse_ranks(options& o) {
  const std::string_view text = o.ranks;
  const std::size_t colon = text.find(':');
  const auto number = [&](std::string_view part) {
    rank_t value = 0;
    const auto [end, why] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (why != std::errc{} || end != part.data() + part.size() || value < 1 || value > 65536 ||
        (value & (value - 1)) != 0)
      throw CLI::ValidationError(
          "--ranks", fmt::format("'{}' is not N or N:N, powers of two up to 65536", text));
    return value;
  };
  o.ranks_first = number(text.substr(0, colon));
  o.ranks_last = colon == std::string_view::npos ? o.ranks_first : number(text.substr(colon + 1));
  if (o.ranks_last < o.ranks_first)
    throw CLI::ValidationError("--ranks", fmt::format("the range '{}' is empty", text));
}

void declare(CLI::App& app, options& o) {
  std::vector<std::string> network_names;
  std::string sources = "LogGP parameters between nodes:";
  for (const network& n : networks) {
    network_names.emplace_back(n.name);
    sources += fmt::format("\n{}: {}", n.name, n.source);
  }
  std::vector<std::string> test_names;
  for (const test& t : tests) test_names.emplace_back(t.name);
  for (const test& t : algorithm_tests)
    if (std::find(test_names.begin(), test_names.end(), t.name) == test_names.end())
      test_names.emplace_back(t.name);
  app.add_option("--network", o.network, sources)
      ->capture_default_str()
      ->check(CLI::IsMember(network_names));
  app.add_option("--ranks", o.ranks, "N, or A:B for A, 2A, 4A, ... B: powers of two")
      ->capture_default_str();
  app.add_option("--node-size", o.node_sizes,
                 "ranks of a node, which talk as over shared memory; may be repeated")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536));
  app.add_option("--test", o.tests,
                 "barrier, bcast, allreduce, halo; with --algorithms also reduce, reduce_scatter, "
                 "gather, scatter, allgather, alltoall; may be repeated (all)")
      ->check(CLI::IsMember(test_names));
  app.add_option("--bytes", o.sizes, "instead of the sizes that a test has; may be repeated");
  app.add_flag("--algorithms", o.algorithms,
               "each collective by each of its algorithms, at more sizes; automatic: by default");
  app.add_option("--rounds", o.rounds, "operations that are measured, after one that is not")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  app.add_option("--seed", o.seed, "decides the order of what happens at one time")
      ->capture_default_str();
  app.add_flag("--csv", o.csv, "print CSV instead of a table");
  app.add_option("--json", o.json, "write the rows, the network and the simulator's speed there");
}

mpx::coll::question question_of(const test& t, std::size_t bytes, rank_t ranks, rank_t node_size) {
  mpx::coll::question q{static_cast<operation>(t.operation), bytes, ranks};
  q.nodes = (ranks + node_size - 1) / node_size;
  q.node_ranks = std::min(ranks, node_size);
  q.in_order = true;
  q.even = ranks % q.node_ranks == 0;
  return q;
}

/// How many times as long as the best each algorithm took.
void judge(std::span<const row> rows, std::array<double, mpx::coll::algorithms>& slower) {
  double best = 1e30;
  for (const row& r : rows) best = std::min(best, r.time_us);
  for (const row& r : rows)
    for (int a = 1; a < mpx::coll::algorithms; ++a)
      if (bench::name_of(static_cast<algorithm>(a)) == r.algorithm)
        slower[static_cast<std::size_t>(a)] = r.time_us / best;
}

void run(const options& o) {
  print_header(o);
  std::vector<row> rows;
  double wall_s = 0;
  double cpu_s = 0;
  double events = 0;
  for (const test& t : o.algorithms ? algorithm_tests : tests) {
    if (!o.tests.empty() && std::find(o.tests.begin(), o.tests.end(), t.name) == o.tests.end())
      continue;
    for (const std::size_t bytes : o.sizes.empty() ? t.sizes : o.sizes) {
      for (const rank_t node_size : o.node_sizes) {
        std::array<double, mpx::coll::algorithms> slower{};  // Than the best, at half the ranks.
        for (rank_t ranks = o.ranks_first; ranks <= o.ranks_last; ranks *= 2) {
          if (o.algorithms &&
              (ranks > t.ranks_max || bytes * static_cast<std::size_t>(ranks) > data_bytes_max))
            break;
          const auto q = question_of(t, bytes, ranks, node_size);
          const std::size_t first = rows.size();
          for (int a = 0; a < (o.algorithms ? mpx::coll::algorithms : 1); ++a) {
            const auto by = static_cast<algorithm>(a);
            if (a != 0 && (!mpx::coll::offers(q, by) ||
                           (ranks > 128 && slower[static_cast<std::size_t>(a)] > hopeless)))
              continue;
            rows.push_back(measure(o, t, bytes, ranks, node_size, by));
            print_row(o, rows.back());
            wall_s += rows.back().wall_s;
            cpu_s += rows.back().cpu_s;
            events += static_cast<double>(rows.back().events);
          }
          judge(std::span(rows).subspan(first), slower);
        }
      }
    }
  }
  if (!o.csv)
    fmt::print(
        "# {:.1f} million events in {:.1f} s, {:.1f} of them on the CPU: {:.2f} million a second, "
        "{:.2f} a CPU second; at most {:.0f} MiB\n",
        events / 1e6, wall_s, cpu_s, events / wall_s / 1e6, events / cpu_s / 1e6,
        peak_bytes() / (1 << 20));
  if (!o.json.empty()) write_json(o, rows, events / wall_s, events / cpu_s);
}

}  // namespace

int main(int argc, char** argv) try {
  options o;
  CLI::App app(
      "Virtual time and packets of mpx's collectives and of a halo exchange on a 2-D torus\n"
      "(four neighbours, irecv, isend, wait_all), simulated under LogGP, by the number of ranks.",
      "sim_scale");
  declare(app, o);
  try {
    app.parse(argc, argv);
    parse_ranks(o);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  run(o);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "sim_scale: {}\n", e.what());
  return 1;
}
