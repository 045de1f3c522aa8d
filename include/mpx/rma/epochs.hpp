// SPDX-License-Identifier: BSL-1.0
#pragma once
// Epochs of a window at this rank: fences, access and exposure epochs of groups, locks.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "mpx/core/platform.hpp"
#include "mpx/rma/assertions.hpp"
#include "mpx/rma/window_barrier.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Adds the epochs that allow accesses to window_barrier.
template <class Stack>
class window_state : public window_barrier<Stack> {
  using base_type = window_barrier<Stack>;

 public:
  using base_type::base_type;
  using base_type::is_locked;
  using typename base_type::kind;
  using typename base_type::os;
  using typename base_type::side;

  // --- Active target -----------------------------------------------------------------------------

  errc fence(rma::assertion a, call_site site) {
    if (!this->alive) return errc::window;
    errc why{};
    for (rank_t r = 0; r < this->size; ++r) {
      rma_target& t = this->targets[r];
      if (t.epoch != rma_epoch::none && t.epoch != rma_epoch::fence) return errc::rma_sync;
    }
    const bool precedes = !rma::has(a, rma::assertion::no_precede);
    for (rank_t r = 0; precedes && r < this->size; ++r) {
      rma_target& t = this->targets[r];
      keep(why, settle(t, site, target_tells()), r);
      const auto guard = os::lock(this->e);
      if (std::exchange(t.moved, false)) this->tell(t, kind::mark);
      this->counts[static_cast<std::size_t>(r)] = std::exchange(t.sent, 0);
      t.unacknowledged = t.completed = t.combined_until = 0;
    }
    const errc met = this->pass_barrier(precedes, site);
    keep(why, met, this->culprit);
    if constexpr (compares_accesses<Stack>) {
      if (met == errc{} && precedes) keep(why, compare_origins(site), this->rank);
    }
    const bool succeeds = !rma::has(a, rma::assertion::no_succeed) && met == errc{};
    for (rank_t r = 0; r < this->size; ++r) {
      rma_target& t = this->targets[r];
      close(t);
      // A rank that has left since took part in this fence: the next call that needs it reports
      // that.
      const bool tells = met != errc{} || !t.left;
      keep(why, tells ? take_failure(t) : std::exchange(t.before_left, {}), r);
      if (!succeeds) continue;
      t.epoch = rma_epoch::fence;
      open(t);
    }
    return why;
  }
  /// `members`: ranks of the window.
  errc post(const plain_array<rank_t>& members, rma::assertion) {
    if (!this->alive) return errc::window;
    if (exposes_) return errc::rma_sync;
    if (!copy(this->exposed_to, members)) return errc::no_resources;
    exposes_ = true;
    for (const rank_t r : members) {
      rma_target& t = this->targets[r];
      if (reaches(t)) {
        this->count_up(t, &rma::control_words::posts);
        continue;
      }
      const auto guard = os::lock(this->e);
      this->tell(t, kind::post);
    }
    return errc{};
  }
  errc start_epoch(const plain_array<rank_t>& members, rma::assertion a) {
    if (!this->alive) return errc::window;
    if (starts_) return errc::rma_sync;
    for (const rank_t r : members)
      if (!may_begin(this->targets[r])) return errc::rma_sync;
    if (!copy(started_, members)) return errc::no_resources;
    starts_ = true;
    for (const rank_t r : members) {
      rma_target& t = this->targets[r];
      close(t);
      t.epoch = rma_epoch::started;
      t.no_check = rma::has(a, rma::assertion::no_check);
      const auto guard = os::lock(this->e);
      try_open(t);
    }
    return errc{};
  }
  errc complete(call_site site) {
    if (!this->alive) return errc::window;
    if (!starts_) return errc::rma_sync;
    errc why{};
    for (const rank_t r : started_) keep(why, settle(this->targets[r], site, target_tells()), r);
    for (const rank_t r : started_) {
      rma_target& t = this->targets[r];
      // Words in memory overtake packets.
      const bool overtakes = t.moved || t.sent != t.completed;
      if (reaches(t) && !overtakes) this->count_up(t, &rma::control_words::completes);
      const auto guard = os::lock(this->e);
      if (!reaches(t) || overtakes) this->tell(t, kind::complete);
      t.completed = t.sent;
      t.moved = false;
      t.unacknowledged = 0;
      --t.posts;
      close(t);
      keep(why, take_failure(t), r);
    }
    starts_ = false;
    return why;
  }
  errc wait_epoch(call_site site) {
    if (!this->alive) return errc::window;
    if (!exposes_) return errc::rma_sync;
    errc why{};
    for (const rank_t r : this->exposed_to) {
      rma_target& t = this->targets[r];
      keep(why, wait_for_complete(t, site), r);
      const auto guard = os::lock(this->e);
      if (has_completed(t)) --t.completes;
    }
    exposes_ = false;
    return why;
  }
  /// Closes the exposure epoch if wait_epoch would not block, and sets `over`.
  errc test_epoch(bool& over) {
    over = false;
    if (!this->alive) return errc::window;
    if (!exposes_) return errc::rma_sync;
    this->e.progress();
    {
      const auto guard = os::lock(this->e);
      for (const rank_t r : this->exposed_to)
        if (!has_completed(this->targets[r]) && stopped(this->targets[r]) == errc{}) return errc{};
    }
    over = true;
    return wait_epoch({"test"});
  }

