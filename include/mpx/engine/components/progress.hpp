// SPDX-License-Identifier: BSL-1.0
#pragma once
// Progress: polling, sleeping in the transport, waking of waiting threads, and the duties of a
// blocked rank. All communication of a rank makes progress whenever any call enters.

#include <sched.h>

#include <cstdint>

#include "mpx/core/exchange.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/axes/progress.hpp"
#include "mpx/engine/axes/threading.hpp"
#include "mpx/engine/axes/waiting.hpp"
#include "mpx/engine/base/blocked_call.hpp"
#include "mpx/engine/base/timed_call.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/watch/call_site.hpp"
#include "mpx/watch/hang_watch.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::detail {

/// Scope of a poll.
enum class polling : std::uint8_t {
  only,          ///< Handles packets that have arrived.
  for_packets,   ///< Also flushes queued packets, if any are known.
  for_failures,  ///< Also checks the job's failure epoch first.
};

/// Requires of `Endpoint`: transport(), trace(), pool(); poll_packets(), poll(); flush_busy();
/// inbox(), peers() and look_at_schedules().
template <class Stack, class Endpoint>
class progress_component {
  using threading_type = typename Stack::threading_type;
  using transport_type = typename Stack::transport_type;
  using lock_type = held_lock<threading_type>;
  using pace_type = typename Stack::wait_type::pace;
  static constexpr bool concurrent = threading_type::concurrent;
  static constexpr bool assisted = AssistedThreadModel<threading_type>;
  static constexpr unsigned polls_per_check = 256;
  static constexpr unsigned polls_per_look_around = 64;
  static constexpr unsigned drain_polls_max = 4096;     // Bounds the wait in a flood of packets.
  static constexpr unsigned last_polls_max = 1u << 20;  // More than any channel holds.
  static constexpr unsigned vain_polls_max = 4096;
  static constexpr unsigned blind_polls = 512;  // If another thread sleeps: polls every source.
  static constexpr std::int64_t last_failures_ns_max = 1'000'000'000;
  static constexpr std::int64_t monitors_apart_ns = 500'000'000;

 public:
  progress_component() = default;
  progress_component(const progress_component&) = delete;
  progress_component& operator=(const progress_component&) = delete;

  // --- Polling -----------------------------------------------------------------------------------

