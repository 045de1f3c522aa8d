// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank's state of one window: its own memory, its state for each target, and the replies that it
// expects. Owned by the window; the endpoint's service finds it by context.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <source_location>
#include <span>
#include <utility>

#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/base/extension.hpp"
#include "mpx/engine/endpoint/one_sided.hpp"
#include "mpx/rma/concepts.hpp"
#include "mpx/rma/conflicts.hpp"
#include "mpx/rma/fences.hpp"
#include "mpx/rma/lock_word.hpp"
#include "mpx/rma/operations.hpp"

namespace mpx::inline v0::detail {

/// Kind of access epoch that an origin has open to a target.
enum class rma_epoch : std::uint8_t { none, fence, started, shared, exclusive };

inline const char* name_of(rma_epoch e) noexcept {
  static constexpr const char* names[] = {"none", "fence", "start", "lock shared",
                                          "lock exclusive"};
  return names[static_cast<unsigned>(e)];
}

/// An access queued until the epoch closes or a flush. Owns `copy` and one reference to its runs.
struct rma_queued {
  rma::transfer what;
  std::byte* copy;

  void let_go() const noexcept {
    platform::deallocate(copy);
    if (what.runs != nullptr) what.runs->drop();
  }
};

/// An origin's state for one target.
///
/// | field          | set by                                | cleared by                          |
/// |----------------|---------------------------------------|-------------------------------------|
/// | epoch          | fence, start, lock, lock_all          | fence, complete, unlock, unlock_all |
/// | open           | the same call, or once the lock is    | as epoch                            |
/// |                | granted or the post has arrived       |                                     |
/// | fast           | with `open`, if the target is mapped  | with `open`                         |
/// |                | and the window permits direct access  |                                     |
/// | wanted         | lock: a writer waiting for the word   | lock acquired or given up           |
/// | lock_requested | lock requested by a packet            | end of the epoch                    |
/// | lock_granted   | the service, on the target's answer   | end of the epoch                    |
/// | denied_by      | the service                           | end of the epoch                    |
/// | posts          | the service, counted up               | complete, counted down              |
/// | unacknowledged | protocols: accesses whose effect only | fence, complete, a failed wait;     |
/// |                | an acknowledgement confirms           | flush, unlock: the caller requests  |
/// |                |                                       | one acknowledgement, for which all  |
/// |                |                                       | flushing threads wait               |
/// | combined_until | protocols: the number of the          | fence                               |
/// |                | acknowledgement that confirms all     |                                     |
/// |                | accumulates sent as records           |                                     |
/// | stirred        | protocols except direct, if the rank  | flush, once it has nothing left to  |
/// |                | has several threads                   | wait for                            |
struct rma_target {
  /// The target's memory as mapped here, while plain loads and stores may access it; else nullptr.
  /// Atomic: another thread may have opened the epoch while this thread reads it.
  platform::atomic<std::byte*> fast{nullptr};
  std::uint64_t elements = 0;  // Number of elements of the window's type.
  // The target's memory as mapped here; nullptr: not mapped.
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t unit = 1;  // Bytes per unit of displacement in a byte_window.
  // The target's control block, with its lock; nullptr: not mapped.
  rma::control_block* control = nullptr;
  rma::element_locks locks{};
  remote_memory remote{};
  static constexpr std::uint64_t no_put = ~std::uint64_t{0};

