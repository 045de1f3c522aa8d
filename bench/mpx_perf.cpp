// SPDX-License-Identifier: BSL-1.0
// mpx-perf: point-to-point and a few collectives between processes, measured by the conventions of
// the OSU micro-benchmarks.    mpxrun -n 2 mpx-perf latency --size 1:4096 --pin

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mpx/mpx.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perf/board.h"

namespace {

using stack = mpx::stack<>;
using communicator = mpx::communicator<stack>;
using buffer = std::span<std::byte>;

constexpr std::size_t size_limit = std::size_t{1} << 30;
constexpr unsigned window_limit = 1024;

struct options {
  std::string test;
  std::size_t size_first = 0;
  std::size_t size_last = 0;
  std::optional<std::uint64_t> iters;
  std::optional<std::uint64_t> warmup;
  unsigned window = 64;
  int samples = 1;
  double seconds = 0.2;
  std::string format = "table";
  std::string probe_file;
  bool pin = false;
  bool recv_any = false;
  bool arena = false;
};

/// One size, ready to be measured.
struct setting {
  std::uint64_t iters;
  std::uint64_t warmup;
  unsigned window;
  double seconds;
  buffer out;
  buffer in;
};

using request = mpx::request<stack>;

/// The loops. Each is the twin of one in mpi_perf.c.
class bench {
 public:
  bench(communicator world, const setting& s, bool recv_any)
      : world_(world), s_(s), recv_any_(recv_any), requests_(2 * std::size_t{s.window}) {}

  double latency_us() {
    const double t = timed([this](std::uint64_t n) { ping_pong(n); });
    return t / (2.0 * static_cast<double>(s_.iters)) * 1e6;
  }
  double rate() {
    return messages() / timed([this](std::uint64_t n) { windows(n); }) / 1e6;
  }
  double bandwidth() {
    return bytes() / timed([this](std::uint64_t n) { windows(n); }) / 1e9;
  }
  double bandwidth_both_ways() {
    return 2 * bytes() / timed([this](std::uint64_t n) { both_ways(n); }) / 1e9;
  }

  /// A token of 8 bytes goes round until rank 0 sends it round negative. Returns us a hop.
  double ring_us() {
    const mpx::rank_t to = (world_.rank() + 1) % world_.size();
    const mpx::rank_t from = (world_.rank() + world_.size() - 1) % world_.size();
    std::int64_t token = 0;
    world_.barrier();
    const double start = perf_now();
    std::uint64_t laps = 0;
    for (bool last = false; !last; ++laps) {
      if (world_.rank() == 0) {
        token = time_is_up(laps + 1, start) ? -1 : static_cast<std::int64_t>(laps);
        world_.send(token, to, 4);
      }
      world_.recv(token, from, 4);
      last = token < 0;
      if (world_.rank() != 0) world_.send(token, to, 4);
    }
    return (perf_now() - start) / static_cast<double>(laps * ranks()) * 1e6;
  }

  /// A sum of one double, until rank 0 adds 1. Returns us an operation.
  double allreduce_us() {
    world_.barrier();
    const double start = perf_now();
    std::uint64_t done = 0;
    for (double sum = 0; sum < 0.5; ++done) {
      const double mine = world_.rank() == 0 && time_is_up(done + 1, start) ? 1.0 : 0.0;
      sum = world_.allreduce(mine, std::plus<>{});
    }
    return (perf_now() - start) / static_cast<double>(done) * 1e6;
  }

  /// What rank 1 uses of its core while it waits `seconds` for a message, reported at rank 0.
  double idle_cpu_s() {
    double used = 0;
    char byte = 0;
    world_.barrier();
    if (world_.rank() == 0) {
      perf_sleep(s_.seconds);
      world_.send(byte, 1, 5);
      world_.recv(used, 1, 6);
    } else if (world_.rank() == 1) {
      const double before = perf_cpu_seconds();
      world_.recv(byte, 0, 5);
      used = perf_cpu_seconds() - before;
      world_.send(used, 0, 6);
    }
    return used;
  }

 private:
  std::uint64_t ranks() const { return static_cast<std::uint64_t>(world_.size()); }
  double messages() const { return static_cast<double>(s_.iters * s_.window); }
  double bytes() const { return messages() * static_cast<double>(s_.out.size()); }
  mpx::rank_t from(mpx::rank_t partner) const {
    return recv_any_ ? mpx::rank_t{mpx::any_source} : partner;
  }

  template <class Loop>
  double timed(Loop&& loop) {
    loop(s_.warmup);
    world_.barrier();
    const double start = perf_now();
    loop(s_.iters);
    return perf_now() - start;
  }

  /// Reading the clock must not weigh: always at first, then now and then.
  bool time_is_up(std::uint64_t done, double start) const {
    if (done >= s_.iters) return true;
    return (done < 64 || done % 64 == 0) && perf_now() - start > s_.seconds;
  }

