// SPDX-License-Identifier: BSL-1.0
#pragma once
// A collective call among ranks that share a block of memory. A short call costs one cache line
// transfer, where messages need log2(ranks) of them in a row. Where ranks outnumber cores, it costs
// one context switch.

#include <cstring>

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/node/node_crowd.hpp"
#include "mpx/comm/collective_channel.hpp"
#include "mpx/engine/base/node_block.hpp"
#include "mpx/engine/endpoint/endpoint_blocks.hpp"

namespace mpx::inline v0::coll {

/// Publishes `tag` in `word`, and wakes the ranks that sleep in this block.
/// Cost: one store; one load to check for sleeping ranks.
template <class Stack>
[[MPX_ALWAYS_INLINE]] inline void raise_flag(mpx::detail::endpoint<Stack>& e,
                                             const mpx::detail::communicator_state& state,
                                             const node_state& s, rank_t me,
                                             platform::atomic<node_tag>& word,
                                             node_tag tag) noexcept {
  if (s.fenced) [[unlikely]]
    word.exchange(tag, platform::memory_order_seq_cst);
  else
    word.store(tag, platform::memory_order_release);
  platform::signal_fence();
  const std::uint64_t mask = s.block.head().sleeping.load(platform::memory_order_relaxed);
  if (mask != 0) [[unlikely]]
    mpx::detail::shared_blocks<Stack>::wake(e, state.ranks, mask & ~(std::uint64_t{1} << me));
}
/// Polls of a flag before the waiting rank does anything else.
inline constexpr unsigned node_looks = 64;
/// True once in 2^28 calls. Tags are compared within half the range of serials, so a rank must then
/// refresh its records of the other ranks, before they become ambiguous.
constexpr bool looks_back(tag_t serial) noexcept { return (serial & 0x0fff'ffff) == 0; }

/// One collective call of this rank through the block. All functions do nothing once the call has
/// failed; `channel` holds the failure.
template <class Stack>
class node_call {
  using channel = mpx::detail::collective_channel<Stack>;
  using blocks_of = mpx::detail::shared_blocks<Stack>;
  using cause = mpx::detail::collective_failure::cause;

 public:
  node_call(channel& c, node_state& s) noexcept
      : c_(c), s_(s), serial_(c.call().serial), me_(c.rank()), n_(c.size()) {
    if (c_.begin() != errc{}) return;  // E.g. in a forked child, which must not write to the block.
    begun_ = true;
    const node_tag before = tag_of(serial_, 0) - 1;
    // The previous call did not use the block, so this rank has not published that it left it.
    if (s_.left != end_of(serial_before(serial_))) leave(before);
    if (looks_back(serial_)) [[unlikely]]
      look_back();
  }
  node_call(const node_call&) = delete;
  node_call& operator=(const node_call&) = delete;
  ~node_call() {
    if (begun_) leave(end_of(serial_));
  }

  bool failed() const noexcept { return c_.failed(); }

  /// Publishes `data` as this rank's piece 0 of the call.
  /// Requires: data.bytes <= node_piece_bytes.
  void show(const memory& data) noexcept { show_part(data, 0, data.bytes, 0); }
  /// Publishes `bytes` of `data`, from offset `at` on, as `piece`. Also publishes the number of
  /// bytes from `at` to the end of `data`, which readers compare with the length of their own call.
  [[MPX_ALWAYS_INLINE]] void show_part(const memory& data, std::size_t at, std::size_t bytes,
                                       std::uint32_t piece) noexcept {
    if (!make_free(piece)) return;
    std::byte* const to = s_.block.data(me_, index(piece), bytes);
    if (bytes == sizeof(std::uint64_t) && data.contiguous())
      std::memcpy(to, data.base + at, sizeof(std::uint64_t));
    else
      read_early(data, at, {to, bytes});
    shown(data.bytes - at, piece);
  }
  /// Returns the memory in which this rank is to build `bytes`, to publish them as `piece`; no
  /// memory if the call has failed, or the piece is published already.
  memory make_part(std::size_t bytes, std::uint32_t piece) noexcept {
    if (!make_free(piece)) return {};
    std::byte* const to = s_.block.data(me_, index(piece), bytes);
    s_.own_early(to, bytes);
    return {to, bytes};
  }
  /// Publishes the memory that `make_part` returned.
  void show_made(std::size_t bytes, std::uint32_t piece) noexcept {
    if (!failed()) shown(bytes, piece);
  }
  /// Copies a part of `data` into this rank's slot without publishing it. Returns the copy.
  memory keep_part(const memory& data, std::size_t at, std::size_t bytes,
                   std::uint32_t piece) noexcept {
    const memory kept = make_part(bytes, piece);
    if (kept.base != nullptr) data.read(at, {kept.base, bytes});
    return kept;
  }
  /// Publishes, for each other rank, a window of its block: `bytes` from offset `at` on, or fewer
  /// if the block ends there. `left`: the bytes from `at` to the end of the longest block.
  void show_windows(const blocks& from, std::size_t at, std::size_t bytes, std::uint32_t piece,
                    std::size_t left) noexcept {
    if (!make_free(piece)) return;
    const std::size_t all = bytes * static_cast<std::size_t>(n_ - 1);
    std::byte* to = s_.block.data(me_, index(piece), all);
    for (rank_t r = 0; r < n_; ++r) {
      if (r == me_) continue;
      const std::size_t there = from.bytes_of(r);
      if (there > at) read_early(from[r], at, {to, there - at < bytes ? there - at : bytes});
      to += bytes;
    }
    shown(left * static_cast<std::size_t>(n_ - 1), piece);
    own_next(all, piece);
  }
  /// Prefetches the next slot for writing: see node_state::own_next. Only after piece 0: the last
  /// of several pieces may be short, and the next call does not begin in the slot that follows it.
  void own_next(std::size_t bytes, std::uint32_t piece) const noexcept {
    if (piece == 0) s_.own_next(me_, index(0), bytes);
  }
  /// Waits until rank r has published its windows. Returns the window for this rank. Errors: as
  /// `see`.
  memory see_window(rank_t r, std::size_t bytes, std::uint32_t piece, std::size_t left) noexcept {
    const auto windows = static_cast<std::size_t>(n_ - 1);
    const memory all = see(r, bytes * windows, piece, left * windows);
    if (all.base == nullptr) return {};
    return {all.base + bytes * static_cast<std::size_t>(me_ < r ? me_ : me_ - 1), bytes};
  }
  /// Publishes the loan to each rank, for a call of `total` bytes.
  void show_loan(const loan* lent, std::size_t total) noexcept {
    if (!make_free(0)) return;
    const std::size_t bytes = sizeof(loan) * static_cast<std::size_t>(n_);
    std::memcpy(s_.block.data(me_, index(0), bytes), lent, bytes);
    shown(total | node_is_loan, 0);
  }
  /// Waits until rank r has published anything in this call. Returns true if it is of `kind`, which
  /// is node_is_loan or node_is_edges. Errors: as `see`.
  bool shows(rank_t r, std::size_t kind) noexcept {
    node_slot& slot = s_.block.slot(r, index(0));
    return !failed() && wait(slot.flag, tag_of(serial_, 0), r) &&
           (slot.bytes.load(platform::memory_order_relaxed) & kind) != 0;
  }
  /// Waits until rank r has published its loans. Returns the loan to this rank, or nullptr on
  /// failure.
  /// Errors: as `see`.
  const loan* see_loan(rank_t r, std::size_t total) noexcept {
    node_slot& slot = s_.block.slot(r, index(0));
    if (failed() || !wait(slot.flag, tag_of(serial_, 0), r)) return nullptr;
    const std::size_t shown = slot.bytes.load(platform::memory_order_relaxed);
    if (shown != (total | node_is_loan)) [[unlikely]] {
      static_cast<void>(wrong_length(r, total, shown & ~(node_is_loan | node_is_edges)));
      return nullptr;
    }
    const std::size_t bytes = sizeof(loan) * static_cast<std::size_t>(n_);
    return reinterpret_cast<const loan*>(s_.block.data(r, index(0), bytes)) + me_;
  }
  /// Publishes `bytes` of the memory that `make_part` returned to the ranks whose bits are set in
  /// `readers`. With `bytes` == 0 it announces that those ranks get messages instead.
  void show_edges(std::size_t bytes, std::uint64_t readers) noexcept {
    if (!failed()) shown(bytes | node_is_edges, 0, readers);
  }
  /// Waits until rank r has called `show_edges`. Returns its data. Errors: as `see`.
  memory see_edges(rank_t r) noexcept {
    node_slot& slot = s_.block.slot(r, index(0));
    if (failed() || !wait(slot.flag, tag_of(serial_, 0), r)) return {};
    s_.left_by[r] = tag_of(serial_, 0) - 1;
    const std::size_t shown = slot.bytes.load(platform::memory_order_relaxed);
    if ((shown & (node_is_edges | node_is_loan)) != node_is_edges) [[unlikely]]
      return wrong_length(r, 0, shown & ~node_is_loan);
    const std::size_t bytes = shown & ~node_is_edges;
    return {s_.block.data(r, index(0), bytes), bytes};
  }
  /// Fails the call: rank r has published `shown` bytes, where this rank expected `bytes`.
  [[gnu::cold]] memory wrong_length(rank_t r, std::size_t bytes, std::size_t shown) noexcept {
    const bool more = shown > bytes;
    c_.failed({more ? errc::truncate : errc::count, more ? cause::message : cause::length, false, r,
               bytes, shown});
    return {};
  }
  /// Waits until all ranks have left this call. Returns at once if it has failed.
  void wait_until_left() noexcept {
    for (rank_t r = 0; !failed() && r < n_; ++r)
      if (r != me_) wait_left(r, end_of(serial_));
    met();
  }
  /// Waits until rank r has published `piece`, of `bytes`; `left` bytes of the call remain from
  /// there on. Returns the piece, or no memory on failure.
  /// Errors: errc::count or errc::truncate if rank r's call is shorter or longer. The first piece
  /// shows that.
  memory see(rank_t r, std::size_t bytes, std::uint32_t piece, std::size_t left) noexcept {
    node_slot& slot = s_.block.slot(r, index(piece));
    if (failed() || !wait(slot.flag, tag_of(serial_, piece), r)) return {};
    // A rank that has published in this call has finished reading all earlier ones. Recording that
    // here saves a fetch of its `left` word, whose cache line it keeps writing.
    s_.left_by[r] = tag_of(serial_, 0) - 1;
    const std::size_t shown = slot.bytes.load(platform::memory_order_relaxed);
    if (shown != left) [[unlikely]]
      return wrong_length(r, left, shown & ~(node_is_loan | node_is_edges));
    return {s_.block.data(r, index(piece), bytes), bytes};
  }
  /// `see` for a call of a single piece.
  memory see(rank_t r, std::size_t bytes, std::uint32_t piece = 0) noexcept {
    return see(r, bytes, piece, bytes);
  }
  /// Takes ownership of the cache lines of `read`, which `see` or `see_window` has returned, if
  /// that pays. The contents are lost. Requires: neither this rank nor any other reads them again.
  void claim(const memory& read) noexcept {
    if (read.base != nullptr) s_.claim(read);
  }
  /// `claim` for data that every other rank reads: only with two ranks is this rank the only
  /// reader.
  void claim_of_two(const memory& read) noexcept {
    if (n_ == 2) claim(read);
  }
  /// Claims what each other rank has published for this rank: `seen(r)`.
  template <class Seen>
  void claim_of_each(Seen&& seen) noexcept {
    for (rank_t r = 0; s_.claims && r < n_ && !failed(); ++r)
      if (r != me_) claim(seen(r));
  }
  /// Records that all ranks have reached `piece` of this call, so none reads anything earlier.
  void met(std::uint32_t piece = 0) noexcept {
    if (!failed()) s_.all_left = tag_of(serial_, piece) - 1;
  }
  /// Publishes that this rank has finished reading the call up to and including `piece`.
  void leave_piece(std::uint32_t piece) noexcept { leave(tag_of(serial_, piece)); }

  /// Publishes that this rank reads nothing of this call any more.
  void leave_call() noexcept { leave(end_of(serial_)); }

  /// Waits until all ranks of `whom` have published `piece`, with few context switches where ranks
  /// outnumber cores. Returns early if the call fails.
  /// Requires: every rank calls this once it has published its piece.
  void see_all(std::uint32_t piece = 0, std::uint64_t whom = all_ranks) noexcept {
    const unsigned i = index(piece);
    const node_tag tag = tag_of(serial_, piece);
    rank_t here = 0;
    const auto ready = [&] {
      while (here < n_ && ((whom >> here & 1) == 0 || s_.block.has_shown(here, i, tag))) ++here;
      return here == n_;
    };
    if (!failed() && !ready() && !others().wait_for_all(i, tag, whom & s_.block.everybody()))
      wait_long(n_, tag, ready, whom);
  }
  /// As `see_all`; then the last rank to arrive computes a result of `bytes` for all, with
  /// `make(memory)`. Returns the result once it is complete; no memory on failure.
  template <class Make>
  memory meet(std::size_t bytes, Make&& make, std::uint32_t piece = 0) noexcept {
    node_slot& slot = s_.block.slot(n_, index(piece));
    const memory made{s_.block.data(n_, index(piece), bytes), bytes};
    const node_tag tag = tag_of(serial_, piece);
    if (failed()) return {};
    if (come(piece) != n_) {
      const auto ready = [&] { return slot.flag.load(platform::memory_order_acquire) == tag; };
      if (failed()) return {};
      if (ready() || others().wait_in_turn(index(piece), tag, ready, s_.block.everybody()))
        return made;
      return wait_long(n_, tag, ready) ? made : memory();
    }
    make(made);
    if (failed()) return {};
    raise(slot.flag, tag);
    return made;
  }
  bool oversubscribed() const noexcept { return s_.oversubscribed; }
  /// True if long data may be read directly from the memory of the other ranks.
  bool may_read() const noexcept { return s_.may_read; }
  /// Records the root of this call for the waiting policy: see expect_root.
  void expect(rank_t root) noexcept {
    if (s_.oversubscribed) expect_root(s_, root, serial_);
  }
  [[gnu::cold]] void lose() noexcept { c_.failed(c_.why_lost()); }

 private:
  void read_early(const memory& data, std::size_t at, std::span<std::byte> into) noexcept {
    s_.own_early(into.data(), into.size());
    data.read(at, into);
  }
  unsigned index(std::uint32_t piece) const noexcept {
    return (static_cast<std::uint32_t>(serial_) + piece) % node_slots;
  }
  static unsigned slot_of(node_tag tag) noexcept {
    return (static_cast<std::uint32_t>(tag >> 32) + static_cast<std::uint32_t>(tag) - 1) %
           node_slots;
  }
  /// Waits until no rank reads the previous contents of the slot of `piece`. Returns true if this
  /// rank is to publish `piece`; false if the call has failed, or if node_quick.hpp has published
  /// the piece already.
  bool make_free(std::uint32_t piece) noexcept {
    const node_tag before = s_.used[index(piece)];
    if (failed() || before == tag_of(serial_, piece)) return false;
    if (before == 0 || reaches(s_.all_left, before)) [[likely]]
      return true;
    for (rank_t r = 0; r < n_; ++r)
      if (r != me_ && (s_.readers[index(piece)] >> r & 1) != 0 && !reaches(s_.left_by[r], before) &&
          !wait_left(r, before))
        return false;
    return true;
  }
  void shown(std::size_t bytes, std::uint32_t piece, std::uint64_t readers = all_ranks) noexcept {
    node_slot& slot = s_.block.slot(me_, index(piece));
    slot.bytes.store(bytes, platform::memory_order_relaxed);
    s_.used[index(piece)] = tag_of(serial_, piece);
    s_.readers[index(piece)] = readers;
    raise(slot.flag, tag_of(serial_, piece));
  }
  /// Counts this rank as arrived at `piece`. Returns the number of ranks that have arrived, this
  /// one included; 0 if the call has failed.
  rank_t come(std::uint32_t piece) noexcept {
    auto& word = s_.block.head().come[index(piece)];
    const std::uint64_t mine = node_come::first(serial_, piece);
    std::uint64_t old = word.count.load(platform::memory_order_acquire);
    std::uint64_t sum = 0;
    do {
      sum = mine + 1;
      if (node_come::is_of(old, mine)) {
        sum = old + 1;
      } else if (node_come::is_later(old, mine)) {
        lose();  // The other ranks have abandoned this call.
        return 0;
      }
    } while (!word.count.compare_exchange_strong(old, sum, platform::memory_order_acq_rel));
    return static_cast<rank_t>(sum - mine);
  }
  crowd<Stack> others() noexcept { return {c_.endpoint_of(), s_, me_}; }
  void leave(node_tag tag) noexcept {
    s_.left = tag;
    raise(s_.block.of(me_).left, tag);
  }
  [[MPX_ALWAYS_INLINE]] void raise(platform::atomic<node_tag>& word, node_tag tag) noexcept {
    raise_flag<Stack>(c_.endpoint_of(), c_.state(), s_, me_, word, tag);
  }
  /// Refreshes all records of the other ranks: waits until they have left what the slots held
  /// before. See `looks_back`.
  [[gnu::noinline, gnu::cold]] void look_back() noexcept {
    const node_tag before = tag_of(serial_, 0) - 1;
    for (const node_tag used : s_.used)
      for (rank_t r = 0; used != 0 && r < n_; ++r)
        if (r != me_ && !reaches(s_.left_by[r], used) && !wait_left(r, used)) return;
    for (node_tag& used : s_.used) used = 0;
    for (node_tag& left : s_.left_by) left = before;
    s_.all_left = before;
  }
  [[MPX_ALWAYS_INLINE]] bool wait(const platform::atomic<node_tag>& word, node_tag tag,
                                  rank_t r) noexcept {
    const unsigned looks = s_.oversubscribed ? 1 : node_looks;
    for (unsigned i = 0; i < looks; ++i) {
      if (word.load(platform::memory_order_acquire) == tag) [[likely]]
        return true;
      // Polling without a pause would take the line away from its owner just when it wants to
      // write.
      platform::relax();
    }
    return wait_apart(r, tag, [&] { return word.load(platform::memory_order_acquire) == tag; });
  }
  bool wait_left(rank_t r, node_tag tag) noexcept {
    const auto& word = s_.block.of(r).left;
    const node_tag left = word.load(platform::memory_order_acquire);
    if (reaches(left, tag)) {
      s_.left_by[r] = left;
      return true;
    }
    return wait_apart(r, tag,
                      [&] { return reaches(word.load(platform::memory_order_acquire), tag); });
  }
  [[gnu::noinline]] bool wait_apart(rank_t r, node_tag tag,
                                    mpx::detail::function_ref<bool()> ready) noexcept {
    return (s_.oversubscribed && others().wait_for(r, serial_, ready)) || wait_long(r, tag, ready);
  }
  /// Waits for rank r; if r == size, for the ranks of `whom` that have not published `tag` yet.
  /// Returns false if the call fails.
  [[gnu::noinline]] bool wait_long(rank_t r, node_tag tag, mpx::detail::function_ref<bool()> ready,
                                   std::uint64_t whom = all_ranks) noexcept {
    auto& e = c_.endpoint_of();
    const auto awaited = [&] {
      rank_t missing = r == n_ ? 0 : r;
      const auto waits_for = [&](rank_t k) {
        return (whom >> k & 1) != 0 && !s_.block.has_shown(k, slot_of(tag), tag);
      };
      if (r == n_)
        while (missing + 1 < n_ && !waits_for(missing)) ++missing;
      return c_.peer_of(missing);
    };
    pattern from = pattern::exactly(c_.call().context, awaited(), serial_);
    const auto lost = [&](bool news) {
      return e.collective_lost(c_.call()) || (news && finds_message());
    };
    const auto sleeping = [&](bool yes) {
      auto& mask = s_.block.head().sleeping;
      from.source = awaited();
      if (yes)
        mask.fetch_or(bit(), platform::memory_order_seq_cst);
      else
        mask.fetch_and(~bit(), platform::memory_order_seq_cst);
    };
    if (blocks_of::wait(e, c_.site(), from, {ready, lost, sleeping})) return true;
    if (!failed()) lose();
    return false;
  }
  /// Fails the call if a message of it has arrived from a rank that has not announced messages in
  /// its slot: that rank makes another call, or one of another length. Returns true if so.
  bool finds_message() noexcept {
    const auto* const found = blocks_of::message_of(c_.endpoint_of(), c_.call());
    if (found == nullptr || says_so(c_.rank_of(found->is.source))) return false;
    c_.failed(wrong_argument(errc::count, mpx::detail::collective_failure::other_ways));
    return true;
  }
  /// True if rank r has announced in its slot that it sends messages in this call.
  bool says_so(rank_t r) const noexcept {
    const node_slot& slot = s_.block.slot(r, index(0));
    return r >= 0 && s_.block.has_shown(r, index(0), tag_of(serial_, 0)) &&
           slot.bytes.load(platform::memory_order_relaxed) == node_is_edges;
  }
  std::uint64_t bit() const noexcept { return std::uint64_t{1} << me_; }

  channel& c_;
  node_state& s_;
  tag_t serial_;
  rank_t me_;
  rank_t n_;
  bool begun_ = false;
};

}  // namespace mpx::inline v0::coll
