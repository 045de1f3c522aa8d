// SPDX-License-Identifier: BSL-1.0
// release: dev
// compilers: both

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <mpx/transport/detail/line_ring.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using mpx::frame_header;
using namespace mpx::transport::detail;

static_assert(sizeof(line) == 64 && alignof(line) == 64);
static_assert(sizeof(pool_reference) == 8);
static_assert(ring_geometry{4, 4096}.bytes() == sizeof(ring_control) + 4 * 64 + 4096);
static_assert(ring_geometry{4, 4096}.packet_bytes_max() == 1024);

/// Zeroed memory with a ring in it, and both its ends.
class both_ends {
 public:
  explicit both_ends(ring_geometry g)
      : memory_(new(std::align_val_t{64}) std::byte[g.bytes()]()),
        producer(memory_.get(), g),
        consumer(memory_.get(), g, /*claims_lines*/ true) {}

 private:
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], release> memory_;

 public:
  ring_producer producer;
  ring_consumer consumer;
};

frame_header numbered_header(std::uint32_t i) { return {{i, i + 1, i + 2, i + 3, ~i}}; }

std::vector<std::byte> payload_of(std::uint32_t i, std::size_t bytes) {
  std::vector<std::byte> p(bytes);
  for (std::size_t k = 0; k < bytes; ++k) p[k] = static_cast<std::byte>(i * 7 + k * 13);
  return p;
}

bool put(ring_producer& p, std::uint32_t i, std::size_t bytes) {
  const auto data = payload_of(i, bytes);
  return p.put(numbered_header(i), data.data(), bytes);
}

/// Takes the waiting packet; says whether it is the one of that number and size.
bool take(ring_consumer& c, std::uint32_t i, std::size_t bytes) {
  const frame_header wanted = numbered_header(i);
  bool right = std::memcmp(&c.header(), &wanted, sizeof wanted) == 0;
  const std::uint32_t code = c.code();
  const auto data = payload_of(i, bytes);
  if (code <= line_data_bytes) {
    right =
        right && code == bytes && (bytes == 0 || std::memcmp(c.data(), data.data(), bytes) == 0);
  } else {
    const pooled_view view = c.pooled(code);
    right = right && !view.malformed && view.payload.size() == bytes &&
            std::memcmp(view.payload.data(), data.data(), bytes) == 0;
    c.give_back_pool(view);
  }
  c.pop();
  return right;
}

TEST_CASE("line_ring: zeroed memory is an empty ring") {
  both_ends r({4, 4096});
  CHECK(!r.consumer.ready());
  CHECK(r.producer.has_space());
}

