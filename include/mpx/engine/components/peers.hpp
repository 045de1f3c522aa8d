// SPDX-License-Identifier: BSL-1.0
#pragma once
// The peers: a record for each, lost peers and the reasons, busy peers, and peers that must not
// announce more. Tells the other components when a peer is lost.

#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/wiped_on_fork.hpp"
#include "mpx/engine/base/call_countdown.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/liveness.hpp"
#include "mpx/engine/components/peer_record.hpp"

namespace mpx::inline v0::detail {

/// Words that every call reads. All zero in a forked child, so that every call takes the slow path
/// there before it does what only the parent may do.
template <bool Concurrent>
struct vital_words {
  // Failure epoch at which the fast path is allowed; 0: take the slow path. Read without the lock.
  platform::atomic<std::uint32_t> fast_path_epoch;
  std::int32_t takes;  // Messages that may still be taken directly before the next poll.
  std::uint32_t ours;  // 1; 0 in a forked child.
  call_countdown<Concurrent> countdown;
};

/// Requires of `Endpoint`: drain_peer(peer, left), which handles the remaining packets of a peer
/// that is gone or has left in good order; before_loss() and on_loss(record, peer, why), which tell
/// the other components; on_new_record(record); forget_at_transport(peer), called after the queues
/// of a lost peer have been flushed; end_closing(), called in a forked child.
template <class Stack, class Endpoint>
class peers_component {
  using job_type = typename Stack::bootstrap_type;
  using words_type = vital_words<Stack::threading_type::concurrent>;
  using vital_type = std::conditional_t<SimulatedBootstrap<job_type>, never_wiped<words_type>,
                                        wiped_on_fork<words_type>>;

 public:
  using countdown_type = call_countdown<Stack::threading_type::concurrent>;
  static constexpr std::int32_t takes_max = 1024;

  [[gnu::noinline, gnu::cold]] peers_component(job_type& job, peer_id peers)
      : records_(peers), job_(job), failure_word_(job_.failure_word()) {
    vital_->ours = 1;
    vital_->takes = takes_max;
    vital_->countdown.refill();
    gone_.failure_ = errc::peer_lost;
  }
  peers_component(const peers_component&) = delete;
  peers_component& operator=(const peers_component&) = delete;
  [[gnu::noinline, gnu::cold]] ~peers_component() {
    for (std::size_t peer = 0; peer < records_.size(); ++peer)
      if (is_shared(records_[peer])) records_.drop(peer);
  }

  // --- Words that every call reads ---------------------------------------------------------------

  /// True in a forked child, which is no rank of the job.
  [[MPX_ALWAYS_INLINE]] bool orphaned() const noexcept { return vital_->ours == 0; }
  /// The word behind orphaned(), for callers that read it often: 0 in a forked child.
  const std::uint32_t* ours() const noexcept { return &vital_->ours; }
  /// True if no peer is busy or lost, as far as is known without a check of the failure epoch.
  [[MPX_ALWAYS_INLINE]] bool has_fast_path() const noexcept { return fast_path_epoch() != 0; }
  /// True if the fast path is allowed: no peer is busy or lost, and the job's failure epoch has not
  /// changed.
  /// Cost: two loads and a comparison.
  [[MPX_ALWAYS_INLINE]] bool fast_path_allowed() noexcept {
    return fast_path_epoch() == failure_word_.load(platform::memory_order_relaxed);
  }
  bool failure_epoch_changed() const noexcept {
    return failure_word_.load(platform::memory_order_acquire) != failure_epoch_;
  }
  /// Counts a message that is to be taken without a poll. Returns false if the caller has to poll
  /// first.
  [[MPX_ALWAYS_INLINE]] bool may_take() noexcept { return --vital_->takes >= 0; }
  void polled() noexcept { vital_->takes = slow_reasons_ == 0 ? takes_max : 0; }
  std::int32_t takes() const noexcept { return vital_->takes; }
  /// Counts calls that do not poll.
  countdown_type& countdown() noexcept { return vital_->countdown; }
  /// Refills the countdown; in a forked child it stops it, so that every call polls.
  void refill_countdown() noexcept {
    orphaned() ? vital_->countdown.stop() : vital_->countdown.refill();
  }
  /// True if a peer is busy or lost, a communicator is revoked, or a schedule is due.
  bool has_slow_reason() const noexcept { return slow_reasons_ != 0; }

