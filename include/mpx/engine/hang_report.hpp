// SPDX-License-Identifier: BSL-1.0
#pragma once
// A report on ranks that wait: what each waits for, what lies unmatched, who waits for whom in a
// circle. Plain structs and a pure function, so that whoever knows that nothing can move any more
// (a timer, a simulator) can print it.

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"
#include "mpx/engine/call_site.hpp"

namespace mpx::inline v0::detail {

/// How far a send or receive has come.
enum class hang_stage : std::uint8_t {
  posted,     ///< A receive that has met no message.
  probed,     ///< A probe that has met no message.
  queued,     ///< A send of which nothing is on the wire.
  announced,  ///< A send that its receiver knows of, and has not received.
  moving,     ///< Matched; data is on its way.
  arrived,    ///< A message that has met no receive.
  claimed,    ///< A message that a matched probe has taken, and nobody has received.
  count_
};

/// One send, receive or message.
struct hang_operation {
  rank_t peer = -1;  ///< -1: any
  tag_t tag = -1;    ///< -1: any
  context_id context = 0;
  hang_stage stage{};
  bool sends = false;
  std::uint64_t bytes = 0;
};

/// The first of some operations, and how many there are. (From here on no member has an
/// initialiser: that takes long to compile for arrays of arrays. Make a `hang_info x{}`.)
template <std::uint32_t Max>
struct hang_list {
  hang_operation at[Max];
  std::uint32_t kept;
  std::uint32_t total;

  void add(const hang_operation& op) noexcept {
    ++total;
    if (kept < Max) at[kept++] = op;
  }
  const hang_operation* begin() const noexcept { return at; }
  const hang_operation* end() const noexcept { return at + kept; }
};

/// A call that waits.
struct hang_call {
  char name[24];
  char file[120];
  std::uint32_t line;
  wait_kind kind;
  std::int64_t since_ns;  ///< 0: not known
  hang_list<8> on;
};

enum class hang_state : std::uint8_t {
  waits,       ///< In mpx: `calls` says where.
  busy,        ///< Not known to wait; seen in mpx at `since_ns`.
  unborn,      ///< Has not joined.
  left,        ///< Has left the job.
  failed,      ///< Has died.
  unreadable,  ///< What it published makes no sense.
  count_
};

/// What one rank says of itself. Trivially copyable: it travels through the job's segment.
struct hang_info {
  rank_t rank;
  std::int32_t pid;  ///< 0: not worth telling
  std::uint32_t environment;
  hang_state state;
  std::int64_t now_ns;
  std::int64_t since_ns;
  std::uint32_t calls_kept;
  std::uint32_t calls_total;
  hang_call calls[4];
  hang_list<16> posted;
  hang_list<16> unexpected;
  hang_list<16> sends;