  // --- Passive target ----------------------------------------------------------------------------

  errc lock(rank_t target, bool exclusive, rma::assertion a, call_site site) {
    if (!this->alive) return errc::window;
    if (target == proc_null) return errc{};
    if (target < 0 || target >= this->size) return errc::rank;
    rma_target& t = this->targets[target];
    if (!may_begin(t)) return errc::rma_sync;
    begin_lock(t, exclusive, rma::has(a, rma::assertion::no_check), false);
    if (!this->is_visible(t)) return errc{};
    const errc why = wait(t, site, [&] { return t.open || try_open(t); });
    if (why != errc{}) let_go(t);
    return why;
  }
  errc unlock(rank_t target, call_site site) {
    if (!this->alive) return errc::window;
    if (target == proc_null) return errc{};
    if (target < 0 || target >= this->size) return errc::rank;
    rma_target& t = this->targets[target];
    if (!is_locked(t) || all_locked_) return errc::rma_sync;
    return end_lock(t, site);
  }
  errc lock_all(rma::assertion a, call_site site) {
    if (!this->alive) return errc::window;
    for (rank_t r = 0; r < this->size; ++r)
      if (!may_begin(this->targets[r])) return errc::rma_sync;
    all_locked_ = true;
    const bool no_check = rma::has(a, rma::assertion::no_check);
    errc why{};
    for (rank_t r = 0; r < this->size; ++r) {
      rma_target& t = this->targets[r];
      begin_lock(t, false, no_check, !no_check);
      if (!no_check && this->is_visible(t))
        keep(why, wait(t, site, [&] { return t.open || try_open(t); }), r);
    }
    if (why != errc{}) {
      drop_locks();
      all_locked_ = false;
    }
    return why;
  }
  errc unlock_all(call_site site) {
    if (!this->alive) return errc::window;
    if (!all_locked_) return errc::rma_sync;
    errc why{};
    for (rank_t r = 0; r < this->size; ++r) keep(why, end_lock(this->targets[r], site), r);
    all_locked_ = false;
    return why;
  }
  /// Requires:   rma_target::fence has been called for the target if `remote`.
  errc flush(rank_t target, bool remote, call_site site) {
    if (!this->alive) return errc::window;
    if (target == proc_null) return errc{};
    if (target < 0 || target >= this->size) return errc::rank;
    rma_target& t = this->targets[target];
    if (!is_locked(t)) return errc::rma_sync;
    rma::load_fence();  // After all earlier loads.
    errc why = settle(t, site, remote);
    keep(why, take_failure(t), target);
    if (remote) this->forget_touched(t);
    return why;
  }
  /// Completes locally what this rank has started for a target: flush_local, in an epoch of any
  /// kind.
  errc arrive(rank_t target, call_site site) {
    if (!this->alive) return errc::window;
    if (target == proc_null) return errc{};
    if (target < 0 || target >= this->size) return errc::rank;
    rma_target& t = this->targets[target];
    if (t.epoch == rma_epoch::none) return errc::rma_sync;
    errc why = settle(t, site, false);
    keep(why, take_failure(t), target);
    return why;
  }
  errc flush_all(bool remote, call_site site) {
    if (!this->alive) return errc::window;
    errc why{};
    bool any = false;
    for (rank_t r = 0; r < this->size; ++r) {
      if (!is_locked(this->targets[r])) continue;
      any = true;
      if (remote) this->targets[r].fence();
      keep(why, flush(r, remote, site), r);
    }
    return any ? why : errc::rma_sync;
  }
  /// The window goes: releases locks that it holds, without waiting. Those that it reaches by
  /// atomic accesses are released by abandon_locks.
  void drop_locks() noexcept {
    for (rank_t r = 0; this->targets != nullptr && r < this->size; ++r)
      if (is_locked(this->targets[r])) let_go(this->targets[r]);
  }
  /// Requires:   no access of the transport is in progress.
  void abandon_locks() noexcept {
    const auto guard = os::lock(this->e);
    for (rank_t r = 0; this->card_locks != nullptr && r < this->size; ++r)
      this->card_locks[r].abandon();
  }
  /// Ends all lock epochs in order: completes the accesses that the locks protect, then releases
  /// the locks.
  void end_locks(call_site site) {
    if (!this->alive) return;
    // All ranks use the same order, so that no cycle of waits arises.
    for (rank_t r = 0; r < this->size; ++r)
      if (is_locked(this->targets[r])) static_cast<void>(end_lock(this->targets[r], site));
    all_locked_ = false;
  }
  /// Returns the conflicting rank that `conflict` does not name.
  rank_t second_origin() const noexcept { return second_; }
  /// Explains errc::rma_sync: which epoch is open and which call would end it, or which epoch is
  /// not open.
  std::string why_refused(std::string_view call) const {
    if (call == "wait" || call == "test") return "no epoch of post is open";
    if (call == "complete") return "no epoch of start is open";
    if (call == "post") return "an epoch of post is open: wait first";
    if (starts_) return "an epoch of start is open: complete first";
    if (call == "unlock_all") return "lock_all has not been called";
    if (all_locked_) return "an epoch of lock_all is open: unlock_all first";
    const bool needs_lock = call == "unlock" || call.starts_with("flush");
    for (rank_t r = 0; r < this->size; ++r)
      if (!needs_lock && is_locked(this->targets[r]))
        return formatted("epoch %s to rank %d is open: unlock first",
                         name_of(this->targets[r].epoch), r);
    if (exposes_ && !needs_lock) return "an epoch of post is open: wait first";
    return needs_lock ? "no lock that it ends or flushes is held" : "no epoch allows this call";
  }
  /// True if an epoch is open that must be closed before the window is freed.
  bool in_epoch() const noexcept {
    for (rank_t r = 0; r < this->size; ++r)
      if (this->targets[r].epoch > rma_epoch::fence) return true;
    return exposes_ || starts_;
  }