  /// Not 0 if a peer is lost or a communicator is revoked: callers take the slow path.
  std::uint32_t failures() const noexcept { return failures_; }
  /// Grows with each lost peer.
  std::uint32_t losses() const noexcept { return losses_; }
  /// True if `peer` is lost and the job knows it, so that every rank learns of it without a
  /// message.
  [[gnu::noinline, gnu::cold]] bool died(peer_id peer) const noexcept {
    return failure_of(peer) != errc{} && peer < founders() &&
           job_.state(world_rank(peer)) > rank_state::finished;
  }
  /// True if `peer` is lost because it left in good order: all that it owed to others has been
  /// sent.
  [[gnu::noinline, gnu::cold]] bool left(peer_id peer) const noexcept {
    if (failure_of(peer) == errc{}) return false;
    return records_[peer]->left_ ||
           (peer < founders() && job_.state(world_rank(peer)) == rank_state::finished);
  }
  /// Handles the peer's own notice that it leaves; the job may report that later, or never. Returns
  /// the errc with which the peer is to be lost.
  errc leaves(peer_record& r) noexcept {
    r.left_ = true;
    return errc::peer_lost;
  }
  bool unacknowledged() const noexcept { return failures_ - revoked_ != acknowledged_; }
  void acknowledge() noexcept { acknowledged_ = failures_ - revoked_; }
  bool any_revoked() const noexcept { return revoked_ != 0; }
  /// Adds `more` to the number of revoked communicators of this rank, negative when they are freed.
  /// All calls take the slow path while there are any.
  void revoked(int more) noexcept {
    revoked_ += static_cast<std::uint32_t>(more);
    failures_ += static_cast<std::uint32_t>(more);
    slow_reasons_ += static_cast<unsigned>(more);
    update_fast_path();
  }

  // --- Records -----------------------------------------------------------------------------------

  /// Returns nullptr if the peer has never been busy.
  [[MPX_ALWAYS_INLINE]] peer_record* find(peer_id peer) const noexcept { return records_[peer]; }
  errc failure_of(peer_id peer) const noexcept {
    const peer_record* r = records_[peer];
    return r == nullptr ? errc{} : r->failure_;
  }
  /// True if `peer` is lost or about to be, so that its memory may be gone.
  bool is_gone(peer_id peer) const noexcept {
    return failure_of(peer) != errc{} || (failure_epoch_changed() && loss_of(peer) != errc{});
  }
  /// Returns nullptr if there is no memory for a new record.
  peer_record* find_or_make(peer_id peer) noexcept {
    return records_[peer] != nullptr ? records_[peer] : make(peer);
  }
  /// For packets of a peer. If there is no memory for a record, the peer is lost; its failure()
  /// says so.
  [[MPX_ALWAYS_INLINE]] peer_record& of(peer_id peer) noexcept {
    if (records_[peer] == nullptr && make(peer) == nullptr) [[unlikely]]
      lose(peer, errc::no_resources);
    return *records_[peer];
  }

  // --- Peers that join and leave -----------------------------------------------------------------

  /// Number of peers that are ranks of the job. They come first.
  peer_id founders() const noexcept { return world_peer(job_.size()); }
  /// Number of all peers, with the vacant places of dropped ones.
  peer_id count() const noexcept { return static_cast<std::uint32_t>(records_.size()); }
  /// Makes a place for a new peer: a vacant one, or the next one.
  /// Errors: errc::no_resources.
  errc add(peer_id& peer) noexcept {
    const std::size_t n = vacant_.size();
    std::size_t at = 0;  // Places of founders stay vacant: the job's reports name them.
    while (at < n && vacant_[at] < founders()) ++at;
    peer = at < n ? vacant_[at] : static_cast<std::uint32_t>(records_.size());
    auto* const r = new (std::nothrow) peer_record(peer);
    if (r == nullptr || !records_.try_extend(std::size_t{peer} + 1) ||
        !vacant_.try_reserve(n + 1)) {
      delete r;
      return errc::no_resources;
    }
    if (at < n) vacant_.erase_if([peer](peer_id p) { return p == peer; });
    ep().on_new_record(*r);
    r->newcomer_ = true;
    records_.put(peer, r);
    return errc{};
  }
  /// Handles the grant of a new peer. Returns true once per new peer, false for any other.
  bool welcome(peer_record& r) noexcept { return detail::exchange(r.newcomer_, false); }
  /// True if the place of `peer` is in use and can be made vacant.
  bool can_remove(peer_id peer) noexcept {
    for (const peer_id p : vacant_)
      if (p == peer) return false;
    return peer < records_.size() && vacant_.try_reserve(vacant_.size() + 1);
  }
  /// Makes the place of `peer` vacant. If the peer was lost, its loss does not count any longer.
  /// Requires: can_remove(peer); nothing depends on it.
  void remove(peer_id peer) noexcept {
    peer_record* const r = records_[peer];
    if (r != nullptr && r->failure_ != errc{}) {
      const bool all = !unacknowledged();
      --slow_reasons_;
      --failures_;
      const std::uint32_t lost = failures_ - revoked_;
      acknowledged_ = all || lost == 0 ? lost : lost + 1;
    }
    if (r != nullptr && !is_shared(r)) {
      if (r->busy_) {
        busy_.erase(*r);
        --slow_reasons_;
      }
      if (r->stalled_) stalled_.erase(*r);
      delete r;
    }
    records_.put(peer, &gone_);
    vacant_.push_back(peer);
    update_fast_path();
  }

