// SPDX-License-Identifier: BSL-1.0
#pragma once
// Report on waiting ranks: what each waits for, unmatched operations, cycles of waiting ranks. A
// pure function of the ranks' published states. Used by mpxrun, jobs of threads and the simulator,
// which decide when to print it.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"
#include "mpx/watch/hang_info.hpp"
#include "mpx/watch/hang_lines.hpp"

namespace mpx::inline v0::detail {

// Templates, so that programs that monitor no job, as under mpxrun, do not compile them.

/// Checks a rank's state read from shared memory; true if it is usable in a job of `ranks`.
/// Truncates texts that are malformed. A checked state can be printed, whatever its contents.
template <class Info>
[[gnu::cold]] bool sound(Info& info, rank_t ranks) noexcept {
  bool good = info.state < hang_state::count_ && info.calls_kept <= std::size(info.calls) &&
              info.calls_kept <= info.calls_total;
  const auto check = [&](const hang_operation* at, std::size_t most, std::uint32_t kept,
                         std::uint32_t total) {
    good = good && kept <= most && kept <= total;
    for (std::uint32_t i = 0; good && i < kept; ++i)
      good = at[i].stage < hang_stage::count_ && at[i].peer >= -2 && at[i].peer < ranks;
  };
  const auto mend = [](char* text, std::size_t bytes) {
    text[bytes - 1] = '\0';
    for (std::size_t i = 0; i < bytes; ++i)
      if (text[i] != '\0' && (text[i] < ' ' || text[i] > '~')) text[i] = '?';
  };
  good = good && info.names_kept <= std::size(info.names);
  for (auto& name : info.names) mend(name.text, sizeof name.text);
  const hang_list<16>* const lists[] = {&info.posted, &info.unexpected, &info.sends};
  for (const auto* list : lists) check(list->at, std::size(list->at), list->kept, list->total);
  check(info.locks.at, std::size(info.locks.at), info.locks.kept, info.locks.total);
  mend(info.fate, sizeof info.fate);
  for (auto& call : info.calls) {
    check(call.on.at, std::size(call.on.at), call.on.kept, call.on.total);
    good = good && call.kind < wait_kind::count_;
    mend(call.name, sizeof call.name);
    mend(call.file, sizeof call.file);
  }
  return good;
}

/// Wait-for graph of ranks 0 .. n - 1.
/// Cost:       O(n^2), for any contents of the states.
template <class Info>
class hang_graph {
 public:
  explicit hang_graph(std::span<const Info> ranks)
      : ranks_(ranks), dead_(ranks.size()), met_(ranks.size() * calls_max) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      dead_[r] = waits(r) || gone(r);
      free_ += !dead_[r];
    }
    for (bool changed = true; changed;) {  // A rank that waits for a free rank may continue.
      changed = false;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (!dead_[r] || !waits(r) || !may_go_on(r)) continue;
        dead_[r] = false;
        ++free_;
        changed = true;
      }
    }
  }

  bool waits(std::size_t r) const noexcept { return ranks_[r].state == hang_state::waits; }
  bool gone(std::size_t r) const noexcept {
    return ranks_[r].state == hang_state::left || ranks_[r].state == hang_state::failed;
  }
  /// True if nothing that this rank waits for can happen.
  bool dead(std::size_t r) const noexcept { return dead_[r] != 0; }

  static bool joins_or_leaves(const hang_call& call) noexcept {
    return call.kind == wait_kind::joining || call.kind == wait_kind::leaving;
  }
  /// Returns the rank on which `op` depends; -1: any. For a lock: the holder, according to its
  /// owner.
  rank_t peer_of(const hang_operation& op) const noexcept {
    if (op.peer != -1 || op.stage != hang_stage::unlocks || op.tag < 0 ||
        static_cast<std::size_t>(op.tag) >= ranks_.size())
      return op.peer;
    const Info& owner = ranks_[static_cast<std::size_t>(op.tag)];
    for (const hang_operation& lock : owner.locks)
      if (waits(static_cast<std::size_t>(op.tag)) && lock.context == op.context) return lock.peer;
    return op.peer;
  }
  /// True if `call` of `r` depends on rank `to`.
  bool depends(std::size_t r, const hang_call& call, std::size_t to) const noexcept {
    if (joins_or_leaves(call) && !meets(to, ranks_[r], call.kind)) return true;
    for (const hang_operation& op : call.on)
      if (const rank_t on = peer_of(op);
          on >= 0 ? static_cast<std::size_t>(on) == to : on == -1 && to != r)
        return true;
    return false;
  }
  /// True if `a` and `b` are in the same environment.
  bool together(std::size_t a, std::size_t b) const noexcept {
    return ranks_[a].environment == ranks_[b].environment;
  }
  /// True if a call of `r` depends on rank `to` and `r` waits.
  bool depends(std::size_t r, std::size_t to) const noexcept {
    for (std::uint32_t i = 0; waits(r) && i < ranks_[r].calls_kept; ++i)
      if (depends(r, ranks_[r].calls[i], to)) return true;
    return false;
  }

  /// Returns the rank that keeps `r` waiting, if that rank itself waits for ever; else the number
  /// of ranks.
  std::size_t next(std::size_t r) const noexcept {
    const auto stays = [this](std::size_t to) { return waits(to) && dead(to); };
    for (std::uint32_t i = 0; i < ranks_[r].calls_kept; ++i) {
      const auto& call = ranks_[r].calls[i];
      for (std::size_t to = 0; joins_or_leaves(call) && to < ranks_.size(); ++to)
        if (stays(to) && !meets(to, ranks_[r], call.kind)) return to;
      for (const hang_operation& op : call.on) {
        const rank_t on = peer_of(op);
        if (on >= 0 && stays(static_cast<std::size_t>(on))) return static_cast<std::size_t>(on);
        for (std::size_t to = 0; on == -1 && to < ranks_.size(); ++to)
          if (to != r && stays(to)) return to;
      }
    }
    return ranks_.size();
  }

 private:
  static constexpr std::size_t calls_max = sizeof(Info::calls) / sizeof(hang_call);

  bool meets(std::size_t other, const Info& mine, wait_kind kind) const noexcept {
    const Info& it = ranks_[other];
    if (it.state == hang_state::left) return kind == wait_kind::leaving;
    for (std::uint32_t i = 0; i < it.calls_kept; ++i)
      if (waits(other) && it.calls[i].kind == kind && it.environment == mine.environment)
        return true;
    return false;
  }
  bool may_go_on(std::size_t r) noexcept {
    for (std::uint32_t i = 0; i < ranks_[r].calls_kept; ++i)
      if (may_end(r, i)) return true;
    return ranks_[r].calls_kept == 0;
  }
  bool may_end(std::size_t r, std::uint32_t index) noexcept {
    const auto& call = ranks_[r].calls[index];
    if (joins_or_leaves(call)) {
      // Ranks below `met` have been met or are free, and stay so: the next search continues there.
      std::uint32_t& met = met_[r * calls_max + index];
      while (met < ranks_.size() && (!dead_[met] || meets(met, ranks_[r], call.kind))) ++met;
      if (met < ranks_.size()) return false;
      for (const hang_operation& op : call.on)
        if (!can(op)) return false;
      return true;
    }
    bool one = call.on.kept == 0;  // True if what it waits for is unknown.
    bool all = true;
    for (const hang_operation& op : call.on) {
      one = one || can(op);
      all = all && can(op);
    }
    return call.kind == wait_kind::any || call.kind == wait_kind::testing ? one : all;
  }
  bool can(const hang_operation& op) const noexcept {
    const rank_t on = peer_of(op);
    return on >= 0 ? !dead_[static_cast<std::size_t>(on)] : free_ > 0;
  }

  std::span<const Info> ranks_;
  plain_array<unsigned char> dead_;
  plain_array<std::uint32_t> met_;  // By rank and call: all lower ranks are free, or have arrived.
  std::size_t free_ = 0;
};

