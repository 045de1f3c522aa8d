// SPDX-License-Identifier: BSL-1.0
#pragma once
// The room of the peers: the record of each, who is lost and why, who is busy, who may announce no
// more. Tells the other rooms when a peer is lost.

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
#include "mpx/engine/call_countdown.hpp"
#include "mpx/engine/calls.hpp"
#include "mpx/engine/liveness.hpp"
#include "mpx/engine/rooms/peer_record.hpp"

namespace mpx::inline v0::detail {

/// What every call looks at. All zero in a forked child, which thus looks closer before it does
/// what only its parent may.
template <bool Concurrent>
struct vital_words {
  std::uint32_t calm;  // The failure epoch at which nothing is wrong with any peer; 0: look closer.
  std::int32_t takes;  // Messages to take past the poll before the next one, and before trouble.
  std::uint32_t ours;  // 1
  call_countdown<Concurrent> countdown;
};

/// Of `House` it needs: hear_out(peer, left), which takes what a peer has sent that is gone, or has
/// left in good order;
/// before_loss() and on_loss(record, peer, why), which tell the other rooms; on_new_record(record);
/// forget_at_transport(peer), when a peer that was lost has been flushed; end_closing(), where this
/// is a forked child.
template <class Stack, class House>
class peers_room {
  using job_type = typename Stack::bootstrap_type;
  using countdown_type = call_countdown<Stack::threading_type::concurrent>;
  using words_type = vital_words<Stack::threading_type::concurrent>;
  using vital_type = std::conditional_t<SimulatedBootstrap<job_type>, never_wiped<words_type>,
                                        wiped_on_fork<words_type>>;

 public:
  static constexpr std::int32_t takes_max = 1024;

  [[gnu::noinline, gnu::cold]] peers_room(job_type& job, peer_id peers)
      : records_(peers), job_(job), news_(job_.failure_word()) {
    vital_->ours = 1;
    vital_->takes = takes_max;
    vital_->countdown.refill();
    gone_.failure_ = errc::peer_lost;
  }
  peers_room(const peers_room&) = delete;
  peers_room& operator=(const peers_room&) = delete;
  [[gnu::noinline, gnu::cold]] ~peers_room() {
    for (std::size_t peer = 0; peer < records_.size(); ++peer)
      if (is_shared(records_[peer])) records_.drop(peer);
  }

  // --- What every call looks at ------------------------------------------------------------------

  /// True in a forked child, which is no rank.
  [[MPX_ALWAYS_INLINE]] bool orphaned() const noexcept { return vital_->ours == 0; }
  /// The word that says so, for those who look at it often: 0.
  const std::uint32_t* ours() const noexcept { return &vital_->ours; }
  /// Nothing is wrong with any peer, as far as is known without looking.
  [[MPX_ALWAYS_INLINE]] bool calm() const noexcept { return vital_->calm != 0; }
  /// The same, and the job has nothing new to say. Cost: two loads and a comparison.
  [[MPX_ALWAYS_INLINE]] bool calm_and_no_news() noexcept {
    return vital_->calm == news_.load(platform::memory_order_relaxed);
  }
  bool has_news() const noexcept {
    return news_.load(platform::memory_order_acquire) != failure_epoch_;
  }
  /// Counts a message that is to be taken past the poll. False: poll first.
  [[MPX_ALWAYS_INLINE]] bool may_take() noexcept { return --vital_->takes >= 0; }
  void polled() noexcept { vital_->takes = troubles_ == 0 ? takes_max : 0; }
  std::int32_t takes() const noexcept { return vital_->takes; }
  /// Counts calls that do not poll.
  countdown_type& countdown() noexcept { return vital_->countdown; }
  /// From here on as many pass as ever; in a forked child none does.
  void refill_countdown() noexcept {
    orphaned() ? vital_->countdown.stop() : vital_->countdown.refill();
  }
  /// Something waits, or somebody is lost.
  bool troubled() const noexcept { return troubles_ != 0; }