  void ping_pong(std::uint64_t iters) {
    for (std::uint64_t i = 0; i < iters; ++i) {
      if (world_.rank() == 0) {
        world_.send(s_.out, 1, 1);
        world_.recv(s_.in, from(1), 1);
      } else if (world_.rank() == 1) {
        world_.recv(s_.in, from(0), 1);
        world_.send(s_.out, 0, 1);
      }
    }
  }

  /// A window of messages from rank 0, then an answer of 4 bytes.
  void windows(std::uint64_t iters) {
    const std::span window(requests_.data(), s_.window);
    std::int32_t answer = 0;
    for (std::uint64_t i = 0; i < iters; ++i) {
      if (world_.rank() == 0) {
        for (request& r : window) r = world_.isend(s_.out, 1, 2);
        mpx::wait_all(window);
        world_.recv(answer, from(1), 3);
      } else if (world_.rank() == 1) {
        for (request& r : window) r = world_.irecv(s_.in, from(0), 2);
        mpx::wait_all(window);
        world_.send(answer, 0, 3);
      }
    }
  }

  /// Both sides send a window at once.
  void both_ways(std::uint64_t iters) {
    if (world_.rank() > 1) return;
    const mpx::rank_t partner = 1 - world_.rank();
    std::int32_t answer = 0;
    for (std::uint64_t i = 0; i < iters; ++i) {
      for (unsigned w = 0; w < s_.window; ++w) requests_[w] = world_.irecv(s_.in, from(partner), 2);
      for (unsigned w = 0; w < s_.window; ++w)
        requests_[s_.window + w] = world_.isend(s_.out, partner, 2);
      mpx::wait_all(std::span(requests_));
      if (world_.rank() == 0) {
        world_.recv(answer, from(1), 3);
      } else {
        world_.send(answer, 0, 3);
      }
    }
  }

  communicator world_;
  setting s_;
  bool recv_any_;
  std::vector<request> requests_;
};

struct test_kind {
  std::string_view name;
  std::string_view unit;
  std::string_view title;
  std::size_t size_first;
  std::size_t size_last;
  double (bench::*measure)();
};

constexpr test_kind tests[] = {
    {"latency", "us", "one-way latency", 1, 4 << 20, &bench::latency_us},
    {"bw", "GB/s", "bandwidth", 1, 4 << 20, &bench::bandwidth},
    {"bibw", "GB/s", "bandwidth, both ways", 1, 4 << 20, &bench::bandwidth_both_ways},
    {"rate", "M/s", "millions of messages a second", 8, 8, &bench::rate},
    {"ring", "us", "token ring, a hop", 8, 8, &bench::ring_us},
    {"allreduce", "us", "allreduce of one double", 8, 8, &bench::allreduce_us},
    {"idle_cpu", "s", "CPU time of a rank blocked in a receive", 1, 1, &bench::idle_cpu_s},
};

const test_kind& kind_of(std::string_view name) {
  return *std::find_if(std::begin(tests), std::end(tests),
                       [&](const test_kind& k) { return k.name == name; });
}

/// How often by default: as the OSU benchmarks, fewer for long messages.
setting defaults(const options& o, std::size_t size) {
  const bool one_by_one = o.test == "latency";
  const bool by_time = o.test == "ring" || o.test == "allreduce";
  std::uint64_t iters = one_by_one ? 10000 : 200;
  if (size > 8192) iters = one_by_one ? 1000 : std::max<std::uint64_t>(8, (4u << 20) / size);
  if (by_time) iters = std::uint64_t{1} << 40;
  const std::uint64_t warmup = std::max<std::uint64_t>(2, by_time ? 2 : iters / 10);
  return {o.iters.value_or(iters), o.warmup.value_or(warmup), o.window, o.seconds, {}, {}};
}

class reporter {
 public:
  reporter(const options& o, const test_kind& kind, int ranks)
      : format_(o.format), kind_(kind), ranks_(ranks) {
    if (format_ == "csv") fmt::print("test,size,ranks,unit,value\n");
    if (format_ == "table")
      fmt::print("# mpx-perf {}: {}, {} ranks{}\n{:>10}  {:>14}\n", kind.name, kind.title, ranks,
                 o.pin ? ", pinned" : "", "bytes", kind.unit);
    std::fflush(stdout);
  }
  void sample(std::size_t size, double value, const perf_mark& before, const perf_mark& after) {
    if (format_ == "csv") {
      fmt::print("{},{},{},{},{:.9g}\n", kind_.name, size, ranks_, kind_.unit, value);
    } else if (format_ == "table") {
      fmt::print("{:>10}  {:>14.4f}\n", size, value);
    } else {
      const auto ns = [](double v) {
        return v > 0 ? nlohmann::json(std::round(v * 10) / 10) : nlohmann::json(nullptr);
      };
      nlohmann::ordered_json line;
      line["impl"] = "mpx";
      line["test"] = kind_.name;
      line["size"] = size;
      line["ranks"] = ranks_;
      line["unit"] = kind_.unit;
      line["value"] = value;
      line["probe_ns"] = {ns(before.probe_ns), ns(after.probe_ns)};
      line["preempted"] = after.preempted;
      fmt::print("{}\n", line.dump());
    }
    std::fflush(stdout);
  }

