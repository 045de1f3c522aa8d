// SPDX-License-Identifier: BSL-1.0
// release: dev
// timeout: 240
// sanitizers: address
// compilers: both
// The other matchers give what the list matcher gives.

#include <doctest/doctest.h>

#include <algorithm>

#include <mpx/matching/portals.hpp>

#include "comparison.hpp"

namespace {

using namespace matching_comparison;

constexpr traffic kinds[] = {
    {"few keys", 250'000, 2, 3, 4, 30, 200},
    {"one key", 100'000, 1, 1, 1, 50, 100},
    {"exact only", 150'000, 3, 8, 50, 0, 400},
    {"wildcards only", 150'000, 3, 8, 50, 100, 200},
    {"many keys", 200'000, 4, 50, 1000, 5, 400},
    {"many sources", 150'000, 2, 4000, 3, 20, 300},
    {"long queues", 60'000, 2, 40, 2000, 2, 5000},
    {"long queues with wildcards", 30'000, 2, 40, 2000, 20, 3000},
    {"posted past waiting messages", 150'000, 2, 3, 4, 30, 200, false},
    {"backwards", 150'000, 1, 3, 2000, 0, 60, true, 85},
    {"backwards with wildcards", 100'000, 1, 3, 2000, 2, 60, true, 90},
    {"now and then backwards", 100'000, 1, 2, 2000, 0, 60, true, 30},
};

TEST_CASE("matching: hashed matches as the list matcher, over a million operations") {
  std::uint64_t total = 0;
  for (const traffic& t : kinds) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      CAPTURE(t.what);
      CAPTURE(seed);
      traffic half = t;
      half.operations /= 2;
      comparison c(half, seed * 0x9e37'79b9'7f4a'7c15u);
      CHECK(c.run() == "");
      // The traffic is what it says: queues fill up.
      if (slowdown == 1) CHECK(c.longest() >= std::min<std::size_t>(t.queue_max / 2, 1000));
      total += c.operations();
    }
  }
  CHECK(total >= 1'000'000 / slowdown);
}

TEST_CASE("matching: portals match as the list matcher") {
  for (const traffic& t : kinds) {
    if (t.queue_max > 400) continue;  // It searches as the list does.
    CAPTURE(t.what);
    traffic part = t;
    part.operations /= 4;
    comparison_of<mpx::matching::portals> c(part, 0x1234'5678'9abc'def1u);
    CHECK(c.run() == "");
  }
}

}  // namespace
