// SPDX-License-Identifier: BSL-1.0
#pragma once
// The control segment of a job on one machine: joining and leaving, publishing, fences, aborts.
// mpxrun creates it for processes, thread_job for threads. Values read from it are not trusted.

#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/job_layout.hpp"
#include "mpx/bootstrap/detail/job_view.hpp"
#include "mpx/bootstrap/detail/memory_file.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/core/mapping.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::bootstrap {

/// Operations of ranks and launchers on a mapped control segment. The owner of the mapping keeps it
/// alive.
/// Threads:    any function may be called from any thread and process at any time.
class job_segment : public detail::job_view {
 public:
  job_segment() = default;

  /// Creates a job in the empty file `file`, whose shared memory is the file `shared`. Returns the
  /// mapping.
  /// Errors:     errc::argument (ranks), errc::no_resources.
  [[gnu::noinline, gnu::cold]] static mapping create(const memory_file& file,
                                                     const memory_file& shared, rank_t ranks,
                                                     std::int32_t launcher_pid) {
    if (ranks < 1 || ranks > ranks_max)
      mpx::detail::throw_error(errc::argument, "a job of %d ranks: 1 to %d are possible", ranks,
                               ranks_max);
    const detail::segment_layout layout(static_cast<std::size_t>(ranks));
    file.view().grow(layout.bytes);
    mapping map = file.view().map(0, layout.bytes);
    map.set_dumped(false);
    auto& head = *reinterpret_cast<detail::segment_header*>(map.data());
    head.bytes = layout.bytes;
    head.version = detail::segment_version;
    head.ranks = static_cast<std::uint32_t>(ranks);
    head.launcher_pid = launcher_pid;
    head.shared_device = shared.view().identity().device;
    head.shared_inode = shared.view().identity().inode;
    head.magic = detail::segment_magic;
    return map;
  }

  /// Maps the job in `fd` and checks that it has `ranks` ranks.
  /// Errors:     errc::bootstrap.
  [[gnu::noinline, gnu::cold]] static mapping open(int fd, rank_t ranks) {
    struct stat info{};
    if (::fstat(fd, &info) != 0) refuse("cannot be examined");
    const detail::segment_layout layout(static_cast<std::size_t>(ranks));
    if (static_cast<std::uint64_t>(info.st_size) < detail::page_bytes) refuse("is too short");
    mapping head_map(fd, 0, detail::page_bytes);
    const auto& head = *reinterpret_cast<const detail::segment_header*>(head_map.data());
    if (head.magic != detail::segment_magic) refuse("is not an mpx job");
    if (head.version != detail::segment_version)
      refuse("has format %u, this program speaks %u: use mpxrun and mpx of one version",
             static_cast<unsigned>(head.version), static_cast<unsigned>(detail::segment_version));
    if (head.ranks != static_cast<std::uint32_t>(ranks))
      refuse("is for %u ranks, MPX_SIZE says %u", static_cast<unsigned>(head.ranks),
             static_cast<unsigned>(ranks));
    if (head.bytes != layout.bytes || static_cast<std::uint64_t>(info.st_size) != layout.bytes)
      refuse("has the wrong length");
    mapping map(fd, 0, layout.bytes);
    map.set_dumped(false);
    return map;
  }

  /// Uses a mapping that `create` or `open` has returned.
  explicit job_segment(const mapping& map) noexcept : job_view(map) {}

  // --- membership ---

  /// `rank` joins its next environment. Returns the number of the environment, from 0 on. Waits for
  /// a limited time if ranks are still inside the environment that used the same slot before.
  /// Errors:     errc::bootstrap if another process is this rank; errc::no_resources if too many
  ///             environments live at a time; errc::peer_lost, naming the rank, if a rank died
  ///             inside the former environment.
  [[gnu::noinline, gnu::cold]] std::uint64_t join(rank_t rank, std::int32_t pid,
                                                  const file_view& shared) const {
    const std::int64_t begin_ns = platform::now_ns();
    for (;;) {
      std::uint64_t k = 0;
      std::uint32_t seen = 0;
      if (try_join(rank, pid, k, seen)) return k;
      const std::uint64_t before = k - environments_live_max;
      if (recycle(before, shared)) continue;  // The rank that left last could not do it.
      const std::int64_t patience_ns = 2'000'000'000 + std::int64_t{4'000'000} * size();
      check_slot(rank, before, platform::now_ns() - begin_ns < patience_ns);
      platform::futex_wait(slot(k).epoch, seen, 10'000'000);
    }
  }

