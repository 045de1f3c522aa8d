// SPDX-License-Identifier: BSL-1.0
#pragma once
// Accesses of a window at this rank, and the opening of targets for them. Depends on run-time
// values only, not on the element type.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <span>
#include <system_error>
#include <utility>

#include "mpx/communicator.hpp"
#include "mpx/rma/card_locks.hpp"
#include "mpx/rma/portals.hpp"
#include "mpx/rma/protocols.hpp"
#include "mpx/rma/service.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Accesses of a window; see window. Returns errors as codes; window makes their texts.
template <class Stack>
class window_accesses : public window_data<Stack> {
  using base_type = window_data<Stack>;

 public:
  using os = one_sided<Stack>;
  using side = exposed_side<Stack>;
  using kind = rma::record_kind;

  explicit window_accesses(endpoint<Stack>& of) noexcept : base_type(of), lifetime(of.lifetime()) {}

  // Of the endpoint: another endpoint may be constructed at the same address.
  const std::uint32_t lifetime;
  communicator<Stack> comm;  // The window's own communicator.
  // The program accesses the memory of other ranks by plain loads and stores (shared_window).
  bool shared = false;
  bool alive = false;
  std::uint64_t memory_block = 0;  // Names of own blocks that other ranks map; 0: none.
  std::uint64_t control_block = 0;
  void* memory_owned = nullptr;  // Memory allocated by this rank outside of blocks.
  void* control_owned = nullptr;
  void* memory_of_transport = nullptr;  // Memory that the transport has allocated.
  void* control_of_transport = nullptr;
  plain_array<remote_memory> exposed;        // Registrations, one for each rank,
  plain_array<remote_memory> exposed_words;  // and those of the control block.
  bool shares_words = false;                 // Every rank maps the control blocks of all ranks,
  bool all_reached = false;                  // and every rank maps all their memory.
  bool oversubscribed = false;  // Oversubscribed: more ranks than cores, as far as is known.
  rank_t culprit = proc_null;   // Failed rank that caused the last errc::peer_lost.
  bool culprit_held = false;    // It may have held the lock.

  // --- Accesses ----------------------------------------------------------------------------------