/// Builds the report.
template <class Info>
class hang_writer : hang_lines {
 public:
  explicit hang_writer(std::span<const Info> ranks) : ranks_(ranks), graph_(ranks) {}

  /// Maximum number of ranks reported individually; of more, only cycles, causes and hints are
  /// reported.
  static constexpr std::size_t ranks_told_max = 64;

  [[gnu::cold]] std::string write() {
    std::size_t told = 0;
    for (std::size_t r = 0; r < ranks_.size() && told < ranks_told_max; ++r, ++told) rank(r);
    if (told < ranks_.size()) add("  and %zu ranks more\n", ranks_.size() - told);
    cycles();
    causes();
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      if (graph_.waits(r)) {
        names_by(ranks_[r]);
        hints(r, ranks_[r]);
      }
    collective_hints();
    return std::move(text);
  }

 private:
  /// A list of ranks, such as "rank 3", "ranks 1, 2 and 5 more".
  struct gathered {
    std::size_t count = 0;
    std::size_t first[8] = {};
    void take(std::size_t rank) noexcept {
      if (count++ < std::size(first)) first[count - 1] = rank;
    }
  };
  void names(const gathered& g) {
    add(g.count == 1 ? "rank " : "ranks ");
    for (std::size_t i = 0; i < lesser(g.count, std::size(g.first)); ++i)
      add(i == 0 ? "%zu" : ", %zu", g.first[i]);
    if (g.count > std::size(g.first)) add(" and %zu more", g.count - std::size(g.first));
  }

