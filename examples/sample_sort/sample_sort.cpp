// SPDX-License-Identifier: BSL-1.0
// Sorts numbers that are distributed over all ranks: each rank sorts its own, samples of all define
// the splitters, and one alltoallv brings every number to the rank whose range it is in. From the
// root of the tree, with or without CMake (it uses CLI11 and fmt):
//
//   cmake --preset release && cmake --build --preset release --target sample_sort mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/sample_sort --numbers 400000
//
//   g++ -std=c++20 -O2 -Iinclude examples/sample_sort/*.cpp -o sample_sort -pthread -lfmt
//   mpxrun -n 4 ./sample_sort --numbers 400000
//
// The answer is checked: every rank's numbers are in order, none is below those of the ranks
// before, and they are the numbers that there were. Exits with 1 if anything is wrong.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <mpx/mpx.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using communicator = mpx::communicator<mpx::stack<>>;
using number = std::uint64_t;

constexpr std::size_t oversampling =
    32;  // Samples a rank for each cut: more make parts more equal.

number mixed(number x) {
  x = (x + 1) * 0x9e37'79b9'7f4a'7c15u;
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9u;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11ebu;
  return x ^ x >> 31;
}

/// The `i`-th number of all, of the kind that is to be sorted.
number number_of(const std::string& kind, std::size_t i) {
  if (kind == "equal") return 42;
  if (kind == "few") return mixed(i) % 7;
  if (kind == "reversed") return ~number{i};
  return mixed(i);
}

/// Properties that sorting must not change, independent of the order.
struct fingerprint {
  number count = 0;
  number sum = 0;
  number mix = 0;
  friend bool operator==(const fingerprint&, const fingerprint&) = default;
};
fingerprint fingerprint_of(communicator world, const std::vector<number>& of) {
  std::array<number, 3> f{of.size(), 0, 0};
  for (const number x : of) {
    f[1] += x;
    f[2] += mixed(x);
  }
  world.allreduce(f, std::plus<>{});
  return {f[0], f[1], f[2]};
}

/// Splitters: each rank gives samples at equal distances of its sorted numbers; the splitters are
/// samples of these.
std::vector<number> cuts_of(communicator world, const std::vector<number>& sorted) {
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<number> mine;
  for (std::size_t i = 0; i < oversampling && !sorted.empty(); ++i)
    mine.push_back(sorted[(2 * i + 1) * sorted.size() / (2 * oversampling)]);
  std::vector<number> all = world.allgatherv(mine);
  std::sort(all.begin(), all.end());
  std::vector<number> cuts;
  for (std::size_t r = 1; r < ranks && !all.empty(); ++r)
    cuts.push_back(all[r * all.size() / ranks]);
  cuts.resize(ranks - 1);
  return cuts;
}

/// Number of elements of `sorted` for each rank. Elements equal to a splitter are distributed over
/// the ranks around it.
std::vector<std::size_t> counts_of(const std::vector<number>& sorted,
                                   const std::vector<number>& cuts) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < cuts.size();) {
    std::size_t same = i;  // Cuts that are equal: their numbers go to all ranks between.
    while (same < cuts.size() && cuts[same] == cuts[i]) ++same;
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), cuts[i]);
    const auto first = static_cast<std::size_t>(low - sorted.begin());
    const auto length = static_cast<std::size_t>(high - low);
    for (std::size_t k = 0; k < same - i; ++k)
      ends.push_back(first + (k + 1) * length / (same - i + 1));
    i = same;
  }
  ends.push_back(sorted.size());
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < ends.size(); ++i)
    counts.push_back(ends[i] - (i == 0 ? 0 : ends[i - 1]));
  return counts;
}

/// True if `mine` is sorted, and follows the numbers of all lower ranks. Collective.
bool in_order(communicator world, const std::vector<number>& mine) {
  bool right = std::is_sorted(mine.begin(), mine.end());
  // The last number so far goes from rank to rank; those without numbers pass it on.
  number before = 0;
  if (world.rank() > 0) world.recv(before, world.rank() - 1);
  if (!mine.empty()) {
    right = right && mine.front() >= before;
    before = mine.back();
  }
  if (world.rank() + 1 < world.size()) world.send(before, world.rank() + 1);
  return world.allreduce(right, std::logical_and<>{});
}

int run(communicator world, int argc, char** argv) {
  CLI::App app("Sorts numbers that are spread over all ranks.", "sample_sort");
  std::size_t numbers = 1'000'000;
  std::string kind = "random";
  app.add_option("--numbers", numbers, "How many, on all ranks together")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 40));
  app.add_option("--kind", kind, "Which")
      ->capture_default_str()
      ->check(CLI::IsMember({"random", "equal", "few", "reversed"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const bool help = e.get_exit_code() == 0;
    if (world.rank() == 0) app.exit(e);
    world.barrier();  // A rank that leaves early could end the job before rank 0 has spoken.
    return help ? 0 : 2;
  }

  const auto ranks = static_cast<std::size_t>(world.size());
  const auto me = static_cast<std::size_t>(world.rank());
  std::vector<number> mine;
  for (std::size_t i = numbers * me / ranks; i < numbers * (me + 1) / ranks; ++i)
    mine.push_back(number_of(kind, i));
  const fingerprint before = fingerprint_of(world, mine);

  const auto start = std::chrono::steady_clock::now();
  std::sort(mine.begin(), mine.end());
  const std::vector<std::size_t> counts = counts_of(mine, cuts_of(world, mine));
  std::vector<number> sorted = world.alltoallv(mine, counts);
  std::sort(sorted.begin(), sorted.end());
  world.barrier();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  const bool ordered = in_order(world, sorted);
  const bool right = ordered && fingerprint_of(world, sorted) == before;
  const auto larger = [](std::size_t a, std::size_t b) { return a > b ? a : b; };
  const std::size_t most = world.allreduce(sorted.size(), larger);
  if (world.rank() == 0) {
    fmt::print("sample_sort: {} numbers on {} ranks, at most {} on one\n", numbers, ranks, most);
    fmt::print("{:.1f} million numbers a second\n",
               static_cast<double>(numbers) / took.count() / 1e6);
    std::fflush(stdout);
    if (!right) fmt::print(stderr, "sample_sort: the answer is wrong\n");
  }
  world.barrier();
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  mpx::environment<> env;
  try {
    return run(env.world(), argc, argv);
  } catch (const std::exception& e) {  // The other ranks may wait for this one.
    fmt::print(stderr, "sample_sort: rank {}: {}\n", env.rank(), e.what());
    env.abort(1);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "sample_sort: {}\n", e.what());
  return 1;
}
