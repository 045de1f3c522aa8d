// SPDX-License-Identifier: BSL-1.0
#pragma once
// The control segment of a job on one machine: who is alive, what was published, fences and aborts.
// mpxrun makes it for processes, thread_job for threads; nothing read from it is trusted.

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/job_layout.hpp"
#include "mpx/bootstrap/detail/memory_file.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/mapping.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::bootstrap {

/// Why a job was aborted.
struct abort_notice {
  rank_t rank = -1;
  int code = 1;
  std::string reason;
};

/// Stands for the wait status of a process that ended nobody knows how: no process ends like this.
inline constexpr int wait_status_unknown = 0x7f;

/// "killed by signal 9", "exited with code 3".
inline std::string describe_wait_status(int status) {
  if (status == wait_status_unknown) return "died";
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  return "exited with code " + std::to_string(WEXITSTATUS(status));
}

/// A view of a mapped control segment; whoever owns the mapping keeps it alive.
/// Threads: every function may be called from any thread and process at once.
class job_segment {
 public:
  job_segment() = default;

  /// Lays out a new job in `file`, which is empty; returns the mapping.
  /// Errors: errc::argument (ranks), errc::no_resources.
  static mapping create(const memory_file& file, rank_t ranks, std::int32_t launcher_pid) {
    if (ranks < 1 || ranks > ranks_max)
      throw error(errc::argument, "a job of " + std::to_string(ranks) + " ranks: 1 to " +
                                      std::to_string(ranks_max) + " are possible");
    const detail::segment_layout layout(static_cast<std::size_t>(ranks));
    grow(file.fd(), layout.bytes);
    mapping map(file.fd(), 0, layout.bytes);
    auto& head = *reinterpret_cast<detail::segment_header*>(map.data());
    head.bytes = layout.bytes;
    head.version = detail::segment_version;
    head.ranks = static_cast<std::uint32_t>(ranks);
    head.launcher_pid = launcher_pid;
    head.magic = detail::segment_magic;
    return map;
  }

  /// Maps the job in `fd` and checks that it is one of `ranks` ranks. Errors: errc::bootstrap.
  static mapping open(int fd, rank_t ranks) {
    struct stat info{};
    if (::fstat(fd, &info) != 0) refuse("cannot be examined");
    const detail::segment_layout layout(static_cast<std::size_t>(ranks));
    if (static_cast<std::uint64_t>(info.st_size) < detail::page_bytes) refuse("is too short");
    mapping head_map(fd, 0, detail::page_bytes);
    const auto& head = *reinterpret_cast<const detail::segment_header*>(head_map.data());
    if (head.magic != detail::segment_magic) refuse("is not an mpx job");
    if (head.version != detail::segment_version)
      refuse("has format " + std::to_string(head.version) + ", this program speaks " +
             std::to_string(detail::segment_version) + ": use mpxrun and mpx of one version");
    if (head.ranks != static_cast<std::uint32_t>(ranks))
      refuse("is for " + std::to_string(head.ranks) + " ranks, MPX_SIZE says " +
             std::to_string(ranks));
    if (head.bytes != layout.bytes || static_cast<std::uint64_t>(info.st_size) != layout.bytes)
      refuse("has the wrong length");
    return mapping(fd, 0, layout.bytes);
  }

  /// Looks at a mapping that `create` or `open` returned.
  explicit job_segment(const mapping& map) noexcept : base_(map.data()), ranks_(head().ranks) {}

  rank_t size() const noexcept { return static_cast<rank_t>(ranks_); }
  std::int32_t launcher_pid() const noexcept { return head().launcher_pid; }

  // --- membership ---

  /// Enters `rank` into its next environment; returns which one, counted from 0.
  /// Errors: errc::bootstrap (another process is this rank), errc::no_resources.
  std::uint32_t join(rank_t rank, std::int32_t pid) const {
    auto& me = entry(rank);
    const rank_lock lock(me);
    if (const auto other = me.pid.load(std::memory_order_relaxed);
        other != pid && me.live.load(std::memory_order_relaxed) != 0)
      throw error(errc::bootstrap, "rank " + std::to_string(rank) + " is taken by process " +
                                       std::to_string(other) +
                                       ": one program per rank; to run another one alone inside a "
                                       "rank, unset MPX_JOB_FD for it");
    const std::uint32_t k = me.joins.load(std::memory_order_relaxed);
    if (k >= environments_max)
      throw error(errc::no_resources, "rank " + std::to_string(rank) + " joined " +
                                          std::to_string(environments_max) +
                                          " environments, the limit of a job");
    me.pid.store(pid, std::memory_order_relaxed);
    auto& mine = join_at(rank, k);
    mine.log_begin.store(me.log_used.load(std::memory_order_relaxed), std::memory_order_relaxed);
    mine.state.store(raw(rank_state::joined), std::memory_order_release);
    me.live.fetch_add(1, std::memory_order_relaxed);
    me.joins.store(k + 1, std::memory_order_release);
    return k;
  }

