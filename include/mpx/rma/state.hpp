// SPDX-License-Identifier: BSL-1.0
#pragma once
// A window at this rank, with run-time values only: accesses, and what makes them possible.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <span>
#include <system_error>
#include <utility>

#include "mpx/communicator.hpp"
#include "mpx/rma/protocols.hpp"
#include "mpx/rma/service.hpp"

namespace mpx::inline v0 {

namespace detail {

/// See window, whose calls these are. Errors are returned; texts are made by window.
template <class Stack>
class window_accesses : public window_data<Stack> {
  using base_type = window_data<Stack>;

 public:
  using os = one_sided<Stack>;
  using side = exposed_side<Stack>;
  using kind = rma::record_kind;

  explicit window_accesses(endpoint<Stack>& of) noexcept : base_type(of), lifetime(of.lifetime()) {}

  const std::uint32_t lifetime;  // Of the endpoint: another one may be where it was.
  communicator<Stack> comm;      // The window's own.
  bool shared = false;           // Its program loads and stores others' memory by itself.
  bool alive = false;
  std::uint64_t memory_block = 0;  // Own blocks that others map, by name.
  std::uint64_t control_block = 0;
  void* memory_owned = nullptr;  // What this rank has allocated otherwise.
  void* control_owned = nullptr;
  plain_array<remote_memory> exposed;  // To each rank.
  bool meets = false;                  // All reach the control blocks of all,
  bool all_reached = false;            // and all their memory, by loads and stores.
  bool crowded = false;                // Ranks outnumber cores, as far as is known.
  rank_t culprit = proc_null;          // Whose loss the last errc::peer_lost is.
  bool culprit_held = false;           // It was a lock's that it may have held.

  // --- Accesses ----------------------------------------------------------------------------------

