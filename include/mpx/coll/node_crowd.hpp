// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where the ranks that meet in a block are, if they outnumber cores: who shares this rank's core,
// and whether they are spread evenly. What is known of it may be old: nothing but time depends on
// it.

#include <bit>
#include <cstdint>

#include "mpx/core/function_ref.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/detail/endpoint_blocks.hpp"
#include "mpx/engine/node_block.hpp"

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

/// How many of `whom` have not shown `tag` in slot i yet, all of them elsewhere; negative if any
/// rank that has not may need this core. Flags that change elsewhere are read only of `whom`.
inline rank_t missing_elsewhere(const node_state& s, unsigned i, node_tag tag,
                                std::uint64_t whom) noexcept {
  rank_t missing = 0;
  for (rank_t r = 0; r < s.block.ranks(); ++r) {
    const std::uint32_t core = core_of(s, r);
    const bool here = core == s.core || core == 0;
    if (!here && (whom >> r & 1) == 0) continue;
    if (reaches(s.block.slot(r, i).flag.load(platform::memory_order_relaxed), tag)) continue;
    if (here) return -1;
    ++missing;
  }
  return missing;
}

/// In matrix algorithms the root goes round: who is the next one is awaited by all.
inline void expect_root(node_state& s, rank_t root, tag_t serial) noexcept {
  if (s.rooted == serial) return;
  const rank_t n = s.block.ranks();
  s.rooted = serial;
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

/// What a rank does until others have come, if they come soon: it lets those run who share its
/// core, and looks on while all it waits for are at work elsewhere. Each `wait` returns whether
/// they have come.
template <class Stack>
class crowd {
  using endpoint_type = mpx::detail::endpoint<Stack>;
  using ready_check = mpx::detail::function_ref<bool()>;

 public:
  crowd(endpoint_type& e, node_state& s, rank_t me) noexcept : e_(e), s_(s), me_(me) {}

  /// For all of `whom` to show `tag` in slot i. Requires: they are ranks.
  [[gnu::noinline]] bool wait_for_all(unsigned i, node_tag tag, std::uint64_t whom) noexcept {
    std::uint64_t missing = whom;
    const auto ready = [&] {
      for (; missing != 0; missing &= missing - 1)
        if (!s_.block.has_shown(static_cast<rank_t>(std::countr_zero(missing)), i, tag))
          return false;
      return true;
    };
    return wait_in_turn(i, tag, ready, whom);
  }
  /// For rank r to show `tag` of a call in slot i: see wait_for.
  [[gnu::noinline]] bool wait_for_one(rank_t r, unsigned i, node_tag tag, tag_t serial) noexcept {
    return wait_for(r, serial, [&] { return s_.block.has_shown(r, i, tag); });
  }
  /// The same as wait_for_all, for what comes of it.
  bool wait_in_turn(unsigned i, node_tag tag, ready_check ready, std::uint64_t whom) noexcept {
    for (int turn = 0; turn < turns; ++turn) {
      say_core(s_, me_);
      if (comes_soon(i, tag, ready, whom)) return true;
      if (!gives_way()) return false;
      if (ready()) return true;
    }
    return false;
  }
  /// For what rank r does in a call in which not all wait for all. Those come here as well, and so
  /// are spread over cores as the others are.
  bool wait_for(rank_t r, tag_t serial, ready_check ready) noexcept {
    for (int turn = 0; turn < turns; ++turn) {
      say_core(s_, me_);
      if (comes_from_elsewhere(r, serial, ready)) return true;
      if (!gives_way()) return false;
      if (ready()) return true;
    }
    return false;
  }

 private:
  static constexpr int turns = 4;

  /// Where all who are missing are at work on other cores, or take turns there, to give this one
  /// away gains nothing: those who are on it have come, and would look in vain.
  bool comes_soon(unsigned i, node_tag tag, ready_check ready, std::uint64_t whom) noexcept {
    const rank_t missing = s_.luck < 0 ? 1 : missing_elsewhere(s_, i, tag, whom);
    return missing >= 0 && looks_on(missing, ready);
  }
  /// The same, where rank r alone is waited for.
  bool comes_from_elsewhere(rank_t r, tag_t serial, ready_check ready) noexcept {
    const std::uint32_t core = core_of(s_, r);
    if (core == 0 || core == s_.core) return false;
    if (s_.root_after != me_ && is_ahead(s_, me_, end_of(serial_before(serial)))) return false;
    return looks_on(s_.block.ranks(), ready);
  }
  /// Looks on for about as long as so many others need to come; but if that fails again and again,
  /// now and then only.
  bool looks_on(rank_t missing, ready_check ready) noexcept {
    constexpr unsigned looks_each = 48;  // A microsecond or two: what a change of the core takes.
    constexpr int known_luck = 4;
    constexpr int pause_calls = 16;
    if (s_.luck < 0) {
      ++s_.luck;
      return false;
    }
    for (unsigned looks = looks_each * static_cast<unsigned>(missing + 1); looks > 0; --looks) {
      if (ready()) {
        if (s_.luck < known_luck) ++s_.luck;
        return true;
      }
      platform::relax();
    }
    s_.luck = s_.luck > 0 ? s_.luck - 1 : -pause_calls;
    return false;
  }
  /// Those on this core come, most often, when it is their turn: then nothing else need be done.
  bool gives_way() noexcept { return mpx::detail::shared_blocks<Stack>::give_way(e_); }

  endpoint_type& e_;
  node_state& s_;
  rank_t me_;
};

}  // namespace mpx::inline v0::coll