  hang_call* add_call() noexcept {
    ++calls_total;
    return calls_kept < std::size(calls) ? &calls[calls_kept++] : nullptr;
  }
};

template <std::size_t N>
void copy_head(char (&into)[N], const char* text) noexcept {
  const std::size_t n = lesser(std::strlen(text), N - 1);
  std::memcpy(into, text, n);
  into[n] = '\0';
}
/// Copies the end of a path.
template <std::size_t N>
void copy_tail(char (&into)[N], const char* text) noexcept {
  const std::size_t n = std::strlen(text);
  std::memcpy(into, n < N ? text : text + (n - N + 1), lesser(n, N - 1) + 1);
}

/// Whether a rank's own words, read from shared memory, can be used in a job of `ranks`; cuts what
/// is not text.
[[gnu::cold]] inline bool sound(hang_info& info, rank_t ranks) noexcept {
  bool good = info.state < hang_state::count_ && info.calls_kept <= std::size(info.calls);
  const auto check = [&](const auto& list) {
    good = good && list.kept <= std::size(list.at) && list.kept <= list.total;
    for (std::uint32_t i = 0; good && i < list.kept; ++i)
      good =
          list.at[i].stage < hang_stage::count_ && list.at[i].peer >= -2 && list.at[i].peer < ranks;
  };
  const auto mend = [](auto& text) {
    text[std::size(text) - 1] = '\0';
    for (char& c : text)
      if (c != '\0' && (c < ' ' || c > '~')) c = '?';
  };
  check(info.posted);
  check(info.unexpected);
  check(info.sends);
  for (hang_call& call : info.calls) {
    check(call.on);
    good = good && call.kind < wait_kind::count_;
    mend(call.name);
    mend(call.file);
  }
  return good;
}

/// Text that grows by printf formats: cheap to compile.
class hang_text {
 public:
  [[gnu::format(printf, 2, 3), gnu::noinline, gnu::cold]] void add(const char* format, ...) {
    char line[512];
    std::va_list rest;
    va_start(rest, format);
    const int n = std::vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    if (n > 0) text.append(line, lesser(static_cast<std::size_t>(n), sizeof line - 1));
  }
  std::string text;
};

/// Who waits for whom among ranks 0 .. n - 1.
class hang_graph {
 public:
  explicit hang_graph(std::span<const hang_info> ranks) : ranks_(ranks), dead_(ranks.size()) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      dead_[r] = waits(r) || gone(r);
      free_ += !dead_[r];
    }
    for (bool changed = true; changed;) {  // Who waits for somebody who is free may go on.
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
  /// Whether nothing that this rank waits for can come.
  bool dead(std::size_t r) const noexcept { return dead_[r] != 0; }

  /// Calls `f(other)` for every rank that `call` of `r` depends on.
  template <class F>
  void for_each_target(std::size_t r, const hang_call& call, F&& f) const {
    const bool meeting = call.kind == wait_kind::joining || call.kind == wait_kind::leaving;
    for (std::size_t other = 0; meeting && other < ranks_.size(); ++other)
      if (!meets(other, ranks_[r], call.kind)) f(other);
    for (const hang_operation& op : call.on) {
      if (op.peer >= 0) f(static_cast<std::size_t>(op.peer));
      for (std::size_t other = 0; op.peer == -1 && other < ranks_.size(); ++other)
        if (other != r) f(other);
    }
  }

  /// The rank that keeps `r` waiting, if it is itself waiting for ever; else the number of ranks.
  std::size_t next(std::size_t r) const {
    std::size_t found = ranks_.size();
    for (std::uint32_t i = 0; i < ranks_[r].calls_kept; ++i)
      for_each_target(r, ranks_[r].calls[i], [&](std::size_t to) {
        if (found == ranks_.size() && waits(to) && dead_[to]) found = to;
      });
    return found;
  }

 private:
  bool meets(std::size_t other, const hang_info& mine, wait_kind kind) const noexcept {
    const hang_info& it = ranks_[other];
    if (it.state == hang_state::left) return kind == wait_kind::leaving;
    for (std::uint32_t i = 0; i < it.calls_kept; ++i)
      if (waits(other) && it.calls[i].kind == kind && it.environment == mine.environment)
        return true;
    return false;
  }
  bool may_go_on(std::size_t r) const {
    for (std::uint32_t i = 0; i < ranks_[r].calls_kept; ++i)
      if (may_end(r, ranks_[r].calls[i])) return true;
    return ranks_[r].calls_kept == 0;
  }
  bool may_end(std::size_t r, const hang_call& call) const {
    if (call.kind == wait_kind::joining || call.kind == wait_kind::leaving) {
      bool all = true;
      for_each_target(r, call, [&](std::size_t to) { all = all && !dead_[to]; });
      return all;
    }
    bool one = call.on.kept == 0;  // What it waits for is not known.
    bool all = true;
    for (const hang_operation& op : call.on) {
      const bool can = op.peer >= 0 ? !dead_[static_cast<std::size_t>(op.peer)] : free_ > 0;
      one = one || can;
      all = all && can;
    }
    return call.kind == wait_kind::any || call.kind == wait_kind::testing ? one : all;
  }

  std::span<const hang_info> ranks_;
  plain_array<unsigned char> dead_;
  std::size_t free_ = 0;
};

/// The report, put together part by part.
class hang_writer : hang_text {
 public:
  explicit hang_writer(std::span<const hang_info> ranks) : ranks_(ranks), graph_(ranks) {}

  /// Ranks that are told about one by one; of more, only those that matter most.
  static constexpr std::size_t ranks_told_max = 64;

  [[gnu::cold]] std::string write() {
    std::size_t told = 0;
    for (std::size_t r = 0; r < ranks_.size() && told < ranks_told_max; ++r, ++told) rank(r);
    if (told < ranks_.size()) add("  and %zu ranks more\n", ranks_.size() - told);
    cycles();
    causes();
    hints();
    return std::move(text);
  }

 private:
  static double seconds(std::int64_t ns) noexcept { return static_cast<double>(ns) * 1e-9; }

