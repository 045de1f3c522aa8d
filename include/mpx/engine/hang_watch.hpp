// SPDX-License-Identifier: BSL-1.0
#pragma once
// Notices that no rank of a job can go on, and prints one report. Each rank that has waited for
// MPX_HANG_REPORT seconds publishes what for; the lowest of them gathers and prints. Everything
// here happens while a rank waits anyway.

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "mpx/bootstrap/hang_table.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/hang_report.hpp"

namespace mpx::inline v0::detail {

using bootstrap::hang_seconds_max;

/// Where a watch learns what its rank is doing.
struct hang_source {
  void* self;
  void (*describe)(void* self, hang_info& into);
  std::uint64_t (*digest)(void* self);  // Differs when operations have been started or ended.
};

/// One rank's part. All times are those of the monotonic clock.
class hang_watch {
 public:
  /// `where`: the line that joins the job. `job` outlives this.
  /// Errors: errc::argument when MPX_HANG_REPORT is not a number of seconds.
  template <WatchedBootstrap Job>
  hang_watch(const Job& job, std::source_location where) : hang_watch(job.hangs(), where) {}
  hang_watch(const bootstrap::hang_table& job, std::source_location where)
      : job_(job), joined_{"", where} {
    const char* text = std::getenv("MPX_HANG_REPORT");
    if (text == nullptr) return;
    if (!parse_seconds(text, hang_seconds_max, limit_ns_))
      throw error(errc::argument, "MPX_HANG_REPORT=" + std::string(text) +
                                      ": give seconds from 0.001 to " +
                                      std::to_string(hang_seconds_max) + ", such as 10 or 0.5");
    pace_ns_ = lesser<std::int64_t>(limit_ns_ / 8, 50'000'000);
    joined_ns_ = platform::now_ns();
    saw(joined_ns_);
  }
  hang_watch(const hang_watch&) = delete;
  hang_watch& operator=(const hang_watch&) = delete;
  ~hang_watch() {
    if (stuck_) retract();
  }

  bool on() const noexcept { return limit_ns_ != 0; }
  const call_site& joined() const noexcept { return joined_; }

  /// The rank is in mpx, and busy.
  void saw(std::int64_t now) noexcept { words().seen_ns.store(now, std::memory_order_relaxed); }
  /// A call that waited is over.
  void went_on() noexcept {
    saw(platform::now_ns());
    if (stuck_) retract();
  }
  /// Called again and again while the rank joins the job.
  void join_step() noexcept {
    if (!on()) return;
    const auto describe = [](void* self, hang_info& into) {
      static_cast<hang_watch*>(self)->describe_joining(into);
    };
    step({this, describe, nullptr}, 0, joined_ns_);
  }

  /// Called again and again while the rank waits since `since_ns`, or tests again and again (0).
  /// `moves` differs from that of the last call when something has moved at this rank.
  [[gnu::noinline, gnu::cold]] void step(const hang_source& from, std::uint64_t moves,
                                         std::int64_t since_ns) noexcept try {
    const std::int64_t now = platform::now_ns();
    if (now - looked_ns_ < pace_ns_) return;
    const bool testing = since_ns == 0;
    const bool away = testing && now - looked_ns_ > limit_ns_ / 2 + second_ns;
    looked_ns_ = now;
    saw(now);
    bool moved = moves != moves_ || testing != testing_ || away;
    if (testing && now - digested_ns_ >= limit_ns_) {
      digested_ns_ = now;
      const std::uint64_t digest = from.digest(from.self);
      moved = moved || digest != digest_;
      digest_ = digest;
    }
    if (moved) {
      moves_ = moves;
      testing_ = testing;
      still_since_ns_ = now;
      if (stuck_) retract();
    }
    if (!stuck_ && now - greater(still_since_ns_, since_ns) >= limit_ns_) {
      publish(from, now);
      stuck_ = true;
      const std::uint32_t number = words().mark.load(std::memory_order_relaxed) & ~3u;
      words().mark.store(
          (number + hang_words::next) | hang_words::stuck | (testing ? hang_words::testing : 0u),
          std::memory_order_release);
    }
    if (const std::uint32_t asked = head().asked.load(std::memory_order_acquire);
        asked != words().answered.load(std::memory_order_relaxed)) {
      if (!stuck_) publish(from, now);
      words().answered.store(asked, std::memory_order_release);
    }
    if (stuck_) look_around(now);
  } catch (const std::exception&) {
    asked_ns_ = 0;  // Later, perhaps.
  }