  peer_id peer = 0;
  rank_t rank = 0;
  std::size_t room = 0;  // Capacity of a packet to the target, in bytes.
  rma_epoch epoch{};
  bool open = false;
  // Plain stores to the target may still be in this processor's store buffer. Cleared by a fence
  // if `loaded` is set: see fence().
  bool stored = false;
  // An access that does not stay in a store buffer has happened since `stored` was last cleared.
  bool loaded = false;
  // This rank may have several threads. Then `stored` stays set and `loaded` unset: no data race.
  bool threads = false;
  bool wanted = false;
  bool lock_requested = false;
  bool lock_granted = false;
  bool no_check = false;
  // Epoch of lock_all: the lock is requested on first use.
  bool lazy = false;
  bool left = false;  // The target has destroyed its window without free.
  // The transport has refused no atomic access, in a window that uses them: see card_atomics.
  bool by_card = false;
  std::uint8_t combining_by = 0;  // Kind of the atomic accesses in progress,
  std::uint32_t combining = 0;    // and their number. They are moves, too.
  std::uint64_t combined_until = 0;
  // Failed rank that holds the lock, as reported by the target.
  rank_t denied_by = proc_null;
  // First failure of the epoch, noted by the service or by this rank's calls; errc{}: none.
  // errc::pending, which is only a consequence, gives way to any other.
  errc failure{};
  std::uint64_t failed_at = 0;  // Offset of the failed access, in bytes.
  // Collective calls on the window that the target had completed when it left.
  std::uint64_t left_after = 0;
  errc before_left{};  // Failure that was pending when the target left.
  // Exposure epochs of the target announced by packets, minus all that were used here. Those
  // announced by shared memory are counted in control_words, so this number may be negative.
  std::int32_t posts = 0;
  // Likewise the access epochs of the target that are complete, minus those waited for here.
  std::int32_t completes = 0;
  std::uint32_t acks_due = 0;        // Acknowledgements requested and not received,
  std::uint64_t acks_requested = 0;  // and the number ever requested.
  std::uint32_t replies = 0;         // Replies due,
  std::uint64_t reply_bytes = 0;     // and their bytes not received yet.
  // Puts, gets and atomic accesses of the transport in progress, and accesses by portals.
  std::uint32_t moves = 0;
  // Accesses whose effect only an acknowledgement confirms, and for which none was requested yet.
  std::uint64_t unacknowledged = 0;
  platform::atomic<bool> stirred{false};  // Read without the lock.
  // Data was put by the transport or by portals since the last fence or completion.
  bool moved = false;
  std::uint64_t sent = 0;       // Records that the next fence counts,
  std::uint64_t completed = 0;  // and their number at the last completion.
  std::byte* packet = nullptr;  // Records not sent yet: a buffer of `room` bytes,
  std::size_t used = 0;         // of which `used` are filled.
  std::size_t last = 0;         // Offset in `packet` of the last record;
  std::uint64_t next = no_put;  // end of its data at the target if it is a put, else no_put.
  plain_array<rma_queued> queue;
  rma_record_of_accesses touched;  // Accesses of this epoch. Kept only if the stack compares them.

  /// Records errc::pending, unless there is a failure: data of this epoch was dropped because its
  /// buffers no longer exist.
  void note_dropped_data() noexcept {
    if (failure == errc{}) failure = errc::pending;
  }
  bool has_not_failed() const noexcept { return failure == errc{} || failure == errc::pending; }
  /// Calls `attempt`. Returns true if it dropped its access because memory is exhausted; the
  /// epoch's failure is unchanged then.
  template <class F>
  bool try_without_failing(F&& attempt) noexcept {
    const errc before = failure;
    if (before == errc::no_resources) failure = errc{};
    attempt();
    const bool lacks = failure == errc::no_resources;
    const bool none = failure == errc{};  // Not stored again: other threads may read it.
    if (lacks || (none && before != errc{})) failure = before;
    return lacks;
  }
  /// Notes a plain store to the target's memory.
  [[gnu::always_inline]] void note_store() noexcept {
    if (!stored) [[unlikely]]
      stored = true;
  }
  /// Notes an access that cannot remain in a store buffer.
  [[gnu::always_inline]] void note_load() noexcept {
    if (!loaded && !threads) [[unlikely]]
      loaded = true;
  }
  /// Orders this processor's earlier accesses to the target before its later ones.
  /// Cost:       a full fence only after stores. `stored` is cleared only after an access that does
  ///             not stay in the store buffer: clearing it after each fence would add a store, for
  ///             which the next fence would wait.
  [[gnu::always_inline]] void fence() noexcept {
    if (!stored) return rma::load_fence();
    rma::full_fence();
    if (loaded) stored = loaded = false;
  }