  void envelope(const hang_operation& op) {
    if (op.peer == -1) {
      add("any rank");
    } else if (op.peer < 0) {
      add("nobody");
    } else {
      add("rank %d", static_cast<int>(op.peer));
    }
    if ((op.context & 1) != 0) {
      add(", collective call %d of communicator %u", static_cast<int>(op.tag) + 1, op.context >> 1);
    } else if (op.tag < 0) {
      add(", any tag, communicator %u", op.context >> 1);
    } else {
      add(", tag %d, communicator %u", static_cast<int>(op.tag), op.context >> 1);
    }
  }

  void operation(const hang_operation& op) {
    static constexpr const char* stages[] = {"",
                                             "",
                                             ", not on the wire yet",
                                             ", not received yet",
                                             ", data on its way",
                                             "",
                                             ", taken by a matched probe"};
    add(op.sends ? "to " : "from ");
    envelope(op);
    if (op.stage == hang_stage::probed) return;
    add(op.stage == hang_stage::posted ? ", room for %llu byte%s%s" : ", %llu byte%s%s",
        static_cast<unsigned long long>(op.bytes), op.bytes == 1 ? "" : "s",
        stages[static_cast<unsigned>(op.stage)]);
  }

  template <class List>
  void list(const char* what, const List& all) {
    if (all.total == 0) return;
    add("      %s:", what);
    const char* separator = " ";
    for (const hang_operation& op : all) {
      add("%s", separator);
      operation(op);
      separator = "; ";
    }
    if (all.kept < all.total) add("; and %u more", all.total - all.kept);
    add("\n");
  }

  /// "rank 3", "ranks 1, 2 and 5 more".
  void some(std::size_t count, const std::size_t (&ranks)[8]) {
    add(count == 1 ? "rank " : "ranks ");
    for (std::size_t i = 0; i < lesser<std::size_t>(count, 8); ++i)
      add(i == 0 ? "%zu" : ", %zu", ranks[i]);
    if (count > 8) add(" and %zu more", count - 8);
  }

  void meeting(std::size_t r, const hang_call& c) {
    add(c.kind == wait_kind::leaving ? "leaves the job that it joined" : "joins the job");
    if (c.line != 0) add(" at %s:%u", c.file, c.line);
    std::size_t count = 0;
    std::size_t targets[8] = {};
    graph_.for_each_target(r, c, [&](std::size_t to) {
      if (count++ < 8) targets[count - 1] = to;
    });
    if (count == 0) return;
    add(", waits for ");
    some(count, targets);
  }

  void call(std::size_t r, const hang_call& c) {
    if (c.kind == wait_kind::joining || c.kind == wait_kind::leaving) {
      meeting(r, c);
    } else {
      if (c.kind == wait_kind::testing) {
        add("tests or probes again and again");
      } else {
        add("waits in %s", c.name);
        if (c.line != 0) add(" at %s:%u", c.file, c.line);
      }
      if (c.on.kept > 0) add(c.kind == wait_kind::any && c.on.total > 1 ? ", for one of" : ":");
      for (const hang_operation& op : c.on) {
        add(&op == c.on.begin() ? " " : "; ");
        operation(op);
      }
      if (c.on.kept < c.on.total) add("; and %u more", c.on.total - c.on.kept);
    }
    if (c.since_ns != 0) add(" (for %.1f s)", seconds(ranks_[r].now_ns - c.since_ns));
  }

  void rank(std::size_t r) {
    const hang_info& it = ranks_[r];
    add("  rank %zu", r);
    if (it.pid != 0) add(" (pid %d)", static_cast<int>(it.pid));
    const double since = seconds(it.now_ns - it.since_ns);
    switch (it.state) {
      case hang_state::waits: break;
      case hang_state::busy:
        return add(" is not in mpx (for %.1f s)%s\n", since,
                   since < 1 ? ": it computes, or never waits long" : "");
      case hang_state::unborn: return add(" has not joined the job\n");
      case hang_state::left: return add(" has left the job\n");
      case hang_state::failed: return add(" has failed\n");
      default: return add(" cannot be understood\n");
    }
    for (std::uint32_t i = 0; i < it.calls_kept; ++i) {
      add(i == 0 ? " " : "\n      and ");
      call(r, it.calls[i]);
    }
    if (it.calls_kept < it.calls_total)
      add("\n      and %u calls more", it.calls_total - it.calls_kept);
    if (it.calls_kept == 0) add(" is in mpx");
    add("\n");
    list("posted receives", it.posted);
    list("unexpected messages", it.unexpected);
    list("sends under way", it.sends);
  }

