// SPDX-License-Identifier: BSL-1.0
// mpx-perf: point-to-point and a few collectives between processes, measured by the conventions of
// the OSU micro-benchmarks.    mpxrun -n 2 mpx-perf latency --size 1:4096 --pin

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <mpx/mpx.hpp>
#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>
#ifdef MPX_PERF_FABRIC
#include <mpx/transport/rdma/libfabric.hpp>
#endif
#ifdef MPX_PERF_SOCKETS
#include <mpx/tls.hpp>
#include <mpx/transport/tcp_streams.hpp>
#endif
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "perf/board.h"
#include "perf/loops.hpp"
#include "perf/nic.hpp"
#include "perf/one_sided.hpp"
#include "perf/pack.hpp"

namespace {

using stack = mpx::stack<>;
using perf::setting;
template <mpx::long_path Path>
using stack_by = mpx::stack<mpx::protocol::tiny_short_long<40, 16 * 1024, Path>>;

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
  std::string order = "receives";
  std::string path = "automatic";
  std::string protocol = "automatic";
  std::string stack = "default";
  unsigned tags = 1;
  unsigned buffers = 1;
  bool pin = false;
  bool posted = false;
  bool reverse = false;
  bool recv_any = false;
  bool arena = false;
};

struct test_kind {
  std::string_view name;
  std::string_view unit;
  std::string_view title;
  std::size_t size_first;
  std::size_t size_last;
  double (perf::bench<stack>::*measure)();
};
using bench = perf::bench<stack>;

constexpr test_kind tests[] = {
    {"latency", "us", "one-way latency", 1, 4 << 20, &bench::latency_us},
    {"bw", "GB/s", "bandwidth", 1, 4 << 20, &bench::bandwidth},
    {"bibw", "GB/s", "bandwidth, both ways", 1, 4 << 20, &bench::bandwidth_both_ways},
    {"rate", "M/s", "millions of messages a second", 8, 8, &bench::rate},
    {"exchange", "us", "exchanges from a cold start, one way", 8, 8, &bench::exchange_us},
    {"ring", "us", "token ring, a hop", 8, 8, &bench::ring_us},
    {"poll_test", "us", "token ring by test, a hop", 8, 8, &bench::poll_test_us},
    {"poll_probe", "us", "token ring by iprobe, a hop", 8, 8, &bench::poll_probe_us},
    {"poll_any", "us", "all to all by test_any, a round", 8, 8, &bench::poll_any_us},
    {"allreduce", "us", "allreduce of one double", 8, 8, &bench::allreduce_us},
    {"pack_column", "GB/s", "packing a column of a matrix of doubles", 8, 1 << 20, nullptr},
    {"pack_record", "GB/s", "packing records with a hole", 12, 1 << 20, nullptr},
    {"pack_indexed", "GB/s", "packing doubles at irregular places", 8, 1 << 20, nullptr},
    {"pack_face", "GB/s", "packing a face of a cube", 8, 1 << 20, nullptr},
    {"coll_barrier", "us", "barrier", 8, 8, &bench::barrier_us},
    {"coll_bcast", "us", "bcast, from one root after the other", 8, 1 << 20, &bench::bcast_us},
    {"coll_allreduce", "us", "allreduce, a sum of doubles", 8, 1 << 20, &bench::sum_us},
    {"coll_allgather", "us", "allgather, blocks of so much", 8, 1 << 20, &bench::allgather_us},
    {"coll_alltoall", "us", "alltoall, blocks of so much", 8, 1 << 20, &bench::alltoall_us},
    {"coll_reduce_scatter", "us", "reduce_scatter_block, results of so much", 8, 1 << 20,
     &bench::reduce_scatter_us},
    {"coll_neighbor_alltoall", "us", "neighbor_alltoall on a ring, blocks of so much", 8, 1 << 20,
     &bench::neighbor_alltoall_us},
    {"rma_put", "us", "a put and a flush", 8, 4 << 20, nullptr},
    {"rma_get", "us", "a get and a flush", 8, 4 << 20, nullptr},
    {"rma_accumulate", "us", "an accumulate and a flush", 8, 1 << 20, nullptr},
    {"rma_fetch_and_op", "us", "a fetch_and_op and a flush", 8, 8, nullptr},
    {"rma_compare_and_swap", "us", "a compare_and_swap and a flush", 8, 8, nullptr},
    {"rma_put_fence", "us", "a put and a fence", 8, 1 << 20, nullptr},
    {"rma_put_pscw", "us", "start, a put, complete; post and wait", 8, 1 << 20, nullptr},
    {"rma_get_fence", "us", "a get and a fence", 8, 1 << 20, nullptr},
    {"rma_get_pscw", "us", "start, a get, complete; post and wait", 8, 1 << 20, nullptr},
    {"rma_put_bw", "GB/s", "a window of puts and a flush", 8, 4 << 20, nullptr},
    {"rma_get_bw", "GB/s", "a window of gets and a flush", 8, 4 << 20, nullptr},
    {"rma_accumulate_fence", "us", "an accumulate and a fence", 8, 1 << 20, nullptr},
    {"rma_accumulate_pscw", "us", "start, an accumulate, complete; post and wait", 8, 1 << 20,
     nullptr},
    {"rma_accumulate_bw", "GB/s", "a window of accumulates and a flush", 8, 4 << 20, nullptr},
    {"rma_fetch_and_op_bw", "GB/s", "a window of fetch_and_ops and a flush", 8, 8, nullptr},
    {"rma_compare_and_swap_bw", "GB/s", "a window of compare_and_swaps and a flush", 8, 8, nullptr},
    {"rma_ghost", "us", "ghost cells of a torus, a put a side", 8, 64 << 10, nullptr},
    {"rma_ghost_elements", "us", "ghost cells of a torus, a put an element", 8, 64 << 10, nullptr},
    {"nic_latency", "us", "one-way latency of a bare card", 8, 4 << 20, nullptr},
    {"nic_bw", "GB/s", "bandwidth of a bare card", 4096, 4 << 20, nullptr},
    {"nic_register", "us", "registering memory with a card, and deregistering it", 4096, 4 << 20,
     nullptr},
    {"nic_copy", "us", "copying memory instead of registering it", 4096, 4 << 20, nullptr},
    {"idle_cpu", "s", "CPU time of a rank blocked in a receive", 1, 1, &bench::idle_cpu_s},
};