  /// Notes an access for which a flush may have to wait.
  void stir() noexcept {
    if (threads) stirred.store(true, platform::memory_order_release);
  }
  /// True if a flush has to wait for something.
  bool is_busy() const noexcept {
    return (used | replies | moves | unacknowledged | acks_due) != 0 || !queue.empty();
  }
  /// True if all acknowledgements up to number `ack` (see window_data::request_ack) have arrived.
  bool has_acknowledged(std::uint64_t ack) const noexcept {
    return acks_requested - acks_due >= ack;
  }

  /// True if a put of `n` bytes at `at` can extend the last record: it starts where that record
  /// ends, and fits the packet.
  /// Requires:   n is a multiple of 8.
  bool continues(std::uint64_t at, std::size_t n) const noexcept {
    return used != 0 && at == next && n <= room - used;
  }
  /// Extends the last record by `n` bytes.
  /// Requires:   continues(at, n).
  /// Returns:    where to copy the data.
  std::byte* lengthen(std::size_t n) noexcept {
    std::byte* const here = packet + used;
    std::byte* const length = packet + last + offsetof(rma::record, bytes);
    std::uint32_t longer = 0;
    std::memcpy(&longer, length, sizeof longer);
    longer += static_cast<std::uint32_t>(n);
    std::memcpy(length, &longer, sizeof longer);
    next += n;
    used += n;
    return here;
  }
};

/// Reply slot of one access. Replies arrive in the order of the bytes.
struct rma_reply {
  memory into;
  std::uint64_t bytes;
  std::uint64_t left;  // Bytes not received yet; in a free slot: index of the next free slot.
  rank_t target;
  std::uint32_t generation;
  void* waiter;  // rma_reply_request
  bool used;
};

/// Extension behind a request, which completes when its reply has arrived.
class rma_reply_request final : public extension {
 public:
  using cut = void (*)(void* window, std::uint32_t slot) noexcept;
  rma_reply_request(const char* name, rank_t rank, rank_t target) noexcept
      : extension(extension_kind::windows), name_(name), rank_(rank), target_(target) {}
  ~rma_reply_request() override {
    if (window != nullptr) detach(window, slot);
  }
  errc start() noexcept override { return errc{}; }
  bool part_done_locked(const operation&) noexcept override { return false; }
  void run_locked() noexcept override {}
  std::string describe() const override {
    return formatted("%s on rank %d, target %d", name_, rank_, target_);
  }

  operation* op = nullptr;
  void* window = nullptr;  // The window while a reply is due, else nullptr.
  std::uint32_t slot = 0;
  cut detach = nullptr;

