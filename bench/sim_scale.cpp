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

/// Buffers that the ranks of one run share. Received data matters for sums only, so that one buffer
/// serves all: 4,096 ranks with buffers of their own would need gigabytes.
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
  for (int k = 0; k < 4; ++k)  // Data from the right neighbour was sent to the left: tag ^ 1.
    if (neighbours[k] != world.rank()) requests.push_back(world.irecv(b.in, neighbours[k], k ^ 1));
  for (int k = 0; k < 4; ++k)
    if (neighbours[k] != world.rank()) requests.push_back(world.isend(b.out, neighbours[k], k));
  mpx::wait_all(requests);
}

struct test {
  std::string_view name;
  std::vector<std::size_t> sizes;  // Of the operation's data; of one side for halo.
  void (*run)(communicator&, std::size_t, shared_buffers&, algorithm);
  int operation = -1;  // The operation that provides the algorithms.
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
/// Tests that are also measured with every algorithm.
const std::vector<test> algorithm_tests = {
    {"barrier", {0}, barrier, of(operation::barrier)},
    {"bcast", {8, 4096, 65536, 1 << 20}, bcast, of(operation::bcast)},
    {"reduce", {8, 4096, 65536, 1 << 20}, reduce, of(operation::reduce)},
    {"allreduce", {8, 4096, 65536, 1 << 20}, allreduce, of(operation::allreduce)},
    {"reduce_scatter", {4096, 65536, 1 << 20}, reduce_scatter, of(operation::reduce_scatter)},
    {"gather", {8, 1024, 16384}, gather, of(operation::gather), 4096, true},
    {"scatter", {8, 1024, 16384}, scatter, of(operation::scatter), 4096, true},
    {"allgather", {8, 1024, 16384}, allgather, of(operation::allgather), 4096, true},
    {"alltoall", {8, 1024, 16384}, alltoall, of(operation::alltoall), 4096, true},
};
/// Of all ranks' data together, and of what travels where each gets a block of each other one, so
/// that a job fits the machine.
constexpr std::size_t data_bytes_max = std::size_t{1} << 28;
constexpr std::size_t moved_bytes_max = std::size_t{1} << 35;
/// Messages of one operation, likewise: of alltoall by `linear` or `pairwise`, of allgather by
/// `ring`, each rank sends one to each other one.
constexpr std::size_t messages_max = std::size_t{1} << 22;
/// Of an algorithm that took so many times as long as the best with fewer ranks, nothing more is to
/// be learnt: with so many times the ranks nothing takes longer than that. Up to 128 ranks, all are
/// measured.
constexpr double hopeless = 4;
constexpr rank_t all_measured_ranks = 128;

/// The default's table does not have these: programs name them.
constexpr bool is_hybrid(algorithm by) {
  return by == algorithm::long_short || by == algorithm::short_long;
}

/// True if so many ranks can be measured with some algorithm.
bool fits_machine(const test& t, std::size_t bytes, rank_t ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  if (ranks > t.ranks_max || bytes * n > data_bytes_max) return false;
  const bool to_all = t.name == "alltoall" || t.name == "allgather";
  return !to_all || bytes * n * n <= moved_bytes_max;
}
bool few_messages(const test& t, algorithm by, rank_t ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  const bool to_all =
      (t.name == "alltoall" && (by == algorithm::linear || by == algorithm::pairwise)) ||
      (t.name == "allgather" && by == algorithm::ring);
  return !to_all || n * n <= messages_max;
}

struct options {
  std::string network = "atlahs";
  std::string ranks = "2:4096";
  rank_t ranks_first = 2;
  rank_t ranks_last = 4096;
  rank_t step = 2;
  std::vector<rank_t> node_sizes = {1, 16};
  std::vector<std::string> tests;
  std::vector<std::size_t> sizes;
  bool algorithms = false;
  bool hybrids = false;
  int rounds = 2;
  std::uint64_t seed = 1;
  bool csv = false;
  std::string json;
  std::string defaults;
};

struct row {
  std::string_view test;
  std::string_view algorithm;
  std::size_t bytes;
  rank_t ranks;
  rank_t node_size;
  double time_us;  // From all ranks' common start to the end of the last one.
  bool first;      // Of the first operation: it took so long that no other was waited for.
  double packets;  // Of one operation, all ranks together.
  double copies;   // As packets: gets, by which long data moves.
  std::uint64_t events;
  double wall_s;
  double cpu_s;  // CPU time, which a busy machine does not disturb.
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

/// `bound_us`: if the first operation takes longer, it is the only one.
row measure(const options& o, const test& t, std::size_t bytes, rank_t ranks, rank_t node_size,
            algorithm by, double bound_us = 1e30) {
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
          env.transport().compute(start - env.now_ns());              // All begin at once.
          if (static_cast<double>(last[0]) > bound_us * 1e3) return;  // All are at its end.
          t.run(world, bytes, buffers, by);
          const std::int64_t took = env.now_ns() - start;
          if (took > round_ns)
            throw std::runtime_error("an operation took too long to be measured");
          last[i] = std::max(last[i], took);
        }
      },
      limits);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const bool first = static_cast<double>(last[0]) > bound_us * 1e3;
  double sum_ns = first ? static_cast<double>(last[0]) * o.rounds : 0;
  for (std::size_t i = 1; i < last.size(); ++i) sum_ns += static_cast<double>(last[i]);
  const auto rounds = first ? 1.0 : static_cast<double>(last.size());
  return {t.name,
          bench::name_of(by),
          bytes,
          ranks,
          node_size,
          sum_ns / o.rounds / 1e3,
          first,
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
                           {"first", r.first},
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
  app.add_option("--step", o.step, "A, A * step, ... instead")
      ->capture_default_str()
      ->check(CLI::IsMember({2, 4, 8, 16}));
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
  app.add_flag("--hybrids", o.hybrids,
               "with --algorithms: also those on a mesh, which the default does not choose");
  app.add_option("--rounds", o.rounds, "operations that are measured, after one that is not")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  app.add_option("--seed", o.seed, "decides the order of what happens at one time")
      ->capture_default_str();
  app.add_flag("--csv", o.csv, "print CSV instead of a table");
  app.add_option("--json", o.json, "write the rows, the network and the simulator's speed there");
  app.add_option("--defaults", o.defaults,
                 "run nothing: bring the rows `automatic` of this table up to what the default "
                 "chooses now (see docs/results/algorithms.md)");
}

