// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank's part in hang reports. After waiting for MPX_HANG_REPORT seconds the rank publishes that
// in the job's segment, with what it waits for. The process that runs the job monitors this and
// prints reports (hang_monitor). Without such a process, each rank prints its own report, and rank
// 0 prints one on all ranks (hang_collection). The process that runs the job may also ask for the
// state at any time. All of this is done only while a rank waits anyway.

#include <unistd.h>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>

#include "mpx/bootstrap/hang_table.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/watch/hang_info.hpp"
#include "mpx/watch/hang_lines.hpp"

namespace mpx::inline v0::detail {

using bootstrap::hang_seconds_max;

/// Source of a rank's current state.
struct hang_source {
  void* self;
  void (*describe)(void* self, hang_info& into);
  std::uint64_t (*digest)(void* self);  // Changes if operations have been started or ended.
  /// Tells rank 0 that this rank waits, and for what; nullptr: that it has gone on.
  void (*tell_root)(void* self, const hang_info* info) = nullptr;
};

/// Rank 0 of a job that no process monitors: makes one report of what all ranks have told it.
class hang_reporter {
 public:
  /// True if there is something that no report has told.
  virtual bool has_unreported() const noexcept = 0;
  /// This rank waits no more. If it does so again, that is news.
  virtual void go_on() noexcept = 0;
  /// `own`: the state of this rank, which has waited for `quiet_ns`. Called again and again.
  /// Returns:    "" if other ranks may still tell their state, unless `last`.
  virtual std::string report(const hang_info& own, std::int64_t quiet_ns, bool last) = 0;

 protected:
  ~hang_reporter() = default;
};

/// Watch of one rank. All times are of the monotonic clock.
class hang_watch {
 public:
  /// `where`: the source line that joins the job. `job` outlives this.
  /// Errors:     errc::argument if MPX_HANG_REPORT is neither a number of seconds nor 0 (off).
  template <Bootstrap Job>
  hang_watch(const Job& job, std::source_location where)
      : hang_watch(table_of(job), job.rank(), job.size(), where) {}
  [[gnu::noinline, gnu::cold]] hang_watch(const bootstrap::hang_table& job, rank_t rank,
                                          rank_t size, std::source_location where)
      : job_(job), rank_(rank), size_(size), joined_{"", where} {
    const char* text = std::getenv("MPX_HANG_REPORT");
    if (text == nullptr || (text[0] == '0' && text[1] == '\0')) return;
    if (!parse_seconds(text, hang_seconds_max, limit_ns_))
      throw_error(errc::argument,
                  "MPX_HANG_REPORT=%s: give seconds from 0.001 to %llu, such as 10 or 0.5", text,
                  static_cast<unsigned long long>(hang_seconds_max));
    pace_ns_ = lesser<std::int64_t>(limit_ns_ / 8, 50'000'000);
    joined_ns_ = platform::now_ns();
    head().limit_ns.store(limit_ns_, platform::memory_order_relaxed);
    saw(joined_ns_);
  }
  hang_watch(const hang_watch&) = delete;
  hang_watch& operator=(const hang_watch&) = delete;
  ~hang_watch() {
    reporter_ = nullptr;
    if (stuck_) lower_mark();
  }
  /// Lets `reporter` make the reports of this rank, if no process monitors the job.
  /// Requires: `reporter` outlives the last step.
  void report_by(hang_reporter& reporter) noexcept { reporter_ = &reporter; }

  bool on() const noexcept { return limit_ns_ != 0; }
  /// True if a step has something to do: the watch is on, or a state is asked for.
  bool is_due() const noexcept {
    return on() || head().asked.load(platform::memory_order_acquire) !=
                       words().answered.load(platform::memory_order_relaxed);
  }
  /// True if a state may be asked for.
  bool may_be_asked() const noexcept { return job_.has_segment(); }
  const call_site& joined() const noexcept { return joined_; }

