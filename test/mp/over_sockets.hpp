// SPDX-License-Identifier: BSL-1.0
#pragma once
// Point-to-point communication over sockets, alone or beside shared memory, and over registered
// memory: every size and mode of a send, wildcards, long messages in both directions at once,
// floods, requests that are dropped, and a wait that costs no CPU.

#include <chrono>
#include <functional>
#include <mpx/mpx.hpp>
#include <thread>
#include <vector>

#include "mp/harness.hpp"

namespace over_sockets {

using namespace std::chrono_literals;

constexpr std::size_t sizes[] = {0,    1,      8,      40,      41,      1000,
                                 4095, 16'384, 16'385, 131'072, 131'073, 3'000'000};

inline std::uint64_t serial_of(mpx::rank_t from, std::size_t round) {
  return round * 7 + static_cast<std::size_t>(from);
}
inline std::vector<std::byte> message(mpx::rank_t from, std::size_t round, std::size_t bytes) {
  std::vector<std::byte> m(bytes);
  harness::fill(m, serial_of(from, round));
  return m;
}
inline void check(const std::vector<std::byte>& got, mpx::rank_t from, std::size_t round,
                  std::size_t bytes) {
  harness::check(harness::holds(std::span(got).first(bytes), serial_of(from, round)), [&] {
    return "of " + std::to_string(bytes) + " bytes from rank " + std::to_string(from) +
           " some are wrong";
  });
}

/// All ranks send to all at once, received from any source.
template <class Stack>
void exchange(mpx::communicator<Stack> world) {
  for (std::size_t round = 0; round < std::size(sizes); ++round) {
    const std::size_t bytes = sizes[round];
    const auto tag = static_cast<mpx::tag_t>(100 + round);
    const auto n = static_cast<std::size_t>(world.size());
    const std::vector<std::byte> out = message(world.rank(), round, bytes);
    std::vector<std::vector<std::byte>> in(n, std::vector<std::byte>(bytes));
    std::vector<mpx::request<Stack>> receives;
    std::vector<mpx::request<Stack>> sends;
    for (auto& buffer : in) receives.push_back(world.irecv(buffer, mpx::any_source, tag));
    for (mpx::rank_t r = 0; r < world.size(); ++r)
      sends.push_back(r % 2 == 0 ? world.isend(out, r, tag) : world.issend(out, r, tag));
    for (std::size_t i = 0; i < n; ++i) {
      const mpx::status s = receives[i].wait();
      harness::check(s.count<std::byte>() == bytes, "a wrong length");
      check(in[i], s.source(), round, bytes);
    }
    mpx::wait_all(sends);
  }
}

/// Many small ones in order, past what any buffer holds, to a rank that is not looking.
template <class Stack>
void flood(mpx::communicator<Stack> world) {
  if (world.size() < 2 || world.rank() > 1) return;
  constexpr int count = 60'000;
  if (world.rank() == 0) {
    for (int i = 0; i < count; ++i) world.send(i, 1, 6);
  } else {
    std::this_thread::sleep_for(20ms);
    for (int i = 0; i < count; ++i) {
      int got = -1;
      world.recv(got, 0, 6);
      harness::check(got == i, "out of order");
    }
  }
}

/// A request that is gone touches its buffer no more, and its message still arrives.
template <class Stack>
void drop(mpx::communicator<Stack> world) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  constexpr std::size_t bytes = 1'000'000;
  {
    auto out = message(world.rank(), 1, bytes);
    {
      const auto dropped = world.isend(out, next, 8);
    }
    std::fill(out.begin(), out.end(), std::byte{0xee});
  }
  std::vector<std::byte> in(bytes);
  world.recv(in, last, 8);
  check(in, last, 1, bytes);
}

template <class Stack>
void idle(mpx::communicator<Stack> world) {
  world.barrier();
  const double before = harness::cpu_seconds();
  int word = 0;
  if (world.rank() == 0) {
    std::this_thread::sleep_for(1s);
    for (mpx::rank_t r = 1; r < world.size(); ++r) world.send(word, r, 7);
  } else {
    world.recv(word, 0, 7);
  }
  const double used = harness::cpu_seconds() - before;
  harness::check(used < 0.2, "blocked, it used " + std::to_string(used) + " s of CPU");
}

template <class Stack>
void run(mpx::communicator<Stack> world) {
  exchange(world);
  flood(world);
  drop(world);
  const long sum = world.allreduce(static_cast<long>(world.rank()), std::plus<>{});
  harness::check(sum == static_cast<long>(world.size()) * (world.size() - 1) / 2, "a wrong sum");
  idle(world);
}

}  // namespace over_sockets