 private:
  const char* name_;
  rank_t rank_;
  rank_t target_;
};

/// Memory attached to a dynamic window.
struct rma_piece {
  std::uint64_t at;
  std::uint64_t bytes;
};

/// Lock request received by a packet and not granted yet.
struct rma_request {
  rank_t rank;
  bool exclusive;
  bool waits;   // Counted in the lock word as a waiting writer.
  bool passes;  // See lock_word::try_lock.
};

template <class Stack>
struct card_lock;
template <class Stack>
class window_portals;

/// A rank's state of a window, without the calls of its program.
template <class Stack>
struct window_data : exposed_window, allocated {
  using os = one_sided<Stack>;
  endpoint<Stack>& e;
  rank_t rank = 0;
  rank_t size = 0;
  const group* ranks = nullptr;
  const rma::element_type* type = nullptr;
  // Types of a byte_window's elements, by number; nullptr: it has one type.
  const rma::element_type* (*numbered)(std::uint16_t) noexcept = nullptr;
  std::uint64_t unit = 1;  // Bytes per unit of displacement.
  bool dynamic = false;
  // Single elements are combined by the transport's atomic accesses, as all ranks have agreed.
  bool by_card = false;
  rma::protocol chosen{};  // Protocol of all accesses; automatic: the policy chooses.
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  rma::control_block* control = nullptr;  // This rank's own.
  rma::element_locks locks{};
  plain_array<rma_piece> pieces;
  rma_target* targets = nullptr;
  plain_array<rma_reply> replies;
  std::uint32_t free_reply = none;  // Head of the free list, linked by `left`.
  std::uint64_t received = 0;       // Counted records that have arrived and no fence has consumed.
  std::uint64_t fenced = 0;         // Records already consumed by fences through memory.
  plain_array<std::uint64_t> counts;  // Scratch of a fence: records sent to each rank.
  std::byte* out = nullptr;           // Replies not sent yet.
  std::size_t out_used = 0;
  std::size_t out_room = 0;
  std::size_t least_room = 0;  // Length of a packet that every target takes.
  plain_array<rma_request> requests;
  bool owner_waits = false;  // For its own lock, which a card may release.
  // The locks of all targets, by rank, if the transport's atomic accesses reach them; else nullptr.
  card_lock<Stack>* card_locks = nullptr;
  // Locks granted by packets, by rank: 0 none, 1 shared, 2 exclusive.
  plain_array<std::uint8_t> held;
  std::uint32_t* locks_held = nullptr;  // Locks that this rank holds, in all windows.
  communicator_state* own = nullptr;    // The window's own communicator.
  plain_array<rank_t> exposed_to;       // Origins of the open exposure epoch.
  std::uint64_t calls_ended = 0;   // Collective calls on the window completed successfully here,
  std::uint64_t call_awaited = 0;  // and the number of the one in progress; 0: none.
  call_site together{};            // Call of the program that such collective calls are part of.
  std::source_location made_at;
  rank_t left_by = proc_null;  // First rank that destroyed its window without free.
  rma_touched conflict{};      // Access with which the last errc::rma_conflict was.
  window_portals<Stack>* by_portals = nullptr;  // Made when first used: see portals_of.

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t backlog_max = 16;
  static constexpr std::uint64_t reply_bytes_max = std::uint64_t{1} << 20;

  explicit window_data(endpoint<Stack>& at) noexcept : e(at) {}
  errc on_records(peer_id source, std::span<const std::byte> records) noexcept override;
  void on_loss(peer_id peer) noexcept override;
  void explain(hang_info& info) noexcept override;
  ~window_data() {
    for (rank_t r = 0; targets != nullptr && r < size; ++r) {
      for (rma_queued& q : targets[r].queue) {
        q.what.drop();
        q.let_go();
      }
      platform::deallocate(targets[r].packet);
      targets[r].~rma_target();
    }
    platform::deallocate(targets);
    platform::deallocate(out);
    platform::deallocate(card_locks);
  }
  /// Errors:     returns false if memory is exhausted.
  bool make_targets() noexcept {
    const auto n = static_cast<std::size_t>(size);
    static_assert(alignof(rma_target) <= alignof(std::max_align_t));
    targets = static_cast<rma_target*>(platform::allocate(n * sizeof(rma_target)));
    if (targets == nullptr) return false;
    for (std::size_t i = 0; i < n; ++i) ::new (&targets[i]) rma_target();
    for (rank_t r = 0; r < size; ++r) {
      rma_target& t = targets[r];
      t.rank = r;
      t.peer = peer_of(r);
      t.room = os::packet_bytes(e, t.peer);
      out_room = greater(out_room, t.room);
      least_room = r == 0 ? t.room : lesser(least_room, t.room);
    }
    out = static_cast<std::byte*>(platform::allocate(out_room));
    return out != nullptr && held.try_extend(n) && counts.try_extend(n);
  }
  peer_id peer_of(rank_t r) const noexcept {
    return ranks == nullptr ? world_peer(r) : ranks->peer_of(r);
  }
  rank_t rank_of(peer_id peer) const noexcept {
    return ranks == nullptr ? world_rank(peer) : ranks->rank_of(peer);
  }

  // --- Recorded ranges, if the stack compares accesses -------------------------------------------