  /// `rank` leaves environment `k` and does not touch its memory afterwards.
  [[gnu::noinline, gnu::cold]] void leave(rank_t rank, std::uint64_t k,
                                          const file_view& shared) const noexcept {
    set_state(rank, k, rank_state::finished);
    entry(rank).live.fetch_sub(1, platform::memory_order_release);
    go(k, shared);
  }
  /// `rank` abandons environment `k` without leaving it, and does not touch its memory afterwards.
  [[gnu::noinline, gnu::cold]] void fail(rank_t rank, std::uint64_t k,
                                         const file_view& shared) const noexcept {
    note_loss(rank, k);
    set_state(rank, k, rank_state::failed);
    go(k, shared);
  }

  /// Records finally that the process (or thread) of `rank` has ended.
  [[gnu::noinline, gnu::cold]] void mark_ended(rank_t rank, int wait_status) const noexcept {
    auto& it = entry(rank);
    it.wait_status.store(static_cast<std::uint32_t>(wait_status), platform::memory_order_relaxed);
    note_end(rank);
    it.ended.store(1, platform::memory_order_release);
    bump_all();
  }

  /// From now on `rank` does not communicate with `peer` in environment `k`, because of `why`.
  [[gnu::noinline, gnu::cold]] void disconnect_from(rank_t rank, std::uint64_t k, rank_t peer,
                                                    errc why) const noexcept {
    if (peer < 0 || peer >= size()) return;
    auto& word = refusal(peer, k, rank);
    if (detail::value_of(word.load(platform::memory_order_relaxed), k) != 0) return;
    word.store(detail::tagged(k, static_cast<std::uint64_t>(why)), platform::memory_order_release);
    room(peer, k).disconnected.store(detail::tagged(k, 1), platform::memory_order_release);
    bump(k);
  }
  /// Returns the reason for which `peer` has disconnected `rank` in environment `k`; errc{} if it
  /// has not.
  [[gnu::noinline, gnu::cold]] errc disconnected_by(rank_t rank, std::uint64_t k,
                                                    rank_t peer) const noexcept {
    if (peer < 0 || peer >= size()) return errc{};
    // Does not read a refusal before one was written: reading would allocate memory.
    const auto any = room(rank, k).disconnected.load(platform::memory_order_acquire);
    if (detail::value_of(any, k) == 0) return errc{};
    const auto why = static_cast<errc>(
        detail::value_of(refusal(rank, k, peer).load(platform::memory_order_acquire), k));
    const bool known = why == errc{} || why == errc::no_resources || why == errc::peer_lost;
    return known ? why : errc::protocol;
  }

  // --- publishing ---

