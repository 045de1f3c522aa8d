// SPDX-License-Identifier: BSL-1.0
// release: dev
// sanitizers: address
// compilers: both

#include <mpx/matching/hashed.hpp>

#include "contract.hpp"

namespace {

using mpx::matching::hashed;
using namespace matching_contract;

TEST_CASE("hashed: the contract") { check_all<hashed>(); }

TEST_CASE("hashed: a hundred thousand pending keep their places while the tables grow") {
  check_long_queues<hashed>(100'000);
}

TEST_CASE("hashed: different keys with the same hash are distinguished") {
  // With 2^16 buckets at most, 200 sources x 200 tags must share some.
  hashed m;
  std::vector<std::unique_ptr<receive>> receives;
  for (mpx::peer_id source = 0; source < 200; ++source) {
    for (mpx::tag_t tag = 0; tag < 200; ++tag) {
      receives.push_back(std::make_unique<receive>(pattern{2, source, tag}));
      m.post(*receives.back());
    }
  }
  std::size_t wrong = 0;
  for (mpx::peer_id source = 0; source < 200; ++source) {
    for (mpx::tag_t tag = 0; tag < 200; ++tag) {
      const auto* expected = receives[source * 200 + static_cast<std::size_t>(tag)].get();
      wrong += m.match_arrival({2, source, tag}) == expected ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(m.nothing_posted());
}

TEST_CASE("hashed: equal keys keep their order while the table grows") {
  hashed m;
  std::vector<std::unique_ptr<receive>> same;
  std::vector<std::unique_ptr<receive>> others;
  for (int i = 0; i < 2000; ++i) {
    same.push_back(std::make_unique<receive>(pattern{0, 0, 5}));
    others.push_back(std::make_unique<receive>(pattern{0, 1, i}));
    m.post(*same.back());
    m.post(*others.back());
  }
  std::size_t wrong = 0;
  for (const auto& r : same) wrong += m.match_arrival({0, 0, 5}) == r.get() ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("hashed: receives match from the last one back, and none before them is skipped") {
  hashed m;
  std::vector<std::unique_ptr<receive>> receives;
  const auto post = [&](const pattern& p) {
    receives.push_back(std::make_unique<receive>(p));
    m.post(*receives.back());
    return receives.back().get();
  };
  // Three windows, each met from its end, with tags that rise, fall, and rise again.
  for (const int step : {1, -1, 1}) {
    std::vector<const receive*> window;
    for (int i = 0; i < 64; ++i) window.push_back(post(pattern{0, 0, 100 + step * i}));
    for (int i = 63; i >= 0; --i) {
      CHECK(m.match_arrival({0, 0, 100 + step * i}) == window[static_cast<std::size_t>(i)]);
      // A receive posted in the middle matches before those that were there.
      if (i != 32) continue;
      const receive* const late = post(pattern{0, 0, 100 + step * 80});
      CHECK(m.match_arrival({0, 0, 100 + step * 80}) == late);
    }
    CHECK(m.nothing_posted());
  }
  // Now one before the last matches, too.
  const auto met = [&](const pattern& first, const pattern& meant, const envelope& is) {
    post(first);
    const receive* const earlier = post(meant);
    for (int tag = 2; tag <= 9; ++tag) post(pattern{1, 0, tag});
    CHECK(m.match_arrival(is) == earlier);
    CHECK(m.match_arrival({first.bits, 0}) != nullptr);
    for (int tag = 9; tag >= 2; --tag) CHECK(m.match_arrival({1, 0, tag}) != nullptr);
    CHECK(m.nothing_posted());
  };
  met({1, 0, 1}, {1, 0, 9}, {1, 0, 9});
  met({0, 0, 1}, {1, 0, mpx::any_tag}, {1, 0, 9});
  met({1, 0, 1}, {1, mpx::any_peer, 9}, {1, 0, 9});
  met({1, 0, 0}, {1, mpx::any_peer, 1}, {1, 0, 1});
}

}  // namespace
