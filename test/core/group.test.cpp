// SPDX-License-Identifier: BSL-1.0
// Ranks to peers and back, in each kind of group.

#include <mpx/core/group.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "core/errc_of.hpp"

namespace {

using mpx::group;
using kind = mpx::group::kind;

/// Both ways, what is no member, and the wildcards.
void check_group(const group& g, const std::vector<mpx::peer_id>& peers) {
  CHECK(g.size() == static_cast<mpx::rank_t>(peers.size()));
  std::vector<bool> member(4096);
  bool right = true;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const auto rank = static_cast<mpx::rank_t>(i);
    right = right && g.peer_of(rank) == peers[i] && g.rank_of(peers[i]) == rank;
    member[peers[i]] = true;
  }
  if (g.how() != kind::identity)
    for (mpx::peer_id p = 0; p < member.size(); ++p)
      if (!member[p]) right = right && g.rank_of(p) == mpx::proc_null;
  CHECK(right);
  CHECK(g.peer_of(mpx::any_source) == mpx::any_peer);
  CHECK(g.rank_of(mpx::any_peer) == mpx::any_source);
  CHECK(g.peer_of(mpx::proc_null) == mpx::null_peer);
  CHECK(g.rank_of(mpx::null_peer) == mpx::proc_null);
}

}  // namespace

TEST_CASE("group: identity, and strides") {
  check_group(group(), {});
  check_group(group::identity(5, 3), {0, 1, 2, 3, 4});
  CHECK(group::identity(5, 3).rank() == 3);
  CHECK(group::strided(0, 1, 5, 3).how() == kind::identity);
  check_group(group::strided(1, 2, 4, 5), {1, 3, 5, 7});
  CHECK(group::strided(1, 2, 4, 5).rank() == 2);
  CHECK(group::strided(1, 2, 4, 4).rank() == mpx::proc_null);
  check_group(group::strided(7, -1, 8, 0), {7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(group::strided(7, -1, 8, 0).rank() == 7);
  check_group(group::strided(9, -4, 3, 9), {9, 5, 1});
  check_group(group::strided(2, 1, 3, 3), {2, 3, 4});
}

TEST_CASE("group: tables, and the simplest equivalent kind") {
  const std::vector<mpx::peer_id> peers{5, 0, 3, 1, 4, 2, 900, 17};
  const group g = group::table(peers, 4);
  CHECK(g.how() == kind::table);
  CHECK(g.rank() == 4);
  check_group(g, peers);
  const std::vector<mpx::peer_id> same{0, 1, 2};
  CHECK(group::table(same, 0).how() == kind::identity);
  const std::vector<mpx::peer_id> odd{1, 3, 5};
  CHECK(group::table(odd, 0).how() == kind::strided);
  CHECK(group::table(odd, 0) == group::strided(1, 2, 3, 5));
  CHECK(!(group::table(odd, 0) == group::strided(1, 2, 4, 5)));
  CHECK(g == group::table(peers, 900));
  CHECK(!(g == group::table(std::vector<mpx::peer_id>{5, 0, 3, 1, 4, 2, 900, 18}, 4)));
  const std::vector<mpx::peer_id> twice{4, 1, 4};
  CHECK(ranks::errc_of([&] { (void)group::table(twice, 4); }) == mpx::errc::argument);
  const std::vector<mpx::peer_id> equal{4, 4, 4};
  CHECK(ranks::errc_of([&] { (void)group::table(equal, 4); }) == mpx::errc::argument);
  const std::vector<mpx::peer_id> one{7};
  check_group(group::table(one, 7), one);
}

TEST_CASE("group: thousands in any order") {
  std::vector<mpx::peer_id> peers;
  for (std::uint32_t i = 0; i < 4096; ++i) peers.push_back(i * 2731 % 4096);
  std::swap(peers[7], peers[77]);
  check_group(group::table(peers, 9), peers);
}
