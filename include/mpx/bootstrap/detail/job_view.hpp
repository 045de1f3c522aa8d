// SPDX-License-Identifier: BSL-1.0
#pragma once
// Read access to the control segment of a job: states of ranks, losses, aborts, descriptions of
// waiting ranks. Values read from it are not trusted.

#include <signal.h>
#include <sys/wait.h>

#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/job_layout.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/file_identity.hpp"
#include "mpx/core/mapping.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::bootstrap {

/// The rank, code and reason of an abort.
struct abort_notice {
  rank_t rank = -1;
  int code = 1;
  std::string reason;
};

/// Wait status for a process whose end is unknown. No real process has this wait status.
inline constexpr int wait_status_unknown = 0x7f;

/// Returns the name of a signal, such as "SIGKILL"; nullptr if POSIX does not name it. (Not every C
/// library has such a function.)
[[gnu::cold]] inline const char* signal_name(int signal) noexcept {
  switch (signal) {
    case SIGHUP: return "SIGHUP";
    case SIGINT: return "SIGINT";
    case SIGQUIT: return "SIGQUIT";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGKILL: return "SIGKILL";
    case SIGUSR1: return "SIGUSR1";
    case SIGSEGV: return "SIGSEGV";
    case SIGUSR2: return "SIGUSR2";
    case SIGPIPE: return "SIGPIPE";
    case SIGALRM: return "SIGALRM";
    case SIGTERM: return "SIGTERM";
    case SIGXCPU: return "SIGXCPU";
    case SIGXFSZ: return "SIGXFSZ";
    case SIGVTALRM: return "SIGVTALRM";
    case SIGPROF: return "SIGPROF";
    case SIGSYS: return "SIGSYS";
    default: return nullptr;
  }
}

/// Returns a text such as "killed by signal 9 (SIGKILL)" or "exited with code 3".
inline std::string describe_wait_status(int status) {
  if (status == wait_status_unknown) return "died";
  if (!WIFSIGNALED(status))
    return mpx::detail::formatted("exited with code %d", WEXITSTATUS(status));
  const char* const name = signal_name(WTERMSIG(status));
  return name == nullptr
             ? mpx::detail::formatted("killed by signal %d", WTERMSIG(status))
             : mpx::detail::formatted("killed by signal %d (%s)", WTERMSIG(status), name);
}

namespace detail {

/// A mapped control segment. The owner of the mapping keeps it alive.
/// Threads:    any function may be called from any thread and process at any time.
class job_view {
 public:
  job_view() = default;
  [[gnu::noinline, gnu::cold]] explicit job_view(const mapping& map) noexcept
      : base_(map.data()), ranks_(head().ranks), layout_(ranks_) {}

  rank_t size() const noexcept { return static_cast<rank_t>(ranks_); }
  std::int32_t launcher_pid() const noexcept { return head().launcher_pid; }
  /// Identity of the file of the job's shared memory.
  file_identity shared_identity() const noexcept {
    return {head().shared_device, head().shared_inode};
  }

  rank_state state(rank_t rank, std::uint64_t k) const noexcept {
    const auto& said = state_word(rank, k);
    rank_state now = decode(said.load(platform::memory_order_acquire), k);
    if (now <= rank_state::joined && entry(rank).ended.load(platform::memory_order_acquire) != 0) {
      now = decode(said.load(platform::memory_order_acquire), k);
      if (now != rank_state::finished) return rank_state::failed;
    }
    return now;
  }

  std::int32_t pid(rank_t rank) const noexcept {
    return entry(rank).pid.load(platform::memory_order_relaxed);
  }
  std::uint64_t joins(rank_t rank) const noexcept {
    return entry(rank).joins.load(platform::memory_order_acquire);
  }
  std::uint32_t live(rank_t rank) const noexcept {
    return entry(rank).live.load(platform::memory_order_acquire);
  }

  /// True if the process (or thread) of `rank` has ended.
  bool ended(rank_t rank) const noexcept {
    return entry(rank).ended.load(platform::memory_order_acquire) != 0;
  }

  /// Describes how an ended rank ended: "killed by signal 9 (SIGKILL)".
  std::string fate(rank_t rank) const {
    return describe_wait_status(
        static_cast<int>(entry(rank).wait_status.load(platform::memory_order_relaxed)));
  }

  /// The first rank that was lost to environment `k`; -1 if there is none.
  rank_t first_lost(std::uint64_t k) const noexcept {
    const auto lost = slot(k).lost.load(platform::memory_order_acquire);
    const auto rank = static_cast<rank_t>(detail::value_of(lost, k)) - 1;
    return rank < size() ? rank : -1;
  }

  std::uint32_t failure_epoch(std::uint64_t k) const noexcept {
    return slot(k).epoch.load(platform::memory_order_acquire);
  }
  /// The word of `failure_epoch(k)`, to sleep on.
  platform::atomic<std::uint32_t>& failure_word(std::uint64_t k) const noexcept {
    return slot(k).epoch;
  }