  /// Records that the rank is in mpx, and busy.
  void saw(std::int64_t now) noexcept {
    words().seen_ns.store(now, platform::memory_order_relaxed);
  }
  /// A waiting call has ended.
  void went_on() noexcept {
    saw(platform::now_ns());
    if (stuck_) retract();
  }
  /// Called repeatedly while the rank joins the job.
  [[gnu::cold]] void join_step() noexcept {
    if (!on()) return;
    const auto describe = [](void* self, hang_info& into) {
      static_cast<hang_watch*>(self)->describe_joining(into);
    };
    step({this, describe, nullptr}, 0, joined_ns_);
  }
  /// Called repeatedly while the rank waits for the other ranks to leave.
  [[gnu::noinline, gnu::cold]] void leave_step() noexcept {
    if (told_launcher_) return;
    const std::int64_t now = platform::now_ns();
    if (leaves_since_ns_ == 0) leaves_since_ns_ = now;
    if (now - leaves_since_ns_ < leaving_untold_ns) return;
    told_launcher_ = true;
    if (job_.has_segment()) job_.tell_leaving();
  }

  /// Called repeatedly while the rank waits since `since_ns`, or polls repeatedly (0). `moves`
  /// changes if anything has moved at this rank since the last call. A job that no process monitors
  /// is told of each waiting call once.
  [[gnu::noinline, gnu::cold]] void step(const hang_source& from, std::uint64_t moves,
                                         std::int64_t since_ns) noexcept try {
    const std::int64_t now = platform::now_ns();
    if (now - looked_ns_ < pace_ns_) return;
    const bool testing = since_ns == 0;
    const bool away = testing && now - looked_ns_ > limit_ns_ / 2 + second_ns;
    looked_ns_ = now;
    saw(now);
    // Packets that tell of hangs, and their receipts, move as well, but are no progress.
    const bool reported = stuck_ && !is_monitored();
    bool moved = (moves != advances_ && !reported) || testing != testing_ || away;
    if (testing && now - digested_ns_ >= limit_ns_) {
      digested_ns_ = now;
      const std::uint64_t digest = from.digest(from.self);
      moved = moved || digest != digest_;
      digest_ = digest;
    }
    if (moved) {
      advances_ = moves;
      testing_ = testing;
      still_since_ns_ = now;
      if (stuck_) retract();
    }
    const bool was_stuck = stuck_;
    const std::int64_t quiet_since_ns = greater(still_since_ns_, since_ns);
    if (on() && !stuck_ && now - quiet_since_ns >= limit_ns_) {
      publish(from, now, quiet_since_ns);
      stuck_ = true;
      const std::uint32_t number = words().mark.load(platform::memory_order_relaxed) & ~3u;
      words().mark.store(
          (number + hang_words::next) | hang_words::stuck | (testing ? hang_words::testing : 0u),
          platform::memory_order_release);
    }
    if (const std::uint32_t asked = head().asked.load(platform::memory_order_acquire);
        asked != words().answered.load(platform::memory_order_relaxed)) {
      if (!stuck_) publish(from, now, quiet_since_ns);
      words().answered.store(asked, platform::memory_order_release);
    }
    if (was_stuck && stuck_ && !is_monitored() &&
        (reporter_ != nullptr ? reporter_->has_unreported() : !told_))
      tell(from, now, quiet_since_ns);
  } catch (const std::exception&) {
    return;  // No memory: tried again at the next step.
  }

  /// Sets since when a testing rank has tested without success.
  void describe_testing(hang_call& call) const noexcept { call.since_ns = still_since_ns_; }

 private:
  using hang_words = bootstrap::detail::hang_words;
  static constexpr std::int64_t second_ns = 1'000'000'000;
  // Most jobs leave within that time.
  static constexpr std::int64_t leaving_untold_ns = 250'000'000;

  template <class Job>
  static bootstrap::hang_table table_of(const Job& job) {
    if constexpr (WatchedBootstrap<Job>) {
      return job.hangs();
    } else {
      return {};
    }
  }

  /// True if a process reads the marks of this job.
  bool is_monitored() const noexcept {
    return head().looked_at.load(platform::memory_order_relaxed) != 0;
  }
  const bootstrap::detail::job_view& segment() const noexcept { return job_.job(); }
  hang_words& words() const noexcept {
    return job_.has_segment() ? segment().hang(job_.rank()) : own_words_;
  }
  bootstrap::detail::hang_head& head() const noexcept {
    return job_.has_segment() ? segment().hang_head() : own_head_;
  }