  void leave(rank_t rank, std::uint32_t k) const noexcept {
    join_at(rank, k).state.store(raw(rank_state::finished), std::memory_order_release);
    entry(rank).live.fetch_sub(1, std::memory_order_release);
  }

  /// `rank` gave up environment `k` without leaving it.
  void fail(rank_t rank, std::uint32_t k) const noexcept {
    join_at(rank, k).state.store(raw(rank_state::failed), std::memory_order_release);
    bump();
  }

  /// What became of `rank` is final: its process (or thread) is gone.
  void mark_ended(rank_t rank, int wait_status, bool news) const noexcept {
    auto& it = entry(rank);
    it.wait_status.store(static_cast<std::uint32_t>(wait_status), std::memory_order_relaxed);
    it.ended.store(1, std::memory_order_release);
    if (news) bump();
  }

  rank_state state(rank_t rank, std::uint32_t k) const noexcept {
    const auto& it = join_at(rank, k);
    auto now = it.state.load(std::memory_order_acquire);
    if (now <= raw(rank_state::joined) && entry(rank).ended.load(std::memory_order_acquire) != 0) {
      now = it.state.load(std::memory_order_acquire);
      if (now != raw(rank_state::finished)) return rank_state::failed;
    }
    return now <= raw(rank_state::failed) ? static_cast<rank_state>(now) : rank_state::failed;
  }

  std::int32_t pid(rank_t rank) const noexcept {
    return entry(rank).pid.load(std::memory_order_relaxed);
  }
  std::uint32_t joins(rank_t rank) const noexcept {
    return entry(rank).joins.load(std::memory_order_acquire);
  }
  std::uint32_t live(rank_t rank) const noexcept {
    return entry(rank).live.load(std::memory_order_acquire);
  }

  std::uint32_t failure_epoch() const noexcept {
    return head().failure_epoch.load(std::memory_order_acquire);
  }
  /// The word of `failure_epoch()`, to sleep on.
  platform::atomic<std::uint32_t>& failure_word() const noexcept { return head().failure_epoch; }

  // --- publishing ---

