// SPDX-License-Identifier: BSL-1.0
// mpx-tune: how long every collective takes by every algorithm, at several sizes, on this machine.
// One line for each, as CSV; bench/tune.py makes a policy of them.
//    mpxrun -n 4 mpx-tune --seconds 0.02

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <mpx/mpx.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms.hpp"

namespace {

using mpx::coll::algorithm;
using mpx::coll::operation;
using mpx::coll::question;
using stack = mpx::stack<>;
using communicator = mpx::communicator<stack>;

struct options {
  double seconds = 0.02;
  int samples = 3;
  std::size_t size_max = 1 << 20;
};

struct buffers {
  std::vector<double> in;
  std::vector<double> out;
};

/// One call of `bytes`, as the policy is asked about them.
template <class World>
void call(const World& w, operation of, std::size_t bytes, buffers& b, mpx::rank_t root) {
  const std::size_t n = bytes / sizeof(double);
  const auto size = static_cast<std::size_t>(w.size());
  const std::span in(b.in);
  const std::span out(b.out);
  switch (of) {
    case operation::barrier: return w.barrier();
    case operation::bcast: return w.bcast(out.first(n), root);
    case operation::gather: return w.gather(in.first(n), out.first(n * size), root);
    case operation::scatter: return w.scatter(in.first(n * size), out.first(n), root);
    case operation::allgather: return w.allgather(in.first(n), out.first(n * size));
    case operation::alltoall: return w.alltoall(in.first(n * size), out.first(n * size));
    case operation::reduce: return w.reduce(in.first(n), out.first(n), mpx::sum, root);
    case operation::allreduce: return w.allreduce(in.first(n), out.first(n), mpx::sum);
    case operation::scan: return w.scan(in.first(n), out.first(n), mpx::sum);
    case operation::reduce_scatter:  // Asked about the whole vector.
      return w.reduce_scatter_block(in.first(n / size * size), out.first(n / size), mpx::sum);
  }
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The least of some samples, in us a call.
double measure(const communicator& world, operation of, algorithm by, std::size_t bytes, buffers& b,
               const options& o) {
  const auto w = world.with(by);
  const auto run = [&](std::uint64_t times) {
    world.barrier();
    const double start = now();
    for (std::uint64_t i = 0; i < times; ++i)
      call(w, of, bytes, b, static_cast<mpx::rank_t>(i) % w.size());
    world.barrier();
    return now() - start;
  };
  run(2);
  std::uint64_t times = static_cast<std::uint64_t>(o.seconds / run(2) * 2) + 1;
  world.bcast(times, 0);
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < o.samples; ++i)
    best = std::min(best, run(times) / static_cast<double>(times));
  return best * 1e6;
}

void run(const options& o) {
  constexpr std::pair<operation, std::string_view> operations[] = {
      {operation::barrier, "barrier"},     {operation::bcast, "bcast"},
      {operation::gather, "gather"},       {operation::scatter, "scatter"},
      {operation::allgather, "allgather"}, {operation::alltoall, "alltoall"},
      {operation::reduce, "reduce"},       {operation::allreduce, "allreduce"},
      {operation::scan, "scan"},           {operation::reduce_scatter, "reduce_scatter"}};
  mpx::environment<stack> env;
  const auto world = env.world();
  const auto n = static_cast<std::size_t>(world.size());
  const std::size_t most = o.size_max / sizeof(double) * n + 1;
  buffers b{std::vector<double>(most, 1.0), std::vector<double>(most)};
  if (world.rank() == 0) fmt::print("operation,ranks,bytes,algorithm,us\n");
  for (const auto& [of, name] : operations) {
    for (std::size_t bytes = 8; bytes <= o.size_max; bytes *= 4) {
      question q{of, of == operation::barrier ? 0 : bytes, world.size()};
      q.near = q.meets = mpx::SharedMemoryTransport<stack::transport_type>;
      for (int a = 1; a < mpx::coll::algorithms; ++a) {
        const auto by = static_cast<algorithm>(a);
        if (!mpx::coll::offers(q, by)) continue;
        const double us = measure(world, of, by, bytes, b, o);
        if (world.rank() == 0)
          fmt::print("{},{},{},{},{:.4f}\n", name, world.size(), q.bytes, bench::name_of(by), us);
      }
      if (of == operation::barrier) break;
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  options o;
  CLI::App app("Measures every algorithm of mpx's collectives; run it under mpxrun.", "mpx-tune");
  app.add_option("--seconds", o.seconds, "time of one sample")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 60.0));
  app.add_option("--samples", o.samples, "of which the best counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--size-max", o.size_max, "bytes, from 8 on, each four times the last")
      ->capture_default_str()
      ->check(CLI::Range(8, 1 << 26));
  CLI11_PARSE(app, argc, argv);
  run(o);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "mpx-tune: {}\n", e.what());
  return 1;
}