  /// Not 0 as long as a peer is lost or a communicator revoked: look closer.
  std::uint32_t failures() const noexcept { return failures_; }
  /// Grows with each loss.
  std::uint32_t losses() const noexcept { return losses_; }
  /// Whether `peer` is lost in such a way that every rank learns of it by itself.
  [[gnu::noinline, gnu::cold]] bool died(peer_id peer) const noexcept {
    return failure_of(peer) != errc{} && peer < founders() &&
           job_.state(world_rank(peer)) > rank_state::finished;
  }
  /// Whether `peer` is lost because it has left in good order: all that it owed to others is sent.
  [[gnu::noinline, gnu::cold]] bool left(peer_id peer) const noexcept {
    if (failure_of(peer) == errc{}) return false;
    return records_[peer]->left_ ||
           (peer < founders() && job_.state(world_rank(peer)) == rank_state::finished);
  }
  /// It says so itself: the job may tell later, or never. Returns how it is lost.
  errc leaves(peer_record& r) noexcept {
    r.left_ = true;
    return errc::peer_lost;
  }
  bool unacknowledged() const noexcept { return failures_ - revoked_ != acknowledged_; }
  void acknowledge() noexcept { acknowledged_ = failures_ - revoked_; }
  bool any_revoked() const noexcept { return revoked_ != 0; }
  /// Communicators of this rank are revoked, or, with -1, gone: calls look closer meanwhile.
  void revoked(int more) noexcept {
    revoked_ += static_cast<std::uint32_t>(more);
    failures_ += static_cast<std::uint32_t>(more);
    troubles_ += static_cast<unsigned>(more);
    set_calm();
  }

  // --- Records -----------------------------------------------------------------------------------

  /// nullptr: it has never been busy.
  [[MPX_ALWAYS_INLINE]] peer_record* find(peer_id peer) const noexcept { return records_[peer]; }
  errc failure_of(peer_id peer) const noexcept {
    const peer_record* r = records_[peer];
    return r == nullptr ? errc{} : r->failure_;
  }
  /// Whether `peer` is lost, or about to be: its memory is gone, or its packets make no sense.
  bool is_gone(peer_id peer) const noexcept {
    return failure_of(peer) != errc{} || (has_news() && loss_of(peer) != errc{});
  }
  /// Made if need be; nullptr when there is no memory for it.
  peer_record* find_or_make(peer_id peer) noexcept {
    return records_[peer] != nullptr ? records_[peer] : make(peer);
  }
  /// For what a peer has sent: without memory for a record the peer is lost. Look at its failure.
  [[MPX_ALWAYS_INLINE]] peer_record& of(peer_id peer) noexcept {
    if (records_[peer] == nullptr && make(peer) == nullptr) [[unlikely]]
      lose(peer, errc::no_resources);
    return *records_[peer];
  }

  // --- Comings and goings ------------------------------------------------------------------------

  /// How many are ranks of the job: the first ones.
  peer_id founders() const noexcept { return world_peer(job_.size()); }
  /// All of them, and the places of those that were dropped.
  peer_id count() const noexcept { return static_cast<std::uint32_t>(records_.size()); }
  /// Makes a place for a newcomer: that of one that was dropped, or the next one. Errors:
  /// errc::no_resources.
  errc add(peer_id& peer) noexcept {
    const std::size_t n = vacant_.size();
    std::size_t at = 0;  // What the job says of its ranks is said of no newcomer.
    while (at < n && vacant_[at] < founders()) ++at;
    peer = at < n ? vacant_[at] : static_cast<std::uint32_t>(records_.size());
    auto* const r = new (std::nothrow) peer_record(peer);
    if (r == nullptr || !records_.try_extend(std::size_t{peer} + 1) ||
        !vacant_.try_reserve(n + 1)) {
      delete r;
      return errc::no_resources;
    }
    if (at < n) vacant_.erase_if([peer](peer_id p) { return p == peer; });
    house().on_new_record(*r);
    r->newcomer_ = true;
    records_.put(peer, r);
    return errc{};
  }
  /// A newcomer says what it grants, once. Returns false from anybody else, and later.
  bool welcome(peer_record& r) noexcept { return detail::exchange(r.newcomer_, false); }
  /// Whether the place of `peer` is taken, and can be made vacant.
  bool can_remove(peer_id peer) noexcept {
    for (const peer_id p : vacant_)
      if (p == peer) return false;
    return peer < records_.size() && vacant_.try_reserve(vacant_.size() + 1);
  }
  /// The peer is one no more: its place is vacant, and may be given away. Its loss, if it was lost,
  /// does not count any longer. Requires: can_remove(peer); nothing depends on it.
  void remove(peer_id peer) noexcept {
    peer_record* const r = records_[peer];
    if (r != nullptr && r->failure_ != errc{}) {
      const bool all = !unacknowledged();
      --troubles_;
      --failures_;
      const std::uint32_t lost = failures_ - revoked_;
      acknowledged_ = all || lost == 0 ? lost : lost + 1;
    }
    if (r != nullptr && !is_shared(r)) {
      if (r->busy_) {
        busy_.erase(*r);
        --troubles_;
      }
      if (r->stalled_) stalled_.erase(*r);
      delete r;
    }
    records_.put(peer, &gone_);
    vacant_.push_back(peer);
    set_calm();
  }

