// SPDX-License-Identifier: BSL-1.0
#pragma once
// The lock of a target whose control block is reached by the transport's atomic accesses alone:
// ranks acquire it, wait for it and release it without a call of the target. A rank that waits
// sets its bit beside the word and sleeps; whoever releases the lock wakes it by a record.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/atomic_access.hpp"
#include "mpx/rma/target.hpp"

namespace mpx::inline v0::detail {

/// Position in the sequence of accesses that acquires or releases a lock. A reader tells in its own
/// `part` what it holds, for others to see if it fails (see rma::lock_part); the word itself names
/// a writer.
enum class lock_step : std::uint8_t {
  none,
  announces,  ///< Reader: part = tries.
  acquires,   ///< Changes the word.
  undoes,     ///< Reader that the word has refused: takes itself out of it.
  looks,      ///< Takes the bits of the ranks that wait, and wakes them.
  flags,      ///< Sets the bit of this rank,
  pauses,     ///< (a reader: part = waits,)
  rechecks,   ///< looks whether the lock has become free meanwhile,
  sleeps,     ///< and waits to be woken.
  unflags,
  records,  ///< Reader: part = reads.
  held,
  forgets,  ///< Reader: part = none, before it asks.
  asks,     ///< The lock is requested by a record: see exposed_side.
  leaves,   ///< Reader: part = tries.
  releases,
  clears,  ///< Reader: part = none.
};

/// One target's lock. All functions require the endpoint's lock.
template <class Stack>
struct card_lock final : completion_watcher {
  using os = one_sided<Stack>;
  using kind = rma::record_kind;
  using undo = rma::undone_by_card;

  card_lock(window_data<Stack>& window, rma_target& target) noexcept
      : completion_watcher{&ended}, w(window), t(target) {}

  /// True if the transport has the atomic accesses that the lock of `peer` needs.
  static bool reaches([[maybe_unused]] endpoint<Stack>& e, [[maybe_unused]] peer_id peer) noexcept {
    if constexpr (os::has_atomics) {
      using enum atomic_operation;
      const atomic_set has = e.transport().atomics(peer);
      return has.with_cpu && has.has(fetch_add, 8) && has.has(fetch_and, 8) &&
             has.has(fetch_or, 8) && has.has(compare_exchange, 8) && has.has(exchange, 4);
    }
    return false;
  }
  /// Begins a new epoch.
  void begin() noexcept {
    if (!in_progress) step = lock_step::none;
  }
  /// True if the lock has to be requested by a record.
  bool has_to_ask() const noexcept { return step == lock_step::asks; }
  bool is_held() const noexcept { return step == lock_step::held; }
  /// Takes the next steps without waiting. `as_passing`: see lock_word::try_lock.
  /// Returns:    true if the lock is held.
  bool acquire(bool as_writer, bool as_passing) noexcept {
    if (step == lock_step::none) {
      exclusive = as_writer;
      passes = as_passing;
      releasing = false;
      refusals = 0;
      expected = 0;
      step = exclusive ? lock_step::acquires : lock_step::announces;
    }
    // The rank that should wake this one may have failed: the target will tell.
    if (step == lock_step::sleeps && !may_sleep()) step = give_up();
    advance();
    return is_held();
  }
  /// Returns:    true if the lock has been released.
  bool release() noexcept {
    if (is_held()) {
      releasing = true;
      step = exclusive ? lock_step::releases : lock_step::leaves;
    }
    advance();
    return step == lock_step::none;
  }
  /// Another rank has released the lock.
  void wake() noexcept {
    woken = true;
    if (step == lock_step::sleeps) step = lock_step::flags;
  }
  /// The window goes, and no access is in progress: the target undoes what the accesses did.
  void abandon() noexcept {
    if (has_ended) step = next();
    if (in_word) {
      tell_rest(exclusive ? undo::writer : undo::reader);
    } else if (marked || flagged) {
      tell_rest(undo::part);
    }
    in_word = marked = flagged = has_ended = false;
    step = lock_step::none;
  }

