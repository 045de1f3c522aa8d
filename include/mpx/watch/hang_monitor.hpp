// SPDX-License-Identifier: BSL-1.0
#pragma once
// Polls the marks of a job's ranks, and detects that no rank can make progress, or that some have
// waited for too long. Used by the process that runs the job; ranks only publish their own state
// (hang_watch). Data read from the segment is not trusted.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <type_traits>

#include "mpx/bootstrap/detail/job_view.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/watch/hang_report.hpp"

namespace mpx::inline v0::detail {

// Templates, so that programs that monitor no job, as under mpxrun, do not compile them.

/// A rank that waits for ever for one that leaves the job, while the latter waits for the former.
struct hang_stranded {
  rank_t waits = -1;  ///< First waiting rank; -1: none.
  rank_t leaves = -1;
  std::string report;
  bool is_of(const hang_stranded& other) const noexcept {
    return waits == other.waits && leaves == other.leaves;
  }
};

/// True if a waiting rank may still act in a way that its blocked calls do not show: it tests, and
/// may stop testing, or an operation that no call waits for may progress.
template <class Info>
[[gnu::cold]] bool may_act(const Info& it) noexcept {
  bool may = it.calls_kept == 0 || it.calls_kept != it.calls_total;
  for (std::uint32_t i = 0; i < it.calls_kept; ++i) {
    const auto& call = it.calls[i];
    may = may || call.kind == wait_kind::testing || call.on.kept != call.on.total;
    // A collective that no call waits for continues while its rank leaves, and may send.
    if (call.kind == wait_kind::leaving)
      for (const auto* list : {&it.posted, &it.sends}) {
        may = may || list->kept != list->total;
        for (const hang_operation& op : *list) may = may || (op.context & 1) != 0;
      }
  }
  may = may || it.sends.kept != it.sends.total;
  for (const hang_operation& op : it.sends)
    may = may || op.stage == hang_stage::queued || op.stage == hang_stage::moving;
  return may;
}

/// Hang detection of one job. All times are of the monotonic clock.
template <class Job = bootstrap::detail::job_view, class Info = hang_info>
class hang_monitor {
 public:
  /// The memory of `job` outlives this. `limit_ns` holds until a rank sets another limit; 0: none.
  /// Errors:     errc::no_resources.
  explicit hang_monitor(const Job& job, std::int64_t limit_ns = 0)
      : job_(job),
        limit_ns_(limit_ns),
        marks_(static_cast<std::size_t>(job.size())),
        before_(static_cast<std::size_t>(job.size())),
        told_(static_cast<std::size_t>(job.size())) {}

  /// Returns how long ranks wait before they publish it; 0 if hangs are not reported.
  std::int64_t limit_ns() const noexcept {
    const std::int64_t theirs = head().limit_ns.load(platform::memory_order_relaxed);
    return theirs >= 1'000'000 && theirs <= limit_ns_max ? theirs : limit_ns_;
  }
  /// Returns the time until the next look.
  std::int64_t pace_ns() const noexcept {
    return lesser(greater(limit_ns() / 8, pace_ns_min),
                  has_unreported_ ? pace_ns_max : idle_ns_max);
  }

  /// Polls once.
  /// Returns:    the report if one is due, else "".
  /// Errors:     errc::no_resources; the next look may find the hang again.
  /// Cost:       a word for each rank; 4 KiB more if some wait, and those of all ranks for a
  ///             report.
  std::string look(std::int64_t now) {
    const rank_t lowest = read_marks(now);
    const bool same =
        std::memcmp(marks_.begin(), before_.begin(), marks_.size() * sizeof marks_[0]) == 0;
    std::memcpy(before_.begin(), marks_.begin(), marks_.size() * sizeof marks_[0]);
    bool all = true;
    has_unreported_ = false;
    if (lowest >= 0) environment_ = environment_of(lowest);
    for (rank_t r = 0; r < job_.size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      all = all && (marks_[i] != 0 || is_gone(r));
      has_unreported_ = has_unreported_ || (marks_[i] != 0 && marks_[i] != told_[i]);
    }
    if (!has_unreported_) {
      partly_ns_ = asked_ns_ = 0;
    } else if (all) {
      if (same) return report(now, true);  // Seen twice: no rank was about to continue.
    } else if (partly_ns_ == 0) {
      partly_ns_ = now;
    } else if (now - partly_ns_ >= limit_ns()) {
      if (asked_ns_ == 0) {
        asked_ns_ = now;
        answer_ = ask();
      } else if (now - asked_ns_ >= answer_ns) {
        return report(now, false);
      }
    }
    return {};
  }

