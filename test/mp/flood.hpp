// SPDX-License-Identifier: BSL-1.0
#pragma once
// One rank sends messages of 1 KiB to a rank that sleeps and then looks for something else: the
// memory of both stays within the stated bound, and nothing is lost or reordered.

#include <chrono>
#include <mpx/mpx.hpp>
#include <vector>

#include "mp/harness.hpp"

namespace flooding {

inline constexpr std::size_t message_bytes = 1024;
/// The channels of the pair in both directions, 64 * 1024 + 256 KiB each, and what is small:
/// records of announced messages (128 bytes for each of 1024), operations, stacks, pages of the
/// allocator.
inline constexpr std::uint64_t overhead_bytes =
    2 * (64 * 1024 + 256 * 1024) + (std::uint64_t{1} << 20);

template <class Stack>
void send_all(mpx::communicator<Stack> world, std::uint64_t messages) {
  std::vector<std::byte> out(message_bytes);
  for (std::uint64_t i = 0; i < messages; ++i) {
    harness::fill(out, i);
    world.send(out, 1, 3);
  }
}

/// Looks for what never comes, until the flood has filled all that it may.
template <class Stack>
void look_elsewhere(mpx::environment<Stack>& env) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (std::chrono::steady_clock::now() < until)
    harness::check(!env.world().iprobe(0, 99), "a message was found that was not sent");
  std::printf("rank 1: %llu KiB of unexpected messages, %llu KiB are allowed\n",
              static_cast<unsigned long long>(env.unexpected_bytes() / 1024),
              static_cast<unsigned long long>(env.unexpected_bytes_bound() / 1024));
  harness::check(env.unexpected_bytes() > env.unexpected_bytes_bound() / 3, "no flood came");
  harness::check(env.unexpected_bytes() <= env.unexpected_bytes_bound(), "over the bound");
}

template <class Stack>
void receive_all(mpx::communicator<Stack> world, std::uint64_t messages) {
  std::vector<std::byte> in(message_bytes);
  for (std::uint64_t i = 0; i < messages; ++i) {
    const mpx::status s = world.recv(in, 0, 3);
    harness::check(s.bytes() == message_bytes && harness::holds(in, i), [&] {
      return "message " + std::to_string(i) + " is lost, out of order or damaged";
    });
  }
}

/// `extra_bytes`: what the transport may take besides.
template <class Stack>
void run(mpx::environment<Stack>& env, std::uint64_t messages, std::chrono::milliseconds sleeps,
         std::uint64_t extra_bytes = 0) {
  auto world = env.world();
  world.barrier();
  const std::uint64_t before = harness::memory_high_water();
  if (world.rank() == 0) {
    send_all(world, messages);
    world.recv(std::span<int>(), 1, 4);  // Messages that it sent later would be unexpected too.
  } else if (world.rank() == 1) {
    std::this_thread::sleep_for(sleeps);
    look_elsewhere(env);
    receive_all(world, messages);
    harness::check(!world.iprobe(), "a message too many");
    harness::check(env.unexpected_bytes() == 0, "unexpected memory is not given back");
    world.send(std::span<const int>(), 0, 4);
  }
  const std::uint64_t grown = harness::memory_high_water() - before;
  const std::uint64_t bound = env.unexpected_bytes_bound() + overhead_bytes + extra_bytes;
  std::printf("rank %d: memory grew by %llu KiB, %llu KiB are allowed\n", world.rank(),
              static_cast<unsigned long long>(grown / 1024),
              static_cast<unsigned long long>(bound / 1024));
  harness::check(harness::sanitized || grown <= bound, "memory grew over the bound");
}

}  // namespace flooding