  [[gnu::noinline, gnu::cold]] void put(rank_t rank, std::uint64_t k, std::string_view key,
                                        std::string_view value) const {
    if (key.empty() || key.size() > key_bytes_max || value.size() > value_bytes_max)
      mpx::detail::throw_error(
          errc::argument,
          "publishing a key of %zu bytes with a value of %zu: the limits are 1 to %zu and %zu",
          key.size(), value.size(), std::size_t{key_bytes_max}, std::size_t{value_bytes_max});
    const rank_lock lock(entry(rank));
    auto& mine = room(rank, k);
    const std::uint32_t used = mine.log_used.load(platform::memory_order_relaxed);
    const std::size_t bytes = record_bytes(key.size(), value.size());
    if (used > published_bytes_max || bytes > published_bytes_max - used)
      mpx::detail::throw_error(errc::no_resources,
                               "rank %d publishes '%.*s' (%zu bytes) after %u bytes: a rank may "
                               "publish %zu bytes in an environment",
                               rank, static_cast<int>(key.size()), key.data(), value.size(), used,
                               std::size_t{published_bytes_max});
    const detail::log_record record{static_cast<std::uint32_t>(key.size()),
                                    static_cast<std::uint32_t>(value.size())};
    std::byte* at = log(rank, k) + used;
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, key.data(), key.size());
    if (!value.empty()) std::memcpy(at + sizeof record + key.size(), value.data(), value.size());
    mine.log_used.store(used + static_cast<std::uint32_t>(bytes), platform::memory_order_release);
  }

  [[gnu::noinline, gnu::cold]] std::optional<std::string> get(rank_t rank, std::uint64_t k,
                                                              std::string_view key) const {
    const std::string_view value = find(rank, k, key);
    if (value.data() == nullptr) return {};
    return std::string(value.data(), value.size());
  }
  /// Returns the published value in place; its data() is nullptr if there is none.
  [[gnu::noinline, gnu::cold]] std::string_view find(rank_t rank, std::uint64_t k,
                                                     std::string_view key) const {
    check_rank(rank);
    if (decode(state_word(rank, k).load(platform::memory_order_acquire), k) == rank_state::waiting)
      return {};
    const std::size_t used = room(rank, k).log_used.load(platform::memory_order_acquire);
    if (used > published_bytes_max) damaged(rank);
    const std::byte* const begin = log(rank, k);
    std::size_t at = 0;
    std::string_view value;
    while (at < used) {
      detail::log_record record;
      if (used - at < sizeof record) damaged(rank);
      std::memcpy(&record, begin + at, sizeof record);
      const std::size_t bytes = record_bytes(record.key_bytes, record.value_bytes);
      if (record.key_bytes == 0 || record.key_bytes > key_bytes_max ||
          record.value_bytes > value_bytes_max || bytes > used - at)
        damaged(rank);
      const char* text = reinterpret_cast<const char*>(begin) + at + sizeof record;
      if (record.key_bytes == key.size() && std::memcmp(text, key.data(), key.size()) == 0)
        value = std::string_view(text + record.key_bytes, record.value_bytes);
      at += bytes;
    }
    return value;
  }

  // --- fences ---

  /// Waits until all ranks have entered, and calls `idle()` meanwhile.
  [[gnu::noinline, gnu::cold]] void fence(rank_t rank, std::uint64_t k,
                                          mpx::detail::function_ref<void()> idle) const {
    auto& s = slot(k);
    const std::uint32_t generation = s.generation.load(platform::memory_order_acquire);
    if (arrive(rank, k)) {
      s.generation.store(generation + 1, platform::memory_order_release);
      platform::futex_wake(s.generation, 0x7fffffff);
      return;
    }
    const auto open = [&] {
      return s.generation.load(platform::memory_order_acquire) != generation;
    };
    // Longer naps in larger jobs leave the cores to ranks that have not arrived yet.
    const std::int64_t nap_ns = 1'000'000 * ((size() + 31) / 32);
    for (std::uint32_t seen = failure_epoch(k) - 1; !open();) {
      if (const auto epoch = failure_epoch(k); epoch != seen) {
        seen = epoch;
        std::string what;
        const errc why = find_loss(rank, k, what);
        if (why != errc{} && !open()) throw error(why, what);
      }
      idle();
      if (!open()) platform::futex_wait(s.generation, generation, nap_ns);
    }
  }

  // --- aborting ---

  /// Records that `rank` aborts the job. Only the first call has an effect.
  [[gnu::noinline, gnu::cold]] void abort(rank_t rank, int code,
                                          std::string_view reason) const noexcept {
    auto& a = head().abort;
    std::uint32_t none = detail::abort_record::none;
    if (!a.phase.compare_exchange_strong(none, detail::abort_record::writing)) return;
    a.rank = rank;
    a.code = code;
    const std::size_t kept = reason.size() < reason_bytes_max ? reason.size() : reason_bytes_max;
    a.reason_bytes = static_cast<std::uint32_t>(kept);
    if (kept != 0) std::memcpy(a.reason, reason.data(), kept);
    a.phase.store(detail::abort_record::set, platform::memory_order_release);
    bump_all();
  }

 private:
  /// Locks a rank's own entry: two environments of a rank may live in two threads.
  class rank_lock {
   public:
    [[gnu::noinline, gnu::cold]] explicit rank_lock(detail::rank_entry& entry) : word_(entry.lock) {
      const std::int64_t deadline_ns = platform::now_ns() + 5'000'000'000;
      while (word_.exchange(1, platform::memory_order_acquire) != 0) {
        if (platform::now_ns() > deadline_ns)
          mpx::detail::throw_error(errc::bootstrap,
                                   "this rank's entry is locked: its former process was killed "
                                   "while it joined or published");
        platform::futex_wait(word_, 1, 1'000'000);
      }
    }
    rank_lock(const rank_lock&) = delete;
    rank_lock& operator=(const rank_lock&) = delete;
    [[gnu::noinline, gnu::cold]] ~rank_lock() {
      word_.store(0, platform::memory_order_release);
      platform::futex_wake(word_, 1);
    }

   private:
    detail::word& word_;
  };

  static constexpr std::size_t record_bytes(std::size_t key, std::size_t value) noexcept {
    return (sizeof(detail::log_record) + key + value + 7) / 8 * 8;
  }

  /// `format` may take up to two numbers.
  [[noreturn]] static void refuse(const char* format, unsigned a = 0, unsigned b = 0) {
    char what[128];
    std::snprintf(what, sizeof what, format, a, b);
    mpx::detail::throw_error(errc::bootstrap, "MPX_JOB_FD: the control segment %s", what);
  }
  [[noreturn]] static void damaged(rank_t rank) {
    mpx::detail::throw_error(errc::protocol, "what rank %d published is damaged", rank);
  }
  void check_rank(rank_t rank) const {
    if (rank < 0 || rank >= size())
      mpx::detail::throw_error(errc::rank, "rank %d in a job of %d", rank, size());
  }

  /// One attempt of `join`. Returns false if the slot is taken; `seen` is then the failure epoch to
  /// wait on.
  [[gnu::noinline, gnu::cold]] bool try_join(rank_t rank, std::int32_t pid, std::uint64_t& k,
                                             std::uint32_t& seen) const {
    auto& me = entry(rank);
    const rank_lock lock(me);
    if (const auto other = me.pid.load(platform::memory_order_relaxed);
        other != pid && me.live.load(platform::memory_order_relaxed) != 0)
      mpx::detail::throw_error(errc::bootstrap,
                               "rank %d is taken by process %d: one program per rank; to run "
                               "another one alone inside a rank, unset MPX_JOB_FD for it",
                               rank, other);
    k = me.joins.load(platform::memory_order_relaxed);
    if (k >= environments_max)
      mpx::detail::throw_error(errc::no_resources,
                               "rank %d joined %llu environments, the limit of a job", rank,
                               static_cast<unsigned long long>(environments_max));
    seen = failure_epoch(k);
    if (slot(k).released.load(platform::memory_order_acquire) != k / environments_live_max)
      return false;
    if (failure_epoch(k) == 0) bump(k);  // The first use of the slot: an epoch is never 0.
    me.pid.store(pid, platform::memory_order_relaxed);
    room(rank, k).log_used.store(0, platform::memory_order_relaxed);
    set_state(rank, k, rank_state::joined);
    me.live.fetch_add(1, platform::memory_order_relaxed);
    me.joins.store(k + 1, platform::memory_order_release);
    return true;
  }

  /// Finds the rank that keeps environment `before` from ending while `rank` waits for its slot.
  /// Throws if that cannot change, or if `patient` is false.
  [[gnu::noinline, gnu::cold]] void check_slot(rank_t rank, std::uint64_t before,
                                               bool patient) const {
    char who[160] = "its memory could not be given back";
    for (rank_t r = 0; r < size(); ++r) {
      const rank_state now =
          decode(state_word(r, before).load(platform::memory_order_acquire), before);
      if (now > rank_state::joined) continue;
      if (entry(r).ended.load(platform::memory_order_acquire) != 0)
        mpx::detail::throw_error(errc::peer_lost, "joining the next environment: %s",
                                 describe_loss(r, before, rank_state::failed).c_str());
      std::snprintf(who, sizeof who, "%s %s its environment %llu",
                    r == rank ? "this rank" : name_of(r).c_str(),
                    now == rank_state::joined ? "is still inside" : "has not joined",
                    static_cast<unsigned long long>(before));
    }
    if (patient) return;
    mpx::detail::throw_error(
        errc::no_resources,
        "rank %d cannot join environment %llu of this job, since %s: at most %llu may live at "
        "once: leave the earlier ones first, on all ranks",
        rank, static_cast<unsigned long long>(before) + environments_live_max, who,
        static_cast<unsigned long long>(environments_live_max));
  }

  /// Counts one more rank that has left environment `k`, and notifies the others.
  [[gnu::noinline, gnu::cold]] void go(std::uint64_t k, const file_view& shared) const noexcept {
    auto& gone = slot(k).gone;
    std::uint64_t was = gone.load(platform::memory_order_relaxed);
    std::uint32_t count = 0;
    do {
      count = detail::value_of(was, k) + 1;
      // The segment is damaged and no longer usable.
      if (count > ranks_ || detail::tag_of(was) > k) return;
    } while (!gone.compare_exchange_strong(was, detail::tagged(k, count)));
    bump(k);  // After the count, which the woken ranks read first.
    if (count == ranks_) recycle(k, shared);
  }

  /// Gives the memory of environment `k` back if all ranks have left it and no rank has done so
  /// yet, and passes its slot on. Returns true if this call did it.
  [[gnu::noinline, gnu::cold]] bool recycle(std::uint64_t k,
                                            const file_view& shared) const noexcept {
    auto& s = slot(k);
    std::uint64_t all = detail::tagged(k, ranks_);
    if (s.released.load(platform::memory_order_acquire) != k / environments_live_max ||
        !s.gone.compare_exchange_strong(all, detail::tagged(k, detail::slot_entry::closing)))
      return false;
    const std::uint64_t part = std::uint64_t{1} << environment_shift;
    const bool cleared = shared.clear(k % environments_live_max * part, part);
    if (cleared) {
      // This may fail if memory is locked. That is harmless: the contents are tagged, or reset by
      // their owner.
      ::madvise(rooms(k), layout().slot_bytes, MADV_REMOVE);
      s.released.store(k / environments_live_max + 1, platform::memory_order_release);
      bump(k);
    } else {
      s.gone.store(detail::tagged(k, ranks_), platform::memory_order_release);
    }
    return cleared;
  }

  /// Enters the fence. Returns true if all ranks have arrived: the caller must open it.
  [[gnu::noinline, gnu::cold]] bool arrive(rank_t rank, std::uint64_t k) const {
    auto& arrived = slot(k).arrived;
    for (std::uint64_t was = arrived.load(platform::memory_order_acquire);;) {
      const std::uint32_t before = detail::value_of(was, k);
      if (detail::tag_of(was) > k || before >= ranks_)
        mpx::detail::throw_error(errc::protocol, "fence: the job's control segment is damaged");
      const bool last = before + 1 == ranks_;
      if (last) {  // A rank that has died after it arrived must not pass with the others.
        std::string what;
        if (const errc why = find_loss(rank, k, what); why != errc{}) throw error(why, what);
      }
      if (arrived.compare_exchange_strong(was, detail::tagged(k, last ? 0 : before + 1)))
        return last;
    }
  }
};

}  // namespace mpx::inline v0::bootstrap
