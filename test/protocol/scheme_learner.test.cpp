// SPDX-License-Identifier: BSL-1.0
// Which way a learner chooses, from what each has cost.

#include <doctest/doctest.h>

#include <array>
#include <mpx/protocol/scheme_learner.hpp>

namespace {

using mpx::protocol::scheme;
using mpx::protocol::scheme_learner;

using counts = std::array<int, 3>;  // By scheme.

/// `n` messages, of which each costs what `ns_of` says. Returns how many went each way.
template <class Cost>
counts go(scheme_learner& l, int n, std::size_t bytes, bool splits, Cost ns_of) {
  counts taken{};
  for (int i = 0; i < n; ++i) {
    const scheme s = l.choose(bytes, splits);
    ++taken[static_cast<std::size_t>(s)];
    l.took(s, bytes, ns_of(s));
  }
  return taken;
}
/// A cost for each scheme.
auto costs(std::int64_t get, std::int64_t packets, std::int64_t split) {
  return [=](scheme s) { return s == scheme::get ? get : s == scheme::packets ? packets : split; };
}

}  // namespace

TEST_CASE("scheme learner: each way is tried, then the cheapest is taken") {
  scheme_learner l;
  const counts first = go(l, 12, 65536, true, costs(3000, 2000, 2500));
  CHECK(first == counts{4, 4, 4});
  const counts then = go(l, 640, 65536, true, costs(3000, 2000, 2500));
  CHECK(then[1] >= 630);
  CHECK(then[0] + then[2] >= 4);  // It goes on looking at the others.
}

TEST_CASE("scheme learner: what costs far more is looked at seldom") {
  scheme_learner l;
  go(l, 12, 65536, true, costs(1000, 9000, 1500));
  const counts then = go(l, 64 * 48, 65536, true, costs(1000, 9000, 1500));
  CHECK(then[1] >= 1);
  CHECK(then[1] <= 3);
  CHECK(then[2] >= 12);
}

TEST_CASE("scheme learner: it follows what becomes cheaper, and leaves what becomes dearer") {
  scheme_learner l;
  go(l, 600, 1 << 20, true, costs(1000, 3000, 2000));
  const counts dearer = go(l, 600, 1 << 20, true, costs(8000, 3000, 2000));
  CHECK(dearer[2] >= 500);
  const counts cheaper = go(l, 64 * 3 * 8 * 2, 1 << 20, true, costs(8000, 500, 2000));
  CHECK(cheaper[1] > cheaper[2]);  // Though it had looked hopeless.
}

TEST_CASE("scheme learner: sizes are apart, and splits are left out where they cannot be") {
  scheme_learner l;
  go(l, 100, 16384, false, costs(1000, 2000, 1));
  go(l, 100, 1 << 24, false, costs(2000, 1000, 1));
  const counts small = go(l, 100, 16384, false, costs(1000, 2000, 1));
  const counts large = go(l, 100, 1 << 24, false, costs(2000, 1000, 1));
  CHECK(small[2] + large[2] == 0);
  CHECK(small[0] >= 98);
  CHECK(large[1] >= 98);
}