  // --- Lists -------------------------------------------------------------------------------------

  /// True if `peer` is lost and the transport still has to drop it.
  bool is_dropping(peer_id peer) const noexcept {
    return failure_of(peer) != errc{} && records_[peer]->busy_;
  }
  /// Marks a peer for which something has to wait: every poll tries again until it has been sent.
  [[gnu::noinline]] void set_busy(peer_record& r) noexcept {
    if (r.busy_) return;
    r.busy_ = true;
    ++slow_reasons_;
    update_fast_path();
    busy_.push_back(r);
  }
  bool any_busy() const noexcept { return !busy_.empty(); }
  bool is_busy(peer_id peer) const noexcept {
    return records_[peer] != nullptr && records_[peer]->busy_;
  }
  /// Calls `flush(record)` for each busy peer, and unmarks those for which it returns true.
  template <class Flush>
  void for_each_busy(Flush&& flush) {
    for (auto at = busy_.begin(); at != busy_.end();) {
      peer_record& r = *at;
      // The transport has been polled since and has reported no loss.
      if (r.refused_) [[unlikely]]
        lose_unless_told(r.peer, errc::no_resources);
      const bool idle = flush(r) && !r.refused_;
      if (r.failure_ != errc{}) ep().forget_at_transport(r.peer);
      if (idle || r.failure_ != errc{}) {
        at = busy_.erase(at);
        r.busy_ = false;
        --slow_reasons_;
      } else {
        ++at;
      }
    }
    update_fast_path();
  }
  /// Marks a peer that the transport cannot reach. The next flush loses it; the caller is in the
  /// middle of something that depends on it.
  [[gnu::noinline, gnu::cold]] void refuse(peer_id peer) noexcept {
    peer_record& r = of(peer);
    r.refused_ = true;
    if (r.failure_ == errc{}) set_busy(r);
  }
  /// Marks a peer that must not announce more messages, until `next_stalled` has returned it.
  void set_stalled(peer_record& r) noexcept {
    if (r.stalled_) return;
    r.stalled_ = true;
    stalled_.push_back(r);
  }
  bool any_stalled() const noexcept { return !stalled_.empty(); }
  /// Takes one stalled peer off the list; nullptr if there is none.
  peer_record* next_stalled() noexcept {
    if (stalled_.empty()) return nullptr;
    peer_record& r = stalled_.front();
    stalled_.pop_front();
    r.stalled_ = false;
    return &r;
  }

  /// Says if schedules are due. All calls take the slow path while there are any.
  [[gnu::noinline]] void set_due(bool any) noexcept {
    if (any == schedules_due_) return;
    schedules_due_ = any;
    slow_reasons_ += any ? 1u : -1u;
    update_fast_path();
  }
  bool any_due() const noexcept { return schedules_due_; }

  // --- Losses ------------------------------------------------------------------------------------

  /// Name of the machine that this rank runs on.
  std::string_view host() const { return job_.host(); }
  /// Ends the job. Does not return.
  [[noreturn]] void abort_job(const char* why) { job_.abort(why); }
  /// The reason why nothing more will come from `peer`, as the job knows it, or errc{}.
  [[gnu::noinline, gnu::cold]] errc loss_of(peer_id peer) const noexcept {
    const auto rank = world_rank(peer);
    if (rank >= job_.size()) return errc{};
    if (job_.state(rank) >= rank_state::finished) return errc::peer_lost;
    return job_.disconnected_by(rank) != errc{} ? errc::peer_lost : errc{};
  }
  /// Returns details of a failure beyond its errc, such as ": rank 2 (pid 7) was lost: killed by
  /// signal 9"; "" if nothing more is known.
  [[gnu::noinline, gnu::cold]] std::string loss_text(peer_id peer, errc why) const {
    const auto rank = world_rank(peer);
    if (why != errc::peer_lost || rank < 0 || rank >= job_.size()) return {};
    const errc given_up = job_.disconnected_by(rank);
    if (given_up != errc{})
      return formatted(": rank %d has given this rank up, %s", rank,
                       given_up == errc::protocol    ? "whose packets make no sense to it"
                       : given_up == errc::peer_lost ? "which it cannot reach"
                                                     : "for lack of memory or mappings");
    const std::string s = job_.loss_text(rank);
    if (s.empty()) return {};
    return formatted(": %s", s.c_str());
  }

