// SPDX-License-Identifier: BSL-1.0
// compilers: both
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mpx/core/plain_array.hpp>
#include <utility>
#include <vector>

namespace {

struct pair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};
struct marked {
  std::uint32_t value = 7;
};

/// Pages of `a` that are there.
template <class T>
std::size_t pages_of(mpx::plain_array<T>& a) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> there((a.size() * sizeof(T) + page - 1) / page);
  REQUIRE(::mincore(a.begin(), a.size() * sizeof(T), there.data()) == 0);
  std::size_t n = 0;
  for (const unsigned char t : there) n += t & 1u;
  return n;
}

}  // namespace

TEST_CASE_TEMPLATE("plain_array: n elements as T{} makes them", T, pair, marked) {
  for (const std::size_t n : {0u, 1u, 1000u, 100'000u}) {
    CAPTURE(n);
    mpx::plain_array<T> a(n);
    CHECK(a.size() == n);
    const mpx::plain_array<T> moved = std::move(a);
    std::size_t wrong = 0;
    for (const T& element : moved) {
      if constexpr (std::is_same_v<T, pair>) {
        wrong += element.first != 0 || element.second != 0;
      } else {
        wrong += element.value != 7;
      }
    }
    CHECK(wrong == 0);
    CHECK(moved.size() == n);
  }
}

TEST_CASE_TEMPLATE("plain_array: a table grows, and keeps what it has", T, pair, marked) {
  mpx::plain_array<T> a(3);
  std::memset(static_cast<void*>(a.begin()), 0x11, 3 * sizeof(T));
  for (const std::size_t n : {2u, 3u, 4u, 9u, 1000u, 1001u, 100'000u}) {
    CAPTURE(n);
    REQUIRE(a.try_extend(n));
    CHECK(a.size() == (n < 3 ? 3 : n));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T fresh{};
      const T& is = a[i];
      if (i < 3) {
        std::uint32_t first = 0;
        std::memcpy(&first, &is, sizeof first);
        wrong += first != 0x1111'1111;
      } else {
        wrong += std::memcmp(&is, &fresh, sizeof is) != 0;
      }
    }
    CHECK(wrong == 0);
  }
  for (int i = 0; i < 10; ++i) a.pop_back();
  a.push_back(a[0]);
  REQUIRE(a.try_extend(100'000));  // Removed elements do not come back.
  const T fresh{};
  CHECK(std::memcmp(&a[99'990], &a[0], sizeof(T)) == 0);
  for (std::size_t i = 99'991; i < 100'000; ++i) CHECK(std::memcmp(&a[i], &fresh, sizeof(T)) == 0);
  CHECK(!a.try_extend(~std::size_t{0} / 2));
  CHECK(a.size() == 100'000);
}

TEST_CASE("plain_array: a table that grows takes memory where it is written") {
  mpx::plain_array<pair> a(4);
  REQUIRE(a.try_extend(1'000'000));
  CHECK(pages_of(a) <= 1);
  a[500'000].second = 3;
  REQUIRE(a.try_extend(3'000'000));
  CHECK(pages_of(a) == 1);
  CHECK(a[500'000].second == 3);
}

TEST_CASE("plain_array: a table of zero bytes takes memory where it is written") {
  mpx::plain_array<pair> a(1'000'000);
  CHECK(pages_of(a) == 0);
  a[500'000].second = 3;
  CHECK(pages_of(a) == 1);
}

TEST_CASE("plain_array: a table grows") {
  for (const std::size_t n : {3u, 10'000u}) {
    mpx::plain_array<std::uint32_t> a(n);
    a[1] = 5;
    for (std::uint32_t i = 0; i < n; ++i) a.push_back(i);
    REQUIRE(a.size() == 2 * n);
    CHECK(a[1] == 5);
    CHECK(a[2] == 0);
    CHECK(a[n] == 0);
    CHECK(a[2 * n - 1] == n - 1);
    a.erase(0);
    CHECK(a[0] == 5);
    mpx::plain_array<std::uint32_t> other(20'000);
    other = std::move(a);
    CHECK(other[0] == 5);
    CHECK(other.size() == 2 * n - 1);
  }
}

TEST_CASE("owning_table: frees its objects, and nothing else") {
  static int alive = 0;
  struct counted {
    counted() { ++alive; }
    ~counted() { --alive; }
  };
  {
    mpx::owning_table<counted> t(5000);
    CHECK(t[4999] == nullptr);
    t.put(17, new counted());
    t.add(new counted());
    CHECK(t.size() == 5001);
    CHECK(t[17] != nullptr);
    CHECK(alive == 2);
  }
  CHECK(alive == 0);
}