  void membership_with(std::size_t r, const hang_call& c) {
    membership(c);
    gathered targets;
    for (std::size_t to = 0; to < ranks_.size(); ++to)
      if (graph_.depends(r, c, to)) targets.take(to);
    if (targets.count == 0) return;
    add(", waits for ");
    names(targets);
  }

  void rank(std::size_t r) {
    const Info& it = ranks_[r];
    names_by(it);
    add("  rank %zu", r);
    if (it.pid != 0) add(" (pid %d)", static_cast<int>(it.pid));
    switch (it.state) {
      case hang_state::waits: break;
      case hang_state::busy: return busy(it);
      case hang_state::unborn: return add(" has not joined the job\n");
      case hang_state::left: return add(" has left the job\n");
      case hang_state::failed:
        return add(" has failed%s%s\n", it.fate[0] != '\0' ? ": " : "", it.fate);
      default: return add(" cannot be understood\n");
    }
    for (std::uint32_t i = 0; i < it.calls_kept; ++i) {
      const auto& c = it.calls[i];
      add(i == 0 ? " " : "\n      and ");
      if (hang_graph<Info>::joins_or_leaves(c)) {
        membership_with(r, c);
      } else if (c.on.kept > 0 && c.on.at[0].stage == hang_stage::unlocks) {
        hang_call known = c;
        for (std::uint32_t k = 0; k < c.on.kept; ++k)
          known.on.at[k].peer = graph_.peer_of(c.on.at[k]);
        call(known);
      } else {
        call(c);
      }
      duration(it.now_ns, c.since_ns);
    }
    calls_left_out(it);
    lists(it);
  }
  void busy(const Info& it) {
    if (it.since_ns == 0)
      return add(
          " has joined, and does not say what it is doing: it computes, or cannot be asked\n");
    add(" is not in mpx");
    duration(it.now_ns, it.since_ns);
    const bool lately =
        it.since_ns > 0 && it.since_ns <= it.now_ns && it.now_ns - it.since_ns < 1'000'000'000;
    add("%s\n", lately ? ": it computes, or never waits long" : "");
  }

  /// Each rank has at most one edge, so that cycles are disjoint.
  void cycles() {
    // 0: not visited, else the walk that visited it.
    plain_array<std::uint32_t> seen(ranks_.size());
    for (std::size_t start = 0; start < ranks_.size(); ++start) {
      const auto walk = static_cast<std::uint32_t>(start + 1);
      std::size_t r = start;
      while (r < ranks_.size() && seen[r] == 0 && graph_.waits(r) && graph_.dead(r)) {
        seen[r] = walk;
        r = graph_.next(r);
      }
      if (r >= ranks_.size() || seen[r] != walk) continue;
      const std::size_t first = r;
      std::size_t at = r;
      std::size_t told = 0;
      do {
        const std::size_t next = graph_.next(at);
        if (++told <= ranks_told_max)
          add(told == 1 ? "  cycle: rank %zu waits for rank %zu" : ", rank %zu for rank %zu", at,
              next);
        at = next;
      } while (at != r);
      if (told > ranks_told_max) add(", and so on through %zu ranks", told);
      add("\n");
      order_hint(first);
      found_ = true;
    }
  }

  /// Reports ranks on which others wait: those that could act and do not, and those that never
  /// will.
  void causes() {
    for (std::size_t to = 0; to < ranks_.size(); ++to) {
      if (graph_.waits(to)) continue;
      gathered waiting;
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        if (graph_.depends(r, to)) waiting.take(r);
      if (waiting.count == 0) continue;
      add("  ");
      names(waiting);
      add(waiting.count > 1 ? " wait for rank %zu, which " : " waits for rank %zu, which ", to);
      const hang_state s = ranks_[to].state;
      add("%s\n", s == hang_state::left     ? "has left the job: nothing more comes from it"
                  : s == hang_state::failed ? "has failed"
                  : s == hang_state::unborn ? "has not joined the job"
                  : s == hang_state::busy
                      ? ranks_[to].since_ns == 0 ? "does not say what it is doing" : "is not in mpx"
                      : "cannot be understood");
      found_ = true;
    }
    if (!found_) add("  no cycle: what the ranks wait for may still be sent\n");
  }