  /// Each rank has one edge at most, so that cycles do not touch.
  void cycles() {
    plain_array<std::uint32_t> seen(ranks_.size());  // 0: not yet, else the walk that came by.
    for (std::size_t start = 0; start < ranks_.size(); ++start) {
      const auto walk = static_cast<std::uint32_t>(start + 1);
      std::size_t r = start;
      while (r < ranks_.size() && seen[r] == 0 && graph_.waits(r) && graph_.dead(r)) {
        seen[r] = walk;
        r = graph_.next(r);
      }
      if (r >= ranks_.size() || seen[r] != walk) continue;
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
      found_ = true;
    }
  }

  /// Those who could act and do not, and those who never will.
  void causes() {
    for (std::size_t to = 0; to < ranks_.size(); ++to) {
      if (graph_.waits(to)) continue;
      std::size_t count = 0;
      std::size_t waiting[8] = {};
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        bool on = false;
        for (std::uint32_t i = 0; graph_.waits(r) && i < ranks_[r].calls_kept; ++i)
          graph_.for_each_target(r, ranks_[r].calls[i], [&](std::size_t t) { on = on || t == to; });
        if (on && count++ < 8) waiting[count - 1] = r;
      }
      if (count == 0) continue;
      add("  ");
      some(count, waiting);
      add(count > 1 ? " wait for rank %zu, which " : " waits for rank %zu, which ", to);
      const hang_state s = ranks_[to].state;
      add("%s\n", s == hang_state::left     ? "has left the job: nothing more comes from it"
                  : s == hang_state::failed ? "has failed"
                  : s == hang_state::unborn ? "has not joined the job"
                  : s == hang_state::busy   ? "is not in mpx"
                                            : "cannot be understood");
      found_ = true;
    }
    if (!found_) add("  no cycle: what the ranks wait for may still be sent\n");
  }

  void hints() {
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t i = 0; graph_.waits(r) && i < ranks_[r].calls_kept; ++i)
        for (const hang_operation& op : ranks_[r].calls[i].on)
          if (!op.sends) hint(r, op);
    collective_hints();
  }

  /// A message that is there and differs in one thing from what is waited for.
  void hint(std::size_t r, const hang_operation& want) {
    for (const hang_operation& is : ranks_[r].unexpected) {
      const bool tag = want.tag == -1 || want.tag == is.tag;
      const bool peer = want.peer == -1 || want.peer == is.peer;
      const bool context = want.context == is.context;
      if (tag + peer + context != 2 || is.stage != hang_stage::arrived ||
          ((want.context | is.context) & 1) != 0)
        continue;
      add("  hint: rank %zu wants ", r);
      if (!tag) add("tag %d, a message here has tag %d", want.tag, is.tag);
      if (!peer) add("a message of rank %d, one here is of rank %d", want.peer, is.peer);
      if (!context)
        add("a message on communicator %u, one here is on %u", want.context >> 1, is.context >> 1);
      add("; all else fits\n");
      return;
    }
  }

  /// The first two ranks for which one collective call is two.
  void collective_hints() {
    const hang_call* first = nullptr;
    std::size_t first_rank = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t i = 0; graph_.waits(r) && i < ranks_[r].calls_kept; ++i) {
        const hang_call& c = ranks_[r].calls[i];
        if (c.on.kept == 0 || (c.on.at[0].context & 1) == 0) continue;
        if (first == nullptr) {
          first = &c;
          first_rank = r;
          continue;
        }
        const hang_operation& a = first->on.at[0];
        const hang_operation& b = c.on.at[0];
        if (a.context != b.context || a.tag != b.tag || std::strcmp(first->name, c.name) == 0)
          continue;
        add("  hint: collective call %d of communicator %u is %s on rank %zu and %s on rank %zu: "
            "all ranks must make the same calls in the same order\n",
            a.tag + 1, a.context >> 1, first->name, first_rank, c.name, r);
        return;
      }
  }

  std::span<const hang_info> ranks_;
  hang_graph graph_;
  bool found_ = false;
};

/// The report on a job, from what each of its ranks says: `ranks[i]` is rank i.
/// Returns: lines that end in a line feed, without a headline.
[[gnu::cold]] inline std::string format_hang_report(std::span<const hang_info> ranks) {
  return hang_writer(ranks).write();
}

}  // namespace mpx::inline v0::detail