  /// Records the range of `x` if it conflicts with no range recorded in this epoch.
  /// Errors:     errc::rma_conflict.
  errc touch([[maybe_unused]] rma_target& t, [[maybe_unused]] const rma::transfer& x) noexcept {
    if constexpr (compares_accesses<Stack>) {
      const auto guard = os::lock(e);
      const rma_touched* other = nullptr;
      each_touched(x, [&](const rma_touched& what) {
        if (other == nullptr) other = t.touched.first_conflict(what);
      });
      if (other != nullptr) {
        conflict = *other;
        return errc::rma_conflict;
      }
      each_touched(x, [&](const rma_touched& what) { t.touched.keep(what); });
    }
    return errc{};
  }
  /// Removes the range of `x`, which is not carried out.
  void untouch([[maybe_unused]] rma_target& t, [[maybe_unused]] const rma::transfer& x) noexcept {
    if constexpr (compares_accesses<Stack>) {
      const auto guard = os::lock(e);
      each_touched(x, [&](const rma_touched& what) { t.touched.take_back(what); });
    }
  }
  void forget_touched([[maybe_unused]] rma_target& t) noexcept {
    if constexpr (compares_accesses<Stack>) {
      const auto guard = os::lock(e);
      t.touched.clear();
    }
  }
  rma_touched last_conflict() const noexcept {
    const auto guard = os::lock(e);
    return conflict;
  }
  template <class F>
  void each_touched(const rma::transfer& x, F&& take) const noexcept {
    const std::uint64_t n = x.what == rma::action::swap ? x.type->bytes : x.bytes;
    if (n == 0) return;
    if (x.runs == nullptr) return take(rma_touched{x.at, n, x.what, rank});
    for (std::size_t i = 0; i < x.runs->size(); ++i) {
      const rma::run& r = (*x.runs)[i];
      take(rma_touched{x.at + static_cast<std::uint64_t>(r.at), r.bytes, x.what, rank});
    }
  }

  /// Publishes that requests, or the owner, wait for this rank's lock. Ranks that release it by
  /// themselves read this, and send a nudge.
  void count_queued() noexcept {
    const std::uint32_t n = static_cast<std::uint32_t>(requests.size()) + (owner_waits ? 1 : 0);
    control->queued.store(n);
    if (card_locks != nullptr) {
      auto& bits = control->sleeping_with(rank);
      const std::uint64_t bit = rma::control_block::bit_of(rank);
      n != 0 ? bits.fetch_or(bit) : bits.fetch_and(~bit);
    }
    rma::full_fence();  // Before the word is read.
  }
  /// Tells rank `r`, which waits for it, that the lock of `target` has been released.
  void wake_from(rank_t target, rank_t r) noexcept {
    const bool queues = r == target;  // It has requests of others.
    tell(targets[r], rma::record_kind::nudge, 0,
         queues ? 0 : static_cast<std::uint64_t>(target) + 1);
  }

  // --- Sending. Requires the endpoint's lock -----------------------------------------------------