  /// Returns the call of rank `r` if it is a collective call of a communicator or a window; else
  /// nullptr.
  const hang_call* collective_of(std::size_t r) const noexcept {
    const Info& it = ranks_[r];
    if (it.calls_kept != 1 || it.calls[0].on.kept == 0) return nullptr;
    const hang_operation& op = it.calls[0].on.at[0];
    return (op.context & 1) != 0 || op.stage == hang_stage::comes ? &it.calls[0] : nullptr;
  }
  static bool is_together(const hang_call& a, const hang_call& b) noexcept {
    return a.on.at[0].context >> 1 == b.on.at[0].context >> 1;
  }
  /// Writes a hint if a cycle through rank `first` consists of collective calls of several
  /// communicators: some rank has omitted a call, or made the calls in another order.
  void order_hint(std::size_t first) {
    std::size_t one = ranks_.size();
    std::size_t at = first;
    do {
      const std::size_t next = graph_.next(at);
      const hang_call* const here = collective_of(at);
      const hang_call* const there = collective_of(next);
      if (here == nullptr || there == nullptr) return;
      if (one == ranks_.size() && !is_together(*here, *there)) one = at;
      at = next;
    } while (at != first);
    if (one == ranks_.size()) return;
    const std::size_t other = graph_.next(one);
    const auto say = [this](std::size_t r) {
      const hang_call* const c = collective_of(r);
      if (c == nullptr) return;  // Does not happen: all ranks of the cycle have one.
      names_by(ranks_[r]);
      add("%s of ", c->name);
      communicator(c->on.at[0].context, is_of_window(c->on.at[0].stage));
    };
    add("  hint: rank %zu is in ", one);
    say(one);
    add(", rank %zu in ", other);
    say(other);
    add(": all ranks must make the same calls in the same order\n");
  }

  /// Writes a hint for the first two ranks that are in different operations as the same collective
  /// call.
  void collective_hints() {
    const hang_call* first = nullptr;
    std::size_t first_rank = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t i = 0; graph_.waits(r) && i < ranks_[r].calls_kept; ++i) {
        const auto& c = ranks_[r].calls[i];
        if (c.on.kept == 0 || (c.on.at[0].context & 1) == 0) continue;
        if (first == nullptr) {
          first = &c;
          first_rank = r;
          continue;
        }
        const auto& a = first->on.at[0];
        const auto& b = c.on.at[0];
        if (a.context != b.context || a.tag != b.tag || std::strcmp(first->name, c.name) == 0)
          continue;
        add("  hint: ");
        this->collective_call_of(a.tag);
        names_by(ranks_[r]);
        communicator(a.context);
        add(" is %s on rank %zu and %s on rank %zu: all ranks must make the same calls in the same "
            "order\n",
            first->name, first_rank, c.name, r);
        return;
      }
  }

  std::span<const Info> ranks_;
  hang_graph<Info> graph_;
  bool found_ = false;
};

/// Returns the report on a job from the states of its ranks: `ranks[i]` is rank i, and checked by
/// sound(). Lines end in a line feed; there is no headline.
template <class Info = hang_info>
[[gnu::cold]] std::string format_hang_report(std::span<const std::type_identity_t<Info>> ranks) {
  return hang_writer<Info>(ranks).write();
}

/// As above, with a headline. `stuck` ranks wait for ever, as far as they know, the last of them
/// for `quiet_ns`; all of them together if `all`, which includes ranks that have ended.
template <class Info = hang_info>
[[gnu::cold]] std::string format_hang_report(std::span<const std::type_identity_t<Info>> ranks,
                                             std::size_t stuck, bool all, std::int64_t quiet_ns) {
  hang_lines out;
  if (all) {
    out.headline(quiet_ns, static_cast<rank_t>(ranks.size()));
  } else {
    out.add("mpx: hang report: %zu of %zu ranks have waited for ", stuck, ranks.size());
    out.seconds(quiet_ns);
    out.add(" or longer\n");
  }
  out.text += format_hang_report<Info>(ranks);
  return std::move(out.text);
}

}  // namespace mpx::inline v0::detail
