// SPDX-License-Identifier: BSL-1.0
#pragma once
// Waiting in a block of shared memory where ranks outnumber cores: the core of each rank, and the
// spreading of ranks over cores. The cores on record may be out of date; only speed depends on
// them.
//
// Measured with 4 and 8 ranks on 2 cores (docs/BENCHMARKS.md): spreading gains up to 1.7 times in
// jobs whose ranks start on one core, polling instead of yielding 1.04 to 1.7 times, the expected
// root 0.9 to 1.4 times in broadcasts. They fail where other processes compute on the same cores:
// then a rank polls for a rank that does not run.

#include <cstdint>

#include "mpx/core/function_ref.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/base/node_block.hpp"
#include "mpx/engine/endpoint/endpoint_blocks.hpp"

namespace mpx::inline v0::coll {

/// The core that rank r was last seen on, plus 1; 0 if it is unknown.
inline std::uint32_t core_of(const node_state& s, rank_t r) noexcept {
  return s.block.head().core[r].load(platform::memory_order_relaxed);
}

/// Moves this rank to the least loaded core, if its own core has at least two ranks more than that
/// and this is the highest rank on it. The kernel balances such ranks slowly, as all of them yield;
/// meanwhile all ranks wait for those on the full core. Checks become rarer after each move, so
/// that a kernel that moves the rank back is not fought.
[[gnu::noinline]] inline void balance_cores(node_state& s, rank_t me) noexcept {
  constexpr unsigned check_interval_min = 256;
  constexpr unsigned check_interval_max = 65536;
  const rank_t n = s.block.ranks();
  const auto ranks_on = [&](std::uint32_t core) {
    rank_t ranks = 0;
    for (rank_t r = 0; r < n; ++r) ranks += core_of(s, r) == core ? 1 : 0;
    return ranks;
  };
  s.checks_due_in = check_interval_min;
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
  const bool moves = s.may_move && highest && here >= fewest + 2;
  if (moves) platform::move_to_core(least - 1);
  s.check_interval = moves ? s.check_interval * 2 : s.check_interval / 2;
  if (s.check_interval < check_interval_min) s.check_interval = check_interval_min;
  if (s.check_interval > check_interval_max) s.check_interval = check_interval_max;
  s.checks_due_in = s.check_interval;
}

/// Publishes the core that this rank runs on, and now and then checks the spreading of ranks.
inline void publish_core(node_state& s, rank_t me) noexcept {
  if (s.checks_due_in-- == 0) [[unlikely]]
    balance_cores(s, me);
  const std::uint32_t core = platform::current_core() + 1;
  if (core == s.core) return;
  s.core = core;
  s.block.head().core[me].store(core, platform::memory_order_relaxed);
}

/// Returns the number of ranks of `whom` that have not published `tag` in slot i, if all of them
/// are on other cores. Returns a negative number if any rank that has not published it may need
/// this core. Flags of ranks on other cores are read for `whom` only, to save transfers of cache
/// lines.
inline rank_t missing_on_other_cores(const node_state& s, unsigned i, node_tag tag,
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

/// Records the root of a call, and predicts the next root from the last two: in matrix algorithms
/// the root moves in equal steps. All ranks will wait for the next root.
inline void expect_root(node_state& s, rank_t root, tag_t serial) noexcept {
  if (s.rooted == serial) return;
  const rank_t n = s.block.ranks();
  s.rooted = serial;
  s.root_after = (2 * root - s.root + n) % n;
  s.root = root;
}

/// True if another rank on this core has not finished the calls before `tag`; it needs the core.
inline bool core_mate_lags(const node_state& s, rank_t me, node_tag tag) noexcept {
  for (rank_t r = 0; r < s.block.ranks(); ++r)
    if (r != me && core_of(s, r) == s.core &&
        !reaches(s.block.of(r).read_up_to.load(platform::memory_order_relaxed), tag))
      return true;
  return false;
}

/// Waits for other ranks that arrive soon. It yields the core to ranks that share it, and polls
/// without a pause while all awaited ranks run on other cores. Each `wait` returns true if the
/// awaited ranks have arrived, false if the caller must wait in another way.
template <class Stack>
class oversubscribed_wait {
  using endpoint_type = mpx::detail::endpoint<Stack>;
  using ready_check = mpx::detail::function_ref<bool()>;

 public:
  oversubscribed_wait(endpoint_type& e, node_state& s, rank_t me) noexcept
      : e_(e), s_(s), me_(me) {}

  /// Waits for all of `whom` to publish `tag` in slot i. Requires: `whom` names ranks of the block
  /// only.
  [[gnu::noinline]] bool wait_for_all(unsigned i, node_tag tag, std::uint64_t whom) noexcept {
    std::uint64_t missing = whom;
    return wait_until(i, tag, [&] { return s_.block.have_published(missing, i, tag); }, whom);
  }
  /// As wait_for_all, with a condition of the caller's.
  bool wait_until(unsigned i, node_tag tag, ready_check ready, std::uint64_t whom) noexcept {
    for (int yields = 0; yields < yields_max; ++yields) {
      publish_core(s_, me_);
      if (arrives_soon(i, tag, ready, whom)) return true;
      if (!yield()) return false;
      if (ready()) return true;
    }
    return false;
  }
  /// Waits for a condition that rank r fulfils, in a call where not all ranks wait for all. Such
  /// calls, too, publish this rank's core, so that ranks are spread over cores.
  bool wait_for(rank_t r, tag_t serial, ready_check ready) noexcept {
    for (int yields = 0; yields < yields_max; ++yields) {
      publish_core(s_, me_);
      if (arrives_from_other_core(r, serial, ready)) return true;
      if (!yield()) return false;
      if (ready()) return true;
    }
    return false;
  }

 private:
  static constexpr int yields_max = 4;

  /// Polls if all missing ranks run on other cores. Yielding would gain nothing then: the ranks on
  /// this core have arrived already.
  bool arrives_soon(unsigned i, node_tag tag, ready_check ready, std::uint64_t whom) noexcept {
    const rank_t missing = missing_on_other_cores(s_, i, tag, whom);
    return missing >= 0 && poll_for(missing, ready);
  }
  /// As arrives_soon, for rank r alone.
  bool arrives_from_other_core(rank_t r, tag_t serial, ready_check ready) noexcept {
    const std::uint32_t core = core_of(s_, r);
    if (core == 0 || core == s_.core) return false;
    // The expected next root does not give up its core, since all ranks will wait for it.
    if (s_.root_after != me_ && core_mate_lags(s_, me_, end_of(serial_before(serial))))
      return false;
    return poll_for(s_.block.ranks(), ready);
  }
  /// Polls about as long as `missing` ranks on other cores need to arrive.
  static bool poll_for(rank_t missing, ready_check ready) noexcept {
    constexpr unsigned polls_each = 48;  // 1 to 2 us, the time of a context switch.
    for (unsigned polls = polls_each * static_cast<unsigned>(missing + 1); polls > 0; --polls) {
      if (ready()) return true;
      platform::relax();
    }
    return false;
  }
  /// Yields the core; the ranks that share it have usually arrived afterwards. Returns false if it
  /// did not yield.
  bool yield() noexcept { return mpx::detail::shared_blocks<Stack>::yield(e_); }

  endpoint_type& e_;
  node_state& s_;
  rank_t me_;
};

}  // namespace mpx::inline v0::coll