  /// Asks all ranks for their state. Waiting ranks have published it `answer_ns` later.
  /// Returns:    the number of the question.
  std::uint32_t ask() noexcept {
    head().asked.store(++asked_, platform::memory_order_release);
    return asked_;
  }
  /// Returns the state of all ranks as far as they have answered, whether they hang or not; "" if
  /// none has ever joined. Called after `ask`, for a job that is about to be ended.
  /// Errors:     errc::no_resources.
  std::string look_at_all(std::int64_t now) {
    answer_ = asked_;
    const rank_t lowest = read_marks(now);
    environment_ = lowest >= 0 ? environment_of(lowest) : 0;
    bool any = false, all = true;
    for (rank_t r = 0; r < job_.size(); ++r) {
      const std::uint64_t joins = job_.joins(r);
      any = any || joins != 0;
      all = all && (marks_[static_cast<std::size_t>(r)] != 0 || is_gone(r));
      if (lowest < 0 && joins > environment_ + 1) environment_ = joins - 1;
    }
    return any ? report(now, all, true) : std::string();
  }
  /// Returns a rank that leaves environment `k`, and one that waits for it for ever, according to
  /// the answers of both to `question`: nothing has moved at either of them for `patience_ns`, and
  /// no remaining rank can send what one of them needs.
  /// Errors:     errc::no_resources.
  hang_stranded look_at_leaving(std::int64_t now, std::uint64_t k, std::uint32_t question,
                                std::int64_t patience_ns) {
    environment_ = k;
    answer_ = question;
    plain_array<Info> ranks(marks_.size());
    plain_array<hang_state> said(marks_.size());
    for (rank_t r = 0; r < job_.size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      gather(r, now, has_answered(r), ranks[i]);
      said[i] = ranks[i].state;
      if (said[i] == hang_state::waits && may_act(ranks[i])) ranks[i].state = hang_state::busy;
    }
    const std::span<const Info> all(ranks.begin(), ranks.size());
    const auto leaves = [](const Info& it) {
      return it.state == hang_state::waits && it.calls_kept == 1 &&
             it.calls[0].kind == wait_kind::leaving;
    };
    const auto is_quiet = [&](const Info& it) {
      return it.since_ns > 0 && it.since_ns <= now && now - it.since_ns >= patience_ns;
    };
    hang_stranded found;
    const hang_graph<Info> graph(all);
    for (rank_t to = 0; to < job_.size() && found.waits < 0; ++to) {
      const auto there = static_cast<std::size_t>(to);
      if (!leaves(all[there]) || !is_quiet(all[there])) continue;
      for (rank_t r = 0; r < job_.size() && found.waits < 0; ++r) {
        const auto here = static_cast<std::size_t>(r);
        if (graph.waits(here) && graph.dead(here) && is_quiet(all[here]) &&
            graph.together(here, there) && !graph.joins_or_leaves(all[here].calls[0]) &&
            graph.depends(here, there))
          found = {r, to, {}};
      }
    }
    if (found.waits < 0) return found;
    for (std::size_t i = 0; i < all.size(); ++i) ranks[i].state = said[i];
    found.report = format_hang_report<Info>(all);
    return found;
  }
  /// True if `rank` leaves environment `k`, according to its answer to the last question.
  bool is_leaving(rank_t rank, std::uint64_t k) const noexcept {
    Info info;
    return job_.state(rank, k) == rank_state::joined && has_answered(rank) && read(rank, info) &&
           info.calls_kept == 1 && info.calls[0].kind == wait_kind::leaving;
  }

