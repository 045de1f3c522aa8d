// SPDX-License-Identifier: BSL-1.0
// Which way a learner chooses, from what each has cost.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mpx/protocol/rendezvous_tuner.hpp>
#include <vector>

namespace {

using mpx::protocol::rendezvous_protocol;
using mpx::protocol::rendezvous_tuner;

using counts = std::array<int, 3>;  // By rendezvous protocol.

/// `n` messages, of which each costs what `ns_of` says. Returns how many went each way.
template <class Cost>
counts go(rendezvous_tuner& l, int n, std::size_t bytes, bool both_can_copy, Cost ns_of) {
  counts taken{};
  for (int i = 0; i < n; ++i) {
    const rendezvous_protocol s = l.choose(bytes, both_can_copy);
    ++taken[static_cast<std::size_t>(s)];
    l.took(s, bytes, ns_of(s));
  }
  return taken;
}
/// A cost for each rendezvous protocol.
auto costs(std::int64_t get, std::int64_t packets, std::int64_t half_and_half) {
  return [=](rendezvous_protocol s) {
    return s == rendezvous_protocol::get       ? get
           : s == rendezvous_protocol::packets ? packets
                                               : half_and_half;
  };
}

}  // namespace

TEST_CASE("rendezvous_tuner: each protocol is tried, then the cheapest is used") {
  rendezvous_tuner l;
  const counts first = go(l, 12, 65536, true, costs(3000, 2000, 2500));
  CHECK(first == counts{4, 4, 4});
  const counts then = go(l, 640, 65536, true, costs(3000, 2000, 2500));
  CHECK(then[1] >= 620);
  CHECK(then[0] >= 2);  // It continues sampling the others,
  CHECK(then[2] >= 2);
  const counts later = go(l, 6400, 65536, true, costs(3000, 2000, 2500));
  CHECK(later[0] + later[2] >= 12);  // but less often.
  CHECK(later[0] + later[2] <= 56);
}

TEST_CASE("rendezvous_tuner: far more expensive protocols are sampled seldom") {
  rendezvous_tuner l;
  go(l, 12, 65536, true, costs(1000, 9000, 1500));
  const counts then = go(l, 512 * 40, 65536, true, costs(1000, 9000, 1500));
  CHECK(then[1] >= 2);
  CHECK(then[1] <= 24);
  CHECK(then[2] >= 30);
}

TEST_CASE("rendezvous_tuner: it changes to a protocol that becomes cheaper") {
  rendezvous_tuner l;
  go(l, 600, 1 << 20, true, costs(1000, 3000, 2000));
  const counts dearer = go(l, 600, 1 << 20, true, costs(8000, 3000, 2000));
  CHECK(dearer[2] >= 500);
  const counts cheaper = go(l, 512 * 20, 1 << 20, true, costs(8000, 500, 2000));
  CHECK(cheaper[1] > cheaper[2]);  // Though it had looked hopeless.
}

TEST_CASE(
    "rendezvous_tuner: a protocol that seems cheaper is sampled until its estimate has converged") {
  rendezvous_tuner l;
  go(l, 3000, 1 << 22, true, costs(4000, 2000, 2500));
  // Its turn comes within two looks, 512 messages apart.
  const counts cheaper = go(l, 1200, 1 << 22, true, costs(1000, 2000, 2500));
  CHECK(cheaper[0] >= 400);
  const counts then = go(l, 200, 1 << 22, true, costs(1000, 2000, 2500));
  CHECK(then[0] >= 190);

  rendezvous_tuner lucky;
  go(lucky, 3000, 1 << 22, true, costs(4000, 2000, 2500));
  int looks = 0;
  const counts after = go(lucky, 3000, 1 << 22, true, [&](rendezvous_protocol s) {
    return s == rendezvous_protocol::get       ? (++looks == 1 ? 500 : 4000)
           : s == rendezvous_protocol::packets ? 2000
                                               : 2500;
  });
  CHECK(after[1] >= 2970);
}

