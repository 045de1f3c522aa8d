// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank keeps for a window: of each target that it accesses, of what it has asked for, and of
// its own memory. Owned by the window; the service of the endpoint finds it by its number.

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
#include "mpx/engine/extension.hpp"
#include "mpx/rma/access.hpp"
#include "mpx/rma/concepts.hpp"
#include "mpx/rma/conflicts.hpp"
#include "mpx/rma/fences.hpp"
#include "mpx/rma/lock_word.hpp"
#include "mpx/rma/operations.hpp"

namespace mpx::inline v0::detail {

/// Why an origin may access a target.
enum class rma_epoch : std::uint8_t { none, fence, started, shared, exclusive };

inline const char* name_of(rma_epoch e) noexcept {
  static constexpr const char* names[] = {"none", "fence", "start", "lock shared",
                                          "lock exclusive"};
  return names[static_cast<unsigned>(e)];
}

/// An access that waits until the epoch closes. Owns `copy`, and a reference to its runs.
struct rma_queued {
  rma::transfer what;
  std::byte* copy;

  void let_go() const noexcept {
    platform::deallocate(copy);
    if (what.runs != nullptr) what.runs->drop();
  }
};

/// What an origin keeps for one target.
///
/// | field       | set by                                 | cleared by                            |
/// |-------------|----------------------------------------|---------------------------------------|
/// | epoch       | fence, start, lock, lock_all           | fence, complete, unlock, unlock_all   |
/// | open        | the same, or once the lock or the post | the same                              |
/// |             | is there                               |                                       |
/// | fast        | with `open`: loads and stores will do  | with `open`                           |
/// | wanted      | lock: a writer that waits for the word | once it is inside, or gives up        |
/// | asked       | lock by a packet                       | unlock                                |
/// | granted     | the service: its answer                | unlock                                |
/// | denied_by   | the service                            | the same                              |
/// | posts       | the service: counts                    | complete                              |
/// | unanswered  | protocols: effects that only an answer | flush, unlock: who asks for it, whose |
/// |             | tells of                               | answer all threads that flush await   |
/// | stirred     | protocols, but direct ones, where a    | flush, once nothing is left that it   |
/// |             | rank has threads                       | would wait for                        |
struct rma_target {
  /// Where its memory lies here, if plain loads and stores will do now. Another thread may have
  /// waited for that, while this one looks.
  platform::atomic<std::byte*> fast{nullptr};
  std::uint64_t elements = 0;  // How many of the window's type.
  std::byte* base = nullptr;   // Where its memory lies here, if it does.
  std::uint64_t bytes = 0;
  rma::control_block* control = nullptr;  // Its lock, if this rank reaches it.
  rma::element_locks locks{};
  remote_memory remote{};
  static constexpr std::uint64_t no_put = ~std::uint64_t{0};