 private:
  using base_type::card_lock_of;
  using base_type::close;
  using base_type::keep;
  using base_type::open;
  using base_type::reaches;
  using base_type::stopped;
  using base_type::take_failure;
  using base_type::try_open;
  using base_type::wait;

  static bool copy(plain_array<rank_t>& to, const plain_array<rank_t>& from) noexcept {
    to.clear();
    for (const rank_t r : from)
      if (!to.try_push_back(r)) return false;
    return true;
  }
  /// True if an epoch other than that of a fence may begin.
  static bool may_begin(const rma_target& t) noexcept { return t.epoch <= rma_epoch::fence; }

  void begin_lock(rma_target& t, bool exclusive, bool no_check, bool lazy) {
    const auto guard = os::lock(this->e);
    close(t);
    t.epoch = exclusive ? rma_epoch::exclusive : rma_epoch::shared;
    t.no_check = no_check;
    t.lazy = lazy;
    if (auto* const card = card_lock_of(t); card != nullptr) card->begin();
    if (!lazy) try_open(t);
  }
  void free_word(rma_target& t) {
    rma::control_block& c = *t.control;
    auto& part = c.of(this->rank, this->size).part;
    if (std::exchange(t.wanted, false)) {
      // If this rank fails here, no other rank removes it as well.
      part.store(rma::lock_part::tries);
      c.lock.give_up();
    }
    if (t.open && !t.no_check) {
      part.store(rma::lock_part::tries);
      c.lock.unlock(t.epoch == rma_epoch::exclusive);
    }
    part.store(rma::lock_part::none);
    const auto guard = os::lock(this->e);
    this->note_owner(t, false);
    side::wake_sleepers(*this, c);
    if (c.queued.load() == 0) return;
    if (t.rank == this->rank) {
      side::grant(*this);
    } else {
      this->tell(t, kind::nudge);
    }
  }
  /// Releases a lock that this rank holds or waits for, without waiting.
  void let_go(rma_target& t) noexcept {
    if (t.open && !t.no_check) {
      const auto guard = os::lock(this->e);
      --*this->locks_held;
    }
    if (t.control != nullptr) {
      free_word(t);
    } else if (t.lock_requested) {
      const auto guard = os::lock(this->e);
      this->tell(t, kind::unlock);
    }
    close(t);
    take_failure(t);
  }
  errc end_lock(rma_target& t, call_site site) {
    errc why{};
    if (!t.lazy) {
      why = finish(t, site, t.control != nullptr);
      if (t.control != nullptr) {
        free_word(t);
      } else if (!t.no_check && why == errc{}) {
        why = wait(t, site, [&] { return t.open || try_open(t); });
        auto* const card = card_lock_of(t);
        std::uint64_t ack = 0;
        if (why == errc{} && card != nullptr && card->is_held()) {
          why = finish(t, site, true);
          if (why == errc{}) why = wait(t, site, [card] { return card->release(); });
        } else if (why == errc{}) {
          const auto guard = os::lock(this->e);
          ack = this->request_ack(t, kind::unlock);
        }
        if (why == errc{} && ack != 0) why = wait_for_acks(t, site, ack);
      } else if (why == errc{}) {
        why = finish(t, site, true);
      }
    }
    rma::full_fence();
    const auto guard = os::lock(this->e);
    if (t.open && !t.no_check) --*this->locks_held;
    close(t);
    keep(why, take_failure(t), t.rank);
    return why;
  }