TEST_CASE("line_ring: it holds as many packets as lines, lap after lap") {
  for (const std::uint32_t lines : {4u, 8u, 64u}) {
    CAPTURE(lines);
    both_ends r({lines, 4096});
    std::uint32_t in = 0;
    std::uint32_t out = 0;
    int wrong = 0;
    for (std::uint32_t lap = 0; lap < 1000; ++lap) {
      for (std::uint32_t i = 0; i < lines; ++i, ++in) wrong += put(r.producer, in, in % 41) ? 0 : 1;
      wrong += put(r.producer, in, 0) ? 1 : 0;
      wrong += r.producer.has_space() ? 1 : 0;
      const std::uint32_t some = lap % lines + 1;
      for (std::uint32_t i = 0; i < some; ++i, ++out)
        wrong += r.consumer.ready() && take(r.consumer, out, out % 41) ? 0 : 1;
      wrong += r.producer.has_space() ? 0 : 1;
      for (std::uint32_t i = 0; i < some; ++i, ++in) wrong += put(r.producer, in, in % 41) ? 0 : 1;
      for (; out != in; ++out)
        wrong += r.consumer.ready() && take(r.consumer, out, out % 41) ? 0 : 1;
      wrong += r.consumer.ready() ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

#if defined(MPX_TEST_SANITIZED) || defined(MPX_TEST_EMULATED)
constexpr bool takes_minutes = true;
#else
constexpr bool takes_minutes = false;
#endif

TEST_CASE("line_ring: marks wrap around" * doctest::skip(takes_minutes)) {
  both_ends r({4, 4096});
  int wrong = 0;
  // A mark holds 24 bits of lap.
  for (std::uint32_t i = 0; i < (1u << 26) + 100; ++i) {
    if (i == 16) i = (1u << 26) - 64;
    if (i == (1u << 26) - 64) {
      // Getting there one by one takes a while: only the neighbourhood is compared in full.
      for (std::uint32_t k = 16; k < i; ++k) {
        const frame_header h{};
        wrong += r.producer.put_inline(h, nullptr, 0) ? 0 : 1;
        wrong += r.consumer.code() == 0 ? 0 : 1;
        r.consumer.pop();
      }
    }
    wrong += put(r.producer, i, 8) ? 0 : 1;
    wrong += r.consumer.ready() && take(r.consumer, i, 8) ? 0 : 1;
    wrong += r.consumer.ready() ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("line_ring: the pool holds a payload of any allowed size, wherever its tail stands") {
  constexpr ring_geometry g{64, 4096};
  for (std::size_t step = 41; step <= g.packet_bytes_max(); step += 61) {
    both_ends r(g);
    int wrong = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const std::size_t bytes = i % 2 == 0 ? step : g.packet_bytes_max();
      wrong += put(r.producer, i, bytes) && take(r.consumer, i, bytes) ? 0 : 1;
    }
    CAPTURE(step);
    CHECK(wrong == 0);
  }
}

TEST_CASE("line_ring: a full pool refuses, and reports room later") {
  both_ends r({64, 4096});
  std::uint32_t in = 0;
  while (put(r.producer, in, 1024)) ++in;
  CHECK(in == 4);
  CHECK(!r.producer.has_space());
  CHECK(put(r.producer, in, 40));  // Lines are there still.
  CHECK(!put(r.producer, in + 1, 64));
  CHECK(!r.producer.has_space());
  CHECK(take(r.consumer, 0, 1024));
  CHECK(r.producer.has_space());
  CHECK(put(r.producer, in + 1, 64));
  for (std::uint32_t i = 1; i < 4; ++i) CHECK(take(r.consumer, i, 1024));
  CHECK(take(r.consumer, 4, 40));
  CHECK(take(r.consumer, 5, 64));
  CHECK(!r.consumer.ready());
}

TEST_CASE("line_ring: a refused packet was not written") {
  both_ends r({4, 4096});
  for (std::uint32_t i = 0; i < 4; ++i) REQUIRE(put(r.producer, i, 40));
  for (int again = 0; again < 3; ++again) {
    CHECK(!put(r.producer, 99, 40));
    CHECK(!put(r.producer, 99, 1000));
  }
  for (std::uint32_t i = 0; i < 4; ++i) CHECK(take(r.consumer, i, 40));
  CHECK(!r.consumer.ready());
}

TEST_CASE("line_ring: places and lengths that cannot be true are malformed") {
  constexpr std::uint32_t pool = 4096;
  struct claim {
    std::uint32_t code;
    pool_reference at;
    bool good;
  };
  const claim claims[] = {{code_pooled, {0, pool}, true},
                          {code_pooled, {0, 0}, true},
                          {code_pooled, {0, 1}, true},
                          {code_pooled, {64, 1}, false},  // Skipping usable space is malformed.
                          {code_pooled, {1, 64}, false},
                          {code_pooled, {pool, 0}, false},
                          {code_pooled, {pool, 1}, false},
                          {code_pooled, {pool + 1, 0}, false},
                          {code_pooled, {1, pool}, false},
                          {code_pooled, {0, pool + 1}, false},
                          {code_pooled, {0xffff'ffff, 2}, false},
                          {code_pooled, {0, 0xffff'ffff}, false},
                          {41, {0, 64}, false},
                          {0xfe, {0, 64}, false}};
  for (const claim& c : claims) {
    both_ends r({4, pool});
    std::array<std::byte, sizeof(pool_reference)> raw;
    std::memcpy(raw.data(), &c.at, sizeof c.at);
    REQUIRE(r.producer.put_inline(numbered_header(0), raw.data(), raw.size()));
    CAPTURE(c.at.offset);
    CAPTURE(c.at.bytes);
    CHECK(r.consumer.pooled(c.code).malformed == !c.good);
    if (c.good) CHECK(r.consumer.pooled(c.code).payload.size() == c.at.bytes);
  }
}

/// One thread at each end, packets of all sizes, many laps of lines and pool.
void stress(ring_geometry g, std::uint32_t count) {
  both_ends r(g);
  const auto size_of = [&g](std::uint32_t i) -> std::size_t {
    const std::uint32_t mixed = i * 2654435761u >> 8;
    return mixed % 4 != 0 ? mixed % 41 : mixed % (g.packet_bytes_max() + 1);
  };
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto late = [&] { return std::chrono::steady_clock::now() > limit; };
  std::jthread sender([&] {
    for (std::uint32_t i = 0; i < count && !late();) {
      if (put(r.producer, i, size_of(i))) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::uint32_t i = 0;
  int wrong = 0;
  while (i < count && !late()) {
    if (r.consumer.ready()) {
      wrong += take(r.consumer, i, size_of(i)) ? 0 : 1;
      ++i;
    } else {
      std::this_thread::yield();
    }
  }
  sender.join();
  CHECK(i == count);
  CHECK(wrong == 0);
  CHECK(!r.consumer.ready());
}

TEST_CASE("line_ring: a thread at each end") {
  constexpr std::uint32_t count = takes_minutes ? 20'000 : 100'000;
  stress({4, 4096}, count);
  stress({64, 4096}, count);
  stress({1024, 262'144}, count / 4);
}

}  // namespace