 private:
  std::string format_;
  const test_kind& kind_;
  int ranks_;
};

template <class Bytes>
void measure_all(communicator world, const options& o, perf_side& side, Bytes& out, Bytes& in) {
  const test_kind& kind = kind_of(o.test);
  std::optional<reporter> report;
  if (world.rank() == 0) report.emplace(o, kind, world.size());
  perf_mark before = perf_bracket(&side);
  for (std::size_t size = o.size_first; size <= o.size_last; size = size == 0 ? 1 : size * 2) {
    setting s = defaults(o, size);
    s.out = buffer(out).first(size);
    s.in = buffer(in).first(size);
    bench b(world, s, o.recv_any);
    for (int i = 0; i < o.samples; ++i) {
      const double value = (b.*kind.measure)();
      const perf_mark after = perf_bracket(&side);
      if (report) report->sample(size, value, before, after);
      before = after;
    }
  }
}

void run(const options& o) {
  perf_side side;
  perf_join(&side, nullptr, 0, 1);
  mpx::environment<stack> env;
  communicator world = env.world();
  if (world.size() < 2)
    throw std::runtime_error("needs at least 2 ranks: mpxrun -n 2 mpx-perf " + o.test);
  side.rank = world.rank();
  side.ranks = world.size();
  side.board = perf_open_board(o.probe_file.c_str());
  if (o.pin) perf_pin(world.rank(), &side.usable);

  if (o.arena) {
    const auto arena = env.allocator<std::byte>();
    std::vector<std::byte, mpx::allocator<std::byte>> out(o.size_last, std::byte{1}, arena);
    std::vector<std::byte, mpx::allocator<std::byte>> in(o.size_last, std::byte{2}, arena);
    measure_all(world, o, side, out, in);
  } else {
    std::vector<std::byte> out(o.size_last, std::byte{1});
    std::vector<std::byte> in(o.size_last, std::byte{2});
    measure_all(world, o, side, out, in);
  }
}

/// "A" or "A:B".
void parse_sizes(const std::string& text, options& o) {
  const std::size_t colon = text.find(':');
  const auto number = [&](std::string_view part) {
    std::size_t value = 0;
    const auto [end, why] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (why != std::errc{} || end != part.data() + part.size() || value > size_limit)
      throw CLI::ValidationError(
          "--size", fmt::format("'{}' is not BYTES or BYTES:BYTES up to {}", text, size_limit));
    return value;
  };
  o.size_first = number(std::string_view(text).substr(0, colon));
  o.size_last =
      colon == std::string::npos ? o.size_first : number(std::string_view(text).substr(colon + 1));
  if (o.size_last < o.size_first)
    throw CLI::ValidationError("--size", "the range '" + text + "' is empty");
}

void declare(CLI::App& app, options& o, std::string& sizes) {
  std::vector<std::string> names;
  for (const test_kind& k : tests) names.emplace_back(k.name);
  app.add_option("test", o.test, "latency, bw, bibw, rate, ring, allreduce, idle_cpu")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option("--size", sizes, "bytes of a message, or A:B for A, 2A, 4A, ... B");
  app.add_option("--iters", o.iters, "timed iterations (the most, for ring and allreduce)");
  app.add_option("--warmup", o.warmup, "iterations before the clock starts");
  app.add_option("--window", o.window, "messages under way at once")
      ->capture_default_str()
      ->check(CLI::Range(1u, window_limit));
  app.add_option("--samples", o.samples, "repetitions, each reported")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--seconds", o.seconds, "time of one ring, allreduce or idle_cpu sample")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--format", o.format, "table, csv, or json (an object a line)")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "csv", "json"}));
  app.add_option(
      "--probe-file", o.probe_file,
      "file of 4096 zeros: json then tells the cache line's one-way time beside each sample");
  app.add_flag("--pin", o.pin, "pin each rank to the core of its number, modulo the cores");
  app.add_flag("--recv-any", o.recv_any, "receive from any source");
  app.add_flag("--arena", o.arena, "messages lie in memory of mpx::allocator");
}

}  // namespace

int main(int argc, char** argv) try {
  options o;
  std::string sizes;
  CLI::App app("Measures mpx between processes; run it under mpxrun.", "mpx-perf");
  declare(app, o, sizes);
  try {
    app.parse(argc, argv);
    const test_kind& kind = kind_of(o.test);
    o.size_first = kind.size_first;
    o.size_last = kind.size_last;
    if (!sizes.empty()) parse_sizes(sizes, o);
    if (o.iters && *o.iters == 0) throw CLI::ValidationError("--iters", "must be at least 1");
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  run(o);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "mpx-perf: {}\n", e.what());
  return 1;
}
