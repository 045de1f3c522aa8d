// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <mpx/core/block_cache.hpp>
#include <random>
#include <utility>
#include <vector>

namespace {

using mpx::block_cache;

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

TEST_CASE("block_cache: blocks are aligned, apart, and counted") {
  block_cache cache;
  std::vector<std::pair<std::byte*, std::size_t>> held;
  std::size_t expected = 0;
  for (std::size_t bytes = 1; bytes <= 3000; bytes += 37) {
    auto* p = static_cast<std::byte*>(cache.take(bytes));
    REQUIRE(p != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 16 == 0);
    std::memset(p, static_cast<int>(bytes % 251), bytes);
    held.emplace_back(p, bytes);
    expected += rounded(bytes);
    CHECK(cache.in_use_bytes() == expected);
  }
  for (const auto& [p, bytes] : held) {
    CHECK(p[0] == static_cast<std::byte>(bytes % 251));
    CHECK(p[bytes - 1] == static_cast<std::byte>(bytes % 251));
    cache.give(p, bytes);
    expected -= rounded(bytes);
    CHECK(cache.in_use_bytes() == expected);
  }
  CHECK(cache.in_use_bytes() == 0);
}

TEST_CASE("block_cache: a freed small block is given to the next request of its class") {
  block_cache cache;
  for (const auto& [give, take] : {std::pair<std::size_t, std::size_t>{1, 64},
                                   {64, 1},
                                   {65, 128},
                                   {128, 100},
                                   {961, 1024},
                                   {1024, 1000}}) {
    void* p = cache.take(give);
    cache.give(p, give);
    void* again = cache.take(take);
    CHECK(again == p);
    cache.give(again, take);
  }
}

TEST_CASE("block_cache: a class of another size is not touched") {
  block_cache cache;
  void* small = cache.take(64);
  cache.give(small, 64);
  void* larger = cache.take(65);
  CHECK(larger != small);
  cache.give(larger, 65);
}

TEST_CASE("block_cache: the kept memory is bounded") {
  static_assert(block_cache::cached_bytes_max ==
                block_cache::class_bytes_max * block_cache::small_max / block_cache::step);
  // The cache keeps class_bytes_max / size blocks of a class: the first to be given come out again
  // in reverse order, those beyond the bound went to the system.
  block_cache cache;
  constexpr std::size_t size = 1024;
  constexpr std::size_t kept = block_cache::class_bytes_max / size;
  std::vector<void*> blocks(2 * kept);
  for (void*& p : blocks) p = cache.take(size);
  CHECK(cache.in_use_bytes() == blocks.size() * size);
  for (void* p : blocks) cache.give(p, size);
  CHECK(cache.in_use_bytes() == 0);
  std::size_t in_order = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    void* p = cache.take(size);
    in_order += p == blocks[kept - 1 - i] ? 1 : 0;
    blocks[kept - 1 - i] = p;
  }
  CHECK(in_order == kept);
  for (std::size_t i = 0; i < kept; ++i) cache.give(blocks[i], size);
}

TEST_CASE("block_cache: random work keeps contents") {
  std::mt19937_64 random(7);
  block_cache cache;
  struct block {
    std::byte* p;
    std::size_t bytes;
    int mark;
  };
  std::vector<block> held;
  int wrong = 0;
  for (int step = 0; step < 50'000; ++step) {
    if (held.size() < 200 && random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % 1500;
      const int mark = static_cast<int>(random() % 256);
      auto* p = static_cast<std::byte*>(cache.take(bytes));
      std::memset(p, mark, bytes);
      held.push_back({p, bytes, mark});
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      const block b = held.back();
      held.pop_back();
      wrong += b.p[0] != std::byte(b.mark) || b.p[b.bytes - 1] != std::byte(b.mark) ? 1 : 0;
      cache.give(b.p, b.bytes);
    }
  }
  CHECK(wrong == 0);
  for (const block& b : held) cache.give(b.p, b.bytes);
  CHECK(cache.in_use_bytes() == 0);
}

}  // namespace
