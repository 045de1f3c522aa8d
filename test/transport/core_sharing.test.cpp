// SPDX-License-Identifier: BSL-1.0
// A rank that shares a core though there are enough of them leaves it: within its affinity, to a
// free core, and rarely, if that does not help.

#include <doctest/doctest.h>

#include <mpx/transport/detail/core_sharing.hpp>
#include <thread>
#include <vector>

namespace {

namespace platform = mpx::platform;
using mpx::transport::detail::core_sharing;
using platform::core_set;

/// The cores that this thread may run on, from 1.
std::vector<std::uint32_t> cores_of(const core_set& all) {
  std::vector<std::uint32_t> cores;
  for (int c = 0; c < core_set::cores_max; ++c)
    if (all.has(c)) cores.push_back(static_cast<std::uint32_t>(c) + 1);
  return cores;
}

}  // namespace

TEST_CASE("core sharing: it publishes its core, and moves to a free one") {
  std::thread([] {
    const std::vector<std::uint32_t> cores = cores_of(core_set::allowed());
    REQUIRE(!cores.empty());
    platform::atomic<std::uint32_t> own{0};
    core_sharing sharing(true);
    const std::uint32_t here = core_sharing::say(own);
    CHECK(own.load(platform::memory_order_relaxed) == here);
    const bool alone = cores.size() == 1;
    CHECK(sharing.leaves(own, core_sharing::bit_of(here)) == !alone);
    CHECK((own.load(platform::memory_order_relaxed) != here) == !alone);
    // It is bound to no core for that.
    CHECK(cores_of(core_set::allowed()) == cores);
    std::uint64_t all = 0;
    for (const std::uint32_t c : cores) all |= core_sharing::bit_of(c);
    const std::uint32_t there = own.load(platform::memory_order_relaxed);
    for (int i = 0; i < 1000; ++i) REQUIRE(!sharing.leaves(own, all));  // There is nowhere to go.
    CHECK(own.load(platform::memory_order_relaxed) == there);
  }).join();
}

TEST_CASE("core sharing: a rank that is moved back moves more and more rarely") {
  std::thread([] {
    if (core_set::allowed().count() < 2) return;
    platform::atomic<std::uint32_t> own{0};
    core_sharing sharing(true);
    int moves = 0;
    for (int look = 0; look < 5000; ++look) {
      const std::uint32_t here = core_sharing::say(own);
      moves += sharing.leaves(own, core_sharing::bit_of(here)) ? 1 : 0;
    }
    CHECK(moves > 4);  // After 0, 16, 32, 64, ...
    CHECK(moves < 10);
  }).join();
}

TEST_CASE("core sharing: a thread that is bound stays") {
  std::thread([] {
    platform::atomic<std::uint32_t> own{0};
    const std::uint32_t here = core_sharing::say(own);
    core_set one;
    one.add(static_cast<int>(here - 1));
    REQUIRE(one.bind());
    core_sharing sharing(true);
    CHECK(!sharing.leaves(own, core_sharing::bit_of(here)));
    CHECK(own.load(platform::memory_order_relaxed) == here);
    CHECK(core_set::allowed().count() == 1);
  }).join();
}

TEST_CASE("core sharing: a rank whose cores the user has chosen stays where it is") {
  std::thread([] {
    if (core_set::allowed().count() < 2) return;
    platform::atomic<std::uint32_t> own{0};
    core_sharing sharing(false);
    const std::uint32_t here = core_sharing::say(own);
    for (int look = 0; look < 100; ++look) CHECK(!sharing.leaves(own, core_sharing::bit_of(here)));
    CHECK(own.load(platform::memory_order_relaxed) == here);
  }).join();
}