const test_kind& kind_of(std::string_view name) {
  return *std::find_if(std::begin(tests), std::end(tests),
                       [&](const test_kind& k) { return k.name == name; });
}

/// How often by default: as the OSU benchmarks, fewer for long messages.
setting defaults(const options& o, std::size_t size) {
  const bool one_by_one = o.test == "latency";
  const bool by_time = o.test == "ring" || o.test == "allreduce" || o.test.starts_with("poll_") ||
                       o.test.starts_with("coll_");
  std::uint64_t iters = one_by_one ? 10000 : 200;
  if (size > 8192) iters = one_by_one ? 1000 : std::max<std::uint64_t>(8, (4u << 20) / size);
  if (by_time) iters = std::uint64_t{1} << 40;
  if (o.test == "exchange") iters = 2000;
  setting s;
  s.size = size;
  s.iters = o.iters.value_or(iters);
  s.warmup = o.warmup.value_or(std::max<std::uint64_t>(2, by_time ? 2 : iters / 10));
  s.window = o.window;
  s.tags = o.reverse ? o.window : o.tags;
  s.buffers = o.buffers;
  s.order = o.order == "sends"      ? perf::order::sends
            : o.order == "sendrecv" ? perf::order::sendrecv
                                    : perf::order::receives;
  s.posted = o.posted;
  s.reverse = o.reverse;
  s.recv_any = o.recv_any;
  s.seconds = o.seconds;
  return s;
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

/// Other stacks than the default one measure a few things only.
constexpr std::string_view tests_of_other_stacks[] = {"latency", "bw", "rate"};
/// Those over registered memory broadcast too.
template <class Stack>
concept OverCards = requires { typename Stack::transport_type::nic_type; };
template <class Stack>
double measured(perf::bench<Stack>& b, const test_kind& kind) {
  if constexpr (OverCards<Stack>)
    if (kind.name == "coll_bcast") return b.bcast_us();
  if constexpr (std::same_as<Stack, stack>)
    return (b.*kind.measure)();
  else
    return kind.name == "latency" ? b.latency_us() : kind.name == "rate" ? b.rate() : b.bandwidth();
}

mpx::rma::protocol protocol_of(std::string_view name) {
  using enum mpx::rma::protocol;
  return name == "direct"      ? direct
         : name == "rdma"      ? rdma
         : name == "buffered"  ? buffered
         : name == "send_recv" ? send_recv
                               : automatic;
}

template <class Stack>
void measure_all(mpx::communicator<Stack> world, const options& o, perf_side& side,
                 std::span<std::byte> out, std::span<std::byte> in) {
  const test_kind& kind = kind_of(o.test);
  std::optional<reporter> report;
  if (world.rank() == 0) report.emplace(o, kind, world.size());
  perf_mark before = perf_bracket(&side);
  for (std::size_t size = o.size_first; size <= o.size_last; size = size == 0 ? 1 : size * 2) {
    setting s = defaults(o, size);
    s.out = out.first(size * o.buffers);
    s.in = in.first(size * o.buffers);
    perf::bench<Stack> b(world, s);
    std::optional<perf::packed> packed;
    if (kind.name.starts_with("pack_")) packed.emplace(kind.name, size);
    std::conditional_t<std::same_as<Stack, stack>, std::optional<perf::one_sided<stack>>, int>
        windows{};
    if constexpr (std::same_as<Stack, stack>)
      if (kind.name.starts_with("rma_"))
        windows.emplace(world, size, s.window, protocol_of(o.protocol));
    const auto measure = [&] {
      if constexpr (std::same_as<Stack, stack>)
        if (windows) return windows->measure(kind.name, s.seconds);
      return packed ? packed->measure(s.iters) : measured(b, kind);
    };
    for (int i = 0; i < o.samples; ++i) {
      const double value = measure();
      const perf_mark after = perf_bracket(&side);
      if (report) report->sample(size, value, before, after);
      before = after;
    }
  }
}

template <class Stack>
void run(const options& o) {
  perf_side side;
  perf_join(&side, nullptr, 0, 1);
  mpx::environment<Stack> env;
  auto world = env.world();
  if (world.size() < 2)
    throw std::runtime_error("needs at least 2 ranks: mpxrun -n 2 mpx-perf " + o.test);
  side.rank = world.rank();
  side.ranks = world.size();
  side.board = perf_open_board(o.probe_file.c_str());
  if (o.pin) perf_pin(world.rank(), &side.usable);

  const std::size_t bytes = o.size_last * o.buffers;
  if (o.arena) {
    const auto arena = env.template allocator<std::byte>();
    std::vector<std::byte, mpx::allocator<std::byte>> out(bytes, std::byte{1}, arena);
    std::vector<std::byte, mpx::allocator<std::byte>> in(bytes, std::byte{2}, arena);
    measure_all(world, o, side, perf::buffer(out), perf::buffer(in));
  } else {
    std::vector<std::byte> out(bytes, std::byte{1});
    std::vector<std::byte> in(bytes, std::byte{2});
    measure_all(world, o, side, perf::buffer(out), perf::buffer(in));
  }
}

/// The tests nic_...: no stack, but the card of one.
template <class Card>
void run_nic(const options& o) {
  perf_side side;
  perf_join(&side, nullptr, 0, 1);
  mpx::bootstrap::any me;
  if (me.size() != 2) throw std::runtime_error("needs 2 ranks: mpxrun -n 2 mpx-perf " + o.test);
  side.rank = me.rank();
  side.ranks = me.size();
  side.board = perf_open_board(o.probe_file.c_str());
  if (o.pin) perf_pin(me.rank(), &side.usable);
  const test_kind& kind = kind_of(o.test);
  std::optional<reporter> report;
  if (me.rank() == 0) report.emplace(o, kind, me.size());
  perf::bare_card<Card> card(me);
  perf_mark before = perf_bracket(&side);
  for (std::size_t size = o.size_first; size <= o.size_last; size = size == 0 ? 1 : size * 2) {
    const std::uint64_t few =
        std::max<std::uint64_t>(4, (16u << 20) / std::max<std::size_t>(size, 1));
    const std::uint64_t iters = o.iters.value_or(std::min<std::uint64_t>(few, 10000));
    // A block of a ring is the least that the transport writes.
    const std::size_t bytes = kind.name == "nic_latency" ? std::max<std::size_t>(size, 64) : size;
    card.open(bytes);
    std::vector<std::byte> from(size, std::byte{1});
    std::vector<std::byte> to(size, std::byte{2});
    const auto measure = [&](std::uint64_t rounds) {
      return kind.name == "nic_latency"    ? card.latency_us(bytes, rounds)
             : kind.name == "nic_bw"       ? card.bandwidth(bytes, rounds, o.window)
             : kind.name == "nic_register" ? card.register_us(from, rounds)
                                           : perf::copy_us(from, to, rounds);
    };
    static_cast<void>(measure(o.warmup.value_or(iters / 10 + 1)));
    for (int i = 0; i < o.samples; ++i) {
      const double value = measure(iters);
      const perf_mark after = perf_bracket(&side);
      if (report) report->sample(size, value, before, after);
      before = after;
    }
  }
  card.close();
  me.mark_finished();
}

void run_by_path(const options& o) {
  if (o.test.starts_with("nic_")) {
#ifdef MPX_PERF_FABRIC
    if (o.stack == "libfabric") return run_nic<mpx::nic::libfabric>(o);
#endif
    return run_nic<mpx::nic::via>(o);
  }
  if (o.stack == "rdma") run<mpx::rdma_stack<mpx::nic::via>>(o);
#ifdef MPX_PERF_FABRIC
  else if (o.stack == "libfabric")
    run<mpx::rdma_stack<mpx::nic::libfabric>>(o);
#endif
  else if (o.path == "get")
    run<stack_by<mpx::long_path::get>>(o);
  else if (o.path == "put")
    run<stack_by<mpx::long_path::put>>(o);
  else if (o.path == "packets")
    run<stack_by<mpx::long_path::packets>>(o);
#ifdef MPX_PERF_SOCKETS
  else if (o.stack == "tcp")
    run<mpx::tcp_stack>(o);
  else if (o.stack == "tls")
    run<mpx::tls_stack>(o);
  else if (o.stack == "tcp_streams")
    run<mpx::stack<mpx::transport::tcp_streams<4>, mpx::bootstrap::anywhere, mpx::tcp_protocol>>(o);
  else if (o.stack == "cluster")
    run<mpx::cluster_stack>(o);
#endif
  else
    run<stack>(o);
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
  app.add_option("test", o.test,
                 "latency, bw, bibw, rate, exchange, ring, poll_test, poll_probe, poll_any, "
                 "allreduce, pack_column, pack_record, pack_indexed, pack_face, coll_barrier, "
                 "coll_bcast, coll_allreduce, coll_allgather, coll_alltoall, coll_reduce_scatter, "
                 "coll_neighbor_alltoall, rma_put, rma_get, rma_accumulate, rma_fetch_and_op, "
                 "rma_compare_and_swap, rma_put_fence, rma_put_pscw, rma_get_fence, rma_get_pscw, "
                 "rma_accumulate_fence, rma_accumulate_pscw, rma_put_bw, rma_get_bw, "
                 "rma_accumulate_bw, rma_fetch_and_op_bw, rma_compare_and_swap_bw, rma_ghost, "
                 "rma_ghost_elements, nic_latency, nic_bw, nic_register, nic_copy, idle_cpu")
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
#ifdef MPX_PERF_SOCKETS
  std::vector<std::string> stacks{"default", "rdma", "tcp", "tls", "tcp_streams", "cluster"};
#else
  std::vector<std::string> stacks{"default", "rdma"};
#endif
#ifdef MPX_PERF_FABRIC
  stacks.emplace_back("libfabric");
#endif
  app.add_option("--protocol", o.protocol, "rma_...: how one-sided accesses travel")
      ->capture_default_str()
      ->check(CLI::IsMember({"automatic", "direct", "rdma", "buffered", "send_recv"}));
  app.add_option(
         "--stack", o.stack,
         "latency, bw, rate, nic_...: what the messages pass through (rdma: over nic::via); "
         "coll_bcast: rdma and libfabric")
      ->capture_default_str()
      ->check(CLI::IsMember(stacks));
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
    if (o.path != "automatic" && o.test != "bw")
      throw CLI::ValidationError("--long-path", "is for the test bw");
    if (o.protocol != "automatic" && !o.test.starts_with("rma_"))
      throw CLI::ValidationError("--protocol", "is for the tests rma_...");
    const bool card = o.stack == "rdma" || o.stack == "libfabric";
    const bool bare = o.test.starts_with("nic_");
    if (o.stack != "default" && !(card && (bare || o.test == "coll_bcast")) &&
        std::ranges::find(tests_of_other_stacks, o.test) == std::end(tests_of_other_stacks))
      throw CLI::ValidationError("--stack",
                                 "is for the tests latency, bw and rate; rdma and "
                                 "libfabric for nic_... and coll_bcast too");
    if (o.size_last > size_limit / o.buffers)
      throw CLI::ValidationError("--buffers", "ask for too much memory");
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  run_by_path(o);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "mpx-perf: {}\n", e.what());
  return 1;
}
