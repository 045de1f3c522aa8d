// SPDX-License-Identifier: BSL-1.0
// ranks: 2
// timeout: 240
// labels: slow
// sanitizers: none
// One rank sends two million messages of 1 KiB to a rank that sleeps for three seconds and then
// looks for something else: the memory of both stays within the stated bound, and nothing is lost
// or reordered.

#include <mpx/mpx.hpp>
#include <vector>

#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t messages = 2'000'000;
constexpr std::size_t message_bytes = 1024;
/// The channels of the pair in both directions, 64 * 1024 + 256 KiB each, and what is small:
/// records of announced messages (128 bytes for each of 1024), operations, stacks, pages of the
/// allocator.
constexpr std::uint64_t overhead_bytes = 2 * (64 * 1024 + 256 * 1024) + (std::uint64_t{1} << 20);

void send_all(mpx::communicator<mpx::stack<>> world) {
  std::vector<std::byte> out(message_bytes);
  for (std::uint64_t i = 0; i < messages; ++i) {
    harness::fill(out, i);
    world.send(out, 1, 3);
  }
}

/// Looks for what never comes, until the flood has filled all that it may.
void look_elsewhere(mpx::environment<>& env) {
  const auto until = std::chrono::steady_clock::now() + 500ms;
  while (std::chrono::steady_clock::now() < until)
    harness::check(!env.world().iprobe(0, 99), "found what was not sent");
  std::printf("rank 1: %llu KiB of unexpected messages, %llu KiB are allowed\n",
              static_cast<unsigned long long>(env.unexpected_bytes() / 1024),
              static_cast<unsigned long long>(env.unexpected_bytes_bound() / 1024));
  harness::check(env.unexpected_bytes() > env.unexpected_bytes_bound() / 3, "no flood came");
  harness::check(env.unexpected_bytes() <= env.unexpected_bytes_bound(), "over the bound");
}

void receive_all(mpx::communicator<mpx::stack<>> world) {
  std::vector<std::byte> in(message_bytes);
  for (std::uint64_t i = 0; i < messages; ++i) {
    const mpx::status s = world.recv(in, 0, 3);
    harness::check(s.bytes() == message_bytes && harness::holds(in, i), [&] {
      return "message " + std::to_string(i) + " is lost, out of order or damaged";
    });
  }
}

}  // namespace

int main() {
  const harness::watchdog guard("flood", 200s);
  mpx::environment<> env;
  auto world = env.world();
  world.barrier();
  const std::uint64_t before = harness::memory_high_water();
  if (world.rank() == 0) {
    send_all(world);
  } else if (world.rank() == 1) {
    std::this_thread::sleep_for(3s);
    look_elsewhere(env);
    receive_all(world);
    harness::check(!world.iprobe(), "a message too many");
    harness::check(env.unexpected_bytes() == 0, "unexpected memory is not given back");
  }
  const std::uint64_t grown = harness::memory_high_water() - before;
  const std::uint64_t bound = env.unexpected_bytes_bound() + overhead_bytes;
  std::printf("rank %d: memory grew by %llu KiB, %llu KiB are allowed\n", world.rank(),
              static_cast<unsigned long long>(grown / 1024),
              static_cast<unsigned long long>(bound / 1024));
  harness::check(harness::sanitized || grown <= bound, "memory grew over the bound");
}
