// SPDX-License-Identifier: BSL-1.0
#pragma once
// The room of progress: who polls, who sleeps, who is woken, and what a blocked rank owes to the
// others meanwhile. All communication of a rank moves whenever any call enters.

#include <sched.h>

#include <cstdint>

#include "mpx/core/exchange.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/blocked_call.hpp"
#include "mpx/engine/threading.hpp"
#include "mpx/engine/timed_call.hpp"
#include "mpx/engine/waiting.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/watch/call_site.hpp"
#include "mpx/watch/hang_watch.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::detail {

/// What a poll sees to.
enum class polling : std::uint8_t {
  only,         ///< Packets that have arrived.
  for_packets,  ///< What waits to be sent, too, as far as that is known.
  for_news,     ///< The same, and the job is asked for news before.
};

/// Of `House` it needs: transport(), trace(), pool(); poll_packets(), poll(); flush_busy();
/// inbox(), peers() and look_at_schedules().
template <class Stack, class House>
class progress_room {
  using threading_type = typename Stack::threading_type;
  using transport_type = typename Stack::transport_type;
  using lock_type = held_lock<threading_type>;
  using pace_type = typename Stack::wait_type::pace;
  static constexpr bool concurrent = threading_type::concurrent;
  static constexpr bool follows_data = RmaTransport<transport_type> &&
                                       !CopyingTransport<transport_type> &&
                                       FollowingWait<typename Stack::wait_type>;
  static constexpr unsigned polls_per_check = 256;
  static constexpr unsigned polls_per_look_around = 64;
  static constexpr unsigned drain_polls_max = 4096;  // A flood must not keep a rank from leaving.
  static constexpr unsigned last_polls_max = 1u << 20;  // More than any channel holds.
  static constexpr unsigned vain_polls_max = 4096;
  static constexpr unsigned blind_polls = 512;  // Where nobody can tell: each source comes up.
  static constexpr std::int64_t last_news_ns_max = 1'000'000'000;
  static constexpr std::int64_t attends_apart_ns = 500'000'000;

 public:
  progress_room() = default;
  progress_room(const progress_room&) = delete;
  progress_room& operator=(const progress_room&) = delete;

  // --- Polling -----------------------------------------------------------------------------------

