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
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "perf/tests.hpp"

const perf::test_kind& perf::kind_of(std::string_view name) {
  return *std::find_if(std::begin(tests), std::end(tests),
                       [&](const test_kind& k) { return k.name == name; });
}

perf::reporter::reporter(const options& o, const test_kind& kind, int ranks)
    : format_(o.format), kind_(kind), ranks_(ranks) {
  if (format_ == "csv") fmt::print("test,size,ranks,unit,value\n");
  if (format_ == "table")
    fmt::print("# mpx-perf {}: {}, {} ranks{}\n{:>10}  {:>14}\n", kind.name, kind.title, ranks,
               o.pin ? ", pinned" : "", "bytes", kind.unit);
  std::fflush(stdout);
}
void perf::reporter::sample(std::size_t size, double value, const perf_mark& before,
                            const perf_mark& after) {
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

namespace {

using perf::options;
using perf::test_kind;
using perf::tests;

constexpr std::size_t size_limit = std::size_t{1} << 30;
constexpr unsigned window_limit = 1024;

std::vector<std::string> stack_names() {
  std::vector<std::string> names;
  for (const auto& offered : perf::offered_stacks())
    if (offered.path == "automatic") names.emplace_back(offered.name);
  std::ranges::sort(names);
  return names;
}

/// Bare cards are those of rdma by default.
perf::offered_stack chosen_stack(const options& o) {
  const bool bare = o.test.starts_with("nic_") && o.stack == "default";
  const std::string_view name = bare ? "rdma" : std::string_view(o.stack);
  std::string able;
  for (const auto& offered : perf::offered_stacks()) {
    if (!offered.measures(o.test)) continue;
    if (offered.name == name && offered.path == o.path) return offered;
    if (offered.path == "automatic") able += fmt::format(" {}", offered.name);
  }
  if (o.path != "automatic")
    throw CLI::ValidationError("--long-path", "is for the test bw over the default stack");
  throw CLI::ValidationError("--stack", able.empty()
                                            ? "no stack of this program has the test " + o.test
                                            : fmt::format("the test {} is for{}", o.test, able));
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
  std::string list = "Tests:\n";
  for (const test_kind& k : tests) {
    names.emplace_back(k.name);
    list += fmt::format("  {:<26}{} ({})\n", k.name, k.title, k.unit);
  }
  app.footer(list);
  app.add_option("test", o.test, "what to measure: see below")
      ->required()
      ->check(CLI::IsMember(names).description(""));
  app.add_option("--size", sizes, "bytes of a message, or A:B for A, 2A, 4A, ... B");
  app.add_option("--iters", o.iters, "timed iterations (the most, for ring and allreduce)");
  app.add_option("--warmup", o.warmup, "iterations before the clock starts");
  app.add_option("--window", o.window, "messages under way at once")
      ->capture_default_str()
      ->check(CLI::Range(1u, window_limit));
  app.add_option("--samples", o.samples, "repetitions, each reported")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--tags", o.tags, "tags of the messages of a window, in rotation")
      ->capture_default_str()
      ->check(CLI::Range(1u, window_limit));
  app.add_option("--buffers", o.buffers, "buffers of the messages of a window, in rotation")
      ->capture_default_str()
      ->check(CLI::Range(1u, window_limit));
  app.add_option("--order", o.order, "bibw: what each rank posts first, or sendrecv")
      ->capture_default_str()
      ->check(CLI::IsMember({"receives", "sends", "sendrecv"}));
  app.add_option("--long-path", o.path, "bw: the path that long messages are to take")
      ->capture_default_str()
      ->check(CLI::IsMember({"automatic", "get", "put", "packets"}));
  app.add_option("--protocol", o.protocol, "rma_...: how one-sided accesses travel")
      ->capture_default_str()
      ->check(CLI::IsMember({"automatic", "direct", "rdma", "buffered", "send_recv", "portals"}));
  app.add_option("--stack", o.stack, "what the messages pass through")
      ->capture_default_str()
      ->check(CLI::IsMember(stack_names()));
  app.add_option("--seconds", o.seconds,
                 "time of one exchange, ring, poll, allreduce, coll, rma or idle_cpu sample")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--format", o.format, "table, csv, or json (an object a line)")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "csv", "json"}));
  app.add_option(
      "--probe-file", o.probe_file,
      "file of 4096 zeros: json then tells the cache line's one-way time beside each sample");
  app.add_flag("--pin", o.pin, "pin each rank to the core of its number, modulo the cores");
  app.add_flag("--posted", o.posted, "rate, bw: receives are posted before their window is sent");
  app.add_flag("--reverse", o.reverse,
               "receives are posted in reverse order of the messages, each of a tag of its own");
  app.add_flag("--recv-any", o.recv_any, "receive from any source");
  app.add_flag("--arena", o.arena, "messages lie in memory of mpx::allocator");
}

}  // namespace

int main(int argc, char** argv) try {
  perf::options o;
  std::string sizes;
  perf::offered_stack chosen{};
  CLI::App app("Measures mpx between processes; run it under mpxrun.", "mpx-perf");
  declare(app, o, sizes);
  try {
    app.parse(argc, argv);
    const perf::test_kind& kind = perf::kind_of(o.test);
    o.size_first = kind.size_first;
    o.size_last = kind.size_last;
    if (!sizes.empty()) parse_sizes(sizes, o);
    if (o.iters && *o.iters == 0) throw CLI::ValidationError("--iters", "must be at least 1");
    if (o.protocol != "automatic" && !o.test.starts_with("rma_"))
      throw CLI::ValidationError("--protocol", "is for the tests rma_...");
    chosen = chosen_stack(o);
    if (o.size_last > size_limit / o.buffers)
      throw CLI::ValidationError("--buffers", "ask for too much memory");
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  chosen.run(o);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "mpx-perf: {}\n", e.what());
  return 1;
}