  /// Since when a rank that tests has tested in vain.
  void describe_testing(hang_call& call) const noexcept { call.since_ns = still_since_ns_; }

 private:
  using hang_words = bootstrap::detail::hang_words;
  static constexpr std::int64_t second_ns = 1'000'000'000;
  static constexpr std::int64_t answer_ns = 300'000'000;  // Sleepers look around more often.

  const bootstrap::detail::job_view& segment() const noexcept { return job_.job(); }
  hang_words& words() const noexcept { return segment().hang(job_.rank()); }
  bootstrap::detail::hang_head& head() const noexcept { return segment().hang_head(); }

  void describe_joining(hang_info& into) const {
    hang_call& call = *into.add_call();
    copy_tail(call.file, joined_.where.file_name());
    call.line = joined_.where.line();
    call.kind = wait_kind::joining;
    call.since_ns = joined_ns_;
  }
  void publish(const hang_source& from, std::int64_t now) {
    static_assert(sizeof(hang_info) <= bootstrap::detail::hang_slot::bytes_max &&
                  std::is_trivially_copyable_v<hang_info>);
    hang_info info{};
    from.describe(from.self, info);
    info.rank = job_.rank();
    info.environment = job_.environment();
    info.now_ns = now;
    segment().put_hang(job_.rank(), std::as_bytes(std::span(&info, 1)));
  }
  void retract() noexcept {
    stuck_ = false;
    partly_ns_ = asked_ns_ = 0;
    sum_ = 0;
    const std::uint32_t number = words().mark.load(std::memory_order_relaxed) & ~3u;
    words().mark.store(number + hang_words::next, std::memory_order_release);
  }

  /// Whether this rank waits for ever, as far as it knows. One that tests may have gone away.
  static bool is_stuck(const hang_words& w, std::uint32_t mark, std::int64_t now) noexcept {
    if ((mark & hang_words::stuck) == 0) return false;
    return (mark & hang_words::testing) == 0 ||
           now - w.seen_ns.load(std::memory_order_relaxed) < second_ns;
  }
  bool is_gone(rank_t rank) const noexcept { return job_.state(rank) >= rank_state::finished; }

  /// Reports if this is the lowest rank that waits, and it is time.
  void look_around(std::int64_t now) {
    bool all = true;
    bool news = false;
    bool first = true;
    std::uint32_t sum = 1;
    for (rank_t r = 0; r < job_.size(); ++r) {
      const hang_words& w = segment().hang(r);
      const std::uint32_t mark = w.mark.load(std::memory_order_acquire);
      if (!is_stuck(w, mark, now)) {
        all = all && is_gone(r);
        continue;
      }
      const bool awake = now - w.seen_ns.load(std::memory_order_relaxed) < 2 * second_ns;
      if (first && awake && r != job_.rank()) {
        partly_ns_ = asked_ns_ = 0;
        return;
      }
      first = first && !awake;
      news = news || w.told.load(std::memory_order_relaxed) != mark;
      sum = sum * 31 + mark;
    }
    const bool same = sum == sum_;
    sum_ = sum;
    if (!news) {
      partly_ns_ = asked_ns_ = 0;
    } else if (all) {
      if (same) report(now, true);  // Seen twice: nobody was just about to go on.
    } else if (partly_ns_ == 0) {
      partly_ns_ = now;
    } else if (now - partly_ns_ >= limit_ns_) {
      if (asked_ns_ == 0) {
        asked_ns_ = now;
        head().asked.fetch_add(1, std::memory_order_release);
      } else if (now - asked_ns_ >= answer_ns) {
        report(now, false);
      }
    }
  }

