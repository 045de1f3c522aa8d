// SPDX-License-Identifier: BSL-1.0
#pragma once
// The epochs of a window, as its program opens and closes them.

#include <atomic>
#include <exception>
#include <source_location>
#include <system_error>
#include <utility>

#include "mpx/comm/detail/check_call.hpp"
#include "mpx/engine/timed_call.hpp"
#include "mpx/rma/call.hpp"

namespace mpx::inline v0 {

namespace detail {
template <class Window, class Stack>
class window_calls;
}

/// A lock, or all of them, for as long as this lives. Its destructor unlocks, and swallows errors:
/// `unlock` tells them. Where an exception runs it, results that are still to come are dropped,
/// for buffers that were declared after it are gone; epochs that lack some, and go on, end with
/// errc::pending.
template <class Window>
class [[nodiscard]] scoped_lock {
 public:
  /// Takes over.
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
  /// Ends the epoch before this goes.
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

 private:
  template <class, class>
  friend class detail::window_calls;
  scoped_lock(Window& w, rank_t target, bool all, std::source_location where) noexcept
      : of_(&w), target_(target), all_(all), where_(where) {}
  void end(std::error_code& ec) { unlock(ec, where_); }

  Window* of_;
  rank_t target_;
  bool all_;
  int exceptions_ = std::uncaught_exceptions();  // When this was made, and
  std::source_location where_;                   // where.
};

namespace detail {

/// A base of a window.
template <class Window, class Stack>
class window_calls {
  using site = std::source_location;

 public:
  /// This process; proc_null in an empty window.
  rank_t rank() const noexcept { return state_ == nullptr ? rank_t{proc_null} : state_->rank; }
  rank_t size() const noexcept { return size_; }  ///< How many ranks there are.

  // --- Active target -----------------------------------------------------------------------------

  /// Ends the accesses of all ranks since the last one, and allows more. Collective.
  template <class How = throws_t>
  requires BlockingForm<How>
  void fence(rma::assertion a = {}, How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("fence", where);
    if (!goes_together("fence", a, how, where)) return;
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->fence(a, {"fence", where}), "fence", proc_null, where);
  }
  /// The same.
  template <class How>
  requires is_code<How>
  void fence(How&& how, site where = site::current()) {
    fence({}, how, where);
  }
  /// Lets the ranks of `origins` access this rank's memory; `wait` ends that.
  template <class How = throws_t>
  requires BlockingForm<How>
  void post(const group& origins, rma::assertion a = {}, How&& how = {},
            site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("post", where);
    plain_array<rank_t> members;
    errc why = members_of(origins, members, where);
    if (why == errc{}) why = state_->post(members, a);
    ended(how, why, "post", proc_null, where);
  }
  /// Begins accesses to the ranks of `targets`; each waits until its target has posted.
  template <class How = throws_t>
  requires BlockingForm<How>
  void start(const group& targets, rma::assertion a = {}, How&& how = {},
             site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("start", where);
    plain_array<rank_t> members;
    errc why = members_of(targets, members, where);
    if (why == errc{}) why = state_->start_epoch(members, a);
    ended(how, why, "start", proc_null, where);
  }
  /// Ends what `start` began: buffers here are the program's again.
  template <class How = throws_t>
  requires BlockingForm<How>
  void complete(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("complete", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->complete({"complete", where}), "complete", proc_null,
          where);
  }
  /// Blocks until all that `post` let in have completed.
  template <class How = throws_t>
  requires BlockingForm<How>
  void wait(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("wait", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->wait_epoch({"wait", where}), "wait", proc_null, where);
  }
  /// Whether they have; looks once.
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

  /// Asks for the exclusive lock of `target`, which others share its memory with by turns, and does
  /// not wait for it: accesses do. Returns: what unlocks.
  template <class How = throws_t>
  requires BlockingForm<How>
  scoped_lock<Window> lock(rank_t target, rma::assertion a = {}, How&& how = {},
                           site where = site::current()) {
    return locked(target, true, a, how, where);
  }
  /// The same, shared with others that share it.
  template <class How = throws_t>
  requires BlockingForm<How>
  scoped_lock<Window> lock_shared(rank_t target, rma::assertion a = {}, How&& how = {},
                                  site where = site::current()) {
    return locked(target, false, a, how, where);
  }
  /// The shared locks of all; each is asked for when it is first needed.
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
  /// All accesses to `target` are over, there too; then others may have its lock.
  template <class How = throws_t>
  requires BlockingForm<How>
  void unlock(rank_t target, How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("unlock", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->unlock(target, {"unlock", where}), "unlock", target,
          where);
  }
  /// The same of all.
  template <class How = throws_t>
  requires BlockingForm<How>
  void unlock_all(How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("unlock_all", where);
    const errc why = unusable(where);
    ended(how, why != errc{} ? why : state_->unlock_all({"unlock_all", where}), "unlock_all",
          proc_null, where);
  }
  /// All accesses to `target` so far are over, here and there.
  template <class How = throws_t>
  requires BlockingForm<How>
  [[gnu::always_inline]] void flush(rank_t target, How&& how = {}, site where = site::current()) {
    [[maybe_unused]] const auto timing = timed("flush", where);
    seen(where);
    // First: what follows goes on while the next access does.
    if (static_cast<std::uint32_t>(target) < static_cast<std::uint32_t>(size_)) [[likely]]
      targets_[target].fence();
    pass();
    ended(how, state_ == nullptr ? errc::window : state_->flush(target, true, {"flush", where}),
          "flush", target, where);
  }
  /// The same here: buffers are the program's again, and results are there.
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
  /// The same of all targets.
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
  void flush_local_all(How&& how = {}, site where = site::current()) {  ///< The same, here.
    seen(where);
    pass();
    ended(how,
          state_ == nullptr ? errc::window : state_->flush_all(false, {"flush_local_all", where}),
          "flush_local_all", proc_null, where);
  }
  /// What this rank stored to memory is seen by others, and what they did by this rank.
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
    window_calls& old = taken;  // Lets go of what has been here.
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
    if (state_ != nullptr) state_->forsake();  // It may have been freed within its lock's scope.
  }
  /// Tells the stack's trace of a call, if it asks for calls.
  [[gnu::always_inline]] auto timed(const char* name, const site& where) const noexcept {
    return timed_call<typename Stack::trace_type>(state_ == nullptr ? nullptr : &state_->e, name,
                                                  where);
  }
  /// Tells a window that has outlived its environment, before that is touched. nullptr: it is
  /// empty.
  [[gnu::always_inline]] state* seen([[maybe_unused]] site where) const noexcept {
    MPX_ASSERT_AT(
        state_ == nullptr || (state_->e.is_there() && state_->lifetime == state_->e.lifetime()),
        "the environment of this window is gone: let windows go before it", where);
    return state_;
  }
  /// Why nothing can be done with it here: it is empty, or this is a forked child. All calls that
  /// take longer than a few loads and stores ask that, but for flushes.
  errc unusable(site where) const noexcept {
    if (seen(where) == nullptr) return errc::window;
    if (*state_->e.ours() == 0) return errc::not_a_rank;
    state_->e.pass_without_poll();
    return errc{};
  }
  /// A flush may find nothing to wait for.
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
  /// Calls `combine` with what combine_one takes of an element of `target`, which lies `there`, if
  /// it does and nobody has all elements to himself.
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
  /// Whether all ranks make this call, where the stack compares such.
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
  errc members_of(const group& g, plain_array<rank_t>& members, site where) const noexcept {
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
