// SPDX-License-Identifier: BSL-1.0
// release: dev
// optimise: yes
// sanitizers: address
// compilers: both
// 100,000 datatypes drawn from seeds against the lists of their basic elements: bounds, elements,
// overlaps, and every byte of what is packed and unpacked, whole and in fragments.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "datatype/type_maps.hpp"

namespace {

using std::int64_t;
using type_maps::drawn;
using type_maps::generator;

struct failures {
  int bounds = 0, elements = 0, overlaps = 0, packed = 0, unpacked = 0;
  bool none() const { return bounds + elements + overlaps + packed + unpacked == 0; }
};

/// One datatype, `count` elements of it.
void compare(const drawn& d, int64_t count, generator& random, failures& f) {
  const auto& m = d.map;
  const auto& t = d.type;
  f.bounds += t.size() != m.size() || t.lower_bound() != m.lower() || t.extent() != m.extent() ||
              t.true_lower_bound() != m.true_lower() ||
              t.true_extent() != m.true_upper() - m.true_lower();
  f.elements += t.elements() != static_cast<int64_t>(m.entries.size());
  const auto at = m.bytes(count);
  if (at.empty()) return;
  const auto [low, high] = std::minmax_element(at.begin(), at.end());
  const auto room = static_cast<std::size_t>(*high - *low + 1);
  auto sorted = at;
  std::sort(sorted.begin(), sorted.end());
  const bool disjoint = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  const auto& what = *t.description();
  f.overlaps += what.is_disjoint(count) != disjoint || what.is_disjoint(count) != disjoint;

  std::vector<std::byte> memory(room), expected(at.size()), stream(at.size());
  for (std::size_t i = 0; i < room; ++i)
    memory[i] = static_cast<std::byte>(i * 37 + i / 251 + static_cast<std::size_t>(count));
  std::byte* const base = memory.data() - *low;
  for (std::size_t i = 0; i < at.size(); ++i) expected[i] = base[at[i]];
  what.pack(base, 0, stream);
  f.packed += stream != expected;

  // Fragments, packed in any order and unpacked in any order.
  std::vector<std::size_t> cuts{0, at.size()};
  for (int i = 0; i < 3; ++i)
    cuts.push_back(static_cast<std::size_t>(random.between(0, static_cast<int64_t>(at.size()))));
  std::sort(cuts.begin(), cuts.end());
  std::fill(stream.begin(), stream.end(), std::byte{0x5a});
  std::vector<std::byte> copy(room, std::byte{0xee}), wanted = copy;
  std::byte* const into = copy.data() - *low;
  for (std::size_t k = cuts.size() - 1; k > 0; --k) {
    const std::size_t n = cuts[k] - cuts[k - 1];
    const auto piece = std::span(stream).subspan(cuts[k - 1], n);
    what.pack(base, cuts[k - 1], piece);
    if (disjoint) what.unpack(into, cuts[k - 1], piece);
  }
  f.packed += stream != expected;
  if (!disjoint) return;
  for (std::size_t i = 0; i < at.size(); ++i)
    wanted[static_cast<std::size_t>(at[i] - *low)] = expected[i];
  f.unpacked += copy != wanted;
}

void draw_many(std::uint64_t first, int n) {
  failures f;
  for (int i = 0; i < n; ++i) {
    generator random(first + static_cast<std::uint64_t>(i));
    const drawn d = random.draw(static_cast<int>(random.between(1, 4)), 600);
    compare(d, random.between(1, 6), random, f);
    if (f.none()) continue;
    CAPTURE(first + static_cast<std::uint64_t>(i));
    CHECK(f.bounds == 0);
    CHECK(f.elements == 0);
    CHECK(f.overlaps == 0);
    CHECK(f.packed == 0);
    CHECK(f.unpacked == 0);
    return;
  }
  CHECK(f.none());
}

}  // namespace

// Without optimisation only the first types of each seed are tested.
#if defined(MPX_TEST_EMULATED) || defined(MPX_TEST_FEW_STACKS)
constexpr int of_each = 1'000;
#else
constexpr int of_each = 25'000;
#endif

TEST_CASE("datatypes: random types of seeds 0 to 25,000 equal their type maps") {
  draw_many(0, of_each);
}
TEST_CASE("datatypes: those of seeds 25,000 to 50,000") { draw_many(25'000, of_each); }
TEST_CASE("datatypes: those of seeds 50,000 to 75,000") { draw_many(50'000, of_each); }
TEST_CASE("datatypes: those of seeds 75,000 to 100,000") { draw_many(75'000, of_each); }