  /// Checks `x` at `target`. Cheap; done for every access.
  /// Errors:     errc::window, errc::rank, errc::rma_sync, errc::rma_range, errc::datatype,
  ///             errc::rma_conflict.
  errc check(const rma::transfer& x, rank_t target) noexcept {
    if (!alive) return errc::window;
    if (target < 0 || target >= this->size) return errc::rank;
    rma_target& t = this->targets[target];
    if (t.epoch == rma_epoch::none) return why_closed(t);
    const std::uint64_t n = x.what == rma::action::swap ? x.type->bytes : x.bytes;
    if (x.runs != nullptr) return check_runs(x, t);
    if (!this->dynamic && (x.at > t.bytes || n > t.bytes - x.at)) return errc::rma_range;
    return this->touch(t, x);
  }
  /// Checks an access whose data at the target is a list of runs.
  errc check_runs(const rma::transfer& x, rma_target& t) noexcept {
    const rma::run_list& all = *x.runs;
    const bool combines = x.what == rma::action::accumulate || x.what == rma::action::fetch;
    // In attached memory only the owner knows where elements begin.
    const bool anywhere = this->dynamic || this->numbered != nullptr;
    const std::size_t step = anywhere ? x.type->alignment : x.type->bytes;
    if (combines && !all.holds_whole(x.type->bytes, step)) return errc::datatype;
    std::int64_t low = 0;
    std::int64_t high = 0;
    if (x.at >> 63 != 0 ||
        __builtin_add_overflow(static_cast<std::int64_t>(x.at), all.low(), &low) || low < 0 ||
        __builtin_add_overflow(static_cast<std::int64_t>(x.at), all.high(), &high) ||
        (!this->dynamic && static_cast<std::uint64_t>(high) > t.bytes))
      return errc::rma_range;
    return this->touch(t, x);
  }
  /// Carries out `x`, or queues it. Takes over `x.data.how` in any case. Results are available
  /// after the end of the epoch or a flush.
  errc access(rma::transfer x, rank_t target, rma::protocol asked, call_site site) {
    if (target == proc_null) return drop(x, errc{});
    if (const errc why = check(x, target); why != errc{}) return drop(x, why);
    if (x.bytes == 0 && x.what != rma::action::swap) return drop(x, errc{});
    rma_target& t = this->targets[target];
    const rma::protocol by = choose(t, x, asked);
    bool begun = false;
    bool lacks = false;
    const errc why = wait(t, site, [&] {
      lacks = t.try_without_failing([&] { begun = begin(t, x, by); });
      return begun;
    });
    if (!begun || lacks) this->untouch(t, x);
    if (!begun) return drop(x, why);
    return lacks ? errc::no_resources : errc{};
  }
  /// Starts `x` as a request.
  /// Returns:    no operation if the access is complete or its data is copied.
  started start(rma::transfer x, rank_t target, rma::protocol asked, const char* name) {
    if (target == proc_null) return {nullptr, drop(x, errc{})};
    if (const errc why = check(x, target); why != errc{}) return {nullptr, drop(x, why)};
    if (x.bytes == 0 && x.what != rma::action::swap) return {nullptr, drop(x, errc{})};
    rma_target& t = this->targets[target];
    const started made = start_at(t, x, asked, name);
    if (made.failure != errc{}) this->untouch(t, x);
    return made;
  }
  /// Starts `x`, which has been checked.
  started start_at(rma_target& t, rma::transfer x, rma::protocol asked, const char* name) {
    const bool returns = x.what != rma::action::put && x.what != rma::action::accumulate;
    rma::protocol by = choose(t, x, asked);
    // A wait on a request flushes nothing: the access must be sent at once.
    if (by == rma::protocol::send_recv || by == rma::protocol::portals)
      by = rma::protocol::buffered;
    const bool at_once = x.what <= rma::action::get && os::moves_at_once(this->e, t.peer);
    if (by == rma::protocol::rdma && !at_once) by = rma::protocol::buffered;
    operation* op = nullptr;
    rma_reply_request* waiter = nullptr;
    const auto make_waiter = [&] {
      waiter = new (std::nothrow) rma_reply_request(name, this->rank, t.rank);
      if (waiter == nullptr) return false;
      const compound with{.kind = compound_kind::extended, .ranks = this->ranks, .more = waiter};
      op = waiter->op = compounds<Stack>::make(this->e, with).op;
      if (op == nullptr) {
        delete waiter;
        return false;
      }
      compounds<Stack>::set_status(this->e, *op, t.peer, any_tag, x.bytes);
      x.waiter = waiter;
      return true;
    };
    if (returns && by == rma::protocol::buffered && !make_waiter())
      return {nullptr, drop(x, errc::no_resources)};
    const call_site site{name};
    bool begun = false;
    errc why = wait(t, site, [&] { return t.open || try_open(t); });
    // Accesses queued until the epoch closes are older and go first.
    if (why == errc{} && !t.queue.empty())
      why = wait(t, site, [&] { return send_recv_protocol<Stack>{*this}.push(t); });
    if (why == errc{} && by == rma::protocol::rdma) {
      using run = typename rdma_protocol<Stack>::run;
      run went = run::later;
      why = wait(t, site, [&] {
        went = rdma_protocol<Stack>{*this}.try_start(t, x);
        return went != run::later;
      });
      begun = went == run::begun;
      // The remainder goes by packets, whose reply completes the request.
      if (went == run::refused) {
        by = rma::protocol::buffered;
        if (returns && !make_waiter()) return {nullptr, drop(x, errc::no_resources)};
      }
    }
    bool lacks = false;
    if (why == errc{} && !begun)
      why = wait(t, site, [&] {
        const auto attempt = [&](auto p) { return p.start(t, x); };
        lacks = t.try_without_failing([&] { begun = by_protocol(t, by, attempt); });
        return begun;
      });
    // The access was dropped.
    if (lacks || (begun && waiter != nullptr && waiter->window == nullptr)) {
      if (op != nullptr) compounds<Stack>::abandon(this->e, *op);
      const errc failed = lacks ? errc::no_resources : take_failure(t);
      return {nullptr, failed == errc{} ? errc::no_resources : failed};
    }
    if (begun) why = wait(t, site, [&] { return this->send_packet(t); });
    if (!begun) drop(x, why);
    if (op == nullptr || begun) return {op, begun ? errc{} : why};
    compounds<Stack>::abandon(this->e, *op);
    return {nullptr, why};
  }

