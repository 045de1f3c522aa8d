// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <mpx/core/offset_allocator.hpp>
#include <random>

namespace {

using mpx::offset_allocator;

constexpr std::uint64_t rounded(std::uint64_t bytes) {
  return bytes == 0 ? 64 : (bytes + 63) / 64 * 64;
}

/// Allocated pieces by offset; checks that a new piece overlaps no other.
class model {
 public:
  explicit model(std::uint64_t capacity) : capacity_(capacity) {}

  bool take(std::uint64_t at, std::uint64_t size) {
    if (at > capacity_ || size > capacity_ - at) return false;
    const auto after = pieces_.lower_bound(at);
    if (after != pieces_.end() && after->first < at + size) return false;
    if (after != pieces_.begin() && std::prev(after)->first + std::prev(after)->second > at)
      return false;
    pieces_.emplace(at, size);
    return true;
  }
  bool has_room(std::uint64_t size, std::uint64_t alignment) const {
    std::uint64_t from = 0;
    for (const auto& [at, bytes] : pieces_) {
      if (fits(from, at, size, alignment)) return true;
      from = at + bytes;
    }
    return fits(from, capacity_, size, alignment);
  }
  std::map<std::uint64_t, std::uint64_t>& pieces() { return pieces_; }

 private:
  static bool fits(std::uint64_t from, std::uint64_t to, std::uint64_t size,
                   std::uint64_t alignment) {
    const std::uint64_t at = (from + alignment - 1) / alignment * alignment;
    return at <= to && size <= to - at;
  }

  std::uint64_t capacity_;
  std::map<std::uint64_t, std::uint64_t> pieces_;
};

TEST_CASE("offset_allocator: random work against a model") {
  constexpr std::uint64_t capacity = 1 << 16;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    offset_allocator allocator(capacity);
    model known(capacity);
    int wrong = 0;
    int refused = 0;
    for (int step = 0; step < 5000; ++step) {
      if (random() % 100 < 55 || known.pieces().empty()) {
        const std::uint64_t bytes = random() % (random() % 8 == 0 ? 8192 : 600);
        const std::uint64_t alignment = std::uint64_t{1} << random() % 13;
        const auto at = allocator.allocate(bytes, alignment);
        const std::uint64_t real = alignment < 64 ? 64 : alignment;
        if (at == offset_allocator::none) {
          ++refused;
          wrong += known.has_room(rounded(bytes), real) ? 1 : 0;
        } else {
          wrong += at % real != 0 || !known.take(at, rounded(bytes)) ? 1 : 0;
        }
      } else {
        auto victim = known.pieces().begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(random() % known.pieces().size()));
        wrong += allocator.deallocate(victim->first) ? 0 : 1;
        known.pieces().erase(victim);
      }
      wrong += allocator.empty() == known.pieces().empty() ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(refused > 0);  // The limit was reached.
    for (const auto& [at, size] : known.pieces()) CHECK(allocator.deallocate(at));
    CHECK(allocator.empty());
    CHECK(allocator.allocate(capacity, 64) == 0);  // All holes have become one again.
  }
}

TEST_CASE("offset_allocator: a piece that it did not allocate cannot be freed") {
  offset_allocator allocator(4096);
  const auto a = allocator.allocate(100, 64);
  REQUIRE(a != offset_allocator::none);
  CHECK_FALSE(allocator.deallocate(a + 64));
  CHECK_FALSE(allocator.deallocate(4096));
  CHECK_FALSE(allocator.deallocate(~std::uint64_t{0}));
  CHECK(allocator.deallocate(a));
  CHECK_FALSE(allocator.deallocate(a));
}

TEST_CASE("offset_allocator: limits") {
  offset_allocator allocator(4096);
  CHECK(allocator.allocate(4097, 1) == offset_allocator::none);
  CHECK(allocator.allocate(~std::uint64_t{0}, 64) == offset_allocator::none);
  CHECK(allocator.allocate(~std::uint64_t{0} - 62, 64) == offset_allocator::none);
  const auto whole = allocator.allocate(4096, 4096);
  CHECK(whole == 0);
  CHECK(allocator.allocate(0, 1) == offset_allocator::none);
  CHECK(allocator.deallocate(0));
  CHECK(allocator.allocate(0, 1) == 0);
  CHECK(allocator.allocate(0, 1) == 64);
  CHECK(allocator.allocate(1, 2048) == 2048);
  CHECK(allocator.allocate(1, 8192) == offset_allocator::none);
}

TEST_CASE("offset_allocator: neighbours coalesce in any order") {
  for (const auto& order : {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 0, 2},
                            std::array{1, 2, 0}, std::array{2, 0, 1}, std::array{2, 1, 0}}) {
    offset_allocator allocator(3 * 64);
    for (int i = 0; i < 3; ++i) REQUIRE(allocator.allocate(64, 64) == std::uint64_t(i) * 64);
    for (const int i : order) CHECK(allocator.deallocate(std::uint64_t(i) * 64));
    CHECK(allocator.allocate(3 * 64, 64) == 0);
  }
}

}  // namespace
