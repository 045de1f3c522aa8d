// SPDX-License-Identifier: BSL-1.0
// A hash table whose slots are spread over the memory of all ranks. Each rank counts numbers in it,
// by compare_exchange and sums at references to the slots; no rank takes part in what the others do
// with its slots. From the root of the tree, with or without CMake (it uses CLI11 and fmt):
//
//   cmake --preset release && cmake --build --preset release --target hash_table mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/hash_table --numbers 100000
//
//   g++ -std=c++20 -O2 -Iinclude examples/hash_table/*.cpp -o hash_table -pthread -lfmt
//   mpxrun -n 4 ./hash_table --numbers 100000
//
// The answer is checked: each rank compares the counts in its own slots with those of all numbers
// that belong there, which it draws again. Exits with 1 if anything is wrong.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <stdexcept>
#include <unordered_map>

namespace {

using communicator = mpx::communicator<mpx::stack<>>;

std::uint64_t mixed(std::uint64_t x) {
  x = (x + 1) * 0x9e37'79b9'7f4a'7c15u;
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9u;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11ebu;
  return x ^ x >> 31;
}

/// The i-th number that a rank draws, from 1 to `different`.
std::uint64_t drawn(mpx::rank_t rank, std::uint64_t i, std::uint64_t different) {
  return 1 + mixed(static_cast<std::uint64_t>(rank) << 40 | i) % different;
}

/// Counts of numbers but 0. A rank's memory holds the keys of its slots, 0 of those that are free,
/// and behind them their counts.
class counts {
 public:
  counts(const communicator& world, std::uint64_t slots)
      : slots_(slots), memory_(mpx::allocate_window<std::uint64_t>(world, 2 * slots)) {}

  /// Until the lock goes one may count; no rank waits for another one.
  auto open() { return memory_.lock_all(); }
  /// Adds 1 to the count of `key`. Requires: open.
  void add(std::uint64_t key) {
    const mpx::rank_t owner = owner_of(key);
    std::uint64_t slot = mixed(key) % slots_;
    for (std::uint64_t tried = 0; tried < slots_; ++tried, slot = (slot + 1) % slots_) {
      std::uint64_t there = 0;
      const bool taken = memory_.at(owner, slot).compare_exchange(there, key);
      if (!taken && there != key) continue;   // Another number has this slot.
      memory_.at(owner, slots_ + slot) += 1;  // No rank waits for this.
      return;
    }
    throw std::runtime_error("no slot is free: give --slots more");
  }
  mpx::rank_t owner_of(std::uint64_t key) const {
    return static_cast<mpx::rank_t>((mixed(key) >> 32) %
                                    static_cast<std::uint64_t>(memory_.size()));
  }
  /// This rank's own. Requires: no rank counts any more.
  std::unordered_map<std::uint64_t, std::uint64_t> own() const {
    std::unordered_map<std::uint64_t, std::uint64_t> all;
    const auto memory = memory_.local();
    for (std::uint64_t s = 0; s < slots_; ++s)
      if (memory[s] != 0) all[memory[s]] += memory[slots_ + s];
    return all;
  }
  void free() { memory_.free(); }

 private:
  std::uint64_t slots_;
  mpx::window<std::uint64_t> memory_;
};

int run(communicator world, int argc, char** argv) {
  std::uint64_t numbers = 50'000;
  std::uint64_t different = 10'000;
  std::uint64_t slots = 0;
  CLI::App app("Counts numbers in a hash table over all ranks; run it under mpxrun.", "hash_table");
  app.add_option("--numbers", numbers, "how many each rank draws")->capture_default_str();
  app.add_option("--different", different, "of how many different ones")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--slots", slots, "of each rank; by default twice as many as are needed");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const bool help = e.get_exit_code() == 0;
    if (world.rank() == 0) app.exit(e);
    world.barrier();  // A rank that leaves early could end the job before rank 0 has spoken.
    return help ? 0 : 2;
  }
  const auto ranks = static_cast<std::uint64_t>(world.size());
  if (slots == 0) slots = 2 * different / ranks + 64;

  counts table(world, slots);
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  {
    auto lock = table.open();
    for (std::uint64_t i = 0; i < numbers; ++i) table.add(drawn(world.rank(), i, different));
    lock.unlock();
  }
  world.barrier();  // All ranks have counted.
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  std::unordered_map<std::uint64_t, std::uint64_t> expected;
  for (mpx::rank_t r = 0; r < world.size(); ++r)
    for (std::uint64_t i = 0; i < numbers; ++i) {
      const std::uint64_t key = drawn(r, i, different);
      if (table.owner_of(key) == world.rank()) ++expected[key];
    }
  const auto found = table.own();
  std::uint64_t counted = 0;
  for (const auto& [key, count] : found) counted += count;
  const bool right = world.allreduce(found == expected ? 1 : 0, mpx::min) == 1;
  const std::uint64_t all = world.allreduce(counted, mpx::sum);
  const std::uint64_t keys = world.allreduce(static_cast<std::uint64_t>(found.size()), mpx::sum);
  table.free();
  if (world.rank() == 0) {
    fmt::print("hash_table: {} numbers on {} ranks, {} of them different\n", all, ranks, keys);
    if (numbers > 0)
      fmt::print("{:.2f} million a second\n", static_cast<double>(all) / took.count() / 1e6);
    if (!right) fmt::print(stderr, "hash_table: the answer is wrong\n");
    std::fflush(stdout);
  }
  world.barrier();
  return right && all == numbers * ranks ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  mpx::environment<> env;
  try {
    return run(env.world(), argc, argv);
  } catch (const std::exception& e) {  // The other ranks may wait for this one.
    fmt::print(stderr, "hash_table: rank {}: {}\n", env.rank(), e.what());
    env.abort(1);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "hash_table: {}\n", e.what());
  return 1;
}