  peer_id peer = 0;
  rank_t rank = 0;
  std::size_t room = 0;  // Of a packet.
  rma_epoch epoch{};
  bool open = false;
  // Plain stores to its memory may wait in this processor, whose next fence is for them.
  bool stored = false;
  bool loaded = false;   // There have been accesses of another kind since `stored` was set.
  bool threads = false;  // This rank may have several: `stored` is set, and neither changes.
  bool wanted = false;
  bool asked = false;
  bool granted = false;
  bool no_check = false;
  bool lazy = false;             // Of lock_all: the lock is asked for when it is first needed.
  bool left = false;             // It has let its window go without free,
  rank_t denied_by = proc_null;  // Who holds the lock, and is dead, as its owner says.
  errc failure{};                // The first that its service has told, or its loss.
  std::uint64_t failed_at = 0;   // Of what.
  std::uint64_t left_after = 0;  // after so many collective calls.
  errc before_left{};            // The failure there was by then.
  std::int32_t posts = 0;      // Of its exposure epochs that it has told of by packets, less those
                               // that this rank has used.
  std::int32_t completes = 0;  // Of its access epochs here that it has told of by packets, less
                               // those that this rank has waited for.
  std::uint32_t answers = 0;   // That are due,
  std::uint64_t asks = 0;      // of so many that have been asked for, ever.
  std::uint32_t replies = 0;   // The same.
  std::uint64_t reply_bytes = 0;
  std::uint32_t moves = 0;  // The transport's, under way.
  std::uint64_t unanswered = 0;
  platform::atomic<bool> stirred{false};  // Read without the lock.
  bool moved = false;                     // By the transport, since the last fence.
  std::uint64_t sent = 0;                 // Records that the next fence counts,
  std::uint64_t completed = 0;            // and so many there were at the last completion.
  std::byte* packet = nullptr;            // Records that have not left: `room` bytes,
  std::size_t used = 0;                   // of which so many are.
  std::size_t last = 0;                   // Where the last of them begins, and,
  std::uint64_t next = no_put;            // if it is a put, where it ends in the target's memory.
  plain_array<rma_queued> queue;
  rma_record_of_accesses touched;  // In this epoch, if the stack compares them.

  /// What was to come of an access, or to go there, does not, for its buffer may be gone. A failure
  /// of the target itself is told before that.
  void lacks_something() noexcept {
    if (failure == errc{}) failure = errc::pending;
  }
  bool has_not_failed() const noexcept { return failure == errc{} || failure == errc::pending; }
  /// Whether `attempt` drops its access for want of memory, which is no failure of the epoch then.
  template <class F>
  bool lacks_memory(F&& attempt) noexcept {
    const errc before = failure;
    if (before == errc::no_resources) failure = errc{};
    attempt();
    const bool lacks = failure == errc::no_resources;
    const bool none = failure == errc{};  // Not stored again: other threads may read it.
    if (lacks || (none && before != errc{})) failure = before;
    return lacks;
  }
  /// Notes a plain store to its memory.
  [[gnu::always_inline]] void note_store() noexcept {
    if (!stored) [[unlikely]]
      stored = true;
  }
  /// Notes an access that waits in no processor.
  [[gnu::always_inline]] void note_load() noexcept {
    if (!loaded && !threads) [[unlikely]]
      loaded = true;
  }
  /// Makes this processor's accesses to its memory so far come before those that follow. Only
  /// stores need a fence for that. They are taken to go on until there is a load: a fence waits
  /// for whatever has been stored, notes of this one included.
  [[gnu::always_inline]] void fence() noexcept {
    if (!stored) return rma::load_fence();
    rma::full_fence();
    if (loaded) stored = loaded = false;
  }

  /// Notes an access that a flush may have to wait for.
  void stir() noexcept {
    if (threads) stirred.store(true, platform::memory_order_release);
  }
  /// Whether a flush has anything to wait for.
  bool is_busy() const noexcept {
    return (used | replies | moves | unanswered | answers) != 0 || !queue.empty();
  }
  /// Whether the answers up to `ask`, as window_data::ask has numbered it, are here.
  bool has_answered(std::uint64_t ask) const noexcept { return asks - answers >= ask; }

  /// A put of `n` bytes, a multiple of 8, at `at` goes on where the last record has ended, and has
  /// room behind it.
  bool goes_on(std::uint64_t at, std::size_t n) const noexcept {
    return used != 0 && at == next && n <= room - used;
  }
  /// Makes the last record longer. Requires: goes_on. Returns where the data goes.
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

/// What is to come back for one access: one reply after the other, in the order of the bytes.
struct rma_reply {
  memory into;
  std::uint64_t bytes;
  std::uint64_t left;
  rank_t target;
  std::uint32_t generation;
  void* waiter;  // rma_wait
  bool used;
};

/// A request's part: complete when a reply is.
class rma_wait final : public extension {
 public:
  using cut = void (*)(void* window, std::uint32_t slot) noexcept;
  rma_wait(const char* name, rank_t rank, rank_t target) noexcept
      : extension(extension_kind::windows), name_(name), rank_(rank), target_(target) {}
  ~rma_wait() override {
    if (window != nullptr) forget(window, slot);
  }
  errc start() noexcept override { return errc{}; }
  bool part_done_locked(const operation&) noexcept override { return false; }
  void run_locked() noexcept override {}
  std::string describe() const override {
    return formatted("%s on rank %d, target %d", name_, rank_, target_);
  }

