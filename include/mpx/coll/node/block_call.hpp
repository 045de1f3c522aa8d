// SPDX-License-Identifier: BSL-1.0
#pragma once
// A collective call among ranks that share a block of memory. The latency of a short call is about
// one cache line transfer, where messages need log2(ranks) of them in sequence.
//
// A short call that finds its peers ready needs nothing but the block. A call that has to wait for
// long, or that fails, needs a channel: to be found by hang reports, to learn of lost ranks, and to
// tell the others. A long call has one from its beginning; a short call makes a temporary one for
// each step that needs it, and continues without it.

#include <bit>
#include <cstring>
#include <source_location>

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/node/oversubscribed_wait.hpp"
#include "mpx/comm/collective_channel.hpp"
#include "mpx/engine/base/node_block.hpp"
#include "mpx/engine/endpoint/endpoint_blocks.hpp"

namespace mpx::inline v0::coll {

/// Polls of a flag before the waiting rank does anything else.
inline constexpr unsigned node_polls = 64;
/// True once in 2^28 calls. Tags are compared within half the range of serials, so a rank must then
/// refresh its records of the other ranks, before they become ambiguous.
constexpr bool must_refresh(tag_t serial) noexcept { return (serial & 0x0fff'ffff) == 0; }

/// One collective call of this rank through the block. After a failure, functions that wait return
/// nothing, and those that publish do nothing.
///
/// The members of a short call stay in registers: no function that is not inlined gets its address.
template <class Stack>
class block_call {
  using channel = mpx::detail::collective_channel<Stack>;
  using communicator = mpx::detail::point_to_point<Stack>;
  using blocks_of = mpx::detail::shared_blocks<Stack>;
  using cause = mpx::detail::collective_failure::cause;

 public:
  /// Access to protected members of a handle.
  struct opened : communicator {
    [[MPX_ALWAYS_INLINE]] static mpx::detail::communicator_state& state_of(
        const communicator& on) noexcept {
      return *(on.*(&opened::state_));
    }
    static void check(const communicator& on, std::source_location where) noexcept {
      (on.*(&opened::check_exists))(where);
    }
  };

  /// A call in channel `c`, which holds its failure.
  block_call(channel& c, node_state& s) noexcept : block_call(c, s, c.call().serial) {
    if (c.begin() != errc{}) return;  // E.g. in a forked child, which must not write to the block.
    begun_ = true;
    const node_tag before = tag_of(serial_, 0) - 1;
    // After a call that did not use the block: its end has not been published.
    if (s_.read_up_to != end_of(serial_before(serial_))) publish_read(before);
    if (must_refresh(serial_)) [[unlikely]]
      refresh_records();
  }
  /// A short call, which has no channel. Its failure is described in `outcome`.
  /// Requires: may_begin(s, serial).
  [[MPX_ALWAYS_INLINE]] block_call(const communicator& on, node_state& s, tag_t serial,
                                   const char* name, std::source_location where,
                                   mpx::detail::collective_outcome& outcome) noexcept
      : on_(on),
        s_(s),
        name_(name),
        where_(where),
        outcome_(&outcome),
        serial_(serial),
        me_(on.rank()),
        n_(on.size()) {}
  block_call(const block_call&) = delete;
  block_call& operator=(const block_call&) = delete;
  [[MPX_ALWAYS_INLINE]] ~block_call() {
    if (begun_) publish_read(end_of(serial_));
  }

  /// The next call of a communicator.
  static tag_t next(const mpx::detail::communicator_state& state) noexcept {
    return static_cast<tag_t>(state.collective_serial & 0x7fff'ffffu);
  }
  /// True if a short call can begin: this rank has finished its previous call in the block, and
  /// need not refresh its records of the other ranks now.
  [[MPX_ALWAYS_INLINE]] static bool may_begin(const node_state& s, tag_t serial) noexcept {
    return s.read_up_to == end_of(serial_before(serial)) && !must_refresh(serial);
  }
  /// Begins a short call. The caller must not fall back to another path afterwards.
  [[MPX_ALWAYS_INLINE]] void begin_short() noexcept {
    on_.endpoint_for_reports().pass_without_poll();
    ++opened::state_of(on_).collective_serial;
    begun_ = true;
  }

  rank_t rank() const noexcept { return me_; }
  rank_t size() const noexcept { return n_; }
  /// True if a call with a channel has failed. A short call returns at its first failure.
  [[MPX_ALWAYS_INLINE]] bool failed() const noexcept { return c_ != nullptr && c_->failed(); }

  // --- Publishing --------------------------------------------------------------------------------

  /// Publishes the `bytes` that `write(to)` writes, as `piece`. `announced_bytes`: the number of
  /// bytes from there to the end of the call's data, which readers compare with the length of
  /// their own call; or a mark, see node_is_selective. `readers`: the ranks that may read it; its
  /// value is used only after `write` has returned, so `write` may set it. Returns false if the
  /// call has failed.
  template <class Write>
  [[MPX_ALWAYS_INLINE]] bool publish_as(std::size_t bytes, std::size_t announced_bytes,
                                        std::uint32_t piece, Write&& write,
                                        const std::uint64_t& readers = all_ranks) noexcept {
    if (!wait_until_free(piece)) return false;
    write(data(me_, bytes, piece));
    publish_flag(announced_bytes, piece, readers);
    return true;
  }
  /// Publishes `bytes` at `from` as all of this rank's data.
  [[MPX_ALWAYS_INLINE]] bool publish(const std::byte* from, std::size_t bytes) noexcept {
    return publish_as(bytes, bytes, 0, [&](std::byte* to) __attribute__((always_inline)) {
      copy_for_readers(to, from, bytes);
    });
  }
  /// Publishes each of size() blocks of `bytes` at `from` but this rank's own.
  [[MPX_ALWAYS_INLINE]] bool publish_blocks(const std::byte* from, std::size_t bytes) noexcept {
    const std::size_t all = static_cast<std::size_t>(n_ - 1) * bytes;
    const bool published =
        publish_as(all, all, 0, [&](std::byte* to) __attribute__((always_inline)) {
          const std::byte* block = from;
          for (rank_t r = 0; r < n_ - 1; ++r, block += bytes, to += bytes) {
            if (r == me_) block += bytes;
            copy_for_readers(to, block, bytes);
          }
        });
    prefetch_next(all);
    return published;
  }
  /// Publishes `bytes` of `data`, from offset `at` on, as `piece`.
  [[MPX_ALWAYS_INLINE]] void publish_part(const memory& data, std::size_t at, std::size_t bytes,
                                          std::uint32_t piece) noexcept {
    publish_as(bytes, data.bytes - at, piece, [&](std::byte* to) {
      if (bytes == sizeof(std::uint64_t) && data.contiguous())
        std::memcpy(to, data.base + at, sizeof(std::uint64_t));
      else
        read_prefetched(data, at, {to, bytes});
    });
  }
  /// Returns the memory in which this rank is to build `bytes`, to publish them as `piece`; no
  /// memory if the call has failed.
  memory make_part(std::size_t bytes, std::uint32_t piece) noexcept {
    if (!wait_until_free(piece)) return {};
    std::byte* const to = data(me_, bytes, piece);
    s_.prefetch_to_write(to, bytes);
    return {to, bytes};
  }
  /// Publishes the memory that `make_part` returned.
  void publish_made(std::size_t bytes, std::uint32_t piece) noexcept {
    if (!failed()) publish_flag(bytes, piece);
  }
  /// Copies a part of `data` into this rank's slot without publishing it. Returns the copy.
  memory keep_part(const memory& data, std::size_t at, std::size_t bytes,
                   std::uint32_t piece) noexcept {
    const memory kept = make_part(bytes, piece);
    if (kept.base != nullptr) data.read(at, {kept.base, bytes});
    return kept;
  }
  /// Publishes, for each other rank, a window of its block: `bytes` from offset `at` on, or fewer
  /// if the block ends there. `bytes_left`: the bytes from `at` to the end of the longest block.
  void publish_windows(const blocks& from, std::size_t at, std::size_t bytes, std::uint32_t piece,
                       std::size_t bytes_left) noexcept {
    const std::size_t all = bytes * static_cast<std::size_t>(n_ - 1);
    publish_as(all, bytes_left * static_cast<std::size_t>(n_ - 1), piece, [&](std::byte* to) {
      for (rank_t r = 0; r < n_; ++r) {
        if (r == me_) continue;
        const std::size_t there = from.bytes_of(r);
        if (there > at) read_prefetched(from[r], at, {to, there - at < bytes ? there - at : bytes});
        to += bytes;
      }
    });
    prefetch_next(all, piece);
  }
  /// Prefetches the next slot for writing: see node_state::prefetch_next. Only after piece 0: the
  /// last of several pieces may be short, and the next call does not begin in the slot after it.
  [[MPX_ALWAYS_INLINE]] void prefetch_next(std::size_t bytes,
                                           std::uint32_t piece = 0) const noexcept {
    if (piece == 0) s_.prefetch_next(me_, index(0), bytes);
  }
  /// Publishes the `bytes` that `write(to)` writes to the ranks whose bits are set in `readers`.
  template <class Write>
  [[MPX_ALWAYS_INLINE]] bool publish_selective(std::size_t bytes, Write&& write,
                                               const std::uint64_t& readers) noexcept {
    return publish_as(bytes, bytes | node_is_selective, 0, write, readers);
  }
  /// Announces that the ranks whose bits are set in `readers` get messages instead.
  void announce_messages(std::uint64_t readers) noexcept {
    publish_selective(0, [](std::byte*) {}, readers);
  }

  // --- Reading -----------------------------------------------------------------------------------

  /// Waits until rank r has published `piece`, of `bytes`; `bytes_left` of the call remain from
  /// there on. Returns the piece, or no memory on failure.
  /// Errors: errc::count or errc::truncate if rank r's call is shorter or longer. The first piece
  /// shows that.
  [[MPX_ALWAYS_INLINE]] memory consume(rank_t r, std::size_t bytes, std::uint32_t piece,
                                       std::size_t bytes_left) noexcept {
    return wait_piece(r, piece, bytes_left) ? memory(data(r, bytes, piece), bytes) : memory();
  }
  /// `consume` for a call of a single piece.
  [[MPX_ALWAYS_INLINE]] memory consume(rank_t r, std::size_t bytes,
                                       std::uint32_t piece = 0) noexcept {
    return consume(r, bytes, piece, bytes);
  }
  /// Waits for all other ranks to publish `piece`, beginning with the next one, and calls
  /// `take(r, piece)` for each: see `consume`. Then all ranks have reached the piece. Returns false
  /// on failure.
  template <class Take>
  [[MPX_ALWAYS_INLINE]] bool consume_each(std::size_t bytes, std::uint32_t piece,
                                          std::size_t bytes_left, Take&& take) noexcept {
    if (!wait_for_all_if_oversubscribed(piece)) return false;
    for (rank_t k = 1; k < n_; ++k) {
      const rank_t r = around(me_ + k, n_);
      if (!wait_piece(r, piece, bytes_left)) return false;
      take(r, memory(data(r, bytes, piece), bytes));
    }
    note_all_reached(piece);
    return true;
  }
  /// `consume_each` for a call of a single piece.
  [[MPX_ALWAYS_INLINE]] bool consume_each(std::size_t bytes) noexcept {
    return consume_each(bytes, 0, bytes,
                        [](rank_t, const memory&) __attribute__((always_inline)) {});
  }
  /// `consume_each` for windows: see `consume_window`.
  template <class Take>
  [[MPX_ALWAYS_INLINE]] bool consume_windows(std::size_t bytes, std::uint32_t piece,
                                             std::size_t bytes_left, Take&& take) noexcept {
    const auto windows = static_cast<std::size_t>(n_ - 1);
    return consume_each(bytes * windows, piece, bytes_left * windows,
                        [&](rank_t r, const memory& all)
                            __attribute__((always_inline)) { take(r, window_of(all, r, bytes)); });
  }
  /// Waits until rank r has published its windows. Returns the window for this rank. Errors: as
  /// `consume`.
  [[MPX_ALWAYS_INLINE]] memory consume_window(rank_t r, std::size_t bytes, std::uint32_t piece,
                                              std::size_t bytes_left) noexcept {
    const auto windows = static_cast<std::size_t>(n_ - 1);
    const memory all = consume(r, bytes * windows, piece, bytes_left * windows);
    return all.base == nullptr ? memory() : window_of(all, r, bytes);
  }
  /// The window of `bytes` for this rank in `all` that rank r has published.
  [[MPX_ALWAYS_INLINE]] memory window_of(const memory& all, rank_t r,
                                         std::size_t bytes) const noexcept {
    return {all.base + bytes * static_cast<std::size_t>(me_ < r ? me_ : me_ - 1), bytes};
  }
  /// The `bytes` of rank r in a call of a single piece. Requires: `consume` has returned them.
  [[MPX_ALWAYS_INLINE]] memory published_by(rank_t r, std::size_t bytes) const noexcept {
    return {data(r, bytes, 0), bytes};
  }
  /// Waits until rank r has published anything in this call. Returns true if that rank has called
  /// `publish_selective` or `announce_messages`. Errors: as `consume`.
  bool wait_if_selective(rank_t r) noexcept {
    std::size_t announced_bytes = 0;
    return wait_published(r, 0, announced_bytes) && (announced_bytes & node_is_selective) != 0;
  }
  /// Waits until rank r has called `publish_selective`. Returns its data; of no bytes if it has
  /// called `announce_messages`. Errors: as `consume`.
  [[MPX_ALWAYS_INLINE]] memory consume_selective(rank_t r) noexcept {
    std::size_t announced_bytes = 0;
    if (!wait_published(r, 0, announced_bytes)) return {};
    if ((announced_bytes & node_is_selective) == 0) [[unlikely]]
      return wrong_length(r, 0, announced_bytes);
    const std::size_t bytes = announced_bytes & ~node_is_selective;
    return {data(r, bytes, 0), bytes};
  }
  /// Fails the call: rank r has published `published` bytes, where this rank expected `bytes`.
  [[MPX_ALWAYS_INLINE]] memory wrong_length(rank_t r, std::size_t bytes,
                                            std::size_t published) noexcept {
    const bool more = published > bytes;
    with_channel([r, bytes, published, more](block_call& call) {
      call.c_->failed({more ? errc::truncate : errc::count, more ? cause::message : cause::length,
                       false, r, bytes, published});
      return false;
    });
    return {};
  }
  /// Receives a message of this call. Returns false on failure.
  [[MPX_ALWAYS_INLINE]] bool receive(const memory& into, rank_t from) noexcept {
    return with_channel(
        [into, from](block_call& call) { return call.c_->receive(into, from) == errc{}; });
  }
  /// Does nothing unless ranks outnumber cores; then waits until all ranks of `whom` have published
  /// `piece`, with one yield for all of them, where waiting for one after the other would yield for
  /// each. Returns false on failure.
  [[MPX_ALWAYS_INLINE]] bool wait_for_all_if_oversubscribed(
      std::uint32_t piece = 0, std::uint64_t whom = all_ranks) noexcept {
    if (failed()) return false;
    if (!s_.oversubscribed) return true;
    const unsigned i = index(piece);
    const node_tag tag = tag_of(serial_, piece);
    std::uint64_t missing = whom & s_.block.everybody();
    return s_.block.have_published(missing, i, tag) || yielding().wait_for_all(i, tag, missing) ||
           with_channel([tag, missing](block_call& call) {
             std::uint64_t remaining = missing;
             return call.wait_long(missing, tag, [&call, &remaining, tag] {
               return call.s_.block.have_published(remaining, slot_of(tag), tag);
             });
           });
  }
  /// Counts this rank as arrived at `piece`; the last rank to arrive computes a result of `bytes`
  /// for all, with `make(memory)`. Returns the result once it is complete; no memory on failure.
  /// Requires: the call has a channel.
  template <class Make>
  memory combine_by_last(std::size_t bytes, Make&& make, std::uint32_t piece = 0) noexcept {
    node_slot& slot = s_.block.slot(n_, index(piece));
    const memory made{data(n_, bytes, piece), bytes};
    const node_tag tag = tag_of(serial_, piece);
    if (failed()) return {};
    if (arrive(piece) != n_) {
      const auto ready = [&] { return slot.flag.load(platform::memory_order_acquire) == tag; };
      if (failed()) return {};
      if (ready() || yielding().wait_until(index(piece), tag, ready, s_.block.everybody()))
        return made;
      return wait_long(s_.block.everybody(), tag, ready) ? made : memory();
    }
    make(made);
    if (failed()) return {};
    set_and_wake(slot.flag, tag);
    return made;
  }

  // --- After reading -----------------------------------------------------------------------------

  /// Takes ownership of the cache lines of `read`, which `consume` or `consume_window` has
  /// returned, if that makes the publisher's next stores faster. The contents are lost. Requires:
  /// no rank reads them again.
  [[MPX_ALWAYS_INLINE]] void claim_lines(const memory& read) const noexcept {
    if (read.base != nullptr) s_.claim_lines(read);
  }
  /// `claim_lines` for data that every other rank reads: of two ranks, this one is the only reader.
  [[MPX_ALWAYS_INLINE]] void claim_if_sole_reader(const memory& read) const noexcept {
    if (n_ == 2) claim_lines(read);
  }
  /// Claims what each other rank has published for this rank: `seen(r)`.
  template <class Seen>
  [[MPX_ALWAYS_INLINE]] void claim_lines_of_each(Seen&& seen) const noexcept {
    for (rank_t r = 0; s_.claiming_pays && r < n_ && !failed(); ++r)
      if (r != me_) claim_lines(seen(r));
  }
  bool claims_lines(std::size_t bytes) const noexcept { return s_.claims_lines(bytes); }
  /// Records that all ranks have reached `piece` of this call, so none reads anything earlier.
  [[MPX_ALWAYS_INLINE]] void note_all_reached(std::uint32_t piece = 0) noexcept {
    if (!failed()) s_.all_read_up_to = tag_of(serial_, piece) - 1;
  }
  /// Publishes that this rank has finished reading the call up to and including `piece`.
  void finish_reading_piece(std::uint32_t piece) noexcept { publish_read(tag_of(serial_, piece)); }

  /// Publishes that this rank reads nothing of this call any more.
  void finish_reading() noexcept { publish_read(end_of(serial_)); }

  bool oversubscribed() const noexcept { return s_.oversubscribed; }
  /// Records the root of this call for the waiting policy: see expect_root.
  [[MPX_ALWAYS_INLINE]] void expect(rank_t root) noexcept {
    if (s_.oversubscribed) expect_root(s_, root, serial_);
  }
  [[gnu::cold]] void lose() noexcept { c_->failed(c_->why_lost()); }

  [[MPX_ALWAYS_INLINE]] static void copy(std::byte* to, const std::byte* from,
                                         std::size_t bytes) noexcept {
    if (bytes == sizeof(std::uint64_t))
      std::memcpy(to, from, sizeof(std::uint64_t));
    else if (bytes != 0)
      std::memcpy(to, from, bytes);
  }
  /// Copies into the slot in which a rank publishes.
  [[MPX_ALWAYS_INLINE]] void copy_for_readers(std::byte* to, const std::byte* from,
                                              std::size_t bytes) const noexcept {
    constexpr std::size_t few = 2 * cache_line_bytes;
    if (bytes <= few) return copy(to, from, bytes);
    if (!s_.prefetch_pays) return platform::copy_for_readers(to, from, bytes);
    platform::prefetch_exclusive(to, bytes);
    std::memcpy(to, from, bytes);
  }

 private:
  /// A word of another rank that this rank awaits.
  enum class awaited_word : std::uint8_t { flag, read_up_to };
  /// True if rank r has published `tag` in a slot, or that it has finished reading up to `tag`.
  template <awaited_word W>
  static bool has(const node_state& s, rank_t r, node_tag tag) noexcept {
    if constexpr (W == awaited_word::flag) return s.block.has_published(r, slot_of(tag), tag);
    return reaches(s.block.of(r).read_up_to.load(platform::memory_order_acquire), tag);
  }

  /// A step of a call in channel `c`, without the effects of the call's beginning and end.
  block_call(channel& c, node_state& s, tag_t serial) noexcept
      : on_(c), s_(s), c_(&c), serial_(serial), me_(c.rank()), n_(c.size()) {}

  /// Returns `work(call)` for this call in a channel, which a short call gets here; false if the
  /// call has failed. `work` is passed in registers.
  template <class Work>
  [[MPX_ALWAYS_INLINE]] bool with_channel(Work work) const noexcept {
    return c_ != nullptr ? go_on(*c_, work) : resume(on_, name_, where_, *outcome_, work);
  }
  template <class Work>
  [[gnu::noinline]] static bool go_on(channel& c, Work work) noexcept {
    block_call call(c, *c.state().node, c.call().serial);
    return work(call);
  }
  template <class Work>
  [[gnu::noinline]] static bool resume(const communicator& on, const char* name,
                                       std::source_location where,
                                       mpx::detail::collective_outcome& outcome,
                                       Work work) noexcept {
    channel c(on, {name, where}, typename channel::begun_before());
    if (c.begin() == errc{} && go_on(c, work)) return true;
    c.tell(outcome);
    return false;
  }

  void read_prefetched(const memory& data, std::size_t at,
                       std::span<std::byte> into) const noexcept {
    s_.prefetch_to_write(into.data(), into.size());
    data.read(at, into);
  }
  [[MPX_ALWAYS_INLINE]] unsigned index(std::uint32_t piece) const noexcept {
    return (static_cast<std::uint32_t>(serial_) + piece) % node_slots;
  }
  static unsigned slot_of(node_tag tag) noexcept {
    return (static_cast<std::uint32_t>(tag >> 32) + static_cast<std::uint32_t>(tag) - 1) %
           node_slots;
  }
  [[MPX_ALWAYS_INLINE]] std::byte* data(rank_t r, std::size_t bytes,
                                        std::uint32_t piece) const noexcept {
    return s_.block.data(r, index(piece), bytes);
  }
  /// Waits until no rank reads the previous contents of the slot of `piece`. Returns false if the
  /// call has failed.
  [[MPX_ALWAYS_INLINE]] bool wait_until_free(std::uint32_t piece) noexcept {
    if (failed()) return false;
    const node_tag before = s_.used[index(piece)];
    if (before == 0 || reaches(s_.all_read_up_to, before)) [[likely]]
      return true;
    for (rank_t r = 0; r < n_; ++r)
      if (r != me_ && (s_.readers[index(piece)] >> r & 1) != 0 &&
          !reaches(s_.read_up_to_by[r], before) && !wait_read(r, before))
        return false;
    return true;
  }
  [[MPX_ALWAYS_INLINE]] void publish_flag(std::size_t announced_bytes, std::uint32_t piece,
                                          std::uint64_t readers = all_ranks) noexcept {
    node_slot& slot = s_.block.slot(me_, index(piece));
    slot.bytes.store(announced_bytes, platform::memory_order_relaxed);
    s_.used[index(piece)] = tag_of(serial_, piece);
    s_.readers[index(piece)] = readers;
    set_and_wake(slot.flag, tag_of(serial_, piece));
  }
  /// Counts this rank as arrived at `piece`. Returns the number of ranks that have arrived, this
  /// one included; 0 if the call has failed.
  rank_t arrive(std::uint32_t piece) noexcept {
    auto& word = s_.block.head().arrivals[index(piece)];
    const std::uint64_t mine = arrival_count::first(serial_, piece);
    std::uint64_t old = word.count.load(platform::memory_order_acquire);
    std::uint64_t sum = 0;
    do {
      sum = mine + 1;
      if (arrival_count::is_of(old, mine)) {
        sum = old + 1;
      } else if (arrival_count::is_later(old, mine)) {
        lose();  // The other ranks have abandoned this call.
        return 0;
      }
    } while (!word.count.compare_exchange_strong(old, sum, platform::memory_order_acq_rel));
    return static_cast<rank_t>(sum - mine);
  }
  [[MPX_ALWAYS_INLINE]] oversubscribed_wait<Stack> yielding() const noexcept {
    return {on_.endpoint_for_reports(), s_, me_};
  }
  [[MPX_ALWAYS_INLINE]] void publish_read(node_tag tag) noexcept {
    s_.read_up_to = tag;
    set_and_wake(s_.block.of(me_).read_up_to, tag);
  }
  /// Publishes `tag` in `word`, and wakes the ranks that sleep in this block.
  /// Cost: one store; one load to check for sleeping ranks.
  [[MPX_ALWAYS_INLINE]] void set_and_wake(platform::atomic<node_tag>& word, node_tag tag) noexcept {
    if (s_.fenced) [[unlikely]]
      word.exchange(tag, platform::memory_order_seq_cst);
    else
      word.store(tag, platform::memory_order_release);
    platform::signal_fence();
    const std::uint64_t mask = s_.block.head().sleeping.load(platform::memory_order_relaxed);
    if (mask != 0) [[unlikely]]
      wake(on_, mask & ~bit(me_));
  }
  [[gnu::noinline, gnu::cold]] static void wake(const communicator& on,
                                                std::uint64_t mask) noexcept {
    blocks_of::wake(on.endpoint_for_reports(), opened::state_of(on).ranks, mask);
  }
  /// Refreshes all records of the other ranks: waits until they have read what the slots held
  /// before. See `must_refresh`.
  [[gnu::noinline, gnu::cold]] void refresh_records() noexcept {
    const node_tag before = tag_of(serial_, 0) - 1;
    for (const node_tag used : s_.used)
      for (rank_t r = 0; used != 0 && r < n_; ++r)
        if (r != me_ && !reaches(s_.read_up_to_by[r], used) && !wait_read(r, used)) return;
    for (node_tag& used : s_.used) used = 0;
    for (node_tag& read : s_.read_up_to_by) read = before;
    s_.all_read_up_to = before;
  }
  /// Waits until rank r has published `piece`. `announced_bytes`: the number of bytes that rank r
  /// has announced, with marks. Returns false on failure.
  [[MPX_ALWAYS_INLINE]] bool wait_published(rank_t r, std::uint32_t piece,
                                            std::size_t& announced_bytes) noexcept {
    const node_slot& slot = s_.block.slot(r, index(piece));
    const node_tag tag = tag_of(serial_, piece);
    if (failed()) return false;
    for (unsigned polls = 1; slot.flag.load(platform::memory_order_acquire) != tag; ++polls) {
      if (s_.oversubscribed || polls == node_polls) {
        if (!wait_for<awaited_word::flag>(r, tag)) return false;
        break;
      }
      // Polling without a pause would take the line away from its owner just when it wants to
      // write.
      platform::relax();
    }
    // A rank that has published in this call has finished reading all earlier ones. Recording that
    // here saves a fetch of its `read_up_to` word, whose cache line it keeps writing.
    s_.read_up_to_by[r] = tag_of(serial_, 0) - 1;
    announced_bytes = slot.bytes.load(platform::memory_order_relaxed);
    return true;
  }
  /// Waits until rank r has published `piece`. Fails the call unless `bytes_left` of rank r's call
  /// remain from there on. Returns false on failure.
  [[MPX_ALWAYS_INLINE]] bool wait_piece(rank_t r, std::uint32_t piece,
                                        std::size_t bytes_left) noexcept {
    std::size_t announced_bytes = 0;
    if (!wait_published(r, piece, announced_bytes)) return false;
    if (announced_bytes == bytes_left) [[likely]]
      return true;
    wrong_length(r, bytes_left, announced_bytes & ~node_is_selective);
    return false;
  }
  [[MPX_ALWAYS_INLINE]] bool wait_read(rank_t r, node_tag tag) noexcept {
    const node_tag read = s_.block.of(r).read_up_to.load(platform::memory_order_acquire);
    if (!reaches(read, tag)) return wait_for<awaited_word::read_up_to>(r, tag);
    s_.read_up_to_by[r] = read;
    return true;
  }
  /// Waits for rank r, which has not come within a few polls. Returns false if the call fails.
  template <awaited_word W>
  [[MPX_ALWAYS_INLINE]] bool wait_for(rank_t r, node_tag tag) const noexcept {
    if (s_.oversubscribed && arrives_in_turn<W>(on_, s_, me_, serial_, r, tag)) return true;
    return with_channel([r, tag](block_call& call) {
      return call.wait_long(bit(r), tag, [&call, r, tag] { return has<W>(call.s_, r, tag); });
    });
  }
  template <awaited_word W>
  [[gnu::noinline]] static bool arrives_in_turn(const communicator& on, node_state& s, rank_t me,
                                                tag_t serial, rank_t r, node_tag tag) noexcept {
    return oversubscribed_wait<Stack>(on.endpoint_for_reports(), s, me)
        .wait_for(r, serial, [&s, r, tag] { return has<W>(s, r, tag); });
  }
  /// Waits until `ready`. Returns false if the call fails. Hang reports name the first rank of
  /// `whom` that has not published `tag`, or the last one.
  [[gnu::noinline]] bool wait_long(std::uint64_t whom, node_tag tag,
                                   mpx::detail::function_ref<bool()> ready) noexcept {
    const auto awaited = [&] {
      std::uint64_t missing = whom;
      s_.block.have_published(missing, slot_of(tag), tag);
      const int last = static_cast<int>(std::bit_width(whom)) - 1;
      return c_->peer_of(missing == 0 ? last : std::countr_zero(missing));
    };
    pattern from = pattern::exactly(c_->call().context, awaited(), serial_);
    const auto lost = [&](bool news) {
      return c_->endpoint_of().collective_lost(c_->call()) || (news && finds_message());
    };
    const auto sleeping = [&](bool yes) {
      auto& mask = s_.block.head().sleeping;
      from.source = awaited();
      if (yes)
        mask.fetch_or(bit(me_), platform::memory_order_seq_cst);
      else
        mask.fetch_and(~bit(me_), platform::memory_order_seq_cst);
    };
    if (blocks_of::wait(c_->endpoint_of(), c_->site(), from, {ready, lost, sleeping})) return true;
    if (!failed()) lose();
    return false;
  }
  /// Fails the call if a message of it has arrived from a rank that has not announced messages in
  /// its slot: that rank makes another call, or one of another length. Returns true if so.
  bool finds_message() noexcept {
    const auto* const found = blocks_of::message_of(c_->endpoint_of(), c_->call());
    if (found == nullptr || announces_messages(c_->rank_of(found->is.source))) return false;
    c_->failed(wrong_argument(errc::count, mpx::detail::collective_failure::other_ways));
    return true;
  }
  /// True if rank r has announced in its slot that it sends messages in this call.
  bool announces_messages(rank_t r) const noexcept {
    const node_slot& slot = s_.block.slot(r, index(0));
    return r >= 0 && s_.block.has_published(r, index(0), tag_of(serial_, 0)) &&
           slot.bytes.load(platform::memory_order_relaxed) == node_is_selective;
  }
  static std::uint64_t bit(rank_t r) noexcept { return std::uint64_t{1} << r; }

  const communicator& on_;
  node_state& s_;
  channel* c_ = nullptr;  // Or, in a short call, all that makes one:
  const char* name_ = nullptr;
  std::source_location where_{};
  mpx::detail::collective_outcome* outcome_ = nullptr;
  tag_t serial_;
  rank_t me_;
  rank_t n_;
  bool begun_ = false;  // This object is to publish that the call has been read.
};

}  // namespace mpx::inline v0::coll
