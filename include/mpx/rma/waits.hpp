// SPDX-License-Identifier: BSL-1.0
#pragma once
// Reports what blocked calls of a window wait for. Runs only when a hang report is made.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "mpx/engine/base/blocked_call.hpp"
#include "mpx/rma/lock_word.hpp"
#include "mpx/rma/target.hpp"
#include "mpx/watch/hang_info.hpp"

namespace mpx::inline v0::detail {

/// Calls `take(rank)` for each rank that holds a lock, as far as its words tell. `by_packets`:
/// locks granted by the owner through packets, by rank; nullptr: unknown.
template <class F>
[[gnu::cold]] void each_holder(rma::control_block& c, rank_t ranks, const std::uint8_t* by_packets,
                               F&& take) {
  if (const rank_t writer = c.lock.holder(); writer != proc_null) {
    if (writer >= 0 && writer < ranks) take(writer);
    return;
  }
  for (rank_t r = 0; r < ranks; ++r)
    if (c.of(r, ranks).part.load(platform::memory_order_relaxed) == rma::lock_part::reads ||
        (by_packets != nullptr && by_packets[r] == 1))
      take(r);
}

/// Awaited condition of a blocked call of a window. Lives on the stack of the blocked call.
template <class Stack>
struct window_awaited : awaited_above {
  using data = window_data<Stack>;

  /// `what`: see hang_stage. `answers` stands for an acknowledgement of `t`, or before that for the
  /// lock or post that lets this rank access `t`.
  window_awaited(const data& window, const rma_target* target, hang_stage what,
                 std::uint64_t which_barrier = 0) noexcept
      : awaited_above{&list_it}, w(window), t(target), stage(what), barrier(which_barrier) {}
  awaited as() const noexcept {
    return {wait_kind::all, awaited::form::above, static_cast<const awaited_above*>(this)};
  }

 private:
  [[gnu::cold]] static void list_it(const awaited_above& self, hang_list<8>& into) noexcept {
    static_cast<const window_awaited&>(self).add_to(into);
  }
  void add_to(hang_list<8>& into) const noexcept {
    const auto add = [&](rank_t who, hang_stage what, rank_t of) {
      into.add({.peer = world(who), .tag = world(of), .context = w.context, .stage = what});
    };
    if (t == nullptr) {
      if (stage != hang_stage::comes) return add(-1, stage, -1);
      bool sends = false;
      for (rank_t r = 0; r < w.size; ++r)
        if (!w.targets[r].control->barrier.has_arrived(barrier, sends)) add(r, stage, -1);
      return;
    }
    if (stage == hang_stage::completes) {  // The origins are waited for one after the other.
      bool waited = true;
      for (const rank_t r : w.exposed_to) {
        waited = waited && r != t->rank;
        if (!waited && !has_completed(w.targets[r])) add(r, stage, -1);
      }
      return;
    }
    const bool may_access = stage != hang_stage::answers || t->open;
    if (!may_access && t->epoch == rma_epoch::started) return add(t->rank, hang_stage::posts, -1);
    if (may_access || t->epoch < rma_epoch::shared) return add(t->rank, stage, -1);
    if (t->control != nullptr)
      each_holder(*t->control, w.size, nullptr, [&](rank_t r) {
        if (r != w.rank) add(r, hang_stage::unlocks, t->rank);
      });
    if (into.total == 0) add(-1, hang_stage::unlocks, t->rank);
  }
  bool has_completed(const rma_target& by) const noexcept {
    const std::uint32_t words =
        w.control->of(by.rank, w.size).completes.load(platform::memory_order_relaxed);
    return by.completes + static_cast<std::int32_t>(words) > 0;
  }
  rank_t world(rank_t r) const noexcept { return r < 0 ? -1 : world_rank(w.peer_of(r)); }

  const data& w;
  const rma_target* t;  // nullptr: all targets.
  hang_stage stage;
  std::uint64_t barrier;
};

/// Adds a rank's windows to its report: holders of locks that other ranks wait for here, the names
/// of windows, and the program's call that a window's collective call is part of.
template <class Stack>
[[gnu::cold]] void explain_window(window_data<Stack>& w, hang_info& info) noexcept {
  const auto mine = [&w](const hang_operation& op) { return op.context >> 1 == w.context >> 1; };
  if (!w.requests.empty())
    each_holder(*w.control, w.size, w.held.begin(), [&](rank_t r) {
      info.locks.add(
          {.peer = world_rank(w.peer_of(r)), .context = w.context, .stage = hang_stage::unlocks});
    });
  bool occurs = false;
  for (std::uint32_t i = 0; i < info.calls_kept; ++i) {
    hang_call& call = info.calls[i];
    bool steps = false;
    for (const hang_operation& op : call.on) {
      occurs = occurs || mine(op);
      steps = steps || (mine(op) && (op.context & 1) != 0);
    }
    if (!steps || w.together.name[0] == '\0') continue;
    copy_head(call.name, w.together.name);
    copy_tail(call.file, w.together.where.file_name());
    call.line = w.together.where.line();
  }
  for (const auto* list : {&info.posted, &info.unexpected, &info.sends})
    for (const hang_operation& op : *list) occurs = occurs || mine(op);
  if (!occurs || info.names_kept == std::size(info.names)) return;
  hang_name& n = info.names[info.names_kept++];
  n.context = w.context;
  n.window = 1;
  const char* const path = w.made_at.file_name();
  const char* const slash = std::strrchr(path, '/');
  std::snprintf(n.text, sizeof n.text, "made at %.24s:%u", slash == nullptr ? path : slash + 1,
                static_cast<unsigned>(w.made_at.line()));
}

}  // namespace mpx::inline v0::detail