TEST_CASE("rendezvous_tuner: a protocol with varying cost does not displace a better one") {
  for (const int run : {1, -1, 3, 11, 12, 64})
    for (const int less : {500, 900}) {
      CAPTURE(run);
      CAPTURE(less);
      rendezvous_tuner l;
      int n = run < 0;  // The same, shifted by one.
      std::int64_t all = 0;
      const auto cost = [&](rendezvous_protocol s, std::int64_t half_and_half) {
        const int get = n++ / std::abs(run) % 2 == 0 ? less : 1900;
        const std::int64_t ns = s == rendezvous_protocol::get       ? get
                                : s == rendezvous_protocol::packets ? 1000
                                                                    : half_and_half;
        all += ns;
        return ns;
      };
      const counts before =
          go(l, 20'000, 65536, true, [&](rendezvous_protocol s) { return cost(s, 1500); });
      CHECK(all <= 20'000 * 1060);
      CHECK(before[2] >= 20);
      const counts after =
          go(l, 20'000, 65536, true, [&](rendezvous_protocol s) { return cost(s, 300); });
      CHECK(after[2] >= 15'000);
    }
}

TEST_CASE("rendezvous_tuner: costs are separated though the peer changes one message later") {
  rendezvous_tuner l;
  rendezvous_protocol before = rendezvous_protocol::get;
  counts taken{};
  for (int i = 0; i < 400; ++i) {
    const rendezvous_protocol s = l.choose(65536, false);
    ++taken[static_cast<std::size_t>(s)];
    // If the two use different protocols they wait for each other.
    l.took(s, 65536, s != before ? 9000 : s == rendezvous_protocol::get ? 3000 : 2000);
    before = s;
  }
  CHECK(taken[1] >= 370);
}

TEST_CASE(
    "rendezvous_tuner: a tuner that alternates between two protocols samples the third, too") {
  for (const int run : {8, 16, 32}) {
    CAPTURE(run);
    rendezvous_tuner l;
    int n = 0;
    const auto cost = [&](rendezvous_protocol s) {
      const bool dear = n / run % 2 != 0;
      if (s == rendezvous_protocol::packets) return n < 5000 ? 9000 : 500;
      return (s == rendezvous_protocol::get) == dear ? 3000 : 1000;
    };
    int taken = 0;
    for (; n < 12'000; ++n) {
      const rendezvous_protocol s = l.choose(65536, true);
      l.took(s, 65536, cost(s));
      taken += n >= 9000 && s == rendezvous_protocol::packets;
    }
    CHECK(taken >= 2900);
  }
}

TEST_CASE("rendezvous_tuner: one disturbed message changes nothing") {
  rendezvous_tuner l;
  go(l, 12, 65536, true, costs(1000, 1200, 1200));
  const counts then = go(l, 40, 65536, true, [n = 0](rendezvous_protocol s) mutable {
    return ++n % 16 == 5 ? 500'000 : s == rendezvous_protocol::get ? 1000 : 1200;
  });
  CHECK(then[0] == 40);
}

TEST_CASE("rendezvous_tuner: concurrent messages are measured together") {
  for (const int window : {2, 12, 31, 32}) {
    CAPTURE(window);
    rendezvous_tuner l;
    int half_and_half = 0;
    int mixed = 0;
    for (int w = 0; w < 6400 / window; ++w) {
      std::vector<rendezvous_protocol> taken;
      for (int i = 0; i < window; ++i) taken.push_back(l.choose(65536));
      counts ways{};
      for (const rendezvous_protocol s : taken) ++ways[static_cast<std::size_t>(s)];
      // A half-and-half transfer among others has the sender to wait for, and they are cheap beside
      // it.
      const bool pure = std::ranges::max(ways) == window;
      for (const rendezvous_protocol s : taken)
        l.took(s, 65536,
               s == rendezvous_protocol::half_and_half ? (pure ? 600 : 1500)
               : pure                                  ? 1000
                                                       : 800);
      mixed += !pure;
      if (w >= 3200 / window) half_and_half += ways[2];
    }
    CHECK(mixed <= 400 / window);
    CHECK(half_and_half >= 2900);
  }
}

TEST_CASE(
    "rendezvous_protocol learner: those that wait for their turn belong to those that have had "
    "it") {
  rendezvous_tuner l;
  int changes = 0;
  rendezvous_protocol before = rendezvous_protocol::get;
  for (int w = 0; w < 100; ++w) {
    for (int i = 0; i < 32; ++i) {
      const rendezvous_protocol s = l.choose(65536, true, i != 0);
      changes += i != 0 && s != before;
      before = s;
      l.took(s, 65536, s == rendezvous_protocol::get ? 1000 : 1400);
    }
  }
  CHECK(changes == 0);
}

TEST_CASE(
    "rendezvous_tuner: size classes are independent, and half-and-half is left out if only one "
    "side can copy") {
  rendezvous_tuner l;
  go(l, 100, 16384, false, costs(1000, 2000, 1));
  go(l, 100, 1 << 24, false, costs(2000, 1000, 1));
  const counts small = go(l, 100, 16384, false, costs(1000, 2000, 1));
  const counts large = go(l, 100, 1 << 24, false, costs(2000, 1000, 1));
  CHECK(small[2] + large[2] == 0);
  CHECK(small[0] >= 96);
  CHECK(large[1] >= 96);
}
