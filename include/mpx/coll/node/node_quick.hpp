// SPDX-License-Identifier: BSL-1.0
#pragma once
// Fast path of short collectives among ranks that share a block of memory. It does what
// node_calls.hpp does, without the code for long waits and for failures.
//
// If the other ranks do not arrive soon, node_calls.hpp runs the call from its beginning. A rank
// that has already published its piece does not publish it again.

#include <bit>
#include <concepts>
#include <cstring>
#include <source_location>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/node/node.hpp"
#include "mpx/comm/point_to_point.hpp"

namespace mpx::inline v0::coll {

/// One short call at one rank. Each `make` tries to complete a call without a long wait. It returns
/// true if it did. If it returns false, nothing has happened, except that this rank may have
/// published its piece. Everything is inlined, so that the members stay in registers. Other types
/// of calls provide a function `try_fast(shm_fast_call<Stack>&, call)`.
template <class Stack>
class shm_fast_call {
  using endpoint_type = mpx::detail::endpoint<Stack>;
  using state_type = mpx::detail::communicator_state;

 public:
  // Larger payloads do not benefit from this path.
  static constexpr std::size_t bytes_max = 2048;
  // Limit for all blocks that a rank publishes together, one for each other rank.
  static constexpr std::size_t blocks_bytes_max = 16384;