  /// Describes what happened to a rank that has left environment `k`; "" for any other rank.
  [[gnu::noinline, gnu::cold]] std::string loss_text(rank_t rank, std::uint64_t k) const {
    const rank_state now = decode(state_word(rank, k).load(platform::memory_order_acquire), k);
    const bool ended = entry(rank).ended.load(platform::memory_order_acquire) != 0;
    return ended || now >= rank_state::finished ? describe_loss(rank, k, now) : std::string();
  }

  std::optional<abort_notice> aborted() const {
    if (!is_aborted()) return {};
    return read_notice();
  }

  // --- hangs ---

  detail::hang_head& hang_head() const noexcept { return head().hang; }
  detail::hang_words& hang(rank_t rank) const noexcept { return entry(rank).hang; }

  /// Publishes the description of what `rank` waits for. Does nothing while another thread of the
  /// rank publishes.
  [[gnu::noinline, gnu::cold]] void put_hang(rank_t rank,
                                             std::span<const std::byte> text) const noexcept {
    auto& slot = hang_slot(rank);
    std::uint32_t before = slot.sequence.load(platform::memory_order_relaxed) & ~1u;
    if (text.size() > detail::hang_slot::bytes_max ||
        !slot.sequence.compare_exchange_strong(before, before + 1, platform::memory_order_relaxed))
      return;
    slot.bytes.store(static_cast<std::uint32_t>(text.size()), platform::memory_order_release);
    for (std::size_t at = 0; at < text.size(); at += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, text.data() + at, text.size() - at < 8 ? text.size() - at : 8);
      slot.data[at / 8].store(eight, platform::memory_order_release);
    }
    slot.sequence.store(before + 2, platform::memory_order_release);
  }
  /// Reads the description of `rank`. Returns false if there is none of this size, or if it is
  /// being written.
  bool get_hang(rank_t rank, std::span<std::byte> into) const noexcept {
    const auto& slot = hang_slot(rank);
    const std::uint32_t before = slot.sequence.load(platform::memory_order_acquire);
    if (before == 0 || before % 2 != 0 || into.size() > detail::hang_slot::bytes_max ||
        slot.bytes.load(platform::memory_order_acquire) != into.size())
      return false;
    for (std::size_t at = 0; at < into.size(); at += 8) {
      const std::uint64_t eight = slot.data[at / 8].load(platform::memory_order_acquire);
      std::memcpy(into.data() + at, &eight, into.size() - at < 8 ? into.size() - at : 8);
    }
    return slot.sequence.load(platform::memory_order_relaxed) == before;
  }

 protected:
  bool is_aborted() const noexcept {
    return head().abort.phase.load(platform::memory_order_acquire) == detail::abort_record::set;
  }
  [[gnu::noinline, gnu::cold]] abort_notice read_notice() const {
    const auto& a = head().abort;
    abort_notice notice;
    if (a.rank >= 0 && a.rank < size()) notice.rank = a.rank;
    notice.code = a.code;
    mpx::detail::append(notice.reason, "%.*s",
                        a.reason_bytes <= reason_bytes_max ? static_cast<int>(a.reason_bytes) : 0,
                        a.reason);
    return notice;
  }

  /// Decodes a state word for environment `k`. A rank that is in a later environment has left all
  /// earlier ones.
  static constexpr rank_state decode(std::uint64_t said, std::uint64_t k) noexcept {
    if (detail::tag_of(said) > k) return rank_state::finished;
    const std::uint32_t now = detail::value_of(said, k);
    return now <= static_cast<std::uint32_t>(rank_state::failed) ? static_cast<rank_state>(now)
                                                                 : rank_state::failed;
  }
  void set_state(rank_t rank, std::uint64_t k, rank_state now) const noexcept {
    state_word(rank, k).store(detail::tagged(k, static_cast<std::uint64_t>(now)),
                              platform::memory_order_release);
  }
  [[gnu::noinline, gnu::cold]] void bump(std::uint64_t k) const noexcept {
    if (slot(k).epoch.fetch_add(1, platform::memory_order_release) == ~std::uint32_t{0})
      slot(k).epoch.fetch_add(1, platform::memory_order_release);  // It is never 0.
    platform::futex_wake(slot(k).epoch, 0x7fffffff);
  }
  /// Raises the failure epoch of every environment.
  void bump_all() const noexcept {
    head().endings.fetch_add(1, platform::memory_order_release);
    for (std::uint32_t k = 0; k < environments_live_max; ++k) bump(k);
  }

  /// Records that `rank` is lost to environment `k`, before other ranks can see that and fail in
  /// turn.
  void note_loss(rank_t rank, std::uint64_t k) const noexcept {
    auto& first = slot(k).lost;
    std::uint64_t was = first.load(platform::memory_order_relaxed);
    while (detail::value_of(was, k) == 0 && detail::tag_of(was) <= k &&
           !first.compare_exchange_strong(
               was, detail::tagged(k, static_cast<std::uint64_t>(rank) + 1))) {
    }
  }
  /// Records the loss of `rank` in each environment that it is in, and in the one that it would
  /// join next.
  void note_end(rank_t rank) const noexcept {
    const std::uint64_t next = joins(rank);
    for (std::uint64_t back = 0; back <= environments_live_max && back <= next; ++back) {
      const std::uint64_t k = next - back;
      if (decode(state_word(rank, k).load(platform::memory_order_acquire), k) <=
              rank_state::joined &&
          slot(k).released.load(platform::memory_order_acquire) == k / environments_live_max)
        note_loss(rank, k);
    }
  }