  /// Takes what has arrived and sends what waits. Returns how much that was. Does not ask the job
  /// for news.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_once() {
    if (!house().peers().calm()) [[unlikely]]
      return poll_troubled();
    const std::uint64_t before = completions_;
    const std::size_t n = take_packets();
    wake_waiters_if_new(before);
    return n;
  }
  /// The same, for who does not poll again and again.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_once_apart() { return house().poll(polling::for_packets); }
  /// The same, and notices what has become of the other ranks.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_and_check() { return house().poll(polling::for_news); }
  /// Takes what has arrived, and does nothing else.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_packets_apart() { return house().poll(polling::only); }
  /// House::poll, which is one function, since what handles a packet is in it, and the house's, so
  /// that it has one `this`.
  [[MPX_ALWAYS_INLINE]] std::size_t poll(polling how) {
    if (!house().peers().calm_and_no_news()) [[unlikely]] {
      if (how == polling::for_news || (how == polling::for_packets && !house().peers().calm()))
        return poll_troubled();
    }
    [[maybe_unused]] const std::uint64_t before = completions_;
    const std::size_t n = take_packets();
    if constexpr (concurrent) {
      if (how != polling::only) wake_waiters_if_new(before);
    }
    return n;
  }
  /// By a call that does not block. Many in vain are a way of blocking: they owe the same. Returns
  /// whether it was in vain, and others need the core: `give_way`, without the lock.
  bool poll_unblocked() {
    if (poll_and_check() != 0) return false;
    if (++polls_ % polls_per_check == 0) before_rest();
    if constexpr (!CoreSharingTransport<transport_type>) return false;
    return polls_ % polls_per_look_around == 0 ? look_around() : crowded();
  }
  static void give_way() noexcept { ::sched_yield(); }
  /// Whether others need this core, as far as is known.
  bool crowded() noexcept {
    if constexpr (CoreSharingTransport<transport_type>)
      return shares_core_ || house().transport().oversubscribed();
    return house().transport().oversubscribed();
  }
  /// The same, once more found out.
  [[gnu::noinline]] bool look_around() noexcept {
    if constexpr (CoreSharingTransport<transport_type>)
      shares_core_ = house().transport().shares_core();
    return crowded();
  }
  /// Whoever is about to rest looks once more.
  void look_again() noexcept { looks_again_ = true; }
  /// Takes what is here. (That a poll has found nothing does not say that there is nothing.)
  void poll_until_quiet() {
    // These polls send nothing, and may take what makes room for what waits.
    looks_again_ = true;
    if (leader_) house().transport().wake();
    unsigned vain = 0;
    for (unsigned polls = 0; polls < last_polls_max && vain < vain_polls_max; ++polls) {
      if (poll_packets_apart() > 0) {
        vain = 0;
      } else if (leader_sleeps() ? vain >= blind_polls : nothing_is_here()) {
        return;
      } else {
        ++vain;
      }
    }
  }
  /// Takes what `peer` has sent, which is gone: nothing more will come. `left`: in good order, so
  /// that all of it arrives, though some may be on its way.
  [[gnu::noinline, gnu::cold]] void hear_out([[maybe_unused]] peer_id peer,
                                             [[maybe_unused]] bool left) {
    poll_until_quiet();
    if constexpr (PartingTransport<transport_type>) {
      if (!left || house().transport().has_heard_out(peer)) return;
      const std::int64_t until_ns = house().now_ns() + last_news_ns_max;
      do {
        if (poll_packets_apart() == 0) give_way();
      } while (!house().transport().has_heard_out(peer) && house().now_ns() < until_ns);
    }
  }
  /// While the job leaves together. Who leaves meanwhile is no loss.
  void drain() {
    for (unsigned polls = 0; polls < drain_polls_max; ++polls) {
      if (house().peers().orphaned()) return;
      std::size_t n = poll_packets_apart();
      if (house().peers().troubled()) n += house().flush_busy();
      if (n == 0 && at_rest()) break;
      advances_ += n != 0 ? 1 : 0;
    }
    if (step_ != nullptr) step_(house());
  }
  /// Nothing that was posted waits for polls alone: answers have no operation that counts them.
  bool at_rest() noexcept {
    if constexpr (!posts_pend<transport_type>) return true;
    return leader_sleeps() || nothing_is_here();
  }
  /// The same, and all of it is out: this rank may leave.
  bool all_out() noexcept {
    if constexpr (PartingTransport<transport_type>) return !house().transport().has_unsent();
    return at_rest();
  }

  // --- Waiting -----------------------------------------------------------------------------------

  /// Blocks until `done()`, which is called under the lock, returns true. `site`: the call to name
  /// if that takes for ever.
  [[gnu::noinline]] void wait_until(threading_type& threading, call_site site, awaited on,
                                    function_ref<bool()> done) {
    lock_type lock(threading);
    if (done()) return;
    const blocked_scope scope(*this, site, on);
    pace_type pace(crowded());
    prepare(pace);
    timed_wait<typename Stack::trace_type> timed(house().trace(), site);
    for (unsigned polls = 1;; ++polls) {
      const bool found = poll_and_check() > 0;
      timed.polled(found);
      if (found) {
        ++advances_;
        if (done()) break;
        pace.reset();
        continue;
      }
      if (polls % polls_per_check == 0) [[unlikely]] {
        before_rest();
        if (done()) break;
      }
      if (++vain_ % polls_per_look_around == 0) [[unlikely]] {
        pace.crowded(look_around());
      }
      if constexpr (concurrent) lock.unlock();
      const bool tired = pace.should_sleep();
      if constexpr (concurrent) {
        lock.lock();
        if (done()) break;
      }
      if (tired) {
        before_rest();
        if (done()) break;  // Its peer is lost: nobody would wake this thread for that any more.
        sleep(lock);
        if (done()) break;
      }
      timed.rested();
    }
    learn(pace);
    if constexpr (concurrent) {
      if (followers_ != 0 && !leader_) wake_waiters();  // Somebody else must poll now.
    }
  }

  /// Blocks until what `w` watches is ready, which it returns, or will never be. All other
  /// communication goes on meanwhile.
  [[gnu::noinline]] bool wait_for_flag(threading_type& threading, call_site site, awaited on,
                                       const flag_watch& w) {
    lock_type lock(threading);
    const blocked_scope scope(*this, site, on);
    pace_type pace(crowded());
    prepare(pace);
    timed_wait<typename Stack::trace_type> timed(house().trace(), site);
    for (unsigned polls = 1; !w.ready(); ++polls) {
      const bool found = poll_and_check() > 0;
      timed.polled(found);
      if (polls % polls_per_check == 0) [[unlikely]]
        before_rest();
      if (w.lost(found)) return w.ready();
      if (++vain_ % polls_per_look_around == 0) [[unlikely]]
        pace.crowded(look_around());
      if (found) {
        ++advances_;
        pace.reset();
        continue;
      }
      if (w.ready()) break;
      if constexpr (concurrent) lock.unlock();
      const bool tired = pace.should_sleep();
      if constexpr (concurrent) lock.lock();
      timed.rested();
      if (!tired || w.ready()) continue;
      before_rest();
      if (w.lost(true)) return w.ready();
      ++flag_waiters_;
      w.sleeping(true);
      sleep(lock, &w);
      w.sleeping(false);
      --flag_waiters_;
      timed.rested();
    }
    learn(pace);
    if constexpr (concurrent) {
      if (followers_ != 0 && !leader_) wake_waiters();
    }
    return true;
  }

  /// True if processes on this core compute, as an earlier call has noticed.
  bool others_compute() const noexcept { return busy_waits_ != 0; }
  /// Hands a pace the settings and observations of this rank, before its call polls.
  void prepare(pace_type& pace) noexcept {
    if constexpr (follows_data) looks_until_ns_ = 0;
    if constexpr (TunableWait<typename Stack::wait_type>) pace.spin_for(spin_ns_);
    if constexpr (LearningPace<pace_type>) {
      if (busy_waits_ == 0) return;
      --busy_waits_;
      pace.sleep_first();
    }
  }
  /// Sets how long calls poll before they sleep.
  void spin_for(std::int64_t ns) noexcept requires TunableWait<typename Stack::wait_type>
  {
    spin_ns_ = ns;
  }
  /// Keeps the observations of a pace, after its call.
  void learn(const pace_type& pace) noexcept {
    if constexpr (LearningPace<pace_type>) {
      if (pace.others_compute()) busy_waits_ = busy_waits;
    }
  }

  /// Links a call to its rank for as long as it is blocked. Requires the lock, where there is one,
  /// at both ends.
  class blocked_scope {
   public:
    blocked_scope(progress_room& p, call_site site, awaited on) noexcept
        : p_(p), call_{site, on, p.keeps_time_ ? platform::now_ns() : 0, p.blocked_} {
      p.blocked_ = &call_;
    }
    blocked_scope(const blocked_scope&) = delete;
    blocked_scope& operator=(const blocked_scope&) = delete;
    ~blocked_scope() {
      blocked_call** at = &p_.blocked_;
      while (*at != &call_) at = &(*at)->next;  // Threads leave in any order.
      *at = call_.next;
      if (p_.keeps_time_) p_.watch_->went_on();
    }

   private:
    progress_room& p_;
    blocked_call call_;
  };
  /// The latest; more than one where threads are.
  const blocked_call* blocked() const noexcept { return blocked_; }

  /// Something that a waiting thread may look for has happened.
  [[MPX_ALWAYS_INLINE]] void completed() noexcept {
    if constexpr (concurrent) ++completions_;
  }
  std::uint64_t completions() const noexcept { return completions_; }
  [[MPX_ALWAYS_INLINE]] void wake_waiters_if_new(std::uint64_t before) noexcept {
    if constexpr (concurrent) {
      if (completions_ != before && (followers_ != 0 || leader_)) wake_waiters();
    }
  }
  /// All threads that wait look again.
  [[gnu::noinline]] void wake_waiters() noexcept {
    if (followers_ != 0) {
      epoch_.fetch_add(1, platform::memory_order_relaxed);
      platform::futex_wake(epoch_, static_cast<int>(followers_));
      if (outside_ != nullptr) ring_outside();
    }
    if (leader_) house().transport().wake();
  }

  // --- Resting outside ---------------------------------------------------------------------------

  /// From now on `loop` may rest for this rank. Returns false if another one does.
  bool attach_outside(outside_loop& loop) noexcept {
    if (outside_ != nullptr) return false;
    outside_ = &loop;
    return true;
  }
  void detach_outside() noexcept {
    end_outside_rest();
    outside_ = nullptr;
  }
  /// The loop looks: as poll_and_check.
  std::size_t poll_outside() {
    end_outside_rest();
    const std::size_t n = poll_and_check();
    advances_ += n != 0 ? 1 : 0;
    return n;
  }
  /// The loop rests from here on until the descriptor is readable, it is rung, or a sleep's longest
  /// time is over. Returns false if there is something to do first.
  bool rest_outside() {
    before_rest();
    if (leader_) {
      ++followers_;
      outside_->is = outside_loop::state::follows;
      return true;
    }
    auto& transport = house().transport();
    if (must_look_first() || !transport.arm()) return false;
    if (house().peers().has_news()) {
      transport.disarm();
      return false;
    }
    leader_ = true;
    outside_->is = outside_loop::state::parked;
    return true;
  }

  // --- Watching ----------------------------------------------------------------------------------

  /// From now on, `watch` learns when this rank waits; `step` is called again and again meanwhile.
  /// It outlives this. (What a step takes is compiled where environments are made, not wherever
  /// somebody waits.)
  void watch(hang_watch& watch, void (*step)(House&) noexcept) noexcept {
    watch_ = &watch;
    step_ = step;
    keeps_time_ = watch.on();
  }
  /// Calls that began when nobody kept the time have been blocked from now on.
  [[gnu::cold]] void keep_time_of_calls() noexcept {
    for (blocked_call* b = blocked_; b != nullptr; b = b->next)
      if (b->since_ns == 0) b->since_ns = platform::now_ns();
  }
  hang_watch* watch() const noexcept { return watch_; }
  void noticed() noexcept {
    if (keeps_time_) [[unlikely]]
      watch_->saw(platform::now_ns());
  }
  /// Polls of blocked calls that found something.
  std::uint64_t advances() const noexcept { return advances_; }

 private:
  House& house() noexcept { return static_cast<House&>(*this); }

  /// What handles a packet does not poll: it would meet the packets behind that one, as the poll
  /// that it is called by will.
  [[MPX_ALWAYS_INLINE]] std::size_t take_packets() {
#if MPX_ASSERT_LEVEL >= 1
    MPX_ASSERT(!takes_packets_, "a packet's handler polls");
    takes_packets_ = true;
#endif
    const std::size_t n = house().poll_packets();
#if MPX_ASSERT_LEVEL >= 1
    takes_packets_ = false;
#endif
    return n;
  }

  // Calls that sleep without yielding after one yield took milliseconds. A sleep costs some 10 us:
  // all together less than that yield, if nobody computes any more.
  static constexpr unsigned busy_waits = 64;
  static constexpr std::int64_t default_spin_ns() noexcept {
    if constexpr (TunableWait<typename Stack::wait_type>) return Stack::wait_type::spin_ns;
    return 0;
  }

  [[gnu::noinline]] std::size_t poll_troubled() {
    house().peers().check();
    if (house().peers().orphaned()) return 0;
    const std::uint64_t before = completions_;
    std::size_t n = poll_packets_apart();
    if (house().peers().troubled()) n += house().flush_busy();
    wake_waiters_if_new(before);
    return n;
  }

  /// What a blocked rank owes to the others, and what it must know, before it rests.
  [[gnu::noinline]] void before_rest() {
    house().peers().check();
    if (step_ != nullptr) [[unlikely]]
      step_(house());
    house().inbox().allow_announcements();
    house().look_at_schedules();
    if constexpr (AttendingTransport<transport_type> &&
                  !LivenessBootstrap<typename Stack::bootstrap_type>)
      attend_now_and_then();
  }
  void attend_now_and_then() noexcept requires AttendingTransport<transport_type>;

  /// Another thread sleeps for this rank: it would not if there were something to do.
  bool leader_sleeps() noexcept {
    if (outside_ != nullptr) ring_outside();
    return leader_;
  }
  /// Requires: no other thread sleeps for this rank.
  bool nothing_is_here() noexcept {
    if (!house().transport().arm()) return false;
    house().transport().disarm();
    return true;
  }

  /// Before a rest: something is to be done that the transport does not know of.
  bool must_look_first() noexcept {
    return detail::exchange(looks_again_, false) || house().peers().has_news() ||
           house().peers().any_due();
  }
  void end_outside_rest() noexcept {
    switch (detail::exchange(outside_->is, outside_loop::state::awake)) {
      case outside_loop::state::awake: return;
      case outside_loop::state::follows: --followers_; return;
      case outside_loop::state::parked:
        leader_ = false;
        house().transport().disarm();
        if constexpr (concurrent) {
          if (followers_ != 0) wake_waiters();  // Somebody else must sleep in the transport now.
        }
    }
  }
  /// A loop that rests gives that up, and learns that it has to look again.
  [[gnu::noinline, gnu::cold]] void ring_outside() noexcept {
    if (outside_->is == outside_loop::state::awake) return;
    end_outside_rest();
    outside_->ring(*outside_);
  }

  void sleep(lock_type& lock, const flag_watch* watch = nullptr);
  bool looks_on() noexcept requires follows_data;
  /// Who writes the flag sees from now on that it has to wake this rank; or it is here.
  static bool is_ready_after_all(const flag_watch& w) noexcept {
    platform::heavy_barrier();
    return w.ready();
  }
  void follow(lock_type& lock) {
    ++followers_;
    const std::uint32_t epoch = epoch_.load(platform::memory_order_relaxed);
    lock.unlock();
    platform::futex_wait(epoch_, epoch, Stack::wait_type::sleep_ns_max);
    lock.lock();
    --followers_;
  }

  // Several waiting threads: one, the leader, sleeps in the transport, the others on `epoch_`.
  std::uint64_t completions_ = 0;
  platform::atomic<std::uint32_t> epoch_{0};
  unsigned followers_ = 0;
  unsigned flag_waiters_ = 0;  // Threads that sleep until a peer writes memory.
  bool leader_ = false;
  bool looks_again_ = false;    // Before it rests.
  bool takes_packets_ = false;  // While MPX_ASSERT looks.
  bool shares_core_ = false;    // With a peer.
  bool keeps_time_ = false;     // Of calls that are blocked.
  unsigned vain_ = 0;           // Looks of blocked calls that have found nothing.
  unsigned polls_ = 0;          // In vain, of calls that do not block.
  unsigned busy_waits_ = 0;     // Calls still to come that sleep without yielding before.
  std::int64_t spin_ns_ = default_spin_ns();
  std::uint64_t advances_ = 0;
  std::uint64_t advances_seen_ = 0;  // When it was asked last whether to look on,
  std::int64_t looks_until_ns_ = 0;  // and how long. 0: ask anew.
  std::int64_t attends_at_ns_ = 0;   // When those that are waited for are looked after next.
  blocked_call* blocked_ = nullptr;
  hang_watch* watch_ = nullptr;
  outside_loop* outside_ = nullptr;
  void (*step_)(House&) noexcept = nullptr;
};

}  // namespace mpx::inline v0::detail

#include "mpx/engine/rooms/detail/progress_rests.hpp"  // IWYU pragma: keep
