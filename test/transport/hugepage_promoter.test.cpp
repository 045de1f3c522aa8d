// SPDX-License-Identifier: BSL-1.0
// Requests for huge pages, with a scripted kernel.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <mpx/transport/detail/hugepage_promoter.hpp>

namespace {

using mpx::transport::detail::exposure_key;

/// Recorded requests, and their duration.
struct scripted {
  static inline std::int64_t now = 0;
  static inline std::int64_t takes_ns = 0;
  static inline std::int64_t asked_ns = 0;
  static inline std::int64_t page_ns = 0;  // To look one up; 0: that is not known.
  static inline unsigned lookups = 0;
  static inline bool on = true;
  static inline bool gives = true;
  static inline std::vector<std::uintptr_t> asked;

  static void reset(std::int64_t takes) {
    now = 0;
    asked_ns = 0;
    page_ns = 0;
    lookups = 0;
    takes_ns = takes;
    on = true;
    gives = true;
    asked.clear();
  }
  static bool allowed() noexcept { return on; }
  static bool collapse(std::uintptr_t at, std::size_t bytes) noexcept {
    CHECK(bytes == std::size_t{2} << 20);
    asked.push_back(at);
    now += takes_ns;
    asked_ns += takes_ns;
    return gives;
  }
  static std::int64_t lookup_ns(std::uintptr_t, std::size_t bytes) noexcept {
    // The first one finds caches cold.
    const std::int64_t ns =
        page_ns * static_cast<std::int64_t>(bytes / 4096) * (lookups == 0 ? 5 : 1);
    ++lookups;
    now += ns;
    return ns;
  }
  static std::int64_t now_ns() noexcept { return now; }
};

using hugepage_promoter = mpx::transport::detail::hugepage_promoter<scripted>;
constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::uintptr_t region = 2 * mib;
constexpr std::uintptr_t here = 1000 * region;

/// A message that a peer has copied, or not.
void pass(hugepage_promoter& l, std::uintptr_t at, std::size_t bytes, bool copied = true) {
  l.expose(0, at, bytes);
  l.withdraw(0, at, copied ? bytes : 0);
}
/// Number of messages until the kernel is asked once more.
int passes_until_asked(hugepage_promoter& l, std::uintptr_t at, std::size_t bytes,
                       bool copied = true) {
  const std::size_t before = scripted::asked.size();
  int n = 0;
  for (; scripted::asked.size() == before && n < 10'000; ++n) pass(l, at, bytes, copied);
  return n;
}

}  // namespace

TEST_CASE("hugepage_promoter: memory copied repeatedly gets a huge page, once") {
  scripted::reset(400'000);
  hugepage_promoter l;
  CHECK(l.asked_ns() == 0);
  const int passes = passes_until_asked(l, here, region);
  CHECK(passes >= 2);
  CHECK(passes <= 5);  // 0.25 us has been lost for each of its small pages each time.
  CHECK(scripted::asked == std::vector<std::uintptr_t>{here});
  CHECK(l.asked_ns() == 400'000);
  // Its owner may have given the memory back since.
  const int later = passes_until_asked(l, here, region);
  CHECK(later >= 64);
  CHECK(later <= 66);
}

TEST_CASE("hugepage_promoter: each region is judged by the bytes copied from it") {
  scripted::reset(300'000);
  hugepage_promoter l;
  for (int i = 0; i < 4; ++i) pass(l, here + region / 2, 2 * region);  // Half of the outer ones.
  CHECK(scripted::asked == std::vector<std::uintptr_t>{here + region});
  for (int i = 0; i < 8; ++i) pass(l, here + region / 2, 2 * region);
  std::sort(scripted::asked.begin(), scripted::asked.end());
  CHECK(scripted::asked == std::vector<std::uintptr_t>{here, here + region, here + 2 * region});
}

TEST_CASE("hugepage_promoter: no request while a peer may copy from the region") {
  scripted::reset(300'000);
  hugepage_promoter l;
  l.expose(1, here + 5000, 1);
  for (int i = 0; i < 100; ++i) pass(l, here, region);
  CHECK(scripted::asked.empty());
  l.withdraw(1, here + 5000, 0);
  CHECK(scripted::asked.size() == 1);
}

TEST_CASE("hugepage_promoter: messages that are not fetched count for less") {
  scripted::reset(400'000);
  hugepage_promoter l;
  const int fetched = passes_until_asked(l, here, region);
  const int streamed = passes_until_asked(l, here + 10 * region, region, false);
  CHECK(streamed >= 2 * fetched);
  CHECK(streamed <= 3 * fetched);
}

TEST_CASE("hugepage_promoter: expensive huge pages need more copies") {
  scripted::reset(6'000'000);
  hugepage_promoter l;
  CHECK(passes_until_asked(l, here, region) <= 5);  // It cannot know yet.
  CHECK(passes_until_asked(l, here + 10 * region, region) >= 40);
}

TEST_CASE("hugepage_promoter: the cost of a small page is measured once") {
  for (const std::int64_t page_ns : {20, 50, 250, 500}) {
    CAPTURE(page_ns);
    scripted::reset(400'000);
    scripted::page_ns = page_ns;
    hugepage_promoter l;
    const std::int64_t a_pass = page_ns * 512;
    const int passes = passes_until_asked(l, here, region);
    CHECK(passes >= 300'000 / a_pass);  // Before, what asking takes is not known.
    CHECK(passes <= 300'000 / a_pass + 4);
    CHECK(l.asked_ns() == 400'000 + 8 * a_pass);  // Measuring is no message's, either.
    const int other = passes_until_asked(l, here + 10 * region, region);
    CHECK(other >= 400'000 / a_pass);
    CHECK(other <= 500'000 / a_pass + 4);  // And what was too early before is made up for.
    CHECK(scripted::lookups == 4);
  }
}

TEST_CASE("hugepage_promoter: one very slow request does not stop it") {
  scripted::reset(1'000'000'000);
  hugepage_promoter l;
  passes_until_asked(l, here, region);
  scripted::takes_ns = 300'000;
  const int passes = passes_until_asked(l, here + 10 * region, region);
  CHECK(passes >= 100);
  CHECK(passes <= 500);
  CHECK(passes_until_asked(l, here + 20 * region, region) < 200);
}

TEST_CASE("hugepage_promoter: requests never take longer than small pages have cost") {
  std::mt19937 random(7);
  for (const std::int64_t takes : {1'000, 300'000, 2'000'000, 10'000'000}) {
    scripted::reset(takes);
    hugepage_promoter l;
    std::uint64_t copied = 0;
    struct lending {
      std::uintptr_t at;
      std::size_t bytes;
    };
    std::vector<lending> out(exposure_key::slots);
    for (int i = 0; i < 40'000; ++i) {
      const auto slot = static_cast<std::uint32_t>(random() % 16);
      if (out[slot].at != 0) {
        l.withdraw(slot, out[slot].at, out[slot].bytes);
        copied += out[slot].bytes;
        out[slot] = {};
      } else {
        // Some share a place in the table.
        out[slot] = {here + random() % 4 * 512 * region + random() % (4 * region),
                     random() % (3 * mib)};
        l.expose(slot, out[slot].at, out[slot].bytes);
      }
    }
    const auto lost_ns = static_cast<std::int64_t>(copied / 15);
    CHECK(!scripted::asked.empty());
    CHECK(scripted::asked_ns <= lost_ns + takes);
    for (const std::uintptr_t at : scripted::asked) CHECK(at % region == 0);
  }
}

TEST_CASE("hugepage_promoter: a peer that copies a part counts for that part") {
  scripted::reset(400'000);
  hugepage_promoter l;
  const int whole = passes_until_asked(l, here, region);
  const std::size_t before = scripted::asked.size();
  int parts = 0;
  for (; scripted::asked.size() == before && parts < 1000; ++parts) {
    // As in an alltoall of 16 ranks: each peer reads its own block.
    for (std::uint32_t peer = 0; peer < 15; ++peer) l.expose(peer, here + 64 * region, region);
    for (std::uint32_t peer = 0; peer < 15; ++peer)
      l.withdraw(peer, here + 64 * region, region / 15);
  }
  CHECK(parts >= whole - 1);
  CHECK(parts <= whole + 1);
}

TEST_CASE("hugepage_promoter: refusals make requests rarer") {
  scripted::reset(1'000'000);
  scripted::gives = false;
  hugepage_promoter l;
  for (int i = 0; i < 100'000; ++i) pass(l, here, region);
  CHECK(scripted::asked.size() >= 3);
  CHECK(scripted::asked.size() <= 7);
}

TEST_CASE("hugepage_promoter: distant and very long buffers keep their counts") {
  scripted::reset(300'000);
  hugepage_promoter l;
  for (int i = 0; i < 20; ++i)
    for (std::uintptr_t n = 0; n < 3; ++n) pass(l, here + n * (std::size_t{1} << 30), region);
  CHECK(scripted::asked.size() == 3);
  hugepage_promoter m;
  scripted::reset(100'000);
  for (int i = 0; i < 200; ++i) pass(m, here, 1536 * mib);
  CHECK(scripted::asked.size() >= 500);  // Capacity of the table.
  CHECK(scripted::asked.size() <= 2200);
}

TEST_CASE("hugepage_promoter: uncounted regions stay so, independent of the slot's history") {
  scripted::reset(300'000);
  hugepage_promoter l;
  pass(l, here, region);
  for (int i = 0; i < 100; ++i) {
    l.expose(0, here, 0);
    l.withdraw(0, here, region);
  }
  CHECK(scripted::asked.empty());
}

TEST_CASE("hugepage_promoter: no request if huge pages are switched off") {
  scripted::reset(300'000);
  scripted::on = false;
  hugepage_promoter l;
  for (int i = 0; i < 100; ++i) pass(l, here, region);
  CHECK(scripted::asked.empty());
  CHECK(!mpx::transport::detail::no_huge_pages::allowed());
}

TEST_CASE("hugepage_promoter: empty messages, and messages at the ends of memory") {
  scripted::reset(300'000);
  hugepage_promoter l;
  pass(l, here, 0);
  pass(l, 0, 10);
  pass(l, ~std::uintptr_t{0} - 10, 10);
  CHECK(scripted::asked.empty());
}