  /// Sends a record without data.
  void tell(rma_target& t, rma::record_kind kind, std::uint8_t op = 0, std::uint64_t at = 0,
            std::uint64_t token = 0) noexcept {
    const rma::record r{.kind = kind, .op = op, .at = at, .token = token};
    if (r.counted()) ++t.sent;
    os::send_locked(e, t.peer, context, std::as_bytes(std::span(&r, 1)));
  }
  /// Requests an acknowledgement of all sent accesses that only an acknowledgement confirms, by a
  /// flush or an unlock.
  /// Requires:   no record is buffered.
  /// Returns:    the number of the last acknowledgement requested, possibly by another thread;
  ///             rma_target::has_acknowledged takes it.
  std::uint64_t request_ack(rma_target& t, rma::record_kind by) noexcept {
    const bool asks = std::exchange(t.unacknowledged, 0) != 0;
    const bool unlocks = by == rma::record_kind::unlock;
    t.acks_due += asks ? 1 : 0;
    t.acks_requested += asks ? 1 : 0;
    if (asks || unlocks) tell(t, by, asks && unlocks ? 1 : 0);
    return t.acks_requested;
  }
  /// Tells all other ranks that this rank destroys its window without free, and which rank was the
  /// first to do so.
  void tell_leaving() noexcept {
    const auto first = static_cast<std::uint64_t>(left_by == proc_null ? 0 : left_by + 1);
    for (rank_t r = 0; targets != nullptr && r < size; ++r)
      if (r != rank) tell(targets[r], rma::record_kind::left, 0, calls_ended, first);
  }
  /// Rank `r` has destroyed its window after `after` collective calls; `first` was the first rank
  /// to do so. A collective call that `r` has not completed fails; earlier ones can still complete,
  /// because everything they need from `r` has been sent.
  void leave(rank_t r, std::uint64_t after, rank_t first) noexcept {
    rma_target& t = targets[r];
    if (!t.left) t.before_left = t.failure;
    t.left = true;
    t.left_after = after;
    t.failure = errc::window;
    t.acks_due = 0;
    t.fast.store(nullptr, platform::memory_order_release);
    if (left_by == proc_null) left_by = first;
    end_all_replies(r, errc::window);
    if (by_portals != nullptr) by_portals->lose(r, errc::window);
    if (call_awaited > after) os::revoke_locked(e, *own);
    os::noticed_locked(e);
  }
  /// Sends the buffered records.
  /// Returns:    false if back-pressure prevents it for now.
  bool send_packet(rma_target& t) noexcept {
    if (t.used == 0) return true;
    if (os::waiting_locked(e, t.peer) > backlog_max) return false;
    os::send_locked(e, t.peer, context, {t.packet, t.used});
    t.used = 0;
    return true;
  }

  // --- Replies -----------------------------------------------------------------------------------

  /// Allocates a reply slot.
  /// Returns:    `none` if memory is exhausted.
  std::uint32_t take_reply(rma_target& t, const memory& into, std::uint64_t n,
                           void* waiter) noexcept {
    std::uint32_t i = free_reply;
    if (i == none) {
      i = static_cast<std::uint32_t>(replies.size());
      if (!replies.try_push_back({})) return none;
    } else {
      free_reply = static_cast<std::uint32_t>(replies[i].left);
    }
    rma_reply& r = replies[i];
    r = {into, n, n, t.rank, r.generation + 1, waiter, true};
    if (waiter != nullptr) {
      auto& w = *static_cast<rma_reply_request*>(waiter);
      w.window = this;
      w.slot = i;
      w.detach = [](void* window, std::uint32_t slot) noexcept {
        rma_reply& gone = static_cast<window_data*>(window)->replies[slot];
        if (gone.into.how != nullptr) gone.into.how->drop();
        gone.into = {};
        gone.waiter = nullptr;
      };
    }
    ++t.replies;
    t.reply_bytes += n;
    return i;
  }
  std::uint64_t token_of(std::uint32_t slot) const noexcept {
    return std::uint64_t{replies[slot].generation} << 32 | slot;
  }
  /// Returns nullptr if the peer has no such token.
  rma_reply* find_reply(std::uint64_t token, rank_t from) noexcept {
    const auto slot = static_cast<std::uint32_t>(token);
    if (slot >= replies.size()) return nullptr;
    rma_reply& r = replies[slot];
    return r.used && r.generation == token >> 32 && r.target == from ? &r : nullptr;
  }
  void end_reply(rma_reply& r, errc why) noexcept {
    rma_target& t = targets[r.target];
    --t.replies;
    t.reply_bytes -= r.left;
    if (r.into.how != nullptr) r.into.how->drop();
    auto* const w = static_cast<rma_reply_request*>(r.waiter);
    r.used = false;
    r.waiter = nullptr;
    r.into = {};
    r.left = free_reply;
    free_reply = static_cast<std::uint32_t>(&r - &replies[0]);
    if (w != nullptr) {
      w->window = nullptr;
      os::end_locked(e, *w->op, why);
    }
  }
  /// Ends all replies due from rank `of` with `why`.
  void end_all_replies(rank_t of, errc why) noexcept {
    for (std::size_t i = 0; i < replies.size(); ++i)
      if (replies[i].used && replies[i].target == of) end_reply(replies[i], why);
  }
};

}  // namespace mpx::inline v0::detail
