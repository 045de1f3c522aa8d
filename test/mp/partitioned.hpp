// SPDX-License-Identifier: BSL-1.0
#pragma once
// Processes send each other messages in parts that threads make ready, and watch arrive, both ways
// round a ring at once, with other messages of other threads beside them.

#include <array>
#include <atomic>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/partitioned.hpp>
#include <thread>
#include <vector>

#include "mp/harness.hpp"

namespace partitioned {

using harness::check;

inline constexpr std::size_t threads = 3;

inline std::byte byte_of(mpx::rank_t of, int way, int round, std::size_t i) {
  std::uint64_t x = (static_cast<std::uint64_t>(of) * 4 + static_cast<std::uint64_t>(way)) * 1000 +
                    static_cast<std::uint64_t>(round) + i / 8 * 0xd6e8'feb8'6659'fd93u;
  x = (x ^ x >> 32) * 0x9e37'79b9'7f4a'7c15u;
  return static_cast<std::byte>(x >> (i % 8 * 8));
}

/// Messages in one direction: in `out_parts` parts of one length to a neighbour, which receives
/// `in_parts`.
template <class Stack>
struct way {
  std::vector<std::byte> out;
  std::vector<std::byte> in;
  mpx::request<Stack> send;
  mpx::request<Stack> receive;
};

template <class Stack>
void round_the_ring(const mpx::communicator<Stack>& world, std::size_t bytes, std::size_t out_parts,
                    std::size_t in_parts, int rounds) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t me = world.rank();
  std::array<way<Stack>, 2> ways;
  for (int w = 0; w < 2; ++w) {
    way<Stack>& it = ways[static_cast<std::size_t>(w)];
    it.out.resize(bytes);
    it.in.resize(bytes);
    const mpx::rank_t to = (me + (w == 0 ? 1 : n - 1)) % n;
    const mpx::rank_t from = (me + (w == 0 ? n - 1 : 1)) % n;
    it.send = mpx::psend_init(world, it.out, out_parts, to, w);
    it.receive = mpx::precv_init(world, it.in, in_parts, from, w);
  }
  for (int round = 0; round < rounds; ++round) {
    for (way<Stack>& it : ways) {
      it.receive.start();
      it.send.start();
    }
    const auto make_part = [&](int w, std::size_t i) {
      way<Stack>& it = ways[static_cast<std::size_t>(w)];
      const std::size_t part = bytes / out_parts;
      for (std::size_t k = i * part; k < (i + 1) * part; ++k) it.out[k] = byte_of(me, w, round, k);
    };
    std::atomic<int> wrong = 0;
    std::vector<std::thread> team;
    for (std::size_t t = 0; t < threads; ++t)
      team.emplace_back([&, t] {
        // Each thread makes every third part, the last first; then it looks at every third one.
        for (int w = 0; w < 2; ++w) {
          way<Stack>& it = ways[static_cast<std::size_t>(w)];
          if (round % 3 == 0) {
            for (std::size_t i = out_parts; i-- > 0;)
              if (i % threads == t) make_part(w, i), mpx::pready(it.send, i);
          } else if (round % 3 == 1) {  // A range of its own.
            const std::size_t first = out_parts * t / threads;
            const std::size_t end = out_parts * (t + 1) / threads;
            for (std::size_t i = first; i < end; ++i) make_part(w, i);
            if (first < end) mpx::pready_range(it.send, first, end - 1);
          } else {
            std::vector<std::size_t> mine;
            for (std::size_t i = t; i < out_parts; i += threads) make_part(w, i), mine.push_back(i);
            mpx::pready_list(it.send, mine);
          }
        }
        // Messages beside them, of this thread and its like in the next process.
        const auto tag = static_cast<mpx::tag_t>(10 + t);
        int x = 0;
        world.sendrecv(me, (me + 1) % n, tag, x, (me + n - 1) % n, tag);
        wrong += x != (me + n - 1) % n;
        for (int w = 0; w < 2; ++w) {
          way<Stack>& it = ways[static_cast<std::size_t>(w)];
          const mpx::rank_t from = (me + (w == 0 ? n - 1 : 1)) % n;
          const std::size_t part = bytes / in_parts;
          for (std::size_t i = t; i < in_parts; i += threads) {
            while (!mpx::parrived(it.receive, i)) std::this_thread::yield();
            for (std::size_t k = i * part; k < (i + 1) * part; ++k)
              wrong += it.in[k] != byte_of(from, w, round, k);
          }
        }
      });
    for (std::thread& t : team) t.join();
    for (way<Stack>& it : ways) {
      it.send.wait();
      check(it.receive.wait().bytes() == bytes, "how long it is");
    }
    check(wrong == 0, "received data");
  }
}

template <class Stack>
void run(const mpx::communicator<Stack>& world) {
  round_the_ring(world, 0, 4, 2, 3);
  round_the_ring(world, 24, 12, 6, 12);
  round_the_ring(world, 12 * 1000, 12, 4, 12);
  round_the_ring(world, 12 * 30'000, 6, 12, 3);
  round_the_ring(world, 3 * 400'000, 3, 1, 2);
  auto other = world.dup();
  round_the_ring(other, 720, 5, 9, 9);
  check(world.allreduce(1, std::plus<>{}) == world.size(), "all are there");
  world.barrier();
  other.free();
}

}  // namespace partitioned
