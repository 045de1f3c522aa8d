// SPDX-License-Identifier: BSL-1.0
#pragma once
// One rank's membership of a job on one machine. Base of singleton, mpxrun and threads. Joins on
// construction and leaves by mark_finished(). Destroyed without that call, it counts as failed.

#include <unistd.h>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/detail/job_segment.hpp"
#include "mpx/bootstrap/hang_table.hpp"
#include "mpx/core/exchange.hpp"

namespace mpx::inline v0::bootstrap {

namespace detail {

/// Object that a membership keeps beside its segment as long as it lives: its connection to the
/// launcher.
class aide {
 public:
  aide() = default;
  aide(const aide&) = delete;
  aide& operator=(const aide&) = delete;
  virtual ~aide() = default;
  /// Asks the launcher to end the job. May end this process.
  virtual void abort(int code, std::string_view why) noexcept = 0;
};

/// Owns an aide, or none.
class aide_owner {
 public:
  aide_owner() = default;
  explicit aide_owner(aide* one) noexcept : one_(one) {}
  aide_owner(aide_owner&& other) noexcept : one_(mpx::detail::exchange(other.one_, nullptr)) {}
  aide_owner& operator=(aide_owner&& other) noexcept {
    one_ = mpx::detail::exchange(other.one_, one_);
    return *this;
  }
  ~aide_owner() { delete one_; }
  aide* get() const noexcept { return one_; }

 private:
  aide* one_ = nullptr;
};

}  // namespace detail

/// A SharedMemoryBootstrap and WatchedBootstrap over a control segment. Move-only. The copy in a
/// forked child is not a rank: its calls give errors, and its end does not affect the rank.
class member {
 public:
  using policy_axis = bootstrap_axis;

  [[gnu::noinline, gnu::cold]] member(member&& other) noexcept
      : me_(other.me_),
        present_(mpx::detail::exchange(other.present_, false)),
        map_(std::move(other.map_)),
        shared_(std::move(other.shared_)),
        aide_(std::move(other.aide_)) {}
  member& operator=(member&& other) noexcept {
    if (this != &other) {
      member old(std::move(*this));
      me_ = other.me_;
      present_ = mpx::detail::exchange(other.present_, false);
      map_ = std::move(other.map_);
      shared_ = std::move(other.shared_);
      aide_ = std::move(other.aide_);
    }
    return *this;
  }
  [[gnu::noinline, gnu::cold]] ~member() { mark_failed(); }

  rank_t rank() const noexcept { return me_.rank; }
  rank_t size() const noexcept { return me_.segment.size(); }
  std::string_view host() const noexcept { return me_.host; }

  void put(std::string_view key, std::string_view value) {
    check_present("put");
    me_.segment.put(me_.rank, me_.k, key, value);
  }
  std::optional<std::string> get(rank_t rank, std::string_view key) const {
    check_present("get");
    return me_.segment.get(rank, me_.k, key);
  }
  /// As `get`, but returns a string, which is `without` if there is no value.
  [[gnu::noinline, gnu::cold]] std::string text_of(rank_t rank, std::string_view key,
                                                   const char* without) const {
    check_present("get");
    const std::string_view found = me_.segment.find(rank, me_.k, key);
    if (found.data() == nullptr) return without;
    return std::string(found.data(), found.size());
  }
  template <std::invocable Idle>
  void fence(Idle&& idle) {
    if constexpr (std::is_function_v<std::remove_reference_t<Idle>>) {
      auto* const function = &idle;
      meet(function);
    } else {
      meet(idle);
    }
  }

  [[noreturn]] void abort(int code, std::string_view why) {
    if (is_here()) me_.segment.abort(me_.rank, code, why);
    if (me_.ends == ending::thread)
      mpx::detail::throw_error(errc::aborted, "rank %d aborted the job with code %d: %.*s",
                               me_.rank, code, static_cast<int>(why.size()), why.data());
    std::fflush(stdout);
    if (aide_.get() != nullptr && is_here()) aide_.get()->abort(code, why);
    if (me_.ends == ending::alone)
      std::fprintf(stderr, "mpx: aborted with code %d: %.*s\n", code, static_cast<int>(why.size()),
                   why.data());
    std::fflush(stderr);
    ::_exit(code > 0 && code < 256 ? code : 1);
  }

  int shared_fd() const noexcept { return me_.shared.fd(); }
  std::uint64_t shared_offset() const noexcept {
    return me_.k % environments_live_max << environment_shift;
  }
  bool one_process() const noexcept { return me_.ends != ending::process; }