  /// What is known of rank `r`, with the mark that goes with it.
  std::uint32_t gather(rank_t r, std::int64_t now, bool all, hang_info& into) const {
    const hang_words& w = segment().hang(r);
    const std::uint32_t mark = w.mark.load(std::memory_order_acquire);
    const bool stuck = is_stuck(w, mark, now);
    const rank_state state = job_.state(r);
    const bool answered = !all && w.answered.load(std::memory_order_acquire) ==
                                      head().asked.load(std::memory_order_relaxed);
    if (stuck || (answered && !is_gone(r))) {
      const bool read = segment().get_hang(r, std::as_writable_bytes(std::span(&into, 1)));
      if (!read || !sound(into, job_.size())) {
        into = {};
        into.state = hang_state::unreadable;
      }
    } else {
      into.state = state == rank_state::waiting    ? hang_state::unborn
                   : state == rank_state::joined   ? hang_state::busy
                   : state == rank_state::finished ? hang_state::left
                                                   : hang_state::failed;
      into.since_ns = w.seen_ns.load(std::memory_order_relaxed);
    }
    into.rank = r;
    into.now_ns = now;
    into.pid = segment().pid(0) != segment().pid(job_.size() - 1) ? segment().pid(r) : 0;
    return stuck ? mark : 0;
  }

  [[gnu::cold]] void report(std::int64_t now, bool all) {
    std::uint32_t writer = 0;
    const auto me = static_cast<std::uint32_t>(job_.rank()) + 1;
    if (!head().writer.compare_exchange_strong(writer, me)) {
      if (writer <= static_cast<std::uint32_t>(job_.size()) &&
          !is_gone(static_cast<rank_t>(writer) - 1))
        return;
      if (!head().writer.compare_exchange_strong(writer, me)) return;  // Its writer died.
    }
    const struct release {
      bootstrap::detail::word& writer;
      ~release() { writer.store(0, std::memory_order_release); }
    } guard{head().writer};
    plain_array<hang_info> ranks(static_cast<std::size_t>(job_.size()));
    int stuck = 0;
    bool news = false;
    for (rank_t r = 0; r < job_.size(); ++r) {
      const std::uint32_t mark = gather(r, now, all, ranks[static_cast<std::size_t>(r)]);
      if (mark == 0) continue;
      ++stuck;
      news |= segment().hang(r).told.exchange(mark, std::memory_order_relaxed) != mark;
    }
    if (news) print(ranks, stuck, all);
    partly_ns_ = asked_ns_ = 0;
  }

  void print(const plain_array<hang_info>& ranks, int stuck, bool all) const {
    hang_text out;
    const double seconds = static_cast<double>(limit_ns_) * 1e-9;
    if (all) {
      out.add("mpx: hang report: nothing has moved for %g s in this job of %d rank%s\n", seconds,
              static_cast<int>(job_.size()), job_.size() == 1 ? "" : "s");
    } else {
      out.add("mpx: hang report: %d of %d ranks have waited for %g s or longer\n", stuck,
              static_cast<int>(job_.size()), seconds);
    }
    out.text += format_hang_report({ranks.begin(), ranks.size()});
    out.add("  the job goes on waiting; another report follows only if something moves\n");
    std::fwrite(out.text.data(), 1, out.text.size(), stderr);
    std::fflush(stderr);
  }

  bootstrap::hang_table job_;
  call_site joined_;
  std::int64_t limit_ns_ = 0;
  std::int64_t pace_ns_ = 0;
  std::int64_t joined_ns_ = 0;
  std::int64_t looked_ns_ = 0;
  std::int64_t still_since_ns_ = 0;  // Nothing has moved here since.
  std::int64_t digested_ns_ = 0;
  std::int64_t partly_ns_ = 0;  // Since when some ranks wait for ever and others do not.
  std::int64_t asked_ns_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t digest_ = 0;
  std::uint32_t sum_ = 0;
  bool testing_ = false;
  bool stuck_ = false;
};

/// Watches nothing: for jobs that have nowhere to say so, or are seen by whoever runs them.
class no_watch {
 public:
  template <class Job>
  no_watch(const Job&, std::source_location where) : joined_{"", where} {}
  const call_site& joined() const noexcept { return joined_; }
  void join_step() noexcept {}
  void went_on() noexcept {}

 private:
  call_site joined_;
};

template <class Job>
using watch_of = std::conditional_t<WatchedBootstrap<Job>, hang_watch, no_watch>;

}  // namespace mpx::inline v0::detail