  /// Drops all use of the program's buffers: pending results are discarded, queued accesses are not
  /// sent. Called if an exception ends the scope of the buffers. Requests keep their buffers. Every
  /// epoch that lacks data because of this ends with errc::pending.
  void forsake() noexcept {
    {
      const auto guard = os::lock(this->e);
      for (rma_reply& r : this->replies) {
        if (!r.used || r.waiter != nullptr || !r.into.exists()) continue;
        if (r.into.how != nullptr) r.into.how->drop();
        r.into = {};
        this->targets[r.target].note_dropped_data();
      }
      if (this->by_portals != nullptr) this->by_portals->forsake(false);
    }
    wait_for_moves();
    const auto guard = os::lock(this->e);
    for (rank_t r = 0; this->targets != nullptr && r < this->size; ++r)
      send_recv_protocol<Stack>{*this}.forsake(this->targets[r]);
  }

  /// True if the program may access the target's memory by its own loads and stores, so that a lock
  /// is needed at once: windows of bytes (`numbered`) promise that, as MPI does.
  bool is_visible(const rma_target& t) const noexcept {
    return shared || t.rank == this->rank || (this->numbered != nullptr && t.base != nullptr);
  }
  static bool is_locked(const rma_target& t) noexcept { return t.epoch >= rma_epoch::shared; }

  /// Waits until the transport accesses no memory of this rank for this window.
  void wait_for_moves() {
    for (rank_t r = 0; this->targets != nullptr && r < this->size; ++r) {
      rma_target& t = this->targets[r];
      if (t.moves == 0) continue;
      const window_awaited<Stack> awaits(*this, &t, hang_stage::answers);
      this->e.wait_until({"the end of a window"}, awaits.as(), [&t] { return t.moves == 0; });
    }
  }

  /// Makes the window's next collective call, `call(ec)`, on behalf of the program's call at
  /// `site`.
  /// Errors:     errc::window if a rank has destroyed its window before that call; waiting for it
  ///             would never end.
  template <class Call>
  errc call_together(call_site site, Call&& call) {
    {
      const auto guard = os::lock(this->e);
      const std::uint64_t number = this->calls_ended + 1;
      for (rank_t r = 0; this->left_by != proc_null && r < this->size; ++r)
        if (this->targets[r].left && this->targets[r].left_after < number) return errc::window;
      this->call_awaited = number;
      this->together = site;
    }
    std::error_code ec;
    call(ec);
    const auto guard = os::lock(this->e);
    this->call_awaited = 0;
    this->together = {};
    if (!ec) ++this->calls_ended;
    const auto why = static_cast<errc>(ec.value());
    // The communicator is the window's own: it is revoked only if a rank has left.
    return why == errc::revoked ? errc::window : why;
  }