  operation* op = nullptr;
  void* window = nullptr;  // While a reply is due.
  std::uint32_t slot = 0;
  cut forget = nullptr;

 private:
  const char* name_;
  rank_t rank_;
  rank_t target_;
};

/// Memory that a dynamic window lets others reach.
struct rma_piece {
  std::uint64_t at;
  std::uint64_t bytes;
};

/// A lock that was asked for by a packet, and is not granted.
struct rma_request {
  rank_t rank;
  bool exclusive;
  bool waits;   // The word knows of it.
  bool passes;  // See lock_word::try_lock.
};

/// A window at this rank, but for the calls that its program makes.
template <class Stack>
struct window_data : exposed_window, allocated {
  using os = one_sided<Stack>;
  endpoint<Stack>& e;
  rank_t rank = 0;
  rank_t size = 0;
  const group* ranks = nullptr;
  const rma::element_type* type = nullptr;
  std::uint64_t unit = 1;  // Bytes that a displacement counts.
  bool dynamic = false;
  rma::protocol chosen{};  // For all accesses, unless automatic.
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  rma::control_block* control = nullptr;  // This rank's own.
  rma::element_locks locks{};
  plain_array<rma_piece> pieces;
  rma_target* targets = nullptr;
  plain_array<rma_reply> replies;
  std::uint32_t free_reply = none;    // Linked by `left`.
  std::uint64_t received = 0;         // Records that the next fence counts.
  std::uint64_t fenced = 0;           // Those that fences through memory have counted.
  plain_array<std::uint64_t> counts;  // What a fence says of each rank.
  std::byte* out = nullptr;           // Replies being collected.
  std::size_t out_used = 0;
  std::size_t out_room = 0;
  plain_array<rma_request> requests;
  plain_array<std::uint8_t> held;       // By each rank, by packets: 0, 1 shared, 2 exclusive.
  std::uint32_t* locks_held = nullptr;  // By this rank, of all windows.
  communicator_state* own = nullptr;    // The window's own communicator.
  plain_array<rank_t> exposed_to;       // Whom the open epoch of post lets in.
  std::uint64_t calls_ended = 0;        // Its collective calls that have ended well here,
  std::uint64_t call_awaited = 0;       // and the number of the one under way; 0: there is none.
  call_site together{};                 // The program's call that such calls are steps of.
  std::source_location made_at;
  rank_t left_by = proc_null;  // The first rank that has let its window go without free.
  rma_touched conflict{};      // What the last errc::rma_conflict is with.

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t backlog_max = 16;
  static constexpr std::uint64_t reply_bytes_max = std::uint64_t{1} << 20;

  explicit window_data(endpoint<Stack>& at) noexcept : e(at) {}
  errc on_records(peer_id source, std::span<const std::byte> records) noexcept override;
  void on_loss(peer_id peer) noexcept override;
  void explain(hang_info& info) noexcept override;
  ~window_data() {
    for (rank_t r = 0; targets != nullptr && r < size; ++r) {
      for (const rma_queued& q : targets[r].queue) {
        if (q.what.data.how != nullptr) q.what.data.how->drop();
        q.let_go();
      }
      platform::deallocate(targets[r].packet);
      targets[r].~rma_target();
    }
    platform::deallocate(targets);
    platform::deallocate(out);
  }
  /// Errors: errc::no_resources.
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

  // --- What accesses touch, if the stack compares that -------------------------------------------

