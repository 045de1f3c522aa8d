// SPDX-License-Identifier: BSL-1.0
#pragma once
// Messages between layouts that are drawn from a seed, in all modes and forms: what arrives, and
// that nothing else is touched, is checked against the lists of their bytes.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <vector>

#include "datatype/type_maps.hpp"

namespace transfers {

using type_maps::drawn;
using type_maps::generator;

/// Elements of a datatype, and the memory that they lie in.
struct spread {
  drawn what;
  std::int64_t count = 0;
  std::vector<std::int64_t> at;  // Offsets of the bytes.
  std::int64_t low = 0;
  std::size_t room = 0;

  std::vector<std::byte> memory(std::byte with) const { return std::vector(room, with); }
  auto in(std::vector<std::byte>& m) const { return mpx::buffer(m.data() - low, count, what.type); }
};

/// At least `bytes` of data that do not overlap.
inline spread draw(generator& random, std::size_t bytes) {
  spread s;
  do {
    s.what = random.draw(static_cast<int>(random.between(1, 3)), 500);
    const std::int64_t size = s.what.map.size();
    s.count = size == 0 ? 0 : (static_cast<std::int64_t>(bytes) + size - 1) / size;
    // Elements of long messages do not lie among each other: to look through them takes long.
  } while (s.count == 0 || !s.what.type.description()->is_disjoint(s.count < 8 ? s.count : 8) ||
           (s.count >= 8 && std::abs(s.what.type.extent()) < s.what.type.true_extent()) ||
           std::abs(s.what.type.extent()) > 20 * s.what.map.size());
  s.at = s.what.map.bytes(s.count);
  const auto [low, high] = std::minmax_element(s.at.begin(), s.at.end());
  s.low = *low;
  s.room = static_cast<std::size_t>(*high - *low + 1);
  return s;
}

inline std::byte data_of(std::uint64_t seed, std::size_t i) noexcept {
  return static_cast<std::byte>((i + seed) * 0x9e37'79b9u >> 13);
}

/// One message from rank 0 to rank 1; both draw both layouts.
template <class World>
void exchange(World& world, std::uint64_t seed, std::size_t bytes) {
  constexpr mpx::tag_t tag = 3;
  generator random(seed);
  const spread out = draw(random, bytes);
  const std::size_t n = out.at.size();
  const std::int64_t into = random.between(0, 2);
  const spread in = draw(random, n + static_cast<std::size_t>(random.between(0, 40)));
  const std::int64_t form = random.between(0, 4);
  const std::int64_t other_form = random.between(0, 3);
  CAPTURE(seed);
  CAPTURE(n);
  if (world.rank() == 0) {
    auto memory = out.memory(std::byte{0x11});
    for (std::size_t i = 0; i < n; ++i)
      memory[static_cast<std::size_t>(out.at[i] - out.low)] = data_of(seed, i);
    const auto data = out.in(memory);
    switch (form) {
      case 0: world.send(data, 1, tag); break;
      case 1: world.isend(out.in(memory), 1, tag).wait(); break;
      case 2: world.ssend(data, 1, tag); break;
      case 3: {
        auto prepared = world.send_init(out.in(memory), 1, tag);
        prepared.start();
        prepared.wait();
        break;
      }
      default: {
        // The request goes, and the memory with it: the message does not.
        {
          const auto dropped = world.isend(data, 1, tag);
        }
        std::fill(memory.begin(), memory.end(), std::byte{0x22});
        break;
      }
    }
  } else if (world.rank() == 1 && into == 0) {  // In one piece.
    std::vector<std::byte> memory(n);
    CHECK(world.recv(memory, 0, tag).bytes() == n);
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right = right && memory[i] == data_of(seed, i);
    CHECK(right);
  } else if (world.rank() == 1) {
    auto memory = in.memory(std::byte{0xee});
    auto wanted = memory;
    mpx::status got;
    switch (other_form) {
      case 0: got = world.recv(in.in(memory), 0, tag); break;
      case 1: got = world.irecv(in.in(memory), 0, tag).wait(); break;
      case 2: got = world.mprobe(0, tag).recv(in.in(memory)); break;
      default: {
        auto prepared = world.recv_init(in.in(memory), 0, tag);
        prepared.start();
        got = prepared.wait();
        break;
      }
    }
    CHECK(got.bytes() == n);
    for (std::size_t i = 0; i < n; ++i)
      wanted[static_cast<std::size_t>(in.at[i] - in.low)] = data_of(seed, i);
    CHECK(memory == wanted);
  }
}

/// Messages of all sizes, `rounds` of each.
template <class World>
void exchange_all(World world, std::uint64_t seed, int rounds) {
  for (const std::size_t bytes : {1u, 8u, 33u, 41u, 200u, 3000u, 4090u, 5000u, 16'000u, 17'000u,
                                  40'000u, 70'000u, 300'000u}) {
    for (int i = 0; i < (bytes < 20'000 ? rounds : rounds / 4 + 1); ++i)
      exchange(world, ++seed, bytes);
  }
}

}  // namespace transfers