  bool has_completed(const rma_target& t) const noexcept {
    return this->left_of(t.completes, this->words_from(t).completes) > 0;
  }
  errc wait_for_complete(rma_target& t, call_site site) {
    if constexpr (os::has_blocks)
      return this->wait_for_word_of(
          t, site, [&t] { return t.completes; }, &rma::control_words::completes);
    {
      const auto guard = os::lock(this->e);
      if (has_completed(t)) return errc{};  // The target may have failed since.
    }
    const errc why = wait(t, site, [&] { return has_completed(t); }, hang_stage::completes);
    const auto guard = os::lock(this->e);
    return has_completed(t) ? errc{} : why;  // The target may have completed, and left afterwards.
  }

  /// Compares the accesses of all ranks to this rank's memory since the last fence.
  errc compare_origins(call_site site) {
    std::vector<rma_touched> mine;
    std::vector<std::int64_t> lengths;
    for (rank_t r = 0; r < this->size; ++r) {
      const auto guard = os::lock(this->e);
      const auto& touched = this->targets[r].touched.all();
      mine.insert(mine.end(), touched.begin(), touched.end());
      lengths.push_back(static_cast<std::int64_t>(touched.size()));
    }
    std::vector<rma_touched> all;
    const errc why = this->call_together(
        site, [&](std::error_code& ec) { all = this->comm.alltoallv(mine, lengths, ec); });
    rma_record_of_accesses seen;
    for (const rma_touched& x : all) {
      const rma_touched* const other = seen.add(x, true);
      if (other == nullptr) continue;
      this->conflict = *other;
      second_ = x.origin;
      return errc::rma_conflict;
    }
    return why;
  }