 protected:
  /// True if no rank has failed or left. Requires the lock.
  bool fast_path_allowed() const noexcept {
    return this->left_by == proc_null && os::fast_path_allowed(this->e);
  }
  [[gnu::noinline, gnu::cold]] errc why_closed(const rma_target& t) const noexcept {
    const auto guard = os::lock(this->e);
    return t.failure == errc::window ? errc::window : errc::rma_sync;
  }
  static errc drop(rma::transfer& x, errc why) noexcept {
    x.drop();
    return why;
  }
  /// Keeps the first failure. Any other failure replaces errc::pending, which is only a
  /// consequence.
  void keep(errc& first, errc why, rank_t who) noexcept {
    if (why == errc{} || (first != errc{} && first != errc::pending)) return;
    first = why;
    culprit = who;
  }
  /// Returns why a target can make no further progress; errc{} if it can.
  errc stopped(const rma_target& t) noexcept {
    if (t.failure == errc::window) return errc::window;
    const errc why = os::failure_locked(this->e, t.peer);
    return why == errc{} || why == errc::not_a_rank ? why : errc::peer_lost;
  }
  static errc take_failure(rma_target& t) noexcept {
    if (t.failure == errc{}) [[likely]]
      return errc{};  // Nothing is stored: a fence would wait for the store.
    const bool lasts = t.failure == errc::peer_lost || t.failure == errc::window;
    return lasts ? t.failure : std::exchange(t.failure, errc{});
  }
  template <class F>
  bool by_protocol(rma_target&, rma::protocol by, F&& f) noexcept {
    switch (by) {
      case rma::protocol::direct: return f(direct_protocol<Stack>{*this});
      case rma::protocol::rdma: return f(rdma_protocol<Stack>{*this});
      case rma::protocol::send_recv: return f(send_recv_protocol<Stack>{*this});
      case rma::protocol::portals: return f(portals_protocol<Stack>{*this});
      default: return f(buffered_protocol<Stack>{*this});
    }
  }
  /// Returns the chosen protocol, or the best available one. Accumulates to one target all use the
  /// same protocol.
  rma::protocol choose(const rma_target& t, const rma::transfer& x, rma::protocol by) noexcept {
    using enum rma::protocol;
    if (this->chosen != automatic) by = this->chosen;
    if (x.what != rma::action::put && x.what != rma::action::get) {
      if (this->chosen == send_recv) return send_recv;
      const bool direct_way = this->chosen == automatic || this->chosen == direct;
      if (direct_way && t.base != nullptr) return direct;
      return rdma_protocol<Stack>{*this}.takes(t, x) ? rdma : buffered;
    }
    if (by == direct && t.base == nullptr) by = rdma;
    if (by == rdma && !rdma_protocol<Stack>{*this}.takes(t, x)) by = buffered;
    if (by == rma::protocol::portals && !portals_protocol<Stack>{*this}.takes(t, x)) by = buffered;
    return by;
  }
  bool begin(rma_target& t, rma::transfer& x, rma::protocol by) noexcept {
    if (!t.open) try_open(t);
    // An atomic access that the transport has refused waits as a record: it goes first.
    if (by != rma::protocol::send_recv && !t.queue.empty() && x.what > rma::action::get &&
        !(t.open && send_recv_protocol<Stack>{*this}.push(t)))
      return false;
    return by_protocol(t, by, [&](auto p) { return (p.queues || t.open) && p.start(t, x); });
  }

  /// Repeats `attempt`, under the lock, until it succeeds or the target has failed or left. `what`:
  /// reported as awaited, once `t` may be accessed.
  template <class F>
  errc wait(rma_target& t, call_site site, F&& attempt, hang_stage what = hang_stage::answers) {
    errc why{};
    bool done = false;
    const auto look = [&] {
      why = tell_loss(stopped(t), t.rank);
      if (why != errc{} || (done = attempt())) return true;
      why = lock_lost(t);
      return why != errc{};
    };
    bool shut = false;
    {
      const auto guard = os::lock(this->e);
      if (look()) return why;
      shut = !t.open;
    }
    // A card that releases the word cannot wake who sleeps on it: a record does, for which
    // wait_until polls.
    if (shut && is_locked(t) && t.control != nullptr && this->card_locks == nullptr) {
      why = wait_for_word(t, site);
      if (why != errc{}) return why;
    }
    if (shut && t.epoch == rma_epoch::started) {
      why = wait_for_word_of(t, site, [&t] { return t.posts; }, &rma::control_words::posts);
      if (why != errc{}) return why;
    }
    const window_awaited<Stack> awaits(*this, &t, what);
    this->e.wait_until(site, awaits.as(), look);
    return why;
  }
  /// Returns errc::peer_lost if a failed rank holds the lock that this rank waits for.
  errc lock_lost(rma_target& t) noexcept {
    if (!is_locked(t) || t.open) return errc{};
    rank_t holder = t.denied_by;
    if (t.control != nullptr && !os::fast_path_allowed(this->e))
      holder = exposed_side<Stack>::dead_holder(*this, *t.control);
    if (holder == proc_null) return errc{};
    tell_loss(errc::peer_lost, holder);
    culprit_held = true;
    return errc::peer_lost;
  }
  errc tell_loss(errc why, rank_t who) noexcept {
    if (why != errc{}) {
      culprit = who;
      culprit_held = false;
    }
    return why;
  }
  /// Waits for `done`, which may depend on any rank. Fails if any rank fails or leaves.
  template <class F>
  errc wait_for_all(call_site site, F&& done) {
    errc why{};
    const window_awaited<Stack> awaits(*this, nullptr, hang_stage::arrives);
    this->e.wait_until(site, awaits.as(), [&] {
      if (done()) return true;
      if (fast_path_allowed()) return false;
      for (rank_t r = 0; why == errc{} && r < this->size; ++r)
        why = tell_loss(stopped(this->targets[r]), r);
      return why != errc{};
    });
    return why;
  }