  void describe_joining(hang_info& into) const {
    hang_call& call = *into.add_call();
    copy_tail(call.file, joined_.where.file_name());
    call.line = joined_.where.line();
    call.kind = wait_kind::joining;
    call.since_ns = joined_ns_;
  }
  [[gnu::noinline, gnu::cold]] void publish(const hang_source& from, std::int64_t now,
                                            std::int64_t quiet_since_ns) {
    if (!job_.has_segment()) return;
    static_assert(sizeof(hang_info) <= bootstrap::detail::hang_slot::bytes_max &&
                  std::is_trivially_copyable_v<hang_info>);
    hang_info info{};
    from.describe(from.self, info);
    info.rank = job_.rank();
    info.environment = job_.environment();
    info.now_ns = now;
    info.since_ns = quiet_since_ns;
    segment().put_hang(job_.rank(), {reinterpret_cast<const std::byte*>(&info), sizeof info});
  }
  [[gnu::noinline, gnu::cold]] void retract() noexcept {
    if (root_knows_.tell_root != nullptr) root_knows_.tell_root(root_knows_.self, nullptr);
    root_knows_ = {};
    lower_mark();
  }
  [[gnu::noinline, gnu::cold]] void lower_mark() noexcept {
    stuck_ = told_ = false;
    if (reporter_ != nullptr) reporter_->go_on();
    const std::uint32_t number = words().mark.load(platform::memory_order_relaxed) & ~3u;
    words().mark.store(number + hang_words::next, platform::memory_order_release);
  }

  /// Prints what this rank waits for, once nothing has moved between two steps, and tells rank 0,
  /// which prints what all ranks wait for. Only if the job is not monitored.
  [[gnu::noinline, gnu::cold]] void tell(const hang_source& from, std::int64_t now,
                                         std::int64_t quiet_since_ns) {
    hang_info info{};
    from.describe(from.self, info);
    info.rank = rank_;
    info.pid = static_cast<std::int32_t>(::getpid());
    info.now_ns = now;
    info.since_ns = quiet_since_ns;
    const std::int64_t quiet_ns = now - quiet_since_ns;
    const bool last = quiet_ns >= 2 * limit_ns_ && now - told_ns_ >= limit_ns_;
    const std::string report = reporter_ != nullptr ? reporter_->report(info, quiet_ns, last)
                                                    : format_lone_report(info, size_, quiet_ns);
    if (report.empty()) return;
    told_ = true;
    told_ns_ = now;
    if (rank_ != 0 && from.tell_root != nullptr) {
      from.tell_root(from.self, &info);
      root_knows_ = from;
    }
    std::fwrite(report.data(), 1, report.size(), stderr);
    std::fflush(stderr);
  }

  bootstrap::hang_table job_;
  rank_t rank_;
  rank_t size_;
  call_site joined_;
  hang_reporter* reporter_ = nullptr;
  hang_source root_knows_{};        // By which rank 0 has been told that this rank waits.
  mutable hang_words own_words_{};  // Used if there is no segment.
  mutable bootstrap::detail::hang_head own_head_{};
  std::int64_t limit_ns_ = 0;
  std::int64_t pace_ns_ = 0;
  std::int64_t joined_ns_ = 0;
  std::int64_t looked_ns_ = 0;
  std::int64_t still_since_ns_ = 0;  // Since when nothing has moved here.
  std::int64_t digested_ns_ = 0;
  std::uint64_t advances_ = 0;
  std::uint64_t digest_ = 0;
  bool testing_ = false;
  bool stuck_ = false;
  bool told_ = false;
  std::int64_t told_ns_ = 0;  // Time of the last report.
  std::int64_t leaves_since_ns_ = 0;
  bool told_launcher_ = false;
};

/// Does nothing: for simulated jobs, whose state the simulator reads directly.
class no_watch {
 public:
  template <class Job>
  no_watch(const Job&, std::source_location where) : joined_{"", where} {}
  const call_site& joined() const noexcept { return joined_; }
  void join_step() noexcept {}
  void leave_step() noexcept {}
  void went_on() noexcept {}

 private:
  call_site joined_;
};

template <class Job>
using watch_of = std::conditional_t<SimulatedBootstrap<Job>, no_watch, hang_watch>;

}  // namespace mpx::inline v0::detail