  void put(rank_t rank, std::uint32_t k, std::string_view key, std::string_view value) const {
    if (key.empty() || key.size() > key_bytes_max || value.size() > value_bytes_max)
      throw error(errc::argument, "publishing a key of " + std::to_string(key.size()) +
                                      " bytes with a value of " + std::to_string(value.size()) +
                                      ": the limits are 1 to " + std::to_string(key_bytes_max) +
                                      " and " + std::to_string(value_bytes_max));
    auto& me = entry(rank);
    const rank_lock lock(me);
    const std::uint32_t used = me.log_used.load(std::memory_order_relaxed);
    const std::size_t bytes = record_bytes(key.size(), value.size());
    if (used > published_bytes_max || bytes > published_bytes_max - used)
      throw error(errc::no_resources, "rank " + std::to_string(rank) + " publishes '" +
                                          std::string(key) + "' (" + std::to_string(value.size()) +
                                          " bytes) after " + std::to_string(used) +
                                          " bytes: a rank may publish " +
                                          std::to_string(published_bytes_max) + " bytes in a job");
    const detail::log_record record{k, static_cast<std::uint16_t>(key.size()),
                                    static_cast<std::uint16_t>(value.size())};
    std::byte* at = log(rank) + used;
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, key.data(), key.size());
    if (!value.empty()) std::memcpy(at + sizeof record + key.size(), value.data(), value.size());
    me.log_used.store(used + static_cast<std::uint32_t>(bytes), std::memory_order_release);
  }

  std::optional<std::string> get(rank_t rank, std::uint32_t k, std::string_view key) const {
    check_rank(rank);
    const auto& joined = join_at(rank, k);
    if (joined.state.load(std::memory_order_acquire) == raw(rank_state::waiting)) return {};
    const std::size_t used = entry(rank).log_used.load(std::memory_order_acquire);
    std::size_t at = joined.log_begin.load(std::memory_order_relaxed);
    if (used > published_bytes_max || at > used || at % 8 != 0) damaged(rank);
    const std::byte* const begin = log(rank);
    bool found = false;
    std::string_view value;
    while (at < used) {
      detail::log_record record;
      if (used - at < sizeof record) damaged(rank);
      std::memcpy(&record, begin + at, sizeof record);
      const std::size_t bytes = record_bytes(record.key_bytes, record.value_bytes);
      if (record.key_bytes == 0 || record.value_bytes > value_bytes_max || bytes > used - at)
        damaged(rank);
      const char* text = reinterpret_cast<const char*>(begin) + at + sizeof record;
      if (record.environment == k && std::string_view(text, record.key_bytes) == key) {
        found = true;
        value = std::string_view(text + record.key_bytes, record.value_bytes);
      }
      at += bytes;
    }
    if (!found) return {};
    return std::string(value);
  }

  // --- meeting ---

  /// `idle(context)` is called meanwhile.
  void fence(rank_t rank, std::uint32_t k, void (*idle)(void*), void* context) const {
    auto& f = fence_at(k);
    const std::uint32_t generation = f.generation.load(std::memory_order_acquire);
    const std::uint32_t before = f.arrived.fetch_add(1, std::memory_order_acq_rel);
    if (before >= ranks_)
      throw error(errc::protocol, "fence: the job's control segment is damaged");
    if (before + 1 == ranks_) {
      f.arrived.store(0, std::memory_order_relaxed);
      f.generation.store(generation + 1, std::memory_order_release);
      platform::futex_wake(f.generation, 0x7fffffff);
      return;
    }
    const auto open = [&] { return f.generation.load(std::memory_order_acquire) != generation; };
    // So that the waiting ranks of a large job leave the cores to those who still have to come.
    const std::int64_t nap_ns = 1'000'000 * ((size() + 31) / 32);
    // A clean leave does not move the epoch, so look around now and then as well.
    const unsigned rounds_per_look = static_cast<unsigned>(64'000'000 / nap_ns) + 1;
    std::uint32_t seen = failure_epoch() - 1;
    for (unsigned round = 0; !open(); ++round) {
      if (const auto epoch = failure_epoch(); epoch != seen || round % rounds_per_look == 0) {
        seen = epoch;
        std::string what;
        const errc why = find_loss(rank, k, what);
        if (why != errc{} && !open()) throw error(why, what);
      }
      idle(context);
      if (!open()) platform::futex_wait(f.generation, generation, nap_ns);
    }
  }

  // --- hangs ---

  detail::hang_head& hang_head() const noexcept { return head().hang; }
  detail::hang_words& hang(rank_t rank) const noexcept { return entry(rank).hang; }

  /// Publishes what `rank` says of itself while it waits; not while another thread of it does.
  void put_hang(rank_t rank, std::span<const std::byte> text) const noexcept {
    auto& slot = hang_slot(rank);
    std::uint32_t before = slot.sequence.load(std::memory_order_relaxed) & ~1u;
    if (text.size() > detail::hang_slot::bytes_max ||
        !slot.sequence.compare_exchange_strong(before, before + 1, std::memory_order_relaxed))
      return;
    slot.bytes.store(static_cast<std::uint32_t>(text.size()), std::memory_order_release);
    for (std::size_t at = 0; at < text.size(); at += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, text.data() + at, text.size() - at < 8 ? text.size() - at : 8);
      slot.data[at / 8].store(eight, std::memory_order_release);
    }
    slot.sequence.store(before + 2, std::memory_order_release);
  }
  /// Returns false if `rank` has published nothing of this size, or is about to.
  bool get_hang(rank_t rank, std::span<std::byte> into) const noexcept {
    const auto& slot = hang_slot(rank);
    const std::uint32_t before = slot.sequence.load(std::memory_order_acquire);
    if (before == 0 || before % 2 != 0 || into.size() > detail::hang_slot::bytes_max ||
        slot.bytes.load(std::memory_order_acquire) != into.size())
      return false;
    for (std::size_t at = 0; at < into.size(); at += 8) {
      const std::uint64_t eight = slot.data[at / 8].load(std::memory_order_acquire);
      std::memcpy(into.data() + at, &eight, into.size() - at < 8 ? into.size() - at : 8);
    }
    return slot.sequence.load(std::memory_order_relaxed) == before;
  }

  // --- aborting ---

  /// Records that `rank` ends the job; the first one to do so counts.
  void abort(rank_t rank, int code, std::string_view reason) const noexcept {
    auto& a = head().abort;
    std::uint32_t none = detail::abort_record::none;
    if (!a.phase.compare_exchange_strong(none, detail::abort_record::writing)) return;
    a.rank = rank;
    a.code = code;
    const std::size_t kept = reason.size() < reason_bytes_max ? reason.size() : reason_bytes_max;
    a.reason_bytes = static_cast<std::uint32_t>(kept);
    if (kept != 0) std::memcpy(a.reason, reason.data(), kept);
    a.phase.store(detail::abort_record::set, std::memory_order_release);
    bump();
  }

  std::optional<abort_notice> aborted() const {
    if (!is_aborted()) return {};
    return read_notice();
  }

 private:
  bool is_aborted() const noexcept {
    return head().abort.phase.load(std::memory_order_acquire) == detail::abort_record::set;
  }
  abort_notice read_notice() const {
    const auto& a = head().abort;
    abort_notice notice;
    if (a.rank >= 0 && a.rank < size()) notice.rank = a.rank;
    notice.code = a.code;
    notice.reason.assign(a.reason, a.reason_bytes <= reason_bytes_max ? a.reason_bytes : 0);
    return notice;
  }

  /// Held while a rank's own entry changes: two environments of a rank may live in two threads.
  class rank_lock {
   public:
    explicit rank_lock(detail::rank_entry& entry) : word_(entry.lock) {
      const std::int64_t deadline_ns = platform::now_ns() + 5'000'000'000;
      while (word_.exchange(1, std::memory_order_acquire) != 0) {
        if (platform::now_ns() > deadline_ns)
          throw error(errc::bootstrap,
                      "this rank's entry is locked: its former process was killed "
                      "while it joined or published");
        platform::futex_wait(word_, 1, 1'000'000);
      }
    }
    rank_lock(const rank_lock&) = delete;
    rank_lock& operator=(const rank_lock&) = delete;
    ~rank_lock() {
      word_.store(0, std::memory_order_release);
      platform::futex_wake(word_, 1);
    }

   private:
    detail::word& word_;
  };

  static constexpr std::uint32_t raw(rank_state s) noexcept {
    return static_cast<std::uint32_t>(s);
  }
  static constexpr std::size_t record_bytes(std::size_t key, std::size_t value) noexcept {
    return (sizeof(detail::log_record) + key + value + 7) / 8 * 8;
  }

  [[noreturn]] static void refuse(const std::string& what) {
    throw error(errc::bootstrap, "MPX_JOB_FD: the control segment " + what);
  }
  [[noreturn]] static void damaged(rank_t rank) {
    throw error(errc::protocol, "what rank " + std::to_string(rank) + " published is damaged");
  }
  void check_rank(rank_t rank) const {
    if (rank < 0 || rank >= size())
      throw error(errc::rank,
                  "rank " + std::to_string(rank) + " in a job of " + std::to_string(size()));
  }

  void bump() const noexcept {
    head().failure_epoch.fetch_add(1, std::memory_order_release);
    platform::futex_wake(head().failure_epoch, 0x7fffffff);
  }

  /// Why a fence of environment `k` can no longer open, in words in `what`; errc{} if it can.
  errc find_loss(rank_t rank, std::uint32_t k, std::string& what) const {
    if (is_aborted()) {
      const abort_notice notice = read_notice();
      what = "fence: rank " + std::to_string(notice.rank) + " aborted the job with code " +
             std::to_string(notice.code) + ": " + notice.reason;
      return errc::aborted;
    }
    // Who failed is the cause; who left because of that is not.
    for (const rank_state wanted : {rank_state::failed, rank_state::finished})
      for (rank_t other = 0; other < size(); ++other)
        if (other != rank && state(other, k) == wanted) {
          what = "fence: " + describe_loss(other, k, wanted);
          return errc::peer_lost;
        }
    return errc{};
  }

  std::string describe_loss(rank_t rank, std::uint32_t k, rank_state how) const {
    std::string what = "rank " + std::to_string(rank);
    if (const auto id = pid(rank); id != 0) what += " (pid " + std::to_string(id) + ")";
    if (how == rank_state::finished) return what + " left the job";
    const auto& it = entry(rank);
    if (it.ended.load(std::memory_order_acquire) == 0) return what + " failed";
    what += " was lost: ";
    what += describe_wait_status(static_cast<int>(it.wait_status.load(std::memory_order_relaxed)));
    if (joins(rank) <= k) what += " before it joined";
    return what;
  }

  detail::segment_header& head() const noexcept {
    return *reinterpret_cast<detail::segment_header*>(base_);
  }
  detail::fence_entry& fence_at(std::uint32_t k) const noexcept {
    return reinterpret_cast<detail::fence_entry*>(base_ + layout().fences)[k];
  }
  detail::rank_entry& entry(rank_t rank) const noexcept {
    return reinterpret_cast<detail::rank_entry*>(base_ + layout().rank_table)[rank];
  }
  detail::join_entry& join_at(rank_t rank, std::uint32_t k) const noexcept {
    return reinterpret_cast<detail::join_entry*>(
        base_ + layout().joins)[k * ranks_ + static_cast<std::size_t>(rank)];
  }
  std::byte* log(rank_t rank) const noexcept {
    return base_ + layout().logs + static_cast<std::size_t>(rank) * published_bytes_max;
  }
  detail::hang_slot& hang_slot(rank_t rank) const noexcept {
    return reinterpret_cast<detail::hang_slot*>(base_ + layout().hangs)[rank];
  }
  detail::segment_layout layout() const noexcept { return detail::segment_layout(ranks_); }

  std::byte* base_ = nullptr;
  std::size_t ranks_ = 0;
};

}  // namespace mpx::inline v0::bootstrap