  /// Handles packets that have arrived and flushes queued ones. Returns how much that was. Does not
  /// check the job's failure epoch.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_once() {
    if (!ep().peers().has_fast_path()) [[unlikely]]
      return poll_slow();
    const std::uint64_t before = completions_;
    const std::size_t n = take_packets();
    wake_waiters_if_new(before);
    return n;
  }
  /// Out-of-line form of poll_once, for calls that poll rarely.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_once_outlined() { return ep().poll(polling::for_packets); }
  /// Polls, and handles changes of the job's failure epoch.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_and_check() { return ep().poll(polling::for_failures); }
  /// Handles packets that have arrived, and does nothing else.
  [[MPX_ALWAYS_INLINE]] std::size_t poll_packets_outlined() { return ep().poll(polling::only); }
  /// Body of Endpoint::poll. That is a single function because all packet handlers are inlined in
  /// it, and a member of the endpoint so that all of them share one `this`.
  [[MPX_ALWAYS_INLINE]] std::size_t poll(polling how) {
    if (!ep().peers().fast_path_allowed()) [[unlikely]] {
      if (how == polling::for_failures ||
          (how == polling::for_packets && !ep().peers().has_fast_path()))
        return poll_slow();
    }
    [[maybe_unused]] const std::uint64_t before = completions_;
    const std::size_t n = take_packets();
    if constexpr (concurrent) {
      if (how != polling::only) wake_waiters_if_new(before);
    }
    return n;
  }
  /// Polls once for a call that does not block. Many such polls without success count as blocking
  /// and get its duties. Returns true if nothing was found and the core is oversubscribed: the
  /// caller then calls `yield` without the lock.
  bool poll_unblocked() { return poll_and_check() == 0 && polled_in_vain(); }
  bool polled_in_vain() {
    if (++polls_ % polls_per_check == 0) before_rest();
    if constexpr (!SharedMemoryTransport<transport_type>) return false;
    return polls_ % polls_per_look_around == 0 ? look_around() : oversubscribed();
  }
  static void yield() noexcept { ::sched_yield(); }
  /// True if other ranks need this core, as far as is known.
  bool oversubscribed() noexcept { return shares_core_ || ep().transport().oversubscribed(); }
  /// Asks the transport again if other ranks need this core.
  [[gnu::noinline]] bool look_around() noexcept {
    shares_core_ = ep().transport().shares_core();
    return oversubscribed();
  }
  /// Makes this rank poll once more before it next sleeps.
  void look_again() noexcept { looks_again_ = true; }
  /// Handles all packets that have arrived. (A poll that finds nothing does not prove that there
  /// are none.)
  void poll_until_quiet() {
    // These polls flush nothing, and may free room for queued packets.
    looks_again_ = true;
    if (leader_) ep().transport().wake();
    unsigned vain = 0;
    for (unsigned polls = 0; polls < last_polls_max && vain < vain_polls_max; ++polls) {
      if (poll_packets_outlined() > 0) {
        vain = 0;
      } else if (leader_sleeps() ? vain >= blind_polls : nothing_is_here()) {
        return;
      } else {
        ++vain;
      }
    }
  }
  /// Handles everything that a lost `peer` has sent; nothing more will follow. `left`: it left in
  /// good order, so all of it arrives, though some may still be under way.
  [[gnu::noinline, gnu::cold]] void drain_peer([[maybe_unused]] peer_id peer,
                                               [[maybe_unused]] bool left) {
    poll_until_quiet();
    if constexpr (ConnectionTransport<transport_type>) {
      if (!left || ep().transport().has_heard_out(peer)) return;
      const std::int64_t until_ns = ep().now_ns() + last_failures_ns_max;
      do {
        if (poll_packets_outlined() == 0) yield();
      } while (!ep().transport().has_heard_out(peer) && ep().now_ns() < until_ns);
    }
  }
  /// Makes progress while the job leaves together. A rank that leaves meanwhile is no loss.
  void drain() {
    for (unsigned polls = 0; polls < drain_polls_max; ++polls) {
      if (ep().peers().orphaned()) return;
      std::size_t n = poll_packets_outlined();
      if (ep().peers().has_slow_reason()) n += ep().flush_busy();
      if (n == 0 && at_rest()) break;
      advances_ += n != 0 ? 1 : 0;
    }
    ep().inbox().allow_announcements();  // For an agreement whose request was dropped.
    if (step_ != nullptr) step_(ep());
  }
  /// True if no post depends on further polls. Answers have no operation that counts their posts.
  bool at_rest() noexcept {
    if constexpr (!posts_pend<transport_type>) return true;
    return leader_sleeps() || nothing_is_here();
  }
  /// True if all posted packets have left this process too: this rank may leave.
  bool all_out() noexcept {
    if constexpr (ConnectionTransport<transport_type>) return !ep().transport().has_unsent();
    return at_rest();
  }

  // --- Waiting -----------------------------------------------------------------------------------

  /// Blocks until `done()` returns true. `done` is called under the lock. `site` is the call that a
  /// hang report names.
  [[gnu::noinline]] void wait_until(threading_type& threading, call_site site, awaited on,
                                    function_ref<bool()> done) {
    lock_type lock(threading);
    if (done()) return;
    const blocked_scope scope(*this, site, on);
    pace_type pace(oversubscribed());
    prepare(pace);
    timed_wait<typename Stack::trace_type> timed(ep().trace(), site);
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
        pace.oversubscribed(look_around());
      }
      if constexpr (concurrent) lock.unlock();
      const bool tired = pace.should_sleep();
      if constexpr (concurrent) {
        lock.lock();
        if (done()) break;
      }
      if (tired) {
        before_rest();
        if (done()) break;  // Its peer may be lost, and would not wake this thread.
        sleep(lock);
        if (done()) break;
      }
      timed.rested();
    }
    learn(pace);
    if constexpr (concurrent) {
      if (followers_ != 0 && !leader_) wake_waiters();  // Another thread must poll now.
    }
  }

  /// Blocks until `w.ready()`, or until it never will be. Returns true if it is ready. All other
  /// communication makes progress meanwhile.
  [[gnu::noinline]] bool wait_for_flag(threading_type& threading, call_site site, awaited on,
                                       const flag_watch& w) {
    lock_type lock(threading);
    const blocked_scope scope(*this, site, on);
    pace_type pace(oversubscribed());
    prepare(pace);
    timed_wait<typename Stack::trace_type> timed(ep().trace(), site);
    for (unsigned polls = 1; !w.ready(); ++polls) {
      const bool found = poll_and_check() > 0;
      timed.polled(found);
      if (polls % polls_per_check == 0) [[unlikely]]
        before_rest();
      if (w.lost(found)) return w.ready();
      if (++vain_ % polls_per_look_around == 0) [[unlikely]]
        pace.oversubscribed(look_around());
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

  /// True if an earlier call has noticed processes that compute on this core.
  bool others_compute() const noexcept { return busy_waits_ != 0; }
  /// Gives a pace the settings and observations of this rank, before its call polls.
  void prepare(pace_type& pace) noexcept {
    if constexpr (TunableWait<typename Stack::wait_type>) pace.spin_for(spin_ns_);
    if constexpr (LearningPace<pace_type>) {
      if (busy_waits_ == 0) return;
      --busy_waits_;
      pace.sleep_first();
    }
  }
  /// Sets the time that calls poll before they sleep, in nanoseconds.
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

  /// Links a call to its rank while it is blocked.
  /// Requires: the lock is held, if the thread model has one, on construction and destruction.
  class blocked_scope {
   public:
    blocked_scope(progress_component& p, call_site site, awaited on) noexcept
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
    progress_component& p_;
    blocked_call call_;
  };
  /// The latest blocked call; more are linked behind it if several threads wait.
  const blocked_call* blocked() const noexcept { return blocked_; }

  /// Counts a completion or an arrival that a waiting thread may look for.
  [[MPX_ALWAYS_INLINE]] void completed() noexcept {
    if constexpr (concurrent) ++completions_;
  }
  std::uint64_t completions() const noexcept { return completions_; }
  [[MPX_ALWAYS_INLINE]] void wake_waiters_if_new(std::uint64_t before) noexcept {
    if constexpr (concurrent) {
      if (completions_ != before && (followers_ != 0 || leader_)) wake_waiters();
    }
  }
  /// Makes all waiting threads look again.
  [[gnu::noinline]] void wake_waiters() noexcept {
    if (followers_ != 0) {
      epoch_.fetch_add(1, platform::memory_order_relaxed);
      platform::futex_wake(epoch_, static_cast<int>(followers_));
      if (outside_ != nullptr) ring_outside();
    }
    if (leader_) ep().transport().wake();
  }

  // --- Waiting in an external loop ---------------------------------------------------------------

  /// Lets `loop` sleep on behalf of this rank. Returns false if another loop does.
  bool attach_outside(outside_loop& loop) noexcept {
    if (outside_ != nullptr) return false;
    outside_ = &loop;
    return true;
  }
  void detach_outside() noexcept {
    end_outside_rest();
    outside_ = nullptr;
  }
  /// Poll of the external loop, as poll_and_check.
  std::size_t poll_outside() {
    end_outside_rest();
    const std::size_t n = poll_and_check();
    advances_ += n != 0 ? 1 : 0;
    return n;
  }
  /// Starts the rest of the external loop: until the transport's descriptor is readable, the loop
  /// is rung, or `sleep_ns_max` is over. Returns false if there is something to do first.
  bool rest_outside() {
    before_rest();
    return rest_unless_busy();
  }
  /// Such a rest of the progress thread. A rank that is not blocked in a call is no part of a hang.
  bool rest_between_calls() {
    if (blocked_ != nullptr) return rest_outside();
    duties_before_rest();
    return rest_unless_busy();
  }
  /// Counts polls. Read by the progress thread without the lock.
  std::uint32_t polls() const noexcept requires assisted
  {
    return all_polls_.load(platform::memory_order_relaxed);
  }
  bool rest_unless_busy() {
    if (leader_) {
      ++followers_;
      outside_->is = outside_loop::state::follows;
      return true;
    }
    auto& transport = ep().transport();
    if (must_look_first() || !transport.arm()) return false;
    if (ep().peers().failure_epoch_changed()) {
      transport.disarm();
      return false;
    }
    leader_ = true;
    outside_->is = outside_loop::state::parked;
    return true;
  }

  /// Ends the rest of the external loop and makes it look again.
  [[gnu::noinline, gnu::cold]] void ring_outside() noexcept {
    if (outside_->is == outside_loop::state::awake || ep().peers().orphaned()) return;
    end_outside_rest();
    outside_->ring(*outside_);
  }

  // --- Watching ----------------------------------------------------------------------------------

  /// Reports to `watch` when this rank waits, and calls `step` repeatedly meanwhile. (The code of a
  /// step is compiled where environments are made, not wherever a call waits.)
  /// Requires: `watch` outlives this.
  void watch(hang_watch& watch, void (*step)(Endpoint&) noexcept) noexcept {
    watch_ = &watch;
    step_ = step;
    keeps_time_ = watch.on();
  }
  /// Sets the start of blocked calls that began before times were kept to now.
  [[gnu::cold]] void keep_time_of_calls() noexcept {
    for (blocked_call* b = blocked_; b != nullptr; b = b->next)
      if (b->since_ns == 0) b->since_ns = platform::now_ns();
  }
  hang_watch* watch() const noexcept { return watch_; }
  void noticed() noexcept {
    if (keeps_time_) [[unlikely]]
      watch_->saw(platform::now_ns());
  }
  /// Number of polls of blocked calls that found something.
  std::uint64_t advances() const noexcept { return advances_; }

 private:
  Endpoint& ep() noexcept { return static_cast<Endpoint&>(*this); }

  /// Handlers of packets must not poll: packets would be handled out of order.
  [[MPX_ALWAYS_INLINE]] std::size_t take_packets() {
    if constexpr (assisted)
      all_polls_.store(all_polls_.load(platform::memory_order_relaxed) + 1,
                       platform::memory_order_relaxed);
#if MPX_ASSERT_LEVEL >= 1
    MPX_ASSERT(!takes_packets_, "a packet's handler polls");
    takes_packets_ = true;
#endif
    const std::size_t n = ep().poll_packets();
#if MPX_ASSERT_LEVEL >= 1
    takes_packets_ = false;
#endif
    return n;
  }

  // Number of calls that sleep without yielding after one yield took milliseconds. A sleep costs
  // some 10 us, so all of them together cost less than that yield if no process computes any more.
  static constexpr unsigned busy_waits = 64;
  static constexpr std::int64_t default_spin_ns() noexcept {
    if constexpr (TunableWait<typename Stack::wait_type>) return Stack::wait_type::spin_ns;
    return 0;
  }

  [[gnu::noinline]] std::size_t poll_slow() {
    ep().peers().check();
    if (ep().peers().orphaned()) return 0;
    const std::uint64_t before = completions_;
    std::size_t n = poll_packets_outlined();
    if (ep().peers().has_slow_reason()) n += ep().flush_busy();
    wake_waiters_if_new(before);
    return n;
  }

  /// Duties of a blocked rank before it rests: check for lost peers and for hangs, allow
  /// announcements, run schedules.
  [[gnu::noinline]] void before_rest() {
    ep().peers().check();
    if (step_ != nullptr) [[unlikely]]
      step_(ep());
    duties_before_rest();
  }
  void duties_before_rest() {
    ep().inbox().allow_announcements();
    ep().look_at_schedules();
    if constexpr (ConnectionTransport<transport_type> &&
                  !LivenessBootstrap<typename Stack::bootstrap_type>)
      monitor_awaited();
  }
  void monitor_awaited() noexcept requires ConnectionTransport<transport_type>;

  /// True if another thread sleeps in the transport for this rank. It would not if there were
  /// packets.
  bool leader_sleeps() noexcept {
    if (outside_ != nullptr) ring_outside();
    return leader_;
  }
  /// True if the transport has no packets for this rank.
  /// Requires: no other thread sleeps for this rank.
  bool nothing_is_here() noexcept {
    if (!ep().transport().arm()) return false;
    ep().transport().disarm();
    return true;
  }

  /// True if there is work that the transport does not know of and that must be done before a
  /// sleep.
  bool must_look_first() noexcept {
    return detail::exchange(looks_again_, false) || ep().peers().failure_epoch_changed() ||
           ep().peers().any_due();
  }
  void end_outside_rest() noexcept {
    switch (detail::exchange(outside_->is, outside_loop::state::awake)) {
      case outside_loop::state::awake: return;
      case outside_loop::state::follows: --followers_; return;
      case outside_loop::state::parked:
        leader_ = false;
        ep().transport().disarm();
        if constexpr (concurrent) {
          if (followers_ != 0) wake_waiters();  // Another thread must sleep in the transport now.
        }
    }
  }
  void sleep(lock_type& lock, const flag_watch* watch = nullptr);
  /// Orders the announced sleep before a last look at the flag: either the writer sees that it has
  /// to wake this rank, or this returns true.
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

  // If several threads wait, the leader sleeps in the transport and the followers sleep on
  // `epoch_`.
  std::uint64_t completions_ = 0;
  platform::atomic<std::uint32_t> all_polls_{0};
  platform::atomic<std::uint32_t> epoch_{0};
  unsigned followers_ = 0;
  unsigned flag_waiters_ = 0;  // Threads that sleep until a peer writes memory.
  bool leader_ = false;
  bool looks_again_ = false;    // Poll before the next sleep.
  bool takes_packets_ = false;  // Inside a poll; kept for MPX_ASSERT alone.
  bool shares_core_ = false;    // A peer runs on this core.
  bool keeps_time_ = false;     // Start times of blocked calls are kept.
  unsigned vain_ = 0;           // Unsuccessful polls of blocked calls.
  unsigned polls_ = 0;          // Unsuccessful polls of other calls.
  unsigned busy_waits_ = 0;     // Further calls that sleep without yielding first.
  std::int64_t spin_ns_ = default_spin_ns();
  std::uint64_t advances_ = 0;
  std::int64_t monitors_at_ns_ = 0;  // Next time at which awaited peers are monitored.
  blocked_call* blocked_ = nullptr;
  hang_watch* watch_ = nullptr;
  outside_loop* outside_ = nullptr;
  void (*step_)(Endpoint&) noexcept = nullptr;
};

/// Probes the peers that this rank waits for, every `monitors_apart_ns`: one to which this rank has
/// never sent may be dead unnoticed.
template <class Stack, class Endpoint>
void progress_component<Stack, Endpoint>::monitor_awaited() noexcept
    requires ConnectionTransport<transport_type>
{
  const std::int64_t now = platform::now_ns();
  if (monitors_at_ns_ == 0) monitors_at_ns_ = now + monitors_apart_ns;
  if (now < monitors_at_ns_) return;
  monitors_at_ns_ = now + monitors_apart_ns;
  const auto monitor = [this](peer_id source) {
    if (source < ep().transport().peers() && ep().peers().failure_of(source) == errc{})
      ep().transport().monitor(source);
  };
  ep().pool().for_each([&](const operation& op) {
    if (op.role == role::receive && op.stage == stage::posted) monitor(op.want.source);
  });
  for (const blocked_call* c = blocked_; c != nullptr; c = c->next)
    if (c->on.as == awaited::form::probed) monitor(static_cast<const pattern*>(c->on.what)->source);
}

template <class Stack, class Endpoint>
[[gnu::noinline]] void progress_component<Stack, Endpoint>::sleep(lock_type& lock,
                                                                  const flag_watch* watch) {
  // The blocked thread takes over from the external loop, for which the transport is armed.
  if (outside_ != nullptr && outside_->is == outside_loop::state::parked) ring_outside();
  if constexpr (concurrent) {
    if (leader_) {  // Its wake-up is for this thread, too.
      if (watch == nullptr || !is_ready_after_all(*watch)) follow(lock);
      return;
    }
  }
  auto& transport = ep().transport();
  if (must_look_first() || !transport.arm()) return;
  // A failure reported before the transport was armed has woken no thread.
  if (ep().peers().failure_epoch_changed() || (watch != nullptr && is_ready_after_all(*watch)))
    return transport.disarm();
  ep().trace().on(event::sleeps, 1);
  leader_ = true;
  if constexpr (concurrent) lock.unlock();
  transport.sleep(Stack::wait_type::sleep_ns_max);
  if constexpr (concurrent) lock.lock();
  leader_ = false;
  transport.disarm();
  if constexpr (concurrent) {
    if (flag_waiters_ != 0 && followers_ != 0) wake_waiters();  // The wake-up may be for them.
  }
}

}  // namespace mpx::inline v0::detail