  // --- Lists -------------------------------------------------------------------------------------

  /// Whether it is lost, and the transport has still to drop it.
  bool is_dropping(peer_id peer) const noexcept {
    return failure_of(peer) != errc{} && records_[peer]->busy_;
  }
  /// Something for the peer has to wait: it is tried again by every look until it has left.
  [[gnu::noinline]] void set_busy(peer_record& r) noexcept {
    if (r.busy_) return;
    r.busy_ = true;
    ++troubles_;
    set_calm();
    busy_.push_back(r);
  }
  bool any_busy() const noexcept { return !busy_.empty(); }
  bool is_busy(peer_id peer) const noexcept {
    return records_[peer] != nullptr && records_[peer]->busy_;
  }
  /// Calls `flush(record)` for each that is busy, and forgets those for which it returns true.
  template <class Flush>
  void for_each_busy(Flush&& flush) {
    for (auto at = busy_.begin(); at != busy_.end();) {
      peer_record& r = *at;
      // It has been polled since, and the transport has not told of a loss.
      if (r.refused_) [[unlikely]]
        lose_unless_told(r.peer, errc::no_resources);
      const bool idle = flush(r) && !r.refused_;
      if (r.failure_ != errc{}) house().forget_at_transport(r.peer);
      if (idle || r.failure_ != errc{}) {
        at = busy_.erase(at);
        r.busy_ = false;
        --troubles_;
      } else {
        ++at;
      }
    }
    set_calm();
  }
  /// The transport cannot reach it: it is given up by whoever looks next. (The caller is in the
  /// middle of something that depends on it.)
  [[gnu::noinline, gnu::cold]] void refuse(peer_id peer) noexcept {
    peer_record& r = of(peer);
    r.refused_ = true;
    if (r.failure_ == errc{}) set_busy(r);
  }
  /// The peer may announce no more until `next_stalled` has named it.
  void set_stalled(peer_record& r) noexcept {
    if (r.stalled_) return;
    r.stalled_ = true;
    stalled_.push_back(r);
  }
  bool any_stalled() const noexcept { return !stalled_.empty(); }
  /// Takes one out; nullptr: there is none.
  peer_record* next_stalled() noexcept {
    if (stalled_.empty()) return nullptr;
    peer_record& r = stalled_.front();
    stalled_.pop_front();
    r.stalled_ = false;
    return &r;
  }

  /// Schedules are due, or are no more: while they are, every call looks closer.
  [[gnu::noinline]] void set_due(bool any) noexcept {
    if (any == schedules_due_) return;
    schedules_due_ = any;
    troubles_ += any ? 1u : -1u;
    set_calm();
  }
  bool any_due() const noexcept { return schedules_due_; }

  // --- Losses ------------------------------------------------------------------------------------

  /// The name of the machine that this rank runs on.
  std::string_view host() const { return job_.host(); }
  /// Ends the job; does not return.
  [[noreturn]] void abort_job(const char* why) { job_.abort(why); }
  /// Why nothing more will come from `peer`, as the job knows it.
  [[gnu::noinline, gnu::cold]] errc loss_of(peer_id peer) const noexcept {
    const auto rank = world_rank(peer);
    if (rank >= job_.size()) return errc{};
    if (job_.state(rank) >= rank_state::finished) return errc::peer_lost;
    return job_.renounced_by(rank) != errc{} ? errc::peer_lost : errc{};
  }
  /// ": rank 2 (pid 7) was lost: killed by signal 9": more than the errc of a failure says of it.
  [[gnu::noinline, gnu::cold]] std::string loss_text(peer_id peer, errc why) const {
    const auto rank = world_rank(peer);
    if (why != errc::peer_lost || rank < 0 || rank >= job_.size()) return {};
    const errc given_up = job_.renounced_by(rank);
    if (given_up != errc{})
      return formatted(": rank %d has given this rank up, %s", rank,
                       given_up == errc::protocol    ? "whose packets make no sense to it"
                       : given_up == errc::peer_lost ? "which it cannot reach"
                                                     : "for lack of memory or mappings");
    const std::string s = job_.loss_text(rank);
    if (s.empty()) return {};
    return formatted(": %s", s.c_str());
  }

