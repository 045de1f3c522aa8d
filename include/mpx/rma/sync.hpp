// SPDX-License-Identifier: BSL-1.0
#pragma once
// Synchronisation calls of a window: opening and closing epochs.

#include <atomic>
#include <exception>
#include <source_location>
#include <system_error>
#include <utility>

#include "mpx/comm/detail/check_call.hpp"
#include "mpx/engine/base/timed_call.hpp"
#include "mpx/rma/call.hpp"

namespace mpx::inline v0 {

namespace detail {
template <class Window, class Stack>
class window_calls;
}

/// Holds a lock of a window, or all of them, for its lifetime. The destructor unlocks and ignores
/// errors; `unlock` reports them. If an exception runs the destructor, outstanding results are
/// discarded, because buffers declared after the lock are gone; other open epochs that lose results
/// because of this end with errc::pending.
template <class Window>
class [[nodiscard]] scoped_lock {
 public:
  /// Takes over the lock of `other`.
  scoped_lock(scoped_lock&& other) noexcept
      : of_(std::exchange(other.of_, nullptr)),
        target_(other.target_),
        all_(other.all_),
        exceptions_(other.exceptions_),
        where_(other.where_) {}
  scoped_lock& operator=(scoped_lock&&) = delete;
  ~scoped_lock() {
    if (of_ == nullptr) return;
    if (std::uncaught_exceptions() > exceptions_) of_->forsake();
    std::error_code ec;
    end(ec);
  }
  /// Ends the epoch before the destructor does.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  void unlock(How&& how = {}, std::source_location where = std::source_location::current()) {
    Window* const w = std::exchange(of_, nullptr);
    if (w == nullptr) return;
    if (all_) {
      w->unlock_all(std::forward<How>(how), where);
    } else {
      w->unlock(target_, std::forward<How>(how), where);
    }
  }
  /// Gives up the lock without ending its epoch: window::unlock or unlock_all ends it. For programs
  /// whose epochs follow no scope.
  void release() noexcept { of_ = nullptr; }

 private:
  template <class, class>
  friend class detail::window_calls;
  scoped_lock(Window& w, rank_t target, bool all, std::source_location where) noexcept
      : of_(&w), target_(target), all_(all), where_(where) {}
  void end(std::error_code& ec) { unlock(ec, where_); }

  Window* of_;
  rank_t target_;
  bool all_;
  // Number of exceptions in flight at construction.
  int exceptions_ = std::uncaught_exceptions();
  std::source_location where_;  // The call that took the lock.
};

namespace detail {

/// Base class of a window: its synchronisation calls.
template <class Window, class Stack>
class window_calls {
  using site = std::source_location;

 public:
  /// Returns the rank of this process; proc_null for an empty window.
  rank_t rank() const noexcept { return state_ == nullptr ? rank_t{proc_null} : state_->rank; }
  rank_t size() const noexcept { return size_; }  ///< Number of ranks.
  /// Returns the ranks of the window; an empty group for an empty window.
  [[nodiscard]] mpx::group group(site where = site::current()) const {
    return seen(where) == nullptr ? mpx::group() : state_->comm.group();
  }
  /// True if an epoch of lock, start or post is open, which has to be closed before the window is
  /// freed.
  [[nodiscard]] bool in_epoch(site where = site::current()) const noexcept {
    return seen(where) != nullptr && state_->in_epoch();
  }
  /// For the library: keeps the attributes of the window (mpx/attributes.hpp).
  /// Requires:   the window is not empty.
  const communicator<Stack>& attributes_holder(site where = site::current()) const noexcept {
    assert_full(where);
    return state_->comm;
  }

  // --- Active target -----------------------------------------------------------------------------