 private:
  using hang_words = bootstrap::detail::hang_words;
  static_assert(sizeof(Info) <= bootstrap::detail::hang_slot::bytes_max &&
                std::is_trivially_copyable_v<Info>);
  static constexpr std::int64_t second_ns = 1'000'000'000;
  static constexpr std::int64_t limit_ns_max = bootstrap::hang_seconds_max * second_ns;
  static constexpr std::int64_t answer_ns = 300'000'000;  // Sleeping ranks poll `asked` more often.
  static constexpr std::int64_t pace_ns_min = 10'000'000;
  static constexpr std::int64_t pace_ns_max = 100'000'000;
  static constexpr std::int64_t idle_ns_max = second_ns;  // While there is nothing new to report.

  bootstrap::detail::hang_head& head() const noexcept { return job_.hang_head(); }
  bool is_gone(rank_t r) const noexcept {
    return job_.state(r, environment_) >= rank_state::finished;
  }

  /// Reads the marks of ranks that wait for ever, as far as they know; 0 for other ranks.
  /// Returns:    the lowest of them; -1: none.
  rank_t read_marks(std::int64_t now) noexcept {
    rank_t lowest = -1;
    for (rank_t r = job_.size() - 1; r >= 0; --r) {
      const std::uint32_t mark = mark_of(r, now);
      marks_[static_cast<std::size_t>(r)] = mark;
      if (mark != 0) lowest = r;
    }
    return lowest;
  }
  std::uint32_t mark_of(rank_t r, std::int64_t now) const noexcept {
    const hang_words& w = job_.hang(r);
    const std::uint32_t mark = w.mark.load(platform::memory_order_acquire);
    if ((mark & hang_words::stuck) == 0 || job_.ended(r)) return 0;
    if ((mark & hang_words::testing) == 0) return mark;
    const std::int64_t seen = w.seen_ns.load(platform::memory_order_relaxed);
    // Else it may have stopped testing.
    return seen >= now - second_ns && seen <= now + second_ns ? mark : 0;
  }

  /// Returns the environment in which a rank waits, among those that it has joined.
  std::uint64_t environment_of(rank_t r) const noexcept {
    const std::uint64_t joins = job_.joins(r);
    const std::uint64_t last = joins == 0 ? 0 : joins - 1;
    Info info;
    if (!read(r, info)) return last;
    const auto behind = static_cast<std::uint32_t>(last) - info.environment;
    return behind <= last ? last - behind : last;
  }
  bool read(rank_t r, Info& into) const noexcept {
    for (int attempt = 0; attempt < 4; ++attempt)
      if (job_.get_hang(r, std::as_writable_bytes(std::span(&into, 1))))
        return sound(into, job_.size());
    return false;
  }

  /// True if `r` is present, and has published its state since it was asked.
  bool has_answered(rank_t r) const noexcept {
    const std::uint32_t answered = job_.hang(r).answered.load(platform::memory_order_acquire);
    return !is_gone(r) && static_cast<std::int32_t>(answered - answer_) >= 0 &&
           static_cast<std::int32_t>(asked_ - answered) >= 0;
  }
  /// Collects the known state of rank `r`; `waits`: it has published that it waits.
  void gather(rank_t r, std::int64_t now, bool waits, Info& into) const noexcept {
    const hang_words& w = job_.hang(r);
    const rank_state state = job_.state(r, environment_);
    if (waits) {
      if (!read(r, into)) {
        into = {};
        into.state = hang_state::unreadable;
      }
    } else {
      into.state = state == rank_state::waiting    ? hang_state::unborn
                   : state == rank_state::joined   ? hang_state::busy
                   : state == rank_state::finished ? hang_state::left
                                                   : hang_state::failed;
      into.since_ns = w.seen_ns.load(platform::memory_order_relaxed);
    }
    into.rank = r;
    into.now_ns = now;
    into.pid = job_.pid(0) != job_.pid(job_.size() - 1) ? job_.pid(r) : 0;
    if (into.state == hang_state::failed && into.pid != 0 && job_.ended(r))
      copy_head(into.fate, job_.fate(r).c_str());
  }