  /// Why `x` cannot be made at `target`. Cheap checks, always.
  errc check(const rma::transfer& x, rank_t target) noexcept {
    if (!alive) return errc::window;
    if (target < 0 || target >= this->size) return errc::rank;
    rma_target& t = this->targets[target];
    if (t.epoch == rma_epoch::none) return why_closed(t);
    const std::uint64_t n = x.what == rma::action::swap ? this->type->bytes : x.bytes;
    if (x.runs != nullptr) return check_runs(x, t);
    if (!this->dynamic && (x.at > t.bytes || n > t.bytes - x.at)) return errc::rma_range;
    return this->touch(t, x);
  }
  /// The same where data lies in several pieces there.
  errc check_runs(const rma::transfer& x, rma_target& t) noexcept {
    const rma::run_list& all = *x.runs;
    const bool combines = x.what == rma::action::accumulate || x.what == rma::action::fetch;
    // Where elements begin in memory that is attached, its owner alone knows.
    const std::size_t step = this->dynamic ? this->type->alignment : this->type->bytes;
    if (combines && !all.holds_whole(this->type->bytes, step)) return errc::datatype;
    std::int64_t low = 0;
    std::int64_t high = 0;
    if (x.at >> 63 != 0 ||
        __builtin_add_overflow(static_cast<std::int64_t>(x.at), all.low(), &low) || low < 0 ||
        __builtin_add_overflow(static_cast<std::int64_t>(x.at), all.high(), &high) ||
        (!this->dynamic && static_cast<std::uint64_t>(high) > t.bytes))
      return errc::rma_range;
    return this->touch(t, x);
  }
  /// Takes `x.data.how` over in any case. Results are there once the epoch is over, or flushed.
  errc access(rma::transfer x, rank_t target, rma::protocol asked, call_site site) {
    if (target == proc_null) return drop(x, errc{});
    if (const errc why = check(x, target); why != errc{}) return drop(x, why);
    if (x.bytes == 0 && x.what != rma::action::swap) return drop(x, errc{});
    rma_target& t = this->targets[target];
    const rma::protocol by = choose(t, x, asked);
    bool begun = false;
    bool lacks = false;
    const errc why = wait(t, site, [&] {
      lacks = t.lacks_memory([&] { begun = begin(t, x, by); });
      return begun;
    });
    if (!begun || lacks) this->untouch(t, x);
    if (!begun) return drop(x, why);
    return lacks ? errc::no_resources : errc{};
  }
  /// The same, started. No operation: it is complete, or its data is copied.
  started start(rma::transfer x, rank_t target, rma::protocol asked, const char* name) {
    if (target == proc_null) return {nullptr, drop(x, errc{})};
    if (const errc why = check(x, target); why != errc{}) return {nullptr, drop(x, why)};
    if (x.bytes == 0 && x.what != rma::action::swap) return {nullptr, drop(x, errc{})};
    rma_target& t = this->targets[target];
    const started made = start_at(t, x, asked, name);
    if (made.failure != errc{}) this->untouch(t, x);
    return made;
  }
  /// The same of what has been checked.
  started start_at(rma_target& t, rma::transfer x, rma::protocol asked, const char* name) {
    const bool returns = x.what != rma::action::put && x.what != rma::action::accumulate;
    rma::protocol by = choose(t, x, asked);
    // Who waits for a request flushes nothing: it has to be on its way.
    if (by == rma::protocol::send_recv) by = rma::protocol::buffered;
    if (by == rma::protocol::rdma && !os::moves_at_once) by = rma::protocol::buffered;
    operation* op = nullptr;
    rma_wait* waiter = nullptr;
    const auto make_waiter = [&] {
      waiter = new (std::nothrow) rma_wait(name, this->rank, t.rank);
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
    // What waits for the epoch to close came before.
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
      if (went == run::refused) {  // What is to come by packets is waited for.
        by = rma::protocol::buffered;
        if (returns && !make_waiter()) return {nullptr, drop(x, errc::no_resources)};
      }
    }
    bool lacks = false;
    if (why == errc{} && !begun)
      why = wait(t, site, [&] {
        const auto attempt = [&](auto p) { return p.start(t, x); };
        lacks = t.lacks_memory([&] { begun = by_protocol(t, by, attempt); });
        return begun;
      });
    if (lacks || (begun && waiter != nullptr && waiter->window == nullptr)) {  // It is dropped.
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

  /// Buffers of the program's are touched no more: what is still to come goes nowhere, and neither
  /// does what is queued. For who has lost their scopes to an exception. Requests keep theirs. The
  /// end of each epoch that lacks something for that says so: errc::pending.
  void forsake() noexcept {
    {
      const auto guard = os::lock(this->e);
      for (rma_reply& r : this->replies) {
        if (!r.used || r.waiter != nullptr || !r.into.exists()) continue;
        if (r.into.how != nullptr) r.into.how->drop();
        r.into = {};
        this->targets[r.target].lacks_something();
      }
    }
    wait_for_moves();
    const auto guard = os::lock(this->e);
    for (rank_t r = 0; this->targets != nullptr && r < this->size; ++r)
      send_recv_protocol<Stack>{*this}.forsake(this->targets[r]);
  }

  static bool is_locked(const rma_target& t) noexcept { return t.epoch >= rma_epoch::shared; }

  /// Nothing of the transport's touches memory of this rank for this window.
  void wait_for_moves() {
    for (rank_t r = 0; this->targets != nullptr && r < this->size; ++r) {
      rma_target& t = this->targets[r];
      if (t.moves == 0) continue;
      const window_awaited<Stack> awaits(*this, &t, hang_stage::answers);
      this->e.wait_until({"the end of a window"}, awaits.as(), [&t] { return t.moves == 0; });
    }
  }

  /// Makes the window's next collective call, `call(ec)`, a step of the program's call at `site`. A
  /// rank that has let the window go before makes it no more: it would be waited for without end.
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
    return why == errc::revoked ? errc::window : why;  // Nobody else has that communicator.
  }

 protected:
  /// Whether nothing is wrong with any rank. Under the lock.
  bool calm() const noexcept { return this->left_by == proc_null && os::calm(this->e); }
  [[gnu::noinline, gnu::cold]] errc why_closed(const rma_target& t) const noexcept {
    const auto guard = os::lock(this->e);
    return t.failure == errc::window ? errc::window : errc::rma_sync;
  }
  static errc drop(rma::transfer& x, errc why) noexcept {
    if (x.data.how != nullptr) x.data.how->drop();
    return why;
  }
  /// The first failure, but any before errc::pending, which comes of one.
  void keep(errc& first, errc why, rank_t who) noexcept {
    if (why == errc{} || (first != errc{} && first != errc::pending)) return;
    first = why;
    culprit = who;
  }
  /// Why a target can do nothing more.
  errc stopped(const rma_target& t) noexcept {
    if (t.failure == errc::window) return errc::window;
    const errc why = os::failure_locked(this->e, t.peer);
    return why == errc{} || why == errc::not_a_rank ? why : errc::peer_lost;
  }
  static errc take_failure(rma_target& t) noexcept {
    if (t.failure == errc{}) [[likely]]
      return errc{};  // Nothing is stored: a fence would wait for it.
    const bool lasts = t.failure == errc::peer_lost || t.failure == errc::window;
    return lasts ? t.failure : std::exchange(t.failure, errc{});
  }
  template <class F>
  bool by_protocol(rma_target&, rma::protocol by, F&& f) noexcept {
    switch (by) {
      case rma::protocol::direct: return f(direct_protocol<Stack>{*this});
      case rma::protocol::rdma: return f(rdma_protocol<Stack>{*this});
      case rma::protocol::send_recv: return f(send_recv_protocol<Stack>{*this});
      default: return f(buffered_protocol<Stack>{*this});
    }
  }
  /// What the policy has said, as far as it can be had. Accumulates to a target all go one way.
  rma::protocol choose(const rma_target& t, const rma::transfer& x, rma::protocol by) noexcept {
    using enum rma::protocol;
    if (this->chosen != automatic) by = this->chosen;
    if (x.what != rma::action::put && x.what != rma::action::get) {
      if (this->chosen == send_recv) return send_recv;
      const bool direct_way = this->chosen == automatic || this->chosen == direct;
      return direct_way && t.base != nullptr ? direct : buffered;
    }
    if (by == direct && t.base == nullptr) by = rdma;
    if (by == rdma && !rdma_protocol<Stack>{*this}.takes(t, x)) by = buffered;
    return by;
  }
  bool begin(rma_target& t, rma::transfer& x, rma::protocol by) noexcept {
    if (!t.open) try_open(t);
    return by_protocol(t, by, [&](auto p) { return (p.queues || t.open) && p.start(t, x); });
  }

  /// Makes `attempt`, under the lock, until it succeeds or the target can do nothing more.
  /// `what`: is waited for, once `t` may be accessed.
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
    if (shut && is_locked(t) && t.control != nullptr) {
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
  /// errc::peer_lost where a dead rank holds the lock that this one waits for.
  errc lock_lost(rma_target& t) noexcept {
    if (!is_locked(t) || t.open) return errc{};
    rank_t holder = t.denied_by;
    if (t.control != nullptr && !os::calm(this->e))
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
  /// The same where any rank may be what is waited for.
  template <class F>
  errc wait_for_all(call_site site, F&& done) {
    errc why{};
    const window_awaited<Stack> awaits(*this, nullptr, hang_stage::arrives);
    this->e.wait_until(site, awaits.as(), [&] {
      if (done()) return true;
      if (calm()) return false;
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
    t.open = t.granted = t.asked = t.no_check = t.lazy = false;
    t.denied_by = proc_null;
    t.epoch = rma_epoch::none;
  }
  /// Whether the target may be accessed, as far as that is known without waiting. Asks for a lock
  /// that has not been asked for.
  bool try_open(rma_target& t) noexcept {
    t.lazy = false;
    bool yes = t.epoch == rma_epoch::fence || t.no_check;
    if (t.epoch == rma_epoch::started) yes = yes || left_of(t.posts, words_from(t).posts) > 0;
    if (is_locked(t) && !yes) {
      if (t.control != nullptr) {
        yes = try_word(t);
      } else {
        if (!std::exchange(t.asked, true))
          this->tell(t, kind::lock,
                     t.epoch == rma_epoch::exclusive ? 1
                     : *this->locks_held != 0        ? 2
                                                     : 0);
        yes = t.granted;
      }
    }
    if (yes) {
      open(t);
      if (is_locked(t) && !t.no_check) ++*this->locks_held;
    }
    return yes;
  }
  bool try_word(rma_target& t) noexcept {
    using state = rma::lock_part;
    const bool exclusive = t.epoch == rma_epoch::exclusive;
    const bool passes = *this->locks_held != 0;
    rma::lock_word& lock = t.control->lock;
    auto& part = t.control->of(this->rank, this->size).part;
    if (!lock.refuses(exclusive, passes)) {
      // Of a writer that the word counts the word itself will tell.
      if (!t.wanted) part.store(state::tries);
      if (lock.try_lock(exclusive, this->rank, t.wanted, passes)) {
        part.store(exclusive ? state::tries : state::reads);
        t.wanted = false;
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
    return false;
  }
  /// Sleeps until the word of `t` is this rank's. Who holds it may be dead.
  errc wait_for_word([[maybe_unused]] rma_target& t, [[maybe_unused]] call_site site) {
    if constexpr (os::has_blocks) {
      auto& sleeping = t.control->sleeping()[this->rank / 64];
      const std::uint64_t bit = std::uint64_t{1} << (this->rank % 64);
      errc why{};
      const window_awaited<Stack> awaits(*this, &t, hang_stage::answers);
      const bool got = os::wait_for_flag(
          this->e, site, awaits.as(),
          {[&] { return t.open || try_open(t); },
           [&](bool) {
             if (calm()) return false;
             why = tell_loss(stopped(t), t.rank);
             if (why == errc{}) why = lock_lost(t);
             return why != errc{};
           },
           [&](bool on) { on ? sleeping.fetch_or(bit) : sleeping.fetch_and(~bit); }});
      if (!got) return why;
    }
    return errc{};
  }

  // --- Counters that others write to this rank's control block -----------------------------------

  /// What `t` has written to this rank.
  rma::control_words& words_from(const rma_target& t) const noexcept {
    return this->control->of(t.rank, this->size);
  }
  using word32 = platform::atomic<std::uint32_t>;
  /// How many of what came by packets, less what has been used, and through memory, are left.
  static std::int32_t left_of(std::int32_t by_packets, const word32& word) noexcept {
    return by_packets + static_cast<std::int32_t>(word.load(std::memory_order_acquire));
  }
  /// Whether this rank can count up words of `t`'s control block, and wake it.
  static bool reaches(const rma_target& t) noexcept {
    return os::has_blocks && t.control != nullptr;
  }
  /// Counts one up. What this rank has done before is seen by who sees that.
  void count_up([[maybe_unused]] rma_target& t, word32 rma::control_words::* word) noexcept {
    if constexpr (os::has_blocks) {
      (t.control->of(this->rank, this->size).*word).fetch_add(1, std::memory_order_seq_cst);
      if (t.control->dozing.load(std::memory_order_seq_cst) == 0) [[likely]]
        return;
      const auto guard = os::lock(this->e);
      os::wake_locked(this->e, t.peer);
    }
  }
  /// Waits until `t` has counted one up that is left: in memory, or by a packet, of which
  /// `by_packets()` tells under the lock.
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
                           if (calm()) return false;
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
  /// How often to look before other communication is seen to, and the core maybe given away.
  unsigned looks() const noexcept { return crowded ? 1 : 64; }
};

}  // namespace detail
}  // namespace mpx::inline v0