  /// Completes the accesses of all ranks since the last fence, and opens a new epoch to all
  /// targets. Collective.
  template <class How = throws_t>
  requires BlockingForm<How>
  void fence(rma::assertion a = {}, How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("fence", where);
    if (!goes_together("fence", a, how, where)) return;
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->fence(a, {"fence", where}), "fence", proc_null, where);
  }
  /// As above, without assertions.
  template <class How>
  requires is_code<How>
  void fence(How&& how, site where = site::current()) {
    fence({}, how, where);
  }
  /// Opens an exposure epoch: the ranks of `origins` may access this rank's memory. `wait` closes
  /// it.
  template <class How = throws_t>
  requires BlockingForm<How>
  void post(const mpx::group& origins, rma::assertion a = {}, How&& how = {},
            site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("post", where);
    plain_array<rank_t> members;
    errc why = members_of(origins, members, where);
    if (why == errc{}) why = state_->post(members, a);
    ended(how, why, "post", proc_null, where);
  }
  /// Opens an access epoch to the ranks of `targets`. Does not block: each access waits until its
  /// target has posted.
  template <class How = throws_t>
  requires BlockingForm<How>
  void start(const mpx::group& targets, rma::assertion a = {}, How&& how = {},
             site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("start", where);
    plain_array<rank_t> members;
    errc why = members_of(targets, members, where);
    if (why == errc{}) why = state_->start_epoch(members, a);
    ended(how, why, "start", proc_null, where);
  }
  /// Closes the access epoch opened by `start`.
  /// Completion: local buffers may be reused.
  template <class How = throws_t>
  requires BlockingForm<How>
  void complete(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("complete", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->complete({"complete", where}), "complete", proc_null,
          where);
  }
  /// Closes the exposure epoch: blocks until all origins given to `post` have called complete.
  template <class How = throws_t>
  requires BlockingForm<How>
  void wait(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("wait", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->wait_epoch({"wait", where}), "wait", proc_null, where);
  }
  /// Closes the exposure epoch if all origins have completed. Polls once.
  /// Returns:    true if the epoch is closed.
  template <class How = throws_t>
  requires BlockingForm<How>
  bool test(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("test", where);
    bool over = false;
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->test_epoch(over), "test", proc_null, where);
    return over;
  }

  // --- Passive target ----------------------------------------------------------------------------

  /// Opens an access epoch under the exclusive lock of `target`. Only requests the lock: accesses
  /// wait for it. Waits for it if the target is this rank, if the window is a shared_window, and
  /// if it is a byte_window that maps the target's memory.
  /// Returns:    a scoped_lock, which unlocks.
  template <class How = throws_t>
  requires BlockingForm<How>
  scoped_lock<Window> lock(rank_t target, rma::assertion a = {}, How&& how = {},
                           site where = site::current()) {
    return locked(target, true, a, how, where);
  }
  /// As lock, shared with other readers.
  template <class How = throws_t>
  requires BlockingForm<How>
  scoped_lock<Window> lock_shared(rank_t target, rma::assertion a = {}, How&& how = {},
                                  site where = site::current()) {
    return locked(target, false, a, how, where);
  }
  /// Opens access epochs under the shared locks of all ranks. Each lock is requested on its first
  /// use.
  template <class How = throws_t>
  requires BlockingForm<How>
  scoped_lock<Window> lock_all(rma::assertion a = {}, How&& how = {},
                               site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("lock_all", where);
    errc why = unusable(where);
    if (why == errc{}) why = state_->lock_all(a, {"lock_all", where});
    scoped_lock<Window> made(self(), proc_null, true, where);
    if (why != errc{}) made.of_ = nullptr;
    ended(how, why, "lock_all", proc_null, where);
    return made;
  }
  /// Completes all accesses to `target`, locally and at the target; then releases its lock.
  template <class How = throws_t>
  requires BlockingForm<How>
  void unlock(rank_t target, How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("unlock", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->unlock(target, {"unlock", where}), "unlock", target,
          where);
  }
  /// Completes all accesses to all targets and releases their locks.
  template <class How = throws_t>
  requires BlockingForm<How>
  void unlock_all(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("unlock_all", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->unlock_all({"unlock_all", where}), "unlock_all",
          proc_null, where);
  }
  /// Completes all accesses to `target` so far, locally and at the target.
  template <class How = throws_t>
  requires BlockingForm<How>
  [[gnu::always_inline]] void flush(rank_t target, How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("flush", where);
    seen(where);
    // The fence comes first, so that the rest of this call overlaps with the pending stores.
    if (static_cast<std::uint32_t>(target) < static_cast<std::uint32_t>(size_)) [[likely]]
      targets_[target].fence();
    pass();
    ended(how, state_ == nullptr ? errc::window : state_->flush(target, true, {"flush", where}),
          "flush", target, where);
  }
  /// Completes all accesses to `target` so far locally: buffers may be reused, and results have
  /// arrived.
  template <class How = throws_t>
  requires BlockingForm<How>
  void flush_local(rank_t target, How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("flush_local", where);
    seen(where);
    pass();
    ended(how,
          state_ == nullptr ? errc::window : state_->flush(target, false, {"flush_local", where}),
          "flush_local", target, where);
  }
  /// Completes all accesses to all targets, locally and at the targets.
  template <class How = throws_t>
  requires BlockingForm<How>
  void flush_all(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("flush_all", where);
    seen(where);
    pass();
    ended(how, state_ == nullptr ? errc::window : state_->flush_all(true, {"flush_all", where}),
          "flush_all", proc_null, where);
  }
  template <class How = throws_t>
  requires BlockingForm<How>
  /// Completes all accesses to all targets locally.
  void flush_local_all(How&& how = {}, site where = site::current()) {
    seen(where);
    pass();
    ended(how,
          state_ == nullptr ? errc::window : state_->flush_all(false, {"flush_local_all", where}),
          "flush_local_all", proc_null, where);
  }
  /// Makes this rank's stores to its memory visible to other ranks, and their accesses visible to
  /// this rank.
  void sync(site where = site::current()) const noexcept {
    [[maybe_unused]] const auto timing = timed("flush_local_all", where);
    rma::full_fence();
    if (seen(where) != nullptr) state_->e.progress();
  }

 protected:
  using state = window_state<Stack>;
  friend class scoped_lock<Window>;

  window_calls() = default;
  window_calls(window_calls&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)),
        targets_(std::exchange(other.targets_, nullptr)),
        countdown_(other.countdown_),
        size_(std::exchange(other.size_, 0)) {}
  window_calls& operator=(window_calls&& other) noexcept {
    Window taken(static_cast<Window&&>(other));
    window_calls& old = taken;  // Its destructor abandons the window held before.
    std::swap(state_, old.state_);
    std::swap(targets_, old.targets_);
    std::swap(countdown_, old.countdown_);
    std::swap(size_, old.size_);
    return *this;
  }
  ~window_calls() = default;

  void hold(state& s) noexcept {
    state_ = &s;
    targets_ = s.targets;
    countdown_ = &s.e.countdown();
    size_ = s.size;
  }
  void forsake() noexcept {
    if (state_ != nullptr) state_->forsake();  // free may have been called within the lock's scope.
  }
  /// Reports a call to the stack's trace, if the trace records calls.
  [[gnu::always_inline]] auto timed(const char* name, const site& where) const noexcept {
    return timed_call<typename Stack::trace_type>(state_ == nullptr ? nullptr : &state_->e, name,
                                                  where);
  }
  /// Returns the state; nullptr if the window is empty. Asserts that its environment still exists,
  /// before the state is touched.
  [[gnu::always_inline]] state* seen([[maybe_unused]] site where) const noexcept {
    MPX_ASSERT_AT(
        state_ == nullptr || (state_->e.is_there() && state_->lifetime == state_->e.lifetime()),
        "the environment of this window is gone: let windows go before it", where);
    return state_;
  }
  /// Returns why the window cannot be used here: it is empty, or this is a forked child. Called by
  /// every call that takes longer than a few loads and stores, except flushes.
  errc unusable(site where) const noexcept {
    if (seen(where) == nullptr) return errc::window;
    if (*state_->e.ours() == 0) return errc::not_a_rank;
    state_->e.pass_without_poll();
    return errc{};
  }
  /// Polls if a poll is due: a flush that finds nothing to wait for would never poll.
  [[gnu::always_inline]] void pass() const noexcept {
    if (state_ != nullptr && !countdown_->passes(call_weight::flush)) [[unlikely]]
      state_->e.poll_overdue();
  }
  void assert_full([[maybe_unused]] site where) const noexcept {
    MPX_ASSERT_AT(seen(where) != nullptr, "this window is empty: it has been freed, or moved from",
                  where);
  }
  const rma_target& target_at(rank_t of, [[maybe_unused]] site where) const noexcept {
    assert_full(where);
    MPX_ASSERT_AT(of >= 0 && of < size_, "this window has no such rank", where);
    return targets_[of];
  }
  template <class How>
  [[gnu::always_inline]] void ended([[maybe_unused]] How& how, errc why, const char* call,
                                    rank_t target, site where) const {
    if constexpr (is_code<How&>) {
      store(how, why);
    } else if (why != errc{}) [[unlikely]] {
      if (state_ == nullptr) raise_empty(call, where);
      raise_window(*state_, why, call, target, nullptr, where);
    }
  }
  /// Calls `combine` with the arguments of combine_one for an element of `target` at `there`.
  /// Returns:    false, without a call, if `there` is nullptr or a rank holds the bulk lock.
  template <class F>
  [[gnu::always_inline]] bool at_once(std::byte* there, rank_t target, F&& combine) {
    if (there == nullptr) return false;
    rma::element_locks& locks = targets_[target].locks;
    const rma::few_guard few(locks);
    if (few) [[likely]] {
      rma_target& t = targets_[target];
      rma::combining_is_fence ? t.note_load() : t.note_store();
      combine(there, locks, static_cast<std::uint32_t>(state_->rank));
    }
    return static_cast<bool>(few);
  }
  /// Returns true if all ranks make this call, as far as the stack compares collective calls.
  template <class How>
  bool goes_together([[maybe_unused]] const char* call, [[maybe_unused]] rma::assertion a,
                     [[maybe_unused]] How& how, [[maybe_unused]] site where) const {
    if constexpr (Stack::checks_type::compares_collectives) {
      constexpr const char* epochs[] = {"", "none before it", "none after it", "none at all"};
      if (state_ != nullptr && state_->alive)
        return check_call<Stack>(state_->comm, {call, where},
                                 epochs[static_cast<unsigned>(a) >> 2 & 3], how);
    }
    return true;
  }
  template <class How>
  scoped_lock<Window> locked(rank_t target, bool exclusive, rma::assertion a, How& how,
                             site where) {
    const char* const name = exclusive ? "lock" : "lock_shared";
    [[maybe_unused]] const auto timing = timed(name, where);
    errc why = unusable(where);
    if (why == errc{}) why = state_->lock(target, exclusive, a, {name, where});
    scoped_lock<Window> made(self(), target, false, where);
    if (why != errc{}) made.of_ = nullptr;
    ended(how, why, name, target, where);
    return made;
  }
  errc members_of(const mpx::group& g, plain_array<rank_t>& members, site where) const noexcept {
    if (const errc why = unusable(where); why != errc{}) return why;
    for (rank_t r = 0; r < g.size(); ++r) {
      const rank_t here = state_->rank_of(g.peer_of(r));
      if (here < 0 || here >= size_) return errc::rank;
      if (!members.try_push_back(here)) return errc::no_resources;
    }
    return errc{};
  }

  state* state_ = nullptr;
  rma_target* targets_ = nullptr;
  typename endpoint<Stack>::countdown_type* countdown_ = nullptr;  // See endpoint.
  rank_t size_ = 0;

 private:
  Window& self() noexcept { return static_cast<Window&>(*this); }
};

}  // namespace detail
}  // namespace mpx::inline v0
