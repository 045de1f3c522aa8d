// SPDX-License-Identifier: BSL-1.0
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

TEST_CASE("hashed: keys that share a hash are told apart") {
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

}  // namespace