  void open(rma_target& t) noexcept {
    t.open = true;
    if (this->chosen == rma::protocol::automatic || this->chosen == rma::protocol::direct)
      t.fast.store(t.base, platform::memory_order_release);
  }
  static void close(rma_target& t) noexcept {
    t.fast.store(nullptr, platform::memory_order_release);
    t.touched.clear();
    t.open = t.lock_granted = t.lock_requested = t.no_check = t.lazy = false;
    t.denied_by = proc_null;
    t.epoch = rma_epoch::none;
  }
  /// Returns true if the target may be accessed now, without waiting. Requests the lock if it has
  /// not been requested.
  bool try_open(rma_target& t) noexcept {
    t.lazy = false;
    bool yes = t.epoch == rma_epoch::fence || t.no_check;
    if (t.epoch == rma_epoch::started) yes = yes || left_of(t.posts, words_from(t).posts) > 0;
    if (is_locked(t) && !yes) {
      if (t.control != nullptr) {
        yes = try_word(t);
      } else if (card_lock<Stack>* const card = card_lock_of(t); card != nullptr) {
        yes = card->acquire(t.epoch == rma_epoch::exclusive, *this->locks_held != 0) ||
              (card->has_to_ask() && try_request(t));
      } else {
        yes = try_request(t);
      }
    }
    if (yes) {
      open(t);
      if (is_locked(t) && !t.no_check) ++*this->locks_held;
    }
    return yes;
  }
  /// Returns the lock of `t` if it is acquired by the transport's atomic accesses; else nullptr.
  card_lock<Stack>* card_lock_of(const rma_target& t) const noexcept {
    return this->card_locks == nullptr || t.rank == this->rank ? nullptr
                                                               : this->card_locks + t.rank;
  }
  /// Requests the lock by a record. Returns true if it has been granted.
  bool try_request(rma_target& t) noexcept {
    if (!std::exchange(t.lock_requested, true))
      this->tell(t, kind::lock,
                 t.epoch == rma_epoch::exclusive ? 1
                 : *this->locks_held != 0        ? 2
                                                 : 0);
    return t.lock_granted;
  }
  /// Called with `waits` before this rank waits for its own lock.
  void note_owner(const rma_target& t, bool waits) noexcept {
    if (this->card_locks == nullptr || t.rank != this->rank || this->owner_waits == waits) return;
    this->owner_waits = waits;
    this->count_queued();
  }
  bool try_word(rma_target& t) noexcept {
    using state = rma::lock_part;
    const bool exclusive = t.epoch == rma_epoch::exclusive;
    const bool passes = *this->locks_held != 0;
    rma::lock_word& lock = t.control->lock;
    auto& part = t.control->of(this->rank, this->size).part;
    if (!lock.refuses(exclusive, passes)) {
      // The word itself records a writer that it counts as waiting.
      if (!t.wanted) part.store(state::tries);
      if (lock.try_lock(exclusive, this->rank, t.wanted, passes)) {
        part.store(exclusive ? state::tries : state::reads);
        t.wanted = false;
        note_owner(t, false);
        return true;
      }
    }
    if (t.wanted) return false;
    if (exclusive) {
      t.wanted = true;
      part.store(state::tries);
      lock.want();
    }
    part.store(exclusive ? state::counted : state::waits);
    note_owner(t, true);
    return false;
  }
  /// Sleeps until this rank has acquired the lock word of `t`.
  /// Errors:     errc::peer_lost if the target or the holder has failed.
  errc wait_for_word([[maybe_unused]] rma_target& t, [[maybe_unused]] call_site site) {
    if constexpr (os::has_blocks) {
      auto& sleeping = t.control->sleeping_with(this->rank);
      const std::uint64_t bit = rma::control_block::bit_of(this->rank);
      errc why{};
      const window_awaited<Stack> awaits(*this, &t, hang_stage::answers);
      const bool got = os::wait_for_flag(
          this->e, site, awaits.as(),
          {[&] { return t.open || try_open(t); },
           [&](bool) {
             if (fast_path_allowed()) return false;
             why = tell_loss(stopped(t), t.rank);
             if (why == errc{}) why = lock_lost(t);
             return why != errc{};
           },
           [&](bool on) { on ? sleeping.fetch_or(bit) : sleeping.fetch_and(~bit); }});
      if (!got) return why;
    }
    return errc{};
  }