  /// Counts what `x` touches of `t` from now on, all of it, unless some conflicts with what has
  /// been counted in this epoch.
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
  /// `x` does not happen.
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
    const std::uint64_t n = x.what == rma::action::swap ? type->bytes : x.bytes;
    if (n == 0) return;
    if (x.runs == nullptr) return take(rma_touched{x.at, n, x.what, rank});
    for (std::size_t i = 0; i < x.runs->size(); ++i) {
      const rma::run& r = (*x.runs)[i];
      take(rma_touched{x.at + static_cast<std::uint64_t>(r.at), r.bytes, x.what, rank});
    }
  }

  // --- Sending: under the lock -------------------------------------------------------------------

  /// A record that has no data.
  void tell(rma_target& t, rma::record_kind kind, std::uint8_t op = 0, std::uint64_t at = 0,
            std::uint64_t token = 0) noexcept {
    const rma::record r{.kind = kind, .op = op, .at = at, .token = token};
    if (r.counted()) ++t.sent;
    os::send_locked(e, t.peer, context, std::as_bytes(std::span(&r, 1)));
  }
  /// Asks, by a flush or an unlock, for an answer to all that has left and only an answer tells of.
  /// Returns the last that is asked for, maybe by another thread: what has_answered takes.
  /// Requires: nothing is collected.
  std::uint64_t ask(rma_target& t, rma::record_kind by) noexcept {
    const bool asks = std::exchange(t.unanswered, 0) != 0;
    const bool unlocks = by == rma::record_kind::unlock;
    t.answers += asks ? 1 : 0;
    t.asks += asks ? 1 : 0;
    if (asks || unlocks) tell(t, by, asks && unlocks ? 1 : 0);
    return t.asks;
  }
  /// The others shall not wait for this rank, which lets its part go, and learn who did so first.
  void tell_leaving() noexcept {
    const auto first = static_cast<std::uint64_t>(left_by == proc_null ? 0 : left_by + 1);
    for (rank_t r = 0; targets != nullptr && r < size; ++r)
      if (r != rank) tell(targets[r], rma::record_kind::left, 0, calls_ended, first);
  }
  /// Rank `r` has let its part go, after so many collective calls and after `first`, if that is
  /// another: that which it has not ended can end nowhere. Others may: what they need of it is on
  /// its way.
  void leave(rank_t r, std::uint64_t after, rank_t first) noexcept {
    rma_target& t = targets[r];
    if (!t.left) t.before_left = t.failure;
    t.left = true;
    t.left_after = after;
    t.failure = errc::window;
    t.answers = 0;
    t.fast.store(nullptr, platform::memory_order_release);
    if (left_by == proc_null) left_by = first;
    end_all_replies(r, errc::window);
    if (call_awaited > after) os::revoke_locked(e, *own);
    os::noticed_locked(e);
  }
  /// What is collected for a target leaves. Returns false if it has to wait.
  bool send_packet(rma_target& t) noexcept {
    if (t.used == 0) return true;
    if (os::waiting_locked(e, t.peer) > backlog_max) return false;
    os::send_locked(e, t.peer, context, {t.packet, t.used});
    t.used = 0;
    return true;
  }

  // --- Replies -----------------------------------------------------------------------------------

  /// A place for a reply; none: memory is out.
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
      auto& w = *static_cast<rma_wait*>(waiter);
      w.window = this;
      w.slot = i;
      w.forget = [](void* window, std::uint32_t slot) noexcept {
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
  /// nullptr: the peer has no such token.
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
    auto* const w = static_cast<rma_wait*>(r.waiter);
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
  /// Nothing more comes from a target.
  void end_all_replies(rank_t of, errc why) noexcept {
    for (std::size_t i = 0; i < replies.size(); ++i)
      if (replies[i].used && replies[i].target == of) end_reply(replies[i], why);
  }
};

}  // namespace mpx::inline v0::detail
