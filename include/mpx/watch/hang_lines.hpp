// SPDX-License-Identifier: BSL-1.0
#pragma once
// Text of one rank's state, and the whole report of a rank that reports itself.

#include <cstdarg>
#include <cstdio>
#include <string>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/serials.hpp"
#include "mpx/watch/hang_info.hpp"

namespace mpx::inline v0::detail {

/// Text built by printf formats: cheap to compile.
class hang_text {
 public:
  [[gnu::format(printf, 2, 3), gnu::noinline, gnu::cold]] void add(const char* format, ...) {
    std::va_list rest;
    va_start(rest, format);
    append_list(text, format, rest);
    va_end(rest);
  }
  std::string text;
};

/// Writes what a rank waits for, and its unmatched operations.
class hang_lines : public hang_text {
 public:
  [[gnu::noinline, gnu::cold]] void operation(const hang_operation& op) {
    static constexpr const char* stages[static_cast<unsigned>(hang_stage::count_)] = {
        "",
        "",
        ", not on the wire yet",
        ", not received yet",
        ", data on its way",
        "",
        ", taken by a matched probe",
        "",
        "",
        "",
        "",
        "",
        ""};
    add(op.sends != 0 ? "to " : "from ");
    envelope(op);
    if (op.stage == hang_stage::probed) return;
    add(op.stage == hang_stage::posted ? ", room for %llu byte%s%s" : ", %llu byte%s%s",
        static_cast<unsigned long long>(op.bytes), op.bytes == 1 ? "" : "s",
        stages[static_cast<unsigned>(op.stage)]);
  }

  /// Example: "collective call 3 of ".
  [[gnu::noinline, gnu::cold]] void collective_call_of(tag_t serial) {
    if (prepared_serial::is(serial)) {
      add("start %u of prepared collective %u of ", prepared_serial::start_of(serial) + 1,
          prepared_serial::number_of(serial) + 1);
    } else {
      add("collective call %u of ", static_cast<unsigned>(serial) + 1);
    }
  }
  /// Writes a call other than one that joins or leaves.
  [[gnu::noinline, gnu::cold]] void call(const hang_call& c) {
    if (c.kind == wait_kind::testing) {
      add("tests or probes again and again");
    } else {
      add("waits in %s", c.name);
      place(c);
    }
    if (c.on.kept > 0) add(c.kind == wait_kind::any && c.on.total > 1 ? ", for one of" : ":");
    if (c.on.kept > 0 && is_of_window(c.on.at[0].stage)) return of_window(c.on);
    some(c.on.at, c.on.kept, c.on.total);
  }
  /// Sets the source of communicators' names to `it`.
  void names_by(const hang_info& it) noexcept { names_ = &it; }
  void place(const hang_call& c) {
    if (c.line != 0) add(" at %s:%u", c.file, c.line);
  }
  /// Writes a call that joins or leaves.
  void membership(const hang_call& c) {
    add(c.kind == wait_kind::leaving ? "leaves the job that it joined" : "joins the job");
    place(c);
  }
  /// Writes the time since `since`; nothing if it is unknown or implausible.
  void duration(std::int64_t now, std::int64_t since) {
    if (since > 0 && since <= now) add(" (for %.1f s)", static_cast<double>(now - since) * 1e-9);
  }
  void calls_left_out(const hang_info& it) {
    if (it.calls_kept < it.calls_total)
      add("\n      and %u calls more", it.calls_total - it.calls_kept);
    add(it.calls_kept == 0 ? " is in mpx\n" : "\n");
  }
  void lists(const hang_info& it) {
    list("posted receives", it.posted);
    list("unexpected messages", it.unexpected);
    list("sends under way", it.sends);
  }

  /// Writes a hint if an unexpected message differs in one property from what rank `r` waits for.
  [[gnu::noinline, gnu::cold]] void hint(std::size_t r, const hang_info& it,
                                         const hang_operation& want) {
    for (const hang_operation& is : it.unexpected) {
      const bool tag = want.tag == -1 || want.tag == is.tag;
      const bool peer = want.peer == -1 || want.peer == is.peer;
      const bool context = want.context == is.context;
      if (tag + peer + context != 2 || is.stage != hang_stage::arrived ||
          ((want.context | is.context) & 1) != 0 || want.tag < -1 || is.tag < -1)  // Parts.
        continue;
      add("  hint: rank %zu wants ", r);
      if (!tag) add("tag %d, a message here has tag %d", want.tag, is.tag);
      if (!peer) add("a message of rank %d, one here is of rank %d", want.peer, is.peer);
      if (!context) {
        add("a message on ");
        communicator(want.context);
        add(", one here is on ");
        communicator(is.context);
      }
      add("; all else fits\n");
      return;
    }
  }
  [[gnu::noinline, gnu::cold]] void hints(std::size_t r, const hang_info& it) {
    for (std::uint32_t i = 0; i < it.calls_kept; ++i)
      for (const hang_operation& op : it.calls[i].on)
        if (op.sends == 0 && !is_of_window(op.stage)) hint(r, it, op);
  }