  /// True if only the target can detect that an access is wrong. The end of the epoch then waits
  /// for the target.
  bool target_tells() const noexcept { return this->dynamic; }
  bool is_busy(rma_target& t) noexcept {
    if constexpr (endpoint<Stack>::concurrent) {
      if (!t.stirred.load(platform::memory_order_acquire)) return false;
      const auto guard = os::lock(this->e);
      return still_stirred(t);
    }
    return t.is_busy();
  }
  /// True if a flush has something to wait for; clears `stirred` if not. A fence or a completion
  /// may have counted the accesses meanwhile. Requires the lock.
  static bool still_stirred(rma_target& t) noexcept {
    const bool busy = t.is_busy();
    if (!busy) t.stirred.store(false, platform::memory_order_release);
    return busy;
  }
  /// Completes what has been started for a target, locally, or with `remote` at the target.
  /// Cost:       a fence, if only direct accesses were made; less if they were only loads.
  errc finish(rma_target& t, call_site site, bool remote) {
    t.fence();
    return settle(t, site, remote);
  }
  /// As finish, after the fence.
  errc settle(rma_target& t, call_site site, bool remote) {
    if (!is_busy(t)) {
      if (os::fast_path_allowed(this->e)) [[likely]]
        return errc{};
      return finish_slow(t);
    }
    return finish_busy(t, site, remote);
  }
  [[gnu::noinline, gnu::cold]] errc finish_slow(rma_target& t) {
    const auto guard = os::lock(this->e);
    os::check_locked(this->e);
    return this->tell_loss(stopped(t), t.rank);
  }
  [[gnu::noinline]] errc finish_busy(rma_target& t, call_site site, bool remote) {
    errc why = wait(t, site, [&] { return t.open || try_open(t); });
    std::uint64_t ack = 0;
    if (why == errc{})
      why = wait(t, site, [&] {
        send_recv_protocol<Stack> queued{*this};
        const bool left = queued.push(t) && queued.settled(t) && t.moves == 0;
        // Under the same lock: accesses that other threads add later are flushed by those threads.
        if (left && remote) ack = this->request_ack(t, kind::flush);
        return left;
      });
    if (why == errc{} && ack != 0) why = wait_for_acks(t, site, ack);
    const auto guard = os::lock(this->e);
    if (why != errc{}) {
      send_recv_protocol<Stack>{*this}.lost(t);
      buffered_protocol<Stack>{*this}.lost(t);
      t.unacknowledged = 0;
    }
    still_stirred(t);
    return why;
  }
  /// Waits until all acknowledgements up to number `ack` have arrived.
  errc wait_for_acks(rma_target& t, call_site site, std::uint64_t ack) {
    return wait(t, site, [&t, ack] { return t.has_acknowledged(ack); });
  }

  plain_array<rank_t> started_;
  bool exposes_ = false;
  bool starts_ = false;
  rank_t second_ = proc_null;  // Rank that conflicts with `conflict.origin`.
  bool all_locked_ = false;
};

}  // namespace detail
}  // namespace mpx::inline v0