  [[MPX_ALWAYS_INLINE]] shm_fast_call(endpoint_type& e, state_type& state, node_state& s, rank_t me,
                                      rank_t n) noexcept
      : e_(e),
        state_(state),
        s_(s),
        me_(me),
        n_(n),
        serial_(static_cast<tag_t>(state.collective_serial & 0x7fff'ffffu)),
        i_(static_cast<std::uint32_t>(serial_) % node_slots) {}

  /// True if the call is short enough for this path. It is tested first, as it depends on the
  /// arguments only.
  static constexpr bool is_short(const bcast_call& call) noexcept {
    return call.data.bytes <= bytes_max;
  }
  static constexpr bool is_short(const barrier_call&) noexcept { return true; }
  static constexpr bool is_short(const allgather_call& call) noexcept {
    return call.out.bytes <= bytes_max;
  }
  static constexpr bool is_short(const alltoall_call& call) noexcept {
    return call.out.bytes <= bytes_max;
  }
  static constexpr bool is_short(const allreduce_call& call) noexcept {
    return call.in.bytes <= bytes_max;
  }
  static constexpr bool is_short(const reduce_scatter_call& call) noexcept {
    return call.in.bytes <= bytes_max;
  }
  /// For other calls, `make` tests the length.
  template <class What>
  static constexpr bool is_short(const What& call) noexcept {
    if constexpr (requires { call.without_layouts(); })
      return is_short(call.without_layouts());
    else
      return true;
  }
  /// True if this rank has left its previous call in the block, and need not refresh its records of
  /// the other ranks now.
  [[MPX_ALWAYS_INLINE]] bool may_begin() const noexcept {
    return s_.left == end_of(serial_before(serial_)) && !looks_back(serial_);
  }

  /// Cost: the root copies, and stores two words; each other rank polls one flag, and copies.
  [[MPX_ALWAYS_INLINE]] bool make(const bcast_call& call) noexcept {
    const std::size_t bytes = call.data.bytes;
    if (!call.data.contiguous() || call.root < 0 || call.root >= n_) return false;
    if (s_.oversubscribed) expect_root(s_, call.root, serial_);
    if (me_ == call.root) {
      if (!is_free()) return false;
      show(bytes, [&](std::byte* to) { copy_to_shown(to, call.data.base, bytes); });
    } else {
      if (!has_come_from(call.root)) return false;
      const std::byte* const shown = see(call.root, bytes);
      if (shown == nullptr) return false;
      copy(call.data.base, shown, bytes);
      claim_other(bytes);
    }
    leave();
    return true;
  }
  [[MPX_ALWAYS_INLINE]] bool make(const barrier_call&) noexcept {
    if (!is_free()) return false;
    show(0, [](std::byte*) {});
    if (!see_all(0)) return false;
    leave_all();
    return true;
  }
  [[MPX_ALWAYS_INLINE]] bool make(const allgather_call& call) noexcept {
    const std::size_t bytes = call.out.bytes;
    const memory& in = call.in;
    if (!plain(call.out) || !in.contiguous() || (in.exists() && in.bytes != bytes) || !is_free())
      return false;
    std::byte* const own = call.out.base + at(me_, bytes);
    const std::byte* const mine = in.exists() ? in.base : own;
    show(bytes, [&](std::byte* to) { copy_to_shown(to, mine, bytes); });
    own_next(bytes);
    if (mine != own) copy(own, mine, bytes);
    if (!have_come()) return false;
    for (rank_t k = 1; k < n_; ++k) {
      const rank_t r = around(me_ + k, n_);
      const std::byte* const shown = see(r, bytes);
      if (shown == nullptr) return false;
      copy(call.out.base + at(r, bytes), shown, bytes);
    }
    claim_other(bytes);
    leave_all();
    return true;
  }
  [[MPX_ALWAYS_INLINE]] bool make(const alltoall_call& call) noexcept {
    const blocks& from = call.in_place ? call.out : call.in;
    const std::size_t bytes = call.out.bytes;
    const std::size_t all = at(n_ - 1, bytes);
    if (all > blocks_bytes_max || !plain(call.out) || !plain(from) || from.bytes != bytes ||
        !is_free())
      return false;
    show_blocks(from, all);
    if (!call.in_place) copy(call.out.base + at(me_, bytes), from.base + at(me_, bytes), bytes);
    if (!have_come()) return false;
    for (rank_t k = 1; k < n_; ++k) {
      const rank_t r = around(me_ + k, n_);
      const std::byte* const shown = see(r, all);
      if (shown == nullptr) return false;
      copy(call.out.base + at(r, bytes), shown + mine_of(r, bytes), bytes);
    }
    claim_mine(bytes, all);
    leave_all();
    return true;
  }
  /// For operations that never throw. The result may overwrite the input, so the call could not be
  /// run again after an exception. All such operations commute.
  [[MPX_ALWAYS_INLINE]] bool make(const allreduce_call& call) noexcept {
    const std::size_t bytes = call.in.bytes;
    const reduction& op = *call.op;
    // If ranks outnumber cores, node_calls.hpp lets one rank combine for all.
    if (s_.oversubscribed || !op.never_throws || call.out.bytes != bytes || !call.in.contiguous() ||
        !call.out.contiguous() || !is_free())
      return false;
    std::byte* const out = call.out.base;
    show(bytes, [&](std::byte* to) { copy_to_shown(to, call.in.base, bytes); });
    own_next(bytes);
    // Copied now, while the other rank's data is on its way: later the cache misses would add to
    // the latency.
    if (n_ == 2 && out != call.in.base) copy(out, call.in.base, bytes);
    if (!see_all(bytes)) return false;
    if (n_ == 2) {
      const std::byte* const theirs = data(1 - me_, bytes);
      op.apply(op.context, out, me_ == 0 ? out : theirs, me_ == 0 ? theirs : out, bytes);
      claim_other(bytes);
    } else {
      op.apply(op.context, out, data(0, bytes), data(1, bytes), bytes);
      for (rank_t r = 2; r < n_; ++r) op.apply(op.context, out, out, data(r, bytes), bytes);
    }
    leave_all();
    return true;
  }
  /// For operations that never throw, as for allreduce.
  [[MPX_ALWAYS_INLINE]] bool make(const reduce_scatter_call& call) noexcept {
    const std::size_t bytes = call.in.bytes;
    const std::size_t all = at(n_ - 1, bytes);
    const reduction& op = *call.op;
    if (all > blocks_bytes_max || !op.never_throws || call.is_in_place() ||
        call.out.bytes != bytes || !plain(call.in) || !call.out.contiguous() || !is_free())
      return false;
    show_blocks(call.in, all);
    std::byte* const out = call.out.base;
    copy(out, call.in.base + at(me_, bytes), bytes);
    if (!see_all(all)) return false;
    const auto theirs = [&](rank_t r) { return data(r, all) + mine_of(r, bytes); };
    // In the order of combine_outwards, so that results are bit-identical on the slow path.
    for (rank_t r = me_ - 1; r >= 0; --r) op.apply(op.context, out, theirs(r), out, bytes);
    for (rank_t r = me_ + 1; r < n_; ++r) op.apply(op.context, out, out, theirs(r), bytes);
    claim_mine(bytes, all);
    leave_all();
    return true;
  }

  template <class What>
  requires requires(shm_fast_call& call, const What& what) {
    { try_fast(call, what) } -> std::same_as<bool>;
  }
  [[MPX_ALWAYS_INLINE]] bool make(const What& what) noexcept {
    return try_fast(*this, what);
  }

  // --- For try_fast --------------------------------------------------------------------------

  rank_t rank() const noexcept { return me_; }
  rank_t size() const noexcept { return n_; }
  /// True if this rank knows that all readers of the slot's previous contents are done.
  [[MPX_ALWAYS_INLINE]] bool is_free() const noexcept {
    const node_tag shown = s_.used[i_];
    if (shown == 0 || reaches(s_.all_left, shown)) return true;
    for (rank_t r = 0; r < n_; ++r)
      if (r != me_ && (s_.readers[i_] >> r & 1) != 0 && !reaches(s_.left_by[r], shown))
        return false;
    return true;
  }
  /// Publishes the `bytes` that `write(to)` writes to `readers`, which is read after the call of
  /// `write`. `mark`: flags for the length, see node_is_edges.
  template <class Write>
  [[MPX_ALWAYS_INLINE]] void show(std::size_t bytes, Write&& write, std::size_t mark = 0,
                                  const std::uint64_t& readers = all_ranks) noexcept {
    node_slot& slot = s_.block.slot(me_, i_);
    write(data(me_, bytes));
    slot.bytes.store(bytes | mark, platform::memory_order_relaxed);
    s_.used[i_] = tag_of(serial_, 0);
    s_.readers[i_] = readers;
    raise(slot.flag, tag_of(serial_, 0));
  }
  /// Prefetches the next slot for writing: see node_state::own_next.
  void own_next(std::size_t bytes) const noexcept { s_.own_next(me_, i_, bytes); }
  /// If ranks outnumber cores, waits for all ranks of `whom` together, as waiting for one after
  /// the other would yield the core once for each. Returns false if they do not publish soon; true
  /// at once where each rank has a core.
  [[MPX_ALWAYS_INLINE]] bool have_come(std::uint64_t whom = all_ranks) noexcept {
    if (!s_.oversubscribed) return true;
    const node_tag tag = tag_of(serial_, 0);
    for (std::uint64_t missing = whom & s_.block.everybody(); missing != 0; missing &= missing - 1)
      if (!s_.block.has_shown(static_cast<rank_t>(std::countr_zero(missing)), i_, tag))
        return crowd<Stack>(e_, s_, me_).wait_for_all(i_, tag, missing);
    return true;
  }
  /// Returns the data that rank r has published; nullptr if it does not arrive soon, or is not of
  /// `bytes`.
  [[MPX_ALWAYS_INLINE]] const std::byte* see(rank_t r, std::size_t bytes) noexcept {
    return see(r, [bytes](std::size_t shown) { return shown == bytes; });
  }
  /// As above; nullptr unless `right(length)` is true, where the length includes the mark.
  template <class Right>
  [[MPX_ALWAYS_INLINE]] const std::byte* see(rank_t r, Right&& right) noexcept {
    const node_slot& slot = s_.block.slot(r, i_);
    for (unsigned look = 0; slot.flag.load(platform::memory_order_acquire) != tag_of(serial_, 0);) {
      if (++look == node_looks) return nullptr;
      platform::relax();
    }
    const std::size_t shown = slot.bytes.load(platform::memory_order_relaxed);
    if (!right(shown)) return nullptr;
    s_.left_by[r] = end_of(serial_before(serial_));
    return data(r, shown & ~node_is_edges);
  }
  /// Takes ownership of the cache lines of `read`, if that pays; the contents are lost: see
  /// node_state. Requires: no other rank reads them, and `make` is certain to return true.
  [[MPX_ALWAYS_INLINE]] void claim(const memory& read) const noexcept { s_.claim(read); }
  bool claims_of(std::size_t bytes) const noexcept { return s_.claims_of(bytes); }
  /// Publishes that this rank reads nothing of the call any more, and ends the call.
  [[MPX_ALWAYS_INLINE]] void leave() noexcept {
    s_.left = end_of(serial_);
    raise(s_.block.of(me_).left, s_.left);
    ++state_.collective_serial;
  }
  [[MPX_ALWAYS_INLINE]] static void copy(std::byte* to, const std::byte* from,
                                         std::size_t bytes) noexcept {
    if (bytes == sizeof(std::uint64_t))
      std::memcpy(to, from, sizeof(std::uint64_t));
    else if (bytes != 0)
      std::memcpy(to, from, bytes);
  }
  /// Copies into the slot in which a rank publishes.
  [[MPX_ALWAYS_INLINE]] void copy_to_shown(std::byte* to, const std::byte* from,
                                           std::size_t bytes) const noexcept {
    constexpr std::size_t few = 2 * cache_line_bytes;
    if (bytes <= few) return copy(to, from, bytes);
    if (!s_.owns_early) return platform::copy_to_shown(to, from, bytes);
    platform::prefetch_exclusive(to, bytes);
    std::memcpy(to, from, bytes);
  }

 private:
  static constexpr std::size_t at(rank_t r, std::size_t bytes) noexcept {
    return static_cast<std::size_t>(r) * bytes;
  }
  /// True if blocks of equal length lie one after the other, without a layout, in a buffer of
  /// exactly that size.
  [[MPX_ALWAYS_INLINE]] bool plain(const blocks& b) const noexcept {
    return b.regular() && b.how == nullptr && b.room == at(n_, b.bytes);
  }
  [[MPX_ALWAYS_INLINE]] std::byte* data(rank_t r, std::size_t bytes) const noexcept {
    return s_.block.data(r, i_, bytes);
  }
  /// Publishes each block but this rank's own. Requires: plain(from).
  [[MPX_ALWAYS_INLINE]] void show_blocks(const blocks& from, std::size_t all) noexcept {
    show(all, [&](std::byte* to) __attribute__((always_inline)) {
      for (rank_t r = 0; r < n_; ++r) {
        if (r == me_) continue;
        copy_to_shown(to, from.base + at(r, from.bytes), from.bytes);
        to += from.bytes;
      }
    });
    own_next(all);
  }
  /// Offset of the block for this rank in what rank r has published.
  std::size_t mine_of(rank_t r, std::size_t bytes) const noexcept {
    return at(me_ < r ? me_ : me_ - 1, bytes);
  }
  /// Claims the other rank's data if there are two ranks. With more, other ranks read it as well.
  [[MPX_ALWAYS_INLINE]] void claim_other(std::size_t bytes) noexcept {
    if (n_ == 2) claim({data(1 - me_, bytes), bytes});
  }
  /// Claims the block for this rank in what each other rank has published: no other rank reads it.
  [[MPX_ALWAYS_INLINE]] void claim_mine(std::size_t bytes, std::size_t all) noexcept {
    if (!s_.claims_of(bytes)) return;
    for (rank_t r = 0; r < n_; ++r)
      if (r != me_) s_.claim({data(r, all) + mine_of(r, bytes), bytes});
  }
  /// `have_come` for rank r alone.
  [[MPX_ALWAYS_INLINE]] bool has_come_from(rank_t r) noexcept {
    const node_tag tag = tag_of(serial_, 0);
    return !s_.oversubscribed || s_.block.has_shown(r, i_, tag) ||
           crowd<Stack>(e_, s_, me_).wait_for_one(r, i_, tag, serial_);
  }
  [[MPX_ALWAYS_INLINE]] bool see_all(std::size_t bytes) noexcept {
    if (!have_come()) return false;
    for (rank_t k = 1; k < n_; ++k)
      if (see(around(me_ + k, n_), bytes) == nullptr) return false;
    return true;
  }
  /// Leaves the call, after all ranks have published in it.
  [[MPX_ALWAYS_INLINE]] void leave_all() noexcept {
    s_.all_left = end_of(serial_before(serial_));
    leave();
  }
  [[MPX_ALWAYS_INLINE]] void raise(platform::atomic<node_tag>& word, node_tag tag) noexcept {
    raise_flag<Stack>(e_, state_, s_, me_, word, tag);
  }

  endpoint_type& e_;
  state_type& state_;
  node_state& s_;
  rank_t me_;
  rank_t n_;
  tag_t serial_;
  unsigned i_;  // Index of this call's slot.
};

/// A communicator handle that tries the fast path.
template <class Stack>
class quick_node : mpx::detail::point_to_point<Stack> {
  using base = mpx::detail::point_to_point<Stack>;

 public:
  explicit quick_node(const base& on) noexcept : base(on) {}

  /// Tries to complete the call by the fast path. Returns false if the caller must take the slow
  /// path: see shm_fast_call.
  template <class What>
  requires requires(shm_fast_call<Stack>& call, const What& what) { call.make(what); }
  [[MPX_ALWAYS_INLINE]] bool make(const What& what, std::source_location where) noexcept {
    if (!shm_fast_call<Stack>::is_short(what)) return false;
    this->check_exists(where);
    node_state* const s = this->state_->node;
    if (s == nullptr) return false;
    this->endpoint_->pass_without_poll();
    shm_fast_call<Stack> call(*this->endpoint_, *this->state_, *s, this->rank_, this->size_);
    return call.may_begin() && mpx::detail::shared_blocks<Stack>::undisturbed(*this->endpoint_) &&
           call.make(what);
  }
};

}  // namespace mpx::inline v0::coll