  /// Looks whether ranks have gone since the last time, and ends what waits for them.
  [[gnu::noinline]] void check() {
    if (orphaned()) [[unlikely]] {  // A forked child has no peers, and is nobody's.
      for (peer_id peer = 0; peer < records_.size(); ++peer) lose(peer, errc::not_a_rank);
      house().end_closing();
      return;
    }
    for (std::uint32_t epoch;
         (epoch = news_.load(platform::memory_order_acquire)) != failure_epoch_;) {
      failure_epoch_ = epoch;
      for (peer_id peer = 0; peer < records_.size(); ++peer) {
        if (failure_of(peer) != errc{} || loss_of(peer) == errc{}) continue;
        // For each of them, once it is seen to be gone: others send and leave meanwhile.
        house().hear_out(peer, job_.state(world_rank(peer)) == rank_state::finished);
        lose(peer, errc::peer_lost);
      }
      set_calm();
    }
  }

  /// The transport has lost it, or cannot reach it. Where the job knows that it is gone it tells as
  /// well, and who hears that hears it out first: it may have left in good order.
  [[gnu::noinline, gnu::cold]] void lose_unless_told(peer_id peer, errc why) {
    if (loss_of(peer) == errc{}) lose(peer, why);
  }
  /// Nothing passes between this rank and `peer` any more; all rooms end what depends on it.
  [[gnu::noinline, gnu::cold]] void lose(peer_id peer, errc why) {
    if (failure_of(peer) != errc{}) return;
    house().before_loss();
    mark_lost(peer, why);
    peer_record& r = *records_[peer];
    if (peer < founders() && !r.left_ && (is_fault(why) || would_wait(world_rank(peer), why)))
      job_.renounce(world_rank(peer), why);
    if (r.stalled_) stalled_.erase(r);
    r.stalled_ = false;
    house().on_loss(r, peer, why);
  }

 private:
  House& house() noexcept { return static_cast<House&>(*this); }
  /// Whether a rank that the transport has lost is alive, as far as the job knows, and would wait
  /// for this rank: the way between the two may have ended at this end alone.
  bool would_wait(rank_t rank, errc why) const noexcept {
    return why == errc::peer_lost && job_.state(rank) == rank_state::joined &&
           job_.renounced_by(rank) == errc{};
  }
  bool is_shared(const peer_record* r) const noexcept { return r == &gone_ || r == &broken_; }

  [[gnu::noinline, gnu::cold]] peer_record* make(peer_id peer) noexcept {
    auto* const r = new (std::nothrow) peer_record(peer);
    if (r == nullptr) return nullptr;
    house().on_new_record(*r);
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
    ++troubles_;
    ++failures_;
    ++losses_;
    set_calm();
  }
  [[gnu::noinline]] void set_calm() noexcept {
    if (orphaned()) return;
    vital_->calm = troubles_ == 0 ? failure_epoch_ : 0;
    if (troubles_ != 0) vital_->takes = 0;
  }

  unsigned troubles_ = 0;  // Busy and failed peers, due schedules: while 0, sends need not look.
  bool schedules_due_ = false;
  vital_type vital_;
  owning_table<peer_record> records_;
  peer_record gone_{any_peer};    // Of all peers that were lost before they had one.
  peer_record broken_{any_peer};  // Of those for which there was no memory.
  plain_array<peer_id> vacant_;   // Places whose peer was dropped.
  linked_list<peer_record, busy_tag> busy_;
  linked_list<peer_record, stalled_tag> stalled_;
  liveness<job_type> job_;
  const platform::atomic<std::uint32_t>& news_;  // The job's failure epoch, which is never 0.
  std::uint32_t failure_epoch_ = 0;              // What has been seen of it.
  std::uint32_t failures_ = 0;                   // Lost peers, and revoked communicators.
  std::uint32_t revoked_ = 0;
  std::uint32_t losses_ = 0;
  std::uint32_t acknowledged_ = 0;
};

}  // namespace mpx::inline v0::detail