  /// Looks for ranks that are gone since the last call, and ends what waits for them.
  [[gnu::noinline]] void check() {
    if (orphaned()) [[unlikely]] {  // No peer takes part with a forked child.
      for (peer_id peer = 0; peer < records_.size(); ++peer) lose(peer, errc::not_a_rank);
      ep().end_closing();
      return;
    }
    for (std::uint32_t epoch;
         (epoch = failure_word_.load(platform::memory_order_acquire)) != failure_epoch_;) {
      failure_epoch_ = epoch;
      for (peer_id peer = 0; peer < records_.size(); ++peer) {
        if (failure_of(peer) != errc{} || loss_of(peer) == errc{}) continue;
        // Read anew for each rank, after it is seen to be gone: others send and leave meanwhile.
        ep().drain_peer(peer, job_.state(world_rank(peer)) == rank_state::finished);
        lose(peer, errc::peer_lost);
      }
      update_fast_path();
    }
  }

  /// Handles a loss reported by the transport, or an unreachable peer. Does nothing if the job
  /// knows that the rank is gone: check() handles that, and handles its remaining packets first,
  /// since it may have left in good order.
  [[gnu::noinline, gnu::cold]] void lose_unless_told(peer_id peer, errc why) {
    if (loss_of(peer) == errc{}) lose(peer, why);
  }
  /// Loses `peer`: nothing passes between it and this rank any more. All components end what
  /// depends on it.
  [[gnu::noinline, gnu::cold]] void lose(peer_id peer, errc why) {
    if (failure_of(peer) != errc{}) return;
    ep().before_loss();
    mark_lost(peer, why);
    peer_record& r = *records_[peer];
    if (peer < founders() && !r.left_ && (is_fault(why) || would_wait(world_rank(peer), why)))
      job_.disconnect_from(world_rank(peer), why);
    if (r.stalled_) stalled_.erase(r);
    r.stalled_ = false;
    ep().on_loss(r, peer, why);
  }

 private:
  [[MPX_ALWAYS_INLINE]] std::uint32_t fast_path_epoch() const noexcept {
    return vital_->fast_path_epoch.load(platform::memory_order_relaxed);
  }
  Endpoint& ep() noexcept { return static_cast<Endpoint&>(*this); }
  /// True if a rank that the transport has lost is alive as far as the job knows, and would wait
  /// for this rank: the connection may have ended at this end alone.
  bool would_wait(rank_t rank, errc why) const noexcept {
    return why == errc::peer_lost && job_.state(rank) == rank_state::joined &&
           job_.disconnected_by(rank) == errc{};
  }
  bool is_shared(const peer_record* r) const noexcept { return r == &gone_ || r == &broken_; }

  [[gnu::noinline, gnu::cold]] peer_record* make(peer_id peer) noexcept {
    auto* const r = new (std::nothrow) peer_record(peer);
    if (r == nullptr) return nullptr;
    ep().on_new_record(*r);
    return &records_.put(peer, r);
  }
  /// Needs no memory.
  [[gnu::noinline, gnu::cold]] void mark_lost(peer_id peer, errc why) noexcept {
    peer_record* r = records_[peer];
    if (r == nullptr) {
      r = &gone_;
      if (why != errc::peer_lost && !orphaned()) {
        r = new (std::nothrow) peer_record(peer);
        if (r == nullptr) r = &broken_;
      }
      if (r == &broken_) why = errc::no_resources;
      records_.put(peer, r);
    }
    r->failure_ = why;
    ++slow_reasons_;
    ++failures_;
    ++losses_;
    update_fast_path();
  }
  [[gnu::noinline]] void update_fast_path() noexcept {
    if (orphaned()) return;
    vital_->fast_path_epoch.store(slow_reasons_ == 0 ? failure_epoch_ : 0,
                                  platform::memory_order_relaxed);
    if (slow_reasons_ != 0) vital_->takes = 0;
  }

  unsigned slow_reasons_ =
      0;  // Reasons for the slow path: busy or lost peers, revoked, due schedules.
  bool schedules_due_ = false;
  vital_type vital_;
  owning_table<peer_record> records_;
  peer_record gone_{any_peer};    // Shared by peers that were lost before they had a record.
  peer_record broken_{any_peer};  // Shared by peers lost for lack of memory for a record.
  plain_array<peer_id> vacant_;   // Places of dropped peers.
  linked_list<peer_record, busy_tag> busy_;
  linked_list<peer_record, stalled_tag> stalled_;
  liveness<job_type> job_;
  const platform::atomic<std::uint32_t>& failure_word_;  // The job's failure epoch; never 0.
  std::uint32_t failure_epoch_ = 0;                      // The last failure epoch handled.
  std::uint32_t failures_ = 0;                           // Lost peers and revoked communicators.
  std::uint32_t revoked_ = 0;
  std::uint32_t losses_ = 0;
  std::uint32_t acknowledged_ = 0;
};

}  // namespace mpx::inline v0::detail