  // --- Counters in this rank's control block, written by other ranks -----------------------------

  /// Words that `t` writes for this rank.
  rma::control_words& words_from(const rma_target& t) const noexcept {
    return this->control->of(t.rank, this->size);
  }
  using word32 = platform::atomic<std::uint32_t>;
  /// Returns the notifications not consumed yet: those by packet (less all consumed) plus those
  /// through shared memory.
  static std::int32_t left_of(std::int32_t by_packets, const word32& word) noexcept {
    return by_packets + static_cast<std::int32_t>(word.load(std::memory_order_acquire));
  }
  /// True if this rank can increment words of `t`'s control block, and wake `t`.
  static bool reaches(const rma_target& t) noexcept {
    return os::has_blocks && t.control != nullptr;
  }
  /// Increments a word of `t`. Releases: a rank that sees the new value sees all earlier effects of
  /// this rank.
  void count_up([[maybe_unused]] rma_target& t, word32 rma::control_words::* word) noexcept {
    if constexpr (os::has_blocks) {
      (t.control->of(this->rank, this->size).*word).fetch_add(1, std::memory_order_seq_cst);
      if (t.control->dozing.load(std::memory_order_seq_cst) == 0) [[likely]]
        return;
      const auto guard = os::lock(this->e);
      os::wake_locked(this->e, t.peer);
    }
  }
  /// Waits for a notification of `t` that has not been consumed, through shared memory or by a
  /// packet. `by_packets()` returns the packet count, under the lock.
  template <class ByPackets>
  errc wait_for_word_of([[maybe_unused]] rma_target& t, [[maybe_unused]] call_site site,
                        [[maybe_unused]] ByPackets&& by_packets,
                        [[maybe_unused]] word32 rma::control_words::* word) {
    if constexpr (os::has_blocks) {
      const word32& at = words_from(t).*word;
      std::int32_t used = 0;
      {
        const auto guard = os::lock(this->e);
        used = by_packets();
      }
      const auto ready = [&] { return left_of(used, at) > 0; };
      for (unsigned i = 0; i < looks(); ++i) {
        if (ready()) return errc{};
        platform::relax();
      }
      errc why{};
      const window_awaited<Stack> awaits(
          *this, &t,
          word == &rma::control_words::posts ? hang_stage::posts : hang_stage::completes);
      os::wait_for_flag(this->e, site, awaits.as(),
                        {ready,
                         [&](bool) {
                           used = by_packets();
                           if (left_of(used, at) > 0) return true;
                           if (fast_path_allowed()) return false;
                           why = tell_loss(stopped(t), t.rank);
                           return why != errc{};
                         },
                         [&](bool on) {
                           auto& dozing = this->control->dozing;
                           on ? dozing.fetch_add(1) : dozing.fetch_sub(1);
                         }});
      return why;
    }
    return errc{};
  }
  /// Number of polls of the word before other communication is progressed and the core may be
  /// yielded.
  unsigned looks() const noexcept { return oversubscribed ? 1 : 64; }
};

}  // namespace detail
}  // namespace mpx::inline v0
