// SPDX-License-Identifier: BSL-1.0
// Groups made of groups, against sets of numbers.

#include <mpx/core/group_sets.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/errc_of.hpp"

namespace {

using mpx::group;
using mpx::rank_t;
using peers_list = std::vector<mpx::peer_id>;
using ranks_list = std::vector<rank_t>;

group set_of(const peers_list& peers) { return group::table(peers, 3); }
peers_list members_of(const group& g) {
  peers_list all;
  for (rank_t r = 0; r < g.size(); ++r) all.push_back(g.peer_of(r));
  return all;
}
bool among(const peers_list& all, mpx::peer_id p) {
  for (const auto q : all)
    if (q == p) return true;
  return false;
}
std::string group_error(auto body) {
  try {
    body();
  } catch (const mpx::error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("group sets: union, intersection, difference, against sets of numbers") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto any = [&] {
      peers_list all;
      for (mpx::peer_id p = 0; p < 12; ++p)
        if (random() % 3 != 0) all.push_back(p);
      if (random() % 2 == 0) std::shuffle(all.begin(), all.end(), random);
      return all;
    };
    const peers_list a = any(), b = any();
    peers_list both, either = a, only;
    for (const auto p : a) (among(b, p) ? both : only).push_back(p);
    for (const auto p : b)
      if (!among(a, p)) either.push_back(p);
    const group x = set_of(a), y = set_of(b);
    CHECK(members_of(union_of(x, y)) == either);
    CHECK(members_of(intersection_of(x, y)) == both);
    CHECK(members_of(difference_of(x, y)) == only);
    CHECK(union_of(x, y).self() == 3);
    CHECK(union_of(x, y).rank() ==
          (among(either, 3) ? union_of(x, y).rank_of(3) : rank_t{mpx::proc_null}));
    const bool same = a == b;
    bool equal = a.size() == b.size();
    for (const auto p : a) equal = equal && among(b, p);
    CHECK(compare(x, y) == (same    ? mpx::comparison::identical
                            : equal ? mpx::comparison::similar
                                    : mpx::comparison::unequal));
  }
}

TEST_CASE("group sets: selections, ranges, translation") {
  const group g = group::strided(10, 2, 8, 14);  // 10 12 .. 24
  CHECK(g.rank() == 2);
  CHECK(members_of(include(g, ranks_list{7, 0, 3})) == peers_list{24, 10, 16});
  CHECK(include(g, ranks_list{1, 3, 5}).how() == group::kind::strided);
  CHECK(include(g, ranks_list{1, 3, 5}).rank() == mpx::proc_null);
  CHECK(include(g, ranks_list{1, 2}).rank() == 1);
  CHECK(include(g, ranks_list{}).size() == 0);
  CHECK(members_of(exclude(g, ranks_list{0, 7})) == peers_list{12, 14, 16, 18, 20, 22});
  CHECK(exclude(g, ranks_list{0, 7}).how() == group::kind::strided);
  using ranges = std::vector<mpx::rank_range>;
  CHECK(members_of(include_ranges(g, ranges{{6, 0, -3}, {1, 2, 1}})) ==
        peers_list{22, 16, 10, 12, 14});
  CHECK(members_of(exclude_ranges(g, ranges{{0, 7, 2}})) == peers_list{12, 16, 20, 24});
  CHECK(include_ranges(g, ranges{{3, 2, 1}}).size() == 0);
  const group other = group::table(peers_list{16, 3, 24}, 14);
  ranks_list into(4);
  translate_ranks(g, ranks_list{0, 3, mpx::proc_null, 7}, other, into);
  CHECK(into == ranks_list{mpx::proc_null, 0, mpx::proc_null, 2});
  translate_ranks(other, ranks_list{2, 1, 0, 0}, group::identity(20, 1), into);
  CHECK(into == ranks_list{mpx::proc_null, 3, 16, 16});
  const group copied = other.copy();
  CHECK(copied == other);
  CHECK(copied.rank_of(24) == 2);
  CHECK(!other.contains(14));
  CHECK(!group::identity(5, 1).contains(7));
  CHECK(group::identity(5, 7).rank() == mpx::proc_null);
}

TEST_CASE("group sets: errors name the entry") {
  const group g = group::identity(4, 1);
  const auto said = [](auto body, mpx::errc why, const char* what) {
    CHECK(ranks::errc_of(body) == why);
    CHECK(group_error(body).find(what) != std::string::npos);
  };
  said([&] { (void)include(g, ranks_list{1, 4}); }, mpx::errc::rank, "entry 1 is rank 4");
  said([&] { (void)include(g, ranks_list{2, 0, 2}); }, mpx::errc::rank, "entry 2 is rank 2, which");
  said([&] { (void)exclude(g, ranks_list{-1}); }, mpx::errc::rank, "entry 0 is rank -1");
  using ranges = std::vector<mpx::rank_range>;
  said([&] { (void)include_ranges(g, ranges{{0, 1, 1}, {0, 3, 0}}); }, mpx::errc::argument,
       "entry 1, ranks 0 .. 3, has stride 0");
  said([&] { (void)exclude_ranges(g, ranges{{2, 5, 1}}); }, mpx::errc::rank, "entry 0 is rank 4");
  ranks_list into(1);
  said([&] { translate_ranks(g, ranks_list{9}, g, into); }, mpx::errc::rank, "entry 0 is rank 9");
  said([&] { translate_ranks(g, ranks_list{1, 2}, g, into); }, mpx::errc::argument, "2 ranks");
}