  std::uint32_t failure_epoch() const noexcept { return me_.segment.failure_epoch(me_.k); }
  /// The word behind failure_epoch(): a futex that is woken whenever it grows.
  platform::atomic<std::uint32_t>& failure_word() const noexcept {
    return me_.segment.failure_word(me_.k);
  }
  rank_state state(rank_t rank) const noexcept { return me_.segment.state(rank, me_.k); }
  /// The table in which the ranks of this environment publish what they wait for.
  hang_table hangs() const noexcept { return {me_.segment, me_.rank, me_.k, me_.launcher}; }
  std::optional<abort_notice> aborted() const { return me_.segment.aborted(); }

  /// Describes what happened to a lost rank, for error messages.
  std::string loss_text(rank_t rank) const { return me_.segment.loss_text(rank, me_.k); }
  void disconnect_from(rank_t peer, errc why) noexcept {
    if (present_ && is_here()) me_.segment.disconnect_from(me_.rank, me_.k, peer, why);
  }
  errc disconnected_by(rank_t peer) const noexcept {
    return present_ ? me_.segment.disconnected_by(me_.rank, me_.k, peer) : errc{};
  }

  [[gnu::noinline, gnu::cold]] void mark_finished() noexcept {
    if (mpx::detail::exchange(present_, false) && is_here())
      me_.segment.leave(me_.rank, me_.k, me_.shared);
  }
  [[gnu::noinline, gnu::cold]] void mark_failed() noexcept {
    if (mpx::detail::exchange(present_, false) && is_here())
      me_.segment.fail(me_.rank, me_.k, me_.shared);
  }

 protected:
  const job_segment& segment() const noexcept { return me_.segment; }
  /// The number of this environment in the segment.
  std::uint64_t environment() const noexcept { return me_.k; }
  /// Takes ownership of an object allocated by `new`.
  void keep(detail::aide* one) noexcept { aide_ = detail::aide_owner(one); }
  /// mpxrun listens at the other end of `socket`.
  void launched_over(int socket) noexcept { me_.launcher = socket; }

  /// The scope of an abort by this rank.
  enum class ending : unsigned char { alone, process, thread };

  /// Joins a segment and a shared file of which this object takes ownership.
  [[gnu::noinline, gnu::cold]] member(mapping map, memory_file shared, rank_t rank, ending ends)
      : member(job_segment(map), shared.view(), rank, ends) {
    map_ = std::move(map);
    shared_ = std::move(shared);
  }
  /// Joins a segment and a shared file that outlive this object.
  [[gnu::noinline, gnu::cold]] member(const job_segment& segment, const file_view& shared,
                                      rank_t rank, ending ends)
      : me_{.segment = segment, .shared = shared, .rank = rank, .ends = ends} {
    shared.check();
    if (::gethostname(me_.host, sizeof me_.host - 1) != 0) std::strcpy(me_.host, "localhost");
    me_.pid = ::getpid();
    me_.k = segment.join(rank, static_cast<std::int32_t>(me_.pid), shared);
    present_ = true;
  }

 private:
  struct place {
    job_segment segment;
    file_view shared;
    rank_t rank = 0;
    ending ends = ending::alone;
    bool fence_failed = false;
    pid_t pid = 0;      // The process that joined.
    int launcher = -1;  // The socket to mpxrun; -1 if mpxrun does not run the job.
    std::uint64_t k = 0;
    char host[65] = {};
  };

  [[gnu::noinline, gnu::cold]] void meet(mpx::detail::function_ref<void()> idle) {
    check_present("fence");
    if (me_.fence_failed)
      mpx::detail::throw_error(errc::peer_lost, "fence: an earlier one of this environment failed");
    me_.fence_failed = true;  // Reset if the fence returns.
    me_.segment.fence(me_.rank, me_.k, idle);
    me_.fence_failed = false;
  }
  [[gnu::noinline, gnu::cold]] bool is_here() const noexcept { return ::getpid() == me_.pid; }
  [[gnu::noinline, gnu::cold]] void check_present(const char* what) const {
    if (!is_here())
      mpx::detail::throw_error(errc::not_a_rank, "%s in process %d, a child of rank %d (pid %d)",
                               what, static_cast<int>(::getpid()), me_.rank,
                               static_cast<int>(me_.pid));
    if (!present_)
      mpx::detail::throw_error(errc::peer_lost, "%s: rank %d, this one, has left the environment",
                               what, me_.rank);
  }

  place me_;
  bool present_ = false;
  mapping map_;
  memory_file shared_;
  detail::aide_owner aide_;  // Refers to the mapping, so that it is destroyed first.
};

}  // namespace mpx::inline v0::bootstrap
