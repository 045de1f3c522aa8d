// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// timeout: 240
// sanitizers: address
// Matching while memory is out: a matcher does not fail; its tables stay as they are.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include "matching/comparison.hpp"
#include "matching/contract.hpp"

namespace {

using mpx::matching::hashed;
using scarce::memory;
using scarce::refusing;
using namespace matching_contract;

constexpr std::uint64_t tables = 2;  // Of a matcher: allocations of its constructor.

/// A matcher whose tables keep their initial size.
struct granted_first {
  granted_first() { memory().first = scarce::never; }
};
struct stunted : granted_first, hashed {
  stunted() { memory().first = 0; }
};

TEST_CASE("hashed: the contract, while its tables cannot grow") {
  const std::int64_t held = memory().held;
  {
    const refusing growth(scarce::never);
    check_all<stunted>();
    CHECK(memory().refused > 10);
  }
  CHECK(memory().held == held);
}

TEST_CASE("hashed: growth that failed is tried again when the load has doubled, not before") {
  hashed m;
  std::vector<std::unique_ptr<receive>> receives;
  const auto post = [&](int n) {
    while (static_cast<int>(receives.size()) < n) {
      receives.push_back(
          std::make_unique<receive>(pattern{0, 1, static_cast<mpx::tag_t>(receives.size())}));
      m.post(*receives.back());
    }
    // Posted receives are hashed when one has to be found among many.
    CHECK(m.match_arrival({0, 1, 1 << 20}) == nullptr);
  };
  {
    const refusing all;
    post(3000);
    CHECK(memory().asked == 8);  // At 17, 33, ... 2049.
    for (int i = 2999; i >= 2048; --i) m.cancel(*receives[static_cast<std::size_t>(i)]);
    receives.resize(2048);
    post(3000);
    CHECK(memory().asked == 8);
  }
  {
    const auto count = scarce::counting();
    post(4096);
    CHECK(memory().asked == 0);
    post(8192);
    CHECK(memory().asked == 1);
  }
  for (std::size_t i = receives.size(); i-- > 0;)
    REQUIRE(m.match_arrival({0, 1, static_cast<mpx::tag_t>(i)}) == receives[i].get());
  CHECK(m.nothing_posted());
}

TEST_CASE("hashed: matches as the list matcher while half of all growth fails") {
  using namespace matching_comparison;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const traffic& t :
         {traffic{"long queues", 20'000, 2, 40, 2000, 2, 5000},
          traffic{"many keys", 50'000, 4, 50, 1000, 5, 400},
          traffic{"posted past waiting messages", 50'000, 2, 3, 4, 30, 200, false}}) {
      CAPTURE(t.what);
      CAPTURE(seed);
      comparison c(t, seed * 0x9e37'79b9'7f4a'7c15u);
      const refusing some(scarce::never, scarce::never, 2);
      CHECK(c.run() == "");
    }
  }
}

TEST_CASE("hashed: without memory for its first tables there is none") {
  for (std::uint64_t which = 0; which < tables; ++which) {
    const std::int64_t held = memory().held;
    const refusing one(which, which);
    try {
      const hashed m;
      FAIL_CHECK("no error");
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::no_resources);
    }
    CHECK(memory().held == held);
  }
}

}  // namespace