mpx::coll::question question_of(const test& t, std::size_t bytes, rank_t ranks, rank_t node_size) {
  mpx::coll::question q{static_cast<operation>(t.operation), bytes, ranks};
  q.nodes = (ranks + node_size - 1) / node_size;
  q.node_ranks = std::min(ranks, node_size);
  q.in_order = true;
  q.even = ranks % q.node_ranks == 0;
  return q;
}

/// Time of each algorithm as a multiple of the best one's.
void judge(std::span<const row> rows, std::array<double, mpx::coll::algorithms>& slower) {
  double best = 1e30;
  for (const row& r : rows) best = std::min(best, r.time_us);
  for (const row& r : rows)
    for (int a = 1; a < mpx::coll::algorithms; ++a)
      if (bench::name_of(static_cast<algorithm>(a)) == r.algorithm)
        slower[static_cast<std::size_t>(a)] = r.time_us / best;
}

algorithm default_of(const mpx::coll::question& q) {
  return mpx::coll::decide<mpx::coll::by_size>(q, algorithm::automatic).by;
}

/// A test's operation by every algorithm that can win. The default's row is that of what it
/// chooses.
void measure_algorithms(const options& o, const test& t, std::size_t bytes, rank_t ranks,
                        rank_t node_size, std::array<double, mpx::coll::algorithms>& slower,
                        std::vector<row>& rows) {
  const auto q = question_of(t, bytes, ranks, node_size);
  const algorithm chosen = default_of(q);
  const std::size_t first = rows.size();
  double best_us = 1e30;
  const auto add = [&](algorithm by) {
    const double bound_us = ranks > all_measured_ranks ? hopeless * best_us : 1e30;
    rows.push_back(measure(o, t, bytes, ranks, node_size, by, bound_us));
    best_us = std::min(best_us, rows.back().time_us);
    print_row(o, rows.back());
  };
  const auto measured = [&](algorithm by) {
    return by == chosen ||
           (mpx::coll::offers(q, by) && (o.hybrids || !is_hybrid(by)) &&
            (ranks <= all_measured_ranks || slower[static_cast<std::size_t>(by)] <= hopeless));
  };
  for (int a = 1; a < mpx::coll::algorithms; ++a)  // One that cannot be may be the best.
    if (const auto by = static_cast<algorithm>(a); measured(by) && !few_messages(t, by, ranks))
      return;
  add(chosen);
  rows.push_back(rows.back());
  rows.back().algorithm = bench::name_of(algorithm::automatic);
  rows.back().events = 0;
  rows.back().wall_s = rows.back().cpu_s = 0;
  print_row(o, rows.back());
  for (int a = 1; a < mpx::coll::algorithms; ++a) {
    const auto by = static_cast<algorithm>(a);
    if (by != chosen && measured(by)) add(by);
  }
  judge(std::span(rows).subspan(first), slower);
}