  /// `last`: the job will not continue.
  [[gnu::cold]] std::string report(std::int64_t now, bool all, bool last = false) {
    plain_array<Info> ranks(marks_.size());
    std::size_t stuck = 0;
    std::int64_t since_ns = 0;  // Since when nothing has moved at the waiting ranks.
    for (rank_t r = 0; r < job_.size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      gather(r, now, marks_[i] != 0 || (!all && has_answered(r)), ranks[i]);
      if (!last && mark_of(r, now) != marks_[i]) return {};  // It has just continued, or arrived.
      if (marks_[i] == 0) continue;
      ++stuck;
      if (ranks[i].since_ns <= now) since_ns = greater(since_ns, ranks[i].since_ns);
    }
    for (std::size_t i = 0; i < marks_.size(); ++i)
      if (marks_[i] != 0) told_[i] = marks_[i];
    partly_ns_ = asked_ns_ = 0;
    const std::int64_t quiet_ns = since_ns > 0 ? now - since_ns : limit_ns();
    hang_lines out;
    out.text = format_hang_report<Info>({ranks.begin(), ranks.size()}, stuck, all, quiet_ns);
    if (!last) out.end();
    return std::move(out.text);
  }

  Job job_;
  std::int64_t limit_ns_;
  plain_array<std::uint32_t> marks_;   // Of this look.
  plain_array<std::uint32_t> before_;  // Of the previous look.
  plain_array<std::uint32_t> told_;    // Last reported.
  std::uint64_t environment_ = 0;      // In which the lowest waiting rank waits.
  std::int64_t partly_ns_ = 0;         // Since when some ranks wait for ever and others do not.
  std::int64_t asked_ns_ = 0;
  std::uint32_t asked_ = 0;
  std::uint32_t answer_ = 0;     // Number of the first question whose answers count.
  bool has_unreported_ = false;  // Some ranks wait and have not been reported.
};

/// Announces, before ranks join, that this job is monitored: ranks need not print their own
/// reports.
[[gnu::cold]] inline void announce_hang_monitor(const bootstrap::detail::job_view& job) noexcept {
  job.hang_head().looked_at.store(1, platform::memory_order_relaxed);
}

/// Monitors a job whose ranks are threads of this process, and prints its reports, until all ranks
/// have ended. Returns at once if reports are not enabled, or for a single rank, which reports
/// itself.
template <class Job>
[[gnu::cold]] void look_after_threads(const Job& job) noexcept try {
  const char* text = std::getenv("MPX_HANG_REPORT");
  std::int64_t limit_ns = 0;
  if (text == nullptr || job.size() == 1 ||
      !parse_seconds(text, bootstrap::hang_seconds_max, limit_ns))
    return;
  hang_monitor<Job> monitor(job, limit_ns);
  std::int64_t due_ns = platform::now_ns() + monitor.pace_ns();
  for (rank_t r = 0;;) {
    const std::uint32_t epoch = job.failure_epoch(0);
    while (r < job.size() && job.ended(r)) ++r;
    if (r == job.size()) return;
    const std::int64_t now = platform::now_ns();
    if (now < due_ns) {
      platform::futex_wait(job.failure_word(0), epoch, due_ns - now);
      continue;
    }
    const std::string report = monitor.look(now);
    std::fwrite(report.data(), 1, report.size(), stderr);
    if (!report.empty()) std::fflush(stderr);
    due_ns = now + monitor.pace_ns();
  }
} catch (const std::exception&) {
  return;  // No memory. The job continues.
}

}  // namespace mpx::inline v0::detail
