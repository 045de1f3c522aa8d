// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
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

TEST_CASE("owning_table: frees what it holds, and nothing else") {
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