/// A line of a table of what has been measured: test, algorithm, bytes, ranks, node size, and more.
struct table_line {
  std::array<std::string, 5> key;
  std::string rest;
  bool is_of(const table_line& other) const {  // True if only the algorithms differ.
    return key[0] == other.key[0] && std::equal(key.begin() + 2, key.end(), other.key.begin() + 2);
  }
};
table_line parse_line(const std::string& text) {
  table_line line;
  std::size_t at = 0;
  for (std::string& part : line.key) {
    const std::size_t comma = text.find(',', at);
    if (comma == std::string::npos) throw std::runtime_error("too short a line: " + text);
    part = text.substr(at, comma - at);
    at = comma + 1;
  }
  line.rest = text.substr(at);
  return line;
}

/// Writes a table anew, with the rows of the default as it is now.
void bring_up_to_date(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::string out;
  std::vector<table_line> lines;
  if (std::getline(file, text)) out = text + "\n";
  while (std::getline(file, text))
    if (table_line line = parse_line(text); line.key[1] != bench::name_of(algorithm::automatic))
      lines.push_back(std::move(line));
  for (std::size_t i = 0, end = 0; i < lines.size(); i = end) {
    while (end < lines.size() && lines[end].is_of(lines[i])) ++end;
    const auto& [name, by, bytes, ranks, node_size] = lines[i].key;
    const auto t = std::find_if(algorithm_tests.begin(), algorithm_tests.end(),
                                [&](const test& known) { return known.name == name; });
    if (t == algorithm_tests.end()) throw std::runtime_error("no test: " + name);
    const std::string_view chosen = bench::name_of(
        default_of(question_of(*t, std::stoul(bytes), std::stoi(ranks), std::stoi(node_size))));
    const auto end_at = lines.begin() + static_cast<std::ptrdiff_t>(end);
    const auto of = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(i), end_at,
                                 [&](const table_line& l) { return l.key[1] == chosen; });
    if (of == end_at)
      throw std::runtime_error(
          fmt::format("{} of {} bytes, {} ranks, {} a node: {} is chosen, and "
                      "was not measured",
                      name, bytes, ranks, node_size, chosen));
    out += fmt::format("{},automatic,{},{},{},{}\n", name, bytes, ranks, node_size, of->rest);
    for (std::size_t k = i; k < end; ++k)
      out += fmt::format("{},{},{},{},{},{}\n", name, lines[k].key[1], bytes, ranks, node_size,
                         lines[k].rest);
  }
  std::ofstream(path) << out;
}

void run(const options& o) {
  print_header(o);
  std::vector<row> rows;
  for (const test& t : o.algorithms ? algorithm_tests : tests) {
    if (!o.tests.empty() && std::find(o.tests.begin(), o.tests.end(), t.name) == o.tests.end())
      continue;
    for (const std::size_t bytes : o.sizes.empty() ? t.sizes : o.sizes) {
      for (const rank_t node_size : o.node_sizes) {
        std::array<double, mpx::coll::algorithms> slower{};  // Than the best, with fewer ranks.
        for (rank_t ranks = o.ranks_first; ranks <= o.ranks_last; ranks *= o.step) {
          if (o.algorithms && !fits_machine(t, bytes, ranks)) break;
          if (o.algorithms) {
            measure_algorithms(o, t, bytes, ranks, node_size, slower, rows);
          } else {
            rows.push_back(measure(o, t, bytes, ranks, node_size, algorithm::automatic));
            print_row(o, rows.back());
          }
        }
      }
    }
  }
  double wall_s = 0;
  double cpu_s = 0;
  double events = 0;
  for (const row& r : rows) {
    wall_s += r.wall_s;
    cpu_s += r.cpu_s;
    events += static_cast<double>(r.events);
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
  if (o.defaults.empty())
    run(o);
  else
    bring_up_to_date(o.defaults);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "sim_scale: {}\n", e.what());
  return 1;
}