  void communicator(context_id context, bool window = false) {
    const hang_name* const name = names_ == nullptr ? nullptr : names_->name_of(context);
    window = window || (name != nullptr && name->window != 0);
    add(window ? "window %u" : "communicator %u", context >> 1);
    if (name != nullptr) add(" (%s)", name->text);
  }
  /// Writes a time rounded for people: 0.25 s, 1.3 s, 120 s.
  void seconds(std::int64_t ns) {
    if (ns < 1'000'000'000) return add("%.2g s", static_cast<double>(ns) * 1e-9);
    const std::int64_t unit = ns < 100'000'000'000 ? 100'000'000 : 1'000'000'000;
    const std::int64_t rounded_ns = (ns + unit / 2) / unit * unit;
    add("%g s", static_cast<double>(rounded_ns) * 1e-9);
  }
  void headline(std::int64_t quiet_ns, rank_t ranks) {
    add("mpx: hang report: nothing has moved for ");
    seconds(quiet_ns);
    add(" in this job of %d rank%s\n", static_cast<int>(ranks), ranks == 1 ? "" : "s");
  }
  void end() { add("  the job goes on waiting; another report follows only if something moves\n"); }

 private:
  /// Writes the awaited action of a window's call: the same for several ranks.
  [[gnu::noinline, gnu::cold]] void of_window(const hang_list<8>& on) {
    static constexpr const char* whats[] = {"come", "post", "complete", "unlock", "answer"};
    const hang_operation& first = on.at[0];
    if (first.stage == hang_stage::arrives) {
      add(" for what other ranks have sent");
    } else if (first.peer < 0) {
      add(" for whoever has locked");
    } else {
      add(on.total == 1 ? " for rank" : " for ranks");
      for (std::uint32_t i = 0; i < on.kept; ++i) add(i == 0 ? " %d" : ", %d", on.at[i].peer);
      if (on.kept < on.total) add(" and %u more", on.total - on.kept);
      const auto what =
          static_cast<unsigned>(first.stage) - static_cast<unsigned>(hang_stage::comes);
      add(" to %s", whats[what]);
    }
    if (first.stage == hang_stage::unlocks) add(" rank %d", first.tag);
    add(", ");
    communicator(first.context, true);
  }
  [[gnu::noinline, gnu::cold]] void envelope(const hang_operation& op) {
    if (op.peer == -1) {
      add("any rank");
    } else if (op.peer < 0) {
      add("nobody");
    } else {
      add("rank %d", static_cast<int>(op.peer));
    }
    const bool collective = (op.context & 1) != 0;
    if (collective && (op.tag >= 0 || prepared_serial::is(op.tag))) {
      add(", ");
      collective_call_of(op.tag);
    } else if (collective && op.tag == meeting_tag) {
      add(", a meeting of all ranks, ");
    } else if (op.tag < -1) {
      add(", part of a partitioned message, ");
    } else if (op.tag < 0) {
      add(", any tag, ");
    } else {
      add(", tag %d, ", static_cast<int>(op.tag));
    }
    communicator(op.context);
  }
  [[gnu::noinline, gnu::cold]] void some(const hang_operation* at, std::uint32_t kept,
                                         std::uint32_t total) {
    for (std::uint32_t i = 0; i < kept; ++i) {
      add(i == 0 ? " " : "; ");
      operation(at[i]);
    }
    if (kept < total) add("; and %u more", total - kept);
  }
  [[gnu::noinline, gnu::cold]] void list(const char* what, const hang_list<16>& all) {
    if (all.total == 0) return;
    add("      %s:", what);
    some(all.at, all.kept, all.total);
    add("\n");
  }

  const hang_info* names_ = nullptr;
};

/// Returns the whole report of a rank that prints it itself: the only rank of its job, which can
/// only wait for itself, or one of `ranks` in a job that is not monitored. For a single rank: as
/// format_hang_report, with headline and end.
[[gnu::cold]] inline std::string format_lone_report(const hang_info& info, rank_t ranks,
                                                    std::int64_t quiet_ns) {
  hang_lines out;
  out.names_by(info);
  if (ranks == 1) {
    out.headline(quiet_ns, 1);
  } else {
    out.add("mpx: hang report: rank %d of %d has waited for ", static_cast<int>(info.rank),
            static_cast<int>(ranks));
    out.seconds(quiet_ns);
    out.add("\n");
  }
  out.add("  rank %d", static_cast<int>(info.rank));
  if (ranks > 1) out.add(" (pid %d)", static_cast<int>(info.pid));
  bool known = info.calls_kept > 0;
  bool itself = false;
  for (std::uint32_t i = 0; i < info.calls_kept; ++i) {
    const hang_call& c = info.calls[i];
    out.add(i == 0 ? " " : "\n      and ");
    if (c.kind == wait_kind::joining || c.kind == wait_kind::leaving) {
      out.membership(c);
    } else {
      out.call(c);
    }
    out.duration(info.now_ns, c.since_ns);
    known = known && c.on.kept > 0;
    for (const hang_operation& op : c.on) itself = itself || op.peer == 0;
  }
  out.calls_left_out(info);
  out.lists(info);
  if (ranks == 1)
    out.add(known && itself ? "  cycle: rank 0 waits for rank 0\n"
                            : "  no cycle: what the ranks wait for may still be sent\n");
  out.hints(static_cast<std::size_t>(info.rank), info);
  if (ranks == 1) {
    out.end();
  } else {
    out.add(
        "  this rank goes on waiting, and reports no more of this call; rank 0 reports on all "
        "ranks "
        "if it waits, too\n");
  }
  return std::move(out.text);
}

}  // namespace mpx::inline v0::detail
