// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where the ranks that meet in a block are, if they outnumber cores: who shares this rank's core,
// and whether they are spread evenly. What is known of it may be old: nothing but time depends on
// it.

#include <cstdint>

#include "mpx/coll/node_block.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::coll {

/// + 1; 0: that is not known.
inline std::uint32_t core_of(const node_state& s, rank_t r) noexcept {
  return s.block.head().core[r].load(platform::memory_order_relaxed);
}

/// Where a core has two ranks more than another one, all wait for those on it, and a kernel takes
/// long to see that, as all of them give way: so the highest one there moves. Rarely, if it is
/// moved back.
[[gnu::noinline]] inline void spread_evenly(node_state& s, rank_t me) noexcept {
  constexpr unsigned turns_min = 256;
  constexpr unsigned turns_max = 65536;
  const rank_t n = s.block.ranks();
  const auto ranks_on = [&](std::uint32_t core) {
    rank_t ranks = 0;
    for (rank_t r = 0; r < n; ++r) ranks += core_of(s, r) == core ? 1 : 0;
    return ranks;
  };
  s.turns = turns_min;
  const rank_t here = ranks_on(s.core);
  std::uint32_t least = s.core;
  rank_t fewest = here;
  bool highest = true;
  for (rank_t r = 0; r < n; ++r) {
    const std::uint32_t core = core_of(s, r);
    if (core == 0) return;
    highest = highest && (core != s.core || r <= me);
    if (const rank_t there = ranks_on(core); there < fewest) {
      fewest = there;
      least = core;
    }
  }
  const bool moves = highest && here >= fewest + 2;
  if (moves) platform::move_to_core(least - 1);
  s.turns_apart = moves ? s.turns_apart * 2 : s.turns_apart / 2;
  if (s.turns_apart < turns_min) s.turns_apart = turns_min;
  if (s.turns_apart > turns_max) s.turns_apart = turns_max;
  s.turns = s.turns_apart;
}

/// Lets the others know where this rank is.
inline void say_core(node_state& s, rank_t me) noexcept {
  if (s.turns-- == 0) [[unlikely]]
    spread_evenly(s, me);
  const std::uint32_t core = platform::current_core() + 1;
  if (core == s.core) return;
  s.core = core;
  s.block.head().core[me].store(core, platform::memory_order_relaxed);
}

/// How many have not shown `tag` in slot i yet; negative if one of them may need this core.
inline rank_t missing_elsewhere(const node_state& s, unsigned i, node_tag tag) noexcept {
  rank_t missing = 0;
  for (rank_t r = 0; r < s.block.ranks(); ++r) {
    if (reaches(s.block.slot(r, i).flag.load(platform::memory_order_relaxed), tag)) continue;
    const std::uint32_t core = core_of(s, r);
    if (core == s.core || core == 0) return -1;
    ++missing;
  }
  return missing;
}

/// In matrix algorithms the root goes round: who is the next one is awaited by all.
inline void expect_root(node_state& s, rank_t root) noexcept {
  const rank_t n = s.block.ranks();
  s.root_after = (2 * root - s.root + n) % n;
  s.root = root;
}

/// Whether a rank on this core has not left a call before `tag`: it has something to do.
inline bool is_ahead(const node_state& s, rank_t me, node_tag tag) noexcept {
  for (rank_t r = 0; r < s.block.ranks(); ++r)
    if (r != me && core_of(s, r) == s.core &&
        !reaches(s.block.of(r).left.load(platform::memory_order_relaxed), tag))
      return true;
  return false;
}

}  // namespace mpx::inline v0::coll