  remote_memory words{};  // The target's control block.

 private:
  /// Number of times that the word may refuse before this rank queues at the target, which serves
  /// requests in their order.
  static constexpr std::uint32_t refusals_max = 64;

  static void ended(completion_watcher& watcher) noexcept {
    auto& self = static_cast<card_lock&>(watcher);
    --self.t.moves;
    self.in_progress = false;
    self.has_ended = true;
    self.refused = self.op->failure != errc{};
    os::give_locked(self.w.e, *self.op);
  }
  bool is_at_rest() const noexcept {
    using enum lock_step;
    return step == none || step == held || step == asks || step == sleeps;
  }
  /// True if this rank may wait by its bit: the bits of all ranks are in one word, no rank has
  /// failed, and the word has not refused too often.
  bool may_sleep() const noexcept {
    return w.size <= 64 && os::none_lost(w.e) && refusals < refusals_max;
  }
  void advance() noexcept {
    while (!is_at_rest()) {
      if (!has_ended && !in_progress) start();
      if (!has_ended) return;
      step = next();
    }
  }
  /// Starts the access of this step, if the transport has room for it.
  void start() noexcept {
    if constexpr (os::has_atomics) {
      // A release may have to send a record.
      if (os::waiting_locked(w.e, t.peer) > window_data<Stack>::backlog_max) return;
      op = os::take_locked(w.e, t.peer, *this);
      if (op == nullptr) {
        has_ended = refused = t.moves == 0;  // Nothing would ever give an operation back.
        return;
      }
      const access what = what_to_do();
      if (step == lock_step::flags) woken = false;
      previous = 0;
      const std::span<std::byte> into(reinterpret_cast<std::byte*>(&previous), what.bytes);
      // The control blocks of all ranks have one layout.
      const auto at = static_cast<std::uint64_t>(static_cast<const std::byte*>(what.word) -
                                                 reinterpret_cast<const std::byte*>(w.control));
      const outcome o =
          w.e.transport().atomic(t.peer, words, at, what.change, into, os::cookie(*op));
      t.stir();
      if (o == outcome::pending) {
        ++t.moves;
        in_progress = true;
        return;
      }
      os::give_locked(w.e, *op);
      has_ended = o != outcome::retry;
      refused = o == outcome::refused;
    }
  }
  struct access {
    const void* word;  // Of this rank's own control block.
    std::size_t bytes;
    atomic_access change;
  };
  /// Returns the access of this step.
  access what_to_do() const noexcept {
    using enum lock_step;
    using enum atomic_operation;
    using word = rma::lock_word;
    using block = rma::control_block;
    const auto of_word = [this](atomic_access a) { return access{&w.control->lock, 8, a}; };
    // The word with the target's bit. Up to 64 ranks it has the bits of all; beyond, only the
    // target sets one.
    const auto of_bits = [this](atomic_access a) {
      return access{&w.control->sleeping_with(t.rank), 8, a};
    };
    const auto of_part = [this](std::uint32_t state) {
      return access{&w.control->of(w.rank, w.size).part, 4, {exchange, state}};
    };
    switch (step) {
      case acquires:
        return of_word(
            exclusive ? atomic_access{compare_exchange, expected + word::held_by(w.rank), expected}
                      : atomic_access{fetch_add, word::one_reader});
      case undoes:
      case releases:
        return of_word(exclusive ? atomic_access{fetch_and, ~word::writer}
                                 : atomic_access{fetch_add, 0 - word::one_reader});
      case rechecks: return of_word({fetch_add, 0});
      // A rank that is woken sets its bit again. The target's bit means requests: it stays.
      case looks: return of_bits({fetch_and, block::bit_of(t.rank)});
      case flags: return of_bits({fetch_or, block::bit_of(w.rank)});
      case unflags: return of_bits({fetch_and, ~block::bit_of(w.rank)});
      case pauses: return of_part(rma::lock_part::waits);
      case records: return of_part(rma::lock_part::reads);
      case announces:
      case leaves: return of_part(rma::lock_part::tries);
      default: return of_part(rma::lock_part::none);
    }
  }
  /// Uses the result of this step.
  /// Returns:    the step that follows. If the transport refuses a step that must not be left out,
  ///             the target takes it.
  lock_step next() noexcept {
    using enum lock_step;
    has_ended = false;
    switch (step) {
      case announces: marked = marked || !refused; return refused ? give_up() : acquires;
      case acquires: return has_word();
      case undoes:
        if (refused) return left_to_target(undo::reader, asks);
        in_word = false;
        return looks;
      case looks:
        if (refused) return left_to_target(undo::part, releasing ? none : asks);
        wake_all(previous);
        if (releasing) return exclusive ? none : clears;
        return may_sleep() ? flags : give_up();
      case flags:
        flagged = !refused;
        if (refused) return give_up();
        return exclusive ? rechecks : pauses;
      case pauses: return refused ? give_up() : rechecks;
      case rechecks:
        if (refused) return give_up();
        expected = previous;
        if (!rma::lock_word::refuses(previous, exclusive, passes))
          return exclusive ? acquires : announces;
        return woken ? flags : sleeps;
      case unflags: flagged = false; return in_word ? recorded() : give_up();
      case records: return held;  // If it is refused, the part tells that this rank may hold it.
      case forgets:
        if (refused) return left_to_target(undo::part, asks);
        marked = false;
        return asks;
      case leaves: return refused ? left_to_target(undo::reader, none) : releases;
      case releases: return has_released();
      case clears:
        if (refused) return left_to_target(undo::part, none);
        marked = false;
        return none;
      default: return step;
    }
  }
  lock_step has_word() noexcept {
    using enum lock_step;
    if (refused) return give_up();
    const bool refuses =
        exclusive ? previous != expected : rma::lock_word::refuses(previous, false, passes);
    in_word = !exclusive || !refuses;
    if (!refuses) return flagged ? unflags : recorded();
    ++refusals;
    if (!exclusive) return undoes;
    return may_sleep() ? flags : give_up();
  }
  lock_step has_released() noexcept {
    using enum lock_step;
    if (refused) return left_to_target(exclusive ? undo::writer : undo::reader, none);
    in_word = false;
    // Only the last reader lets others in.
    return exclusive || rma::lock_word::is_last_reader(previous) ? looks : clears;
  }
  lock_step recorded() const noexcept { return exclusive ? lock_step::held : lock_step::records; }
  /// Returns the next step of a rank that queues at the target.
  lock_step give_up() const noexcept {
    if (flagged) return lock_step::unflags;
    return marked ? lock_step::forgets : lock_step::asks;
  }
  lock_step left_to_target(undo what, lock_step then) noexcept {
    tell_rest(what);
    in_word = marked = flagged = false;
    return then;
  }
  void tell_rest(undo what) noexcept { w.tell(t, kind::unlock, static_cast<std::uint8_t>(what)); }
  /// Wakes the ranks whose bits are set: the target if requests are queued there.
  void wake_all(std::uint64_t bits) noexcept {
    for (; bits != 0; bits &= bits - 1) {
      const rank_t r = t.rank / 64 * 64 + static_cast<rank_t>(std::countr_zero(bits));
      if (r < w.size && r != w.rank) w.wake_from(t.rank, r);
    }
  }

  window_data<Stack>& w;
  rma_target& t;
  operation* op = nullptr;
  alignas(8) std::uint64_t previous = 0;
  std::uint64_t expected = 0;  // A writer acquires the word if it is this: free.
  std::uint32_t refusals = 0;
  lock_step step = lock_step::none;
  bool in_progress = false;
  bool has_ended = false;  // The access of this step is over,
  bool refused = false;    // and was not carried out.
  bool exclusive = false;
  bool passes = false;
  bool releasing = false;
  bool woken = false;    // Since the word was last looked at. A record may overtake the result.
  bool in_word = false;  // The word counts or names this rank.
  bool marked = false;   // This rank's part is not `none`.
  bool flagged = false;  // Its bit is set.
};

}  // namespace mpx::inline v0::detail
