// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: address
// Containers of mpx when memory is out: errc::no_resources, or false, and no change.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mpx/core/aligned.hpp>
#include <mpx/core/block_cache.hpp>
#include <mpx/core/offset_allocator.hpp>
#include <mpx/core/plain_array.hpp>
#include <new>
#include <ostream>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "standard.hpp"

// Weak: ThreadSanitizer has its own, and there the memory of std is never out.
[[gnu::weak]] void* operator new(std::size_t bytes) {
  void* p = standard::grant() ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::weak]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::weak]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using scarce::memory;
using scarce::refusing;

void check_refused(const std::function<void()>& call) {
  const std::int64_t held = memory().held;
  {
    const refusing all;
    try {
      call();
      FAIL_CHECK("no error");
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::no_resources);
    }
  }
  CHECK(memory().held == held);
}

struct object : mpx::detail::allocated {
  explicit object(int n = 0) noexcept : value(n) { ++alive; }
  object(const object&) = delete;
  object& operator=(const object&) = delete;
  ~object() { --alive; }
  int value;
  static inline int alive = 0;
};

}  // namespace

TEST_CASE("memory: the error that memory is out needs no memory") {
  mpx::detail::out_of_memory();
  std::error_code code;
  std::size_t length = 0;
  standard::refuse(0);
  try {
    mpx::detail::throw_out_of_memory();
  } catch (const mpx::error& e) {
    code = e.code();
    length = std::string_view(e.what()).size();
  } catch (...) {
  }
  standard::stop();
  CHECK(code == mpx::errc::no_resources);
  CHECK(length > 40);
}

TEST_CASE("memory: a size that cannot be represented is the same error") {
  mpx::detail::out_of_memory();
  std::error_code code;
  standard::refuse(0);
  try {
    mpx::detail::free_aligned(mpx::detail::allocate_aligned(~std::size_t{0}, 64));
  } catch (const mpx::error& e) {
    code = e.code();
  } catch (...) {
  }
  standard::stop();
  CHECK(code == mpx::errc::no_resources);
}

TEST_CASE("plain_array: without memory nothing changes") {
  check_refused([] { mpx::plain_array<int> a(10); });
  check_refused([] { mpx::plain_array<int> a(10'000); });
  check_refused([] { mpx::plain_array<int>().push_back(1); });
  check_refused([] { mpx::plain_array<int>().reserve(1); });
  for (const std::size_t made : {std::size_t{0}, std::size_t{5}, std::size_t{5000}}) {
    CAPTURE(made);
    mpx::plain_array<int> a(made);
    for (int i = 0; i < 8; ++i) a.push_back(i);
    const std::size_t size = a.size();
    {
      const refusing all;
      std::size_t room = 0;
      while (a.try_push_back(7)) ++room;
      CHECK(a.size() == size + room);
      CHECK_THROWS_AS(a.push_back(9), mpx::error);
      CHECK_THROWS_AS(a.insert(0, 9), mpx::error);
      CHECK(!a.try_reserve(a.size() + 1));
      CHECK(a.size() == size + room);
      for (int i = 0; i < 8; ++i) CHECK(a[made + static_cast<std::size_t>(i)] == i);
    }
    CHECK(a.try_push_back(11));
    CHECK(a[a.size() - 1] == 11);
  }
}

TEST_CASE("plain_array: reserved capacity is available") {
  mpx::plain_array<int> a;
  REQUIRE(a.try_reserve(100));
  const refusing all;
  for (int i = 0; i < 100; ++i) a.push_back(i);
  CHECK(memory().asked == 0);
  CHECK(a[99] == 99);
  CHECK(!a.try_reserve(~std::size_t{0}));
  CHECK(memory().asked == 0);  // More than there are addresses: not even asked for.
}

TEST_CASE("plain_array: reserving one by one costs a logarithm of allocations") {
  const auto count = scarce::counting();
  mpx::plain_array<int> a;
  for (std::size_t n = 1; n <= 4096; ++n) REQUIRE(a.try_reserve(n));
  CHECK(memory().asked <= 10);
}

TEST_CASE("scratch: for any alignment, or an error") {
  struct alignas(64) wide {
    int value;
  };
  for (const std::size_t n : {0u, 1u, 1000u}) {
    const mpx::scratch<wide> a(n);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    const mpx::scratch_bytes b(n);
    CHECK(b.data() != nullptr);
    check_refused([n] { const mpx::scratch<wide> none(n); });
    check_refused([n] { const mpx::scratch_bytes none(n); });
  }
  CHECK_THROWS_AS(mpx::scratch<wide>(~std::size_t{0}), mpx::error);
  CHECK_THROWS_AS(mpx::scratch<int>(~std::size_t{0}), mpx::error);
}

TEST_CASE("owning_table: an object that cannot be added is deleted") {
  check_refused([] { mpx::owning_table<object> t(10); });
  check_refused([] { mpx::owning_table<object>().add(new object(1)); });
  mpx::owning_table<object> t;
  for (int i = 0; i < 8; ++i) t.add(new object(i));
  {
    const refusing second(1);
    CHECK_THROWS_AS(t.add(new object(8)), mpx::error);
    CHECK(t.try_add(new (std::nothrow) object(9)) == nullptr);
  }
  CHECK(object::alive == 8);
  CHECK(t.size() == 8);
  CHECK(t[7]->value == 7);
  const object* added = t.try_add(new (std::nothrow) object(9));
  REQUIRE(added != nullptr);
  CHECK(t[8] == added);
}

TEST_CASE("aligned and block_cache: without memory") {
  check_refused([] { mpx::detail::allocate_aligned(100, 256); });
  mpx::block_cache cache;
  void* kept = cache.take(100);
  cache.give(kept, 100);
  const refusing all;
  CHECK(cache.take(1000) == nullptr);
  CHECK(cache.take(100'000) == nullptr);
  CHECK(cache.in_use_bytes() == 0);
  CHECK(cache.take(100) == kept);
  cache.give(kept, 100);
}

TEST_CASE("offset_allocator: giving back needs no memory, taking changes nothing without") {
  check_refused([] { mpx::offset_allocator a(4096); });
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    mpx::offset_allocator a(1 << 20);
    std::vector<std::uint64_t> taken;
    for (int step = 0; step < 2000; ++step) {
      if (random() % 5 < 3) {
        const refusing some(random() % 8 == 0 ? 0 : scarce::never);
        try {
          const std::uint64_t alignment = std::uint64_t{64} << random() % 4;
          const std::uint64_t at = a.allocate(1 + random() % 300, alignment);
          if (at != mpx::offset_allocator::none) taken.push_back(at);
        } catch (const mpx::error& e) {
          CHECK(e.code() == mpx::errc::no_resources);
        }
      } else if (!taken.empty()) {
        std::swap(taken[random() % taken.size()], taken.back());
        const refusing all;
        CHECK(a.deallocate(taken.back()));
        CHECK(memory().asked == 0);
        taken.pop_back();
      }
    }
    const refusing all;
    for (const std::uint64_t at : taken) CHECK(a.deallocate(at));
    CHECK(a.empty());
    CHECK(a.allocate(1 << 20, 64) == std::uint64_t{0});  // One hole again.
  }
}