  /// Returns the reason for which a fence of environment `k` can no longer open, with a text in
  /// `what`; errc{} if it can open.
  /// Cost:       a few loads while no rank has ended or left this environment.
  [[gnu::noinline, gnu::cold]] errc find_loss(rank_t rank, std::uint64_t k,
                                              std::string& what) const {
    if (is_aborted()) {
      const abort_notice notice = read_notice();
      mpx::detail::append(what, "fence: rank %d aborted the job with code %d: %s", notice.rank,
                          notice.code, notice.reason.c_str());
      return errc::aborted;
    }
    if (head().endings.load(platform::memory_order_acquire) == 0 &&
        detail::value_of(slot(k).gone.load(platform::memory_order_acquire), k) == 0)
      return errc{};
    // A failed rank is the cause; ranks that left in reaction are not.
    rank_t lost = first_lost(k);
    rank_state how = rank_state::finished;
    if (lost >= 0 && lost != rank && state(lost, k) == rank_state::failed) {
      how = rank_state::failed;
    } else {
      lost = -1;
      for (rank_t other = 0; other < size() && how != rank_state::failed; ++other) {
        const rank_state now = other == rank ? rank_state::joined : state(other, k);
        if (now == rank_state::failed || (now == rank_state::finished && lost < 0)) {
          lost = other;
          how = now;
        }
      }
    }
    if (lost < 0) return errc{};
    mpx::detail::append(what, "fence: %s", describe_loss(lost, k, how).c_str());
    return errc::peer_lost;
  }

  [[gnu::noinline, gnu::cold]] std::string name_of(rank_t rank) const {
    const int id = pid(rank);
    return id != 0 ? mpx::detail::formatted("rank %d (pid %d)", rank, id)
                   : mpx::detail::formatted("rank %d", rank);
  }
  [[gnu::noinline, gnu::cold]] std::string describe_loss(rank_t rank, std::uint64_t k,
                                                         rank_state how) const {
    std::string what = name_of(rank);
    const rank_t first = first_lost(k);
    using mpx::detail::append;
    if (how == rank_state::finished) {
      append(what, " left the job");
    } else if (first >= 0 && first != rank &&
               decode(state_word(rank, k).load(platform::memory_order_acquire), k) ==
                   rank_state::failed) {
      append(what, " left, since %s", describe_loss(first, k, rank_state::failed).c_str());
    } else if (entry(rank).ended.load(platform::memory_order_acquire) == 0) {
      append(what, " failed");
    } else {
      append(what, " was lost: %s%s", fate(rank).c_str(),
             joins(rank) <= k ? " before it joined" : "");
    }
    return what;
  }

  detail::segment_header& head() const noexcept {
    return *reinterpret_cast<detail::segment_header*>(base_);
  }
  [[gnu::noinline]] detail::slot_entry& slot(std::uint64_t k) const noexcept {
    return reinterpret_cast<detail::slot_entry*>(base_ + layout().slots)[k % environments_live_max];
  }
  [[gnu::noinline]] detail::rank_entry& entry(rank_t rank) const noexcept {
    return reinterpret_cast<detail::rank_entry*>(base_ + layout().rank_table)[rank];
  }
  [[gnu::noinline]] detail::long_word& state_word(rank_t rank, std::uint64_t k) const noexcept {
    return reinterpret_cast<detail::long_word*>(
        base_ +
        layout().states)[k % environments_live_max * ranks_ + static_cast<std::size_t>(rank)];
  }
  [[gnu::noinline]] std::byte* rooms(std::uint64_t k) const noexcept {
    return base_ + layout().rooms + k % environments_live_max * layout().slot_bytes;
  }
  detail::room& room(rank_t rank, std::uint64_t k) const noexcept {
    return *reinterpret_cast<detail::room*>(rooms(k) +
                                            static_cast<std::size_t>(rank) * detail::room_bytes);
  }
  std::byte* log(rank_t rank, std::uint64_t k) const noexcept {
    return reinterpret_cast<std::byte*>(&room(rank, k)) + sizeof(detail::room);
  }
  /// The word in which `by` records that it has disconnected `rank`.
  detail::long_word& refusal(rank_t rank, std::uint64_t k, rank_t by) const noexcept {
    return reinterpret_cast<detail::long_word*>(
        rooms(k) +
        layout().refusals)[static_cast<std::size_t>(rank) * ranks_ + static_cast<std::size_t>(by)];
  }
  detail::hang_slot& hang_slot(rank_t rank) const noexcept {
    return reinterpret_cast<detail::hang_slot*>(base_ + layout().hangs)[rank];
  }
  const detail::segment_layout& layout() const noexcept { return layout_; }

  std::byte* base_ = nullptr;
  std::size_t ranks_ = 0;
  detail::segment_layout layout_{0};
};

}  // namespace detail
}  // namespace mpx::inline v0::bootstrap
