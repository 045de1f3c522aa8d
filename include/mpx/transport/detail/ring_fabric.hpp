// SPDX-License-Identifier: BSL-1.0
#pragma once
// Rings between pairs of active ranks that share memory, and a doorbell for each rank. Shared by
// the inproc and the shm transport.
//
// A receiver polls only the rings that were active lately ("hot"). A sender that finds a ring cold
// sets the receiver's attention bit for the ring, and wakes the receiver if it sleeps. The two run
// Dekker's algorithm over (mark, polled). The receiver changes its side rarely, so that it pays for
// both fences with a heavy barrier; the sender's fast path is one load. If ranks outnumber cores, a
// receiver sleeps after every message. It then marks no ring as polled: senders always set the bit,
// which is a fence, and no heavy barrier is needed.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "mpx/core/exchange.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/core_sharing.hpp"
#include "mpx/transport/detail/doorbell.hpp"
#include "mpx/transport/detail/line_ring.hpp"
#include "mpx/transport/detail/ring_ends.hpp"

namespace mpx::inline v0::transport::detail {

/// The packet part of a transport over shared memory. `Segment` locates the shared structures:
/// `doorbell(slot) -> doorbell_control&` and `channel(source, destination) -> std::byte*` (nullptr
/// if the machine is out of mappings), both stable for the segment's life. Both take slots. A
/// peer's number is its slot, unless peers may be added: then `slot_of(peer)`, `peer_of(slot)` (or
/// `no_peer`) and `slots()` give the mapping, and `use(peer)` is called before a channel is used.
/// With descriptors to sleep on, `make_bell() -> int` creates this rank's bell (-1: none),
/// `wait_bell` and `quiet_bell` are for its owner, and `ring_bell(slot)` may be called by any
/// thread.
template <class Segment>
class ring_fabric : public defaults {
  static constexpr bool elastic = requires(Segment& s, peer_id peer) { s.slot_of(peer); };
  static constexpr bool pollable = requires(Segment& s) { s.make_bell(); };

 public:
  [[gnu::noinline, gnu::cold]] ring_fabric(Segment segment, peer_id self, peer_id peers,
                                           ring_geometry geometry)
      : segment_(std::move(segment)),
        self_(self),
        self_slot_(slot_of(self)),
        peers_(peers),
        geometry_(geometry),
        out_(peers),
        in_(peers),
        have_barrier_(platform::register_heavy_barrier()),
        oversubscribed_(peers > static_cast<peer_id>(platform::usable_cores())) {
    doorbell_ = &segment_.doorbell(self_slot_);
  }

  peer_id self() const noexcept { return self_; }
  peer_id peers() const noexcept { return peers_; }
  bool oversubscribed() const noexcept { return oversubscribed_; }
  /// See Transport. Compares with up to `neighbours_max` peers whose rings are hot.
  bool shares_core() noexcept {
    const std::uint32_t here = core_sharing::say(doorbell_->core);
    std::uint64_t seen = 0;
    bool shares = false;
    for (std::size_t i = 0; i < hot_.size() && i < neighbours_max; ++i) {
      const peer_id slot = slot_of(hot_[i]->source);
      const auto there = segment_.doorbell(slot).core.load(platform::memory_order_relaxed);
      seen |= core_sharing::bit_of(there);
      shares = shares || (there == here && slot != self_slot_);
    }
    return shares && (oversubscribed_ || !sharing_.leaves(doorbell_->core, seen));
  }
  const fabric_counters& counters() const noexcept { return counters_; }
  Segment& segment() noexcept { return segment_; }
  const Segment& segment() const noexcept { return segment_; }

  /// See Transport.
  /// Cost:       one line written, and one load of a word that seldom changes.
  [[gnu::noinline]] outcome post(peer_id peer, const frame_header& header,
                                 std::span<const std::byte> payload, cookie_t) noexcept {
    sender* s = out_[peer];
    if (s == nullptr) [[unlikely]] {
      s = wire_out(peer);
      if (s == nullptr) return outcome::refused;
    }
    if (!s->ring.put(header, payload.data(), payload.size())) [[unlikely]]
      return block_on_space(*s);
    notify_if_not_polled(*s);
    return outcome::done;
  }

  /// See PrepaidTransport.
  std::uint32_t* prepaid_credit(peer_id peer) noexcept {
    sender* const s = out_[peer];
    return s == nullptr ? nullptr : &s->ring.prepaid_credit();
  }
  [[MPX_ALWAYS_INLINE]] bool try_post_prepaid(peer_id peer, const frame_header& header,
                                              std::span<const std::byte> payload,
                                              std::uint32_t price) noexcept {
    sender* const s = out_[peer];
    if (s == nullptr || !s->ring.try_put_prepaid(header, payload.data(), payload.size(), price))
      return false;
    notify_if_not_polled(*s);
    return true;
  }

  /// See Transport. Takes one packet of each hot ring. If only one ring is hot, takes up to
  /// `burst_max` packets, and stops after the first payload of at least `last_payload_min` bytes
  /// unless more packets of its message follow.
  template <PacketSink Sink>
  [[MPX_ALWAYS_INLINE]] std::size_t poll(Sink& sink) noexcept {
    if (doorbell_->summary.load(platform::memory_order_relaxed) != 0) [[unlikely]]
      serve_attention(sink);
    std::uint32_t taken = 0;
    if (receiver* r = only_; r != nullptr) [[likely]] {
      taken = r->ring.take(burst_max, [&](const frame_header& h, const std::byte* data,
                                          std::uint32_t code) __attribute__((always_inline)) {
        return deliver(*r, sink, h, data, code);
      });
      if (taken != 0 && r->ring.free(taken)) [[unlikely]]
        hungry_ = r->hungry = true;
    } else {
      taken = poll_many(sink);
    }
    if (hungry_) [[unlikely]]
      feed();
    return taken;
  }

  /// See Transport.
  template <class F>
  [[MPX_ALWAYS_INLINE]] bool take_if(peer_id source, F&& f) noexcept {
    receiver* r = in_[source];
    if (r == nullptr) return false;
    const std::uint32_t code = r->ring.code();
    if (code > line_data_bytes || !f(r->ring.header(), std::span(r->ring.data(), code)))
      return false;
    if (r->ring.pop()) [[unlikely]]
      feed(*r);
    return true;
  }

  /// See Transport.
  [[gnu::noinline, gnu::cold]] bool arm() noexcept {
    armed_ = true;
    if (marks_polled_rings()) {
      for (receiver* r : hot_) r->ring.control().polled.store(0, platform::memory_order_relaxed);
    }
    doorbell_->sleeping.store(descriptor_ < 0 ? asleep : asleep_on_descriptor,
                              platform::memory_order_seq_cst);
    // Set after `sleeping`: a receiver rings only once when it clears this mark, and must find a
    // sleeper.
    for (sender* s : blocked_on_space_)
      s->ring.control().blocked_on_space.store(1, platform::memory_order_release);
    if ((marks_polled_rings() && !hot_.empty()) || !blocked_on_space_.empty())
      platform::heavy_barrier();
    if (!something_to_do()) return true;
    doorbell_->sleeping.store(0, platform::memory_order_relaxed);
    armed_ = false;
    if (marks_polled_rings()) {
      for (receiver* r : hot_) r->ring.control().polled.store(1, platform::memory_order_relaxed);
    }
    settle_blocked();
    return false;
  }

  /// See Transport. Without a heavy barrier the notification that a ring has space can be lost, so
  /// that sleeps which wait for space are kept short.
  void sleep(std::int64_t timeout_ns) noexcept {
    if (!have_barrier_ && !blocked_on_space_.empty() && timeout_ns > blind_sleep_ns)
      timeout_ns = blind_sleep_ns;
    if constexpr (pollable) {
      if (descriptor_ >= 0) {
        timed_out_ = segment_.wait_bell(timeout_ns);
        return;
      }
    }
    timed_out_ = platform::futex_wait(doorbell_->sleeping, asleep, timeout_ns);
  }

  /// See PollableTransport. Returns -1 without a heavy barrier, since sleeps must be short then.
  int descriptor() noexcept requires requires(Segment& s) { s.make_bell(); }
  {
    if (descriptor_ < 0 && have_barrier_ && !armed_) descriptor_ = segment_.make_bell();
    return descriptor_;
  }

  /// See Transport.
  [[gnu::noinline, gnu::cold]] void disarm() noexcept {
    ++counters_.sleeps;
    armed_ = false;
    const bool unwoken = doorbell_->sleeping.exchange(0, platform::memory_order_acquire) != 0;
    if constexpr (pollable) {
      if (descriptor_ >= 0) segment_.quiet_bell();
    }
    // A wake-up meant for an earlier sleep may end this one at the moment when something arrives.
    if (mpx::detail::exchange(timed_out_, false) && unwoken && something_to_do())
      ++counters_.missed_wakeups;
    for (receiver* r : hot_) {
      r->hot = r->ring.ready();
      if (r->hot && marks_polled_rings())
        r->ring.control().polled.store(1, platform::memory_order_relaxed);
    }
    drop_cold();  // A later sender finds the ring cold and sets its attention bit.
    settle_blocked();
  }

  /// See Transport. Ends a wait, from any thread of any process that maps the segment.
  void wake() noexcept { ring_doorbell(*doorbell_, self_slot_); }
  /// See SharedMemoryTransport.
  void wake_peer(peer_id peer) noexcept {
    ring_doorbell(segment_.doorbell(slot_of(peer)), slot_of(peer));
  }

 protected:
  // For transports whose peers may be added and dropped. Not called within a poll.
  /// Extends the tables for `peer`. Returns false and changes nothing if memory is out.
  bool make_room(peer_id peer) noexcept {
    return out_.try_extend(std::size_t{peer} + 1) && in_.try_extend(std::size_t{peer} + 1);
  }
  /// `peer` has a slot now. It may have sent before, so that the next poll looks at its ring.
  void admit(peer_id peer) noexcept {
    if (peer >= peers_) peers_ = peer + 1;
    doorbell_->set_attention(slot_of(peer));
    if (armed_) wake();
  }
  /// From now on nothing is received from `peer` or sent to it.
  void dismiss(peer_id peer) noexcept {
    if (const sender* s = out_[peer]; s != nullptr) {
      blocked_on_space_.erase_if([s](const sender* other) { return other == s; });
      out_.erase(peer);
      --senders_;
    }
    if (receiver* const r = in_[peer]; r != nullptr) {
      r->hot = false;
      drop_cold();
      in_.erase(peer);
      --receivers_;
    }
  }
  /// Updates whether ranks outnumber cores, now that there are `n` members.
  void count_members(peer_id n) noexcept {
    const bool over = n > static_cast<peer_id>(platform::usable_cores());
    if (over && marks_polled_rings() && !armed_) {
      for (receiver* r : hot_) r->ring.control().polled.store(0, platform::memory_order_relaxed);
      platform::heavy_barrier();  // From here on all senders set their bits.
    }
    if (!armed_) oversubscribed_ = over;
  }
  /// True if this rank has connected a ring to or from `peer`.
  bool is_wired(peer_id peer) const noexcept {
    return out_[peer] != nullptr || in_[peer] != nullptr;
  }

 private:
  /// True if this rank marks the rings that it polls. False if ranks outnumber cores or the kernel
  /// has no heavy barrier: then each sender sets its attention bit for every packet, which is the
  /// full fence that the barrier would save.
  bool marks_polled_rings() const noexcept { return have_barrier_ && !oversubscribed_; }

  using sender = ring_sender;
  using receiver = ring_receiver;
  static constexpr std::uint32_t burst_max = 16;
  // A poll stops after a payload of this size, so that its receiver continues before the next
  // payload is copied, whose receive may not be posted yet. Otherwise two ranks in an exchange
  // would alternate with two messages each, and every second message would be unexpected.
  static constexpr std::size_t last_payload_min = 2048;
  static constexpr std::uint64_t idle_polls = 4096;  // Power of two.
  static constexpr std::int64_t blind_sleep_ns = 1'000'000;
  static constexpr std::size_t neighbours_max = 8;
  // Number of rings that may stay in the hot list while idle.
  static constexpr std::size_t hot_free = 4;

  /// Hands a packet to the sink. Returns true if the poll may take another one.
  template <class Sink>
  [[MPX_ALWAYS_INLINE]] bool deliver(receiver& r, Sink& sink, const frame_header& header,
                                     const std::byte* data, std::uint32_t code) noexcept {
    if (code <= line_data_bytes) [[likely]] {
      sink.packet(r.source, header, {data, code});
      return true;
    }
    return deliver_slow(r, sink, header, data, code);
  }

  template <class Sink>
  [[gnu::noinline]] bool deliver_slow(receiver& r, Sink& sink, const frame_header& header,
                                      const std::byte* data, std::uint32_t code) noexcept {
    if (code <= line_data_bytes) {
      sink.packet(r.source, header, {data, code});
      return true;
    }
    const pooled_view p = r.ring.pooled(data, code);
    if (p.malformed) {
      sink.malformed(r.source);
    } else {
      sink.packet(r.source, header, p.payload);
      r.ring.give_back_pool(p);
    }
    return message_goes_on(sink) || p.payload.size() < last_payload_min;
  }

  template <class Sink>
  [[gnu::noinline]] std::uint32_t poll_many(Sink& sink) noexcept {
    ++polls_;
    std::uint32_t taken = 0;
    for (std::size_t i = 0; i < hot_.size(); ++i) {
      receiver& r = *hot_[i];
      const std::uint32_t got =
          r.ring.take(1, [&](const frame_header& h, const std::byte* data, std::uint32_t code) {
            return deliver_slow(r, sink, h, data, code);
          });
      if (got == 0) continue;
      ++taken;
      r.active_at = polls_;
      if (r.ring.free(1)) [[unlikely]]
        hungry_ = r.hungry = true;
    }
    if (polls_ % idle_polls == 0 && hot_.size() > hot_free) [[unlikely]]
      demote_idle();
    return taken;
  }

  /// Connects the ring to `peer`. Returns nullptr if memory or mappings are out. Reserves the
  /// ring's entry in `blocked_on_space_`, so that no post can fail for lack of it.
  [[gnu::noinline, gnu::cold]] sender* wire_out(peer_id peer) noexcept {
    if (!blocked_on_space_.try_reserve(std::size_t{senders_} + 1)) return nullptr;
    auto* made = new (std::nothrow) sender;
    if (made == nullptr) return nullptr;
    std::byte* base = channel(self_, peer);
    if (base == nullptr) {
      delete made;
      return nullptr;
    }
    made->ring = ring_producer(base, geometry_);
    made->peer = peer;
    ++senders_;
    return &out_.put(peer, made);
  }
  /// As wire_out, for the ring from `source`; reserves its entry in `hot_`.
  [[gnu::noinline, gnu::cold]] receiver* wire_in(peer_id source) noexcept {
    if (!hot_.try_reserve(std::size_t{receivers_} + 1)) return nullptr;
    auto* made = new (std::nothrow) receiver;
    if (made == nullptr) return nullptr;
    std::byte* base = channel(source, self_);
    if (base == nullptr) {
      delete made;
      return nullptr;
    }
    made->ring = ring_consumer(base, geometry_);
    made->source = source;
    ++receivers_;
    return &in_.put(source, made);
  }

  [[gnu::noinline]] outcome block_on_space(sender& s) noexcept {
    if (!s.blocked_on_space) {
      s.blocked_on_space = true;
      blocked_on_space_.push_back(&s);
      if (armed_) wake();  // Another thread sleeps for this endpoint: it must watch this ring too.
    }
    return outcome::retry;
  }

  peer_id slot_of(peer_id peer) const noexcept {
    if constexpr (elastic) return segment_.slot_of(peer);
    return peer;
  }
  peer_id peer_of(peer_id slot) const noexcept {
    if constexpr (elastic) return segment_.peer_of(slot);
    return slot < peers_ ? slot : no_peer;
  }
  peer_id slots() const noexcept {
    if constexpr (elastic) return segment_.slots();
    return peers_;
  }
  std::byte* channel(peer_id source, peer_id destination) noexcept {
    if constexpr (elastic) segment_.use(source == self_ ? destination : source);
    return segment_.channel(slot_of(source), slot_of(destination));
  }

  [[MPX_ALWAYS_INLINE]] void notify_if_not_polled(sender& s) noexcept {
    platform::signal_fence();
    if (s.ring.control().polled.load(platform::memory_order_relaxed) == 0) [[unlikely]]
      notify(s.peer);
  }
  /// The receiver does not poll this ring: sets its attention bit, and wakes it if it sleeps.
  [[gnu::noinline]] void notify(peer_id peer) noexcept {
    doorbell_control& box = segment_.doorbell(slot_of(peer));
    box.set_attention(self_slot_);
    if (box.sleeping.load(platform::memory_order_seq_cst) != 0) ring_doorbell(box, slot_of(peer));
  }

  [[gnu::noinline, gnu::cold]] void ring_doorbell(doorbell_control& box, peer_id slot) noexcept {
    const std::uint32_t was = box.sleeping.exchange(0, platform::memory_order_seq_cst);
    if (was == 0) return;
    if constexpr (pollable) {
      if (was == asleep_on_descriptor) return segment_.ring_bell(slot);
    }
    platform::futex_wake(box.sleeping, 1);
  }

  template <class Sink>
  [[gnu::noinline]] void serve_attention(Sink& sink) noexcept {
    const std::uint64_t summary = doorbell_->summary.exchange(0, platform::memory_order_seq_cst);
    const std::size_t words = (std::size_t{slots()} + 63) / 64;
    for (std::size_t w = 0; w < words; ++w) {
      if ((summary >> (w % 64) & 1) == 0) continue;
      std::uint64_t bits = doorbell_->attention[w].exchange(0, platform::memory_order_seq_cst);
      for (; bits != 0; bits &= bits - 1) {
        const peer_id source =
            peer_of(static_cast<peer_id>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))));
        if (source != no_peer && !make_hot(source)) sink.unreachable(source);
      }
    }
  }

  bool make_hot(peer_id source) noexcept {
    receiver* r = in_[source];
    if (r == nullptr) r = wire_in(source);
    if (r == nullptr) return false;
    r->active_at = polls_;
    if (!r->hot) {
      hot_.push_back(r);
      r->hot = true;
      note_hot();
    }
    if (marks_polled_rings() && !armed_)
      r->ring.control().polled.store(1, platform::memory_order_relaxed);
    return true;
  }

  /// Removes rings that were silent for `idle_polls` polls from the hot list, with one barrier for
  /// all.
  [[gnu::noinline, gnu::cold]] void demote_idle() noexcept {
    if (armed_ || !marks_polled_rings()) return;
    const auto idle = [this](const receiver* r) { return polls_ - r->active_at >= idle_polls; };
    bool any = false;
    for (const receiver* r : hot_) any = any || idle(r);
    if (!any) return;
    for (receiver* r : hot_)
      if (idle(r)) r->ring.control().polled.store(0, platform::memory_order_relaxed);
    platform::heavy_barrier();
    for (receiver* r : hot_) {
      if (!idle(r)) continue;
      r->hot = r->ring.ready();
      if (r->hot)
        r->ring.control().polled.store(1, platform::memory_order_relaxed);
      else
        ++counters_.demotions;
    }
    drop_cold();
  }
  [[gnu::noinline]] void drop_cold() noexcept {
    hot_.erase_if([](const receiver* r) { return !r->hot; });
    note_hot();
  }

  void note_hot() noexcept { only_ = hot_.size() == 1 ? hot_[0] : nullptr; }

  /// Wakes the producers that found their ring full and whose packets this poll has taken.
  [[gnu::noinline]] void feed() noexcept {
    hungry_ = false;
    for (receiver* r : hot_)
      if (r->hungry) feed(*r);
  }
  [[gnu::noinline]] void feed(receiver& r) noexcept {
    r.hungry = false;
    if (r.ring.control().blocked_on_space.exchange(0, platform::memory_order_seq_cst) != 0)
      wake_peer(r.source);
  }

  [[gnu::noinline, gnu::cold]] bool something_to_do() noexcept {
    if (doorbell_->summary.load(platform::memory_order_seq_cst) != 0) return true;
    for (receiver* r : hot_)
      if (r->ring.ready()) return true;
    for (sender* s : blocked_on_space_)
      if (s->ring.has_space()) return true;
    return false;
  }

  [[gnu::noinline, gnu::cold]] void settle_blocked() noexcept {
    for (sender* s : blocked_on_space_) {
      s->ring.control().blocked_on_space.store(0, platform::memory_order_relaxed);
      s->blocked_on_space = false;
    }
    blocked_on_space_.clear();
  }

  doorbell_control* doorbell_ = nullptr;
  receiver* only_ = nullptr;  // The hot ring, if there is exactly one.
  bool hungry_ = false;       // True if a producer waits for space.
  plain_array<receiver*> hot_;
  std::uint64_t polls_ = 0;
  Segment segment_;
  peer_id self_;
  peer_id self_slot_;
  peer_id peers_;
  ring_geometry geometry_;
  owning_table<sender> out_;
  owning_table<receiver> in_;
  plain_array<sender*> blocked_on_space_;  // Has room for all senders, as hot_ for all receivers.
  peer_id senders_ = 0, receivers_ = 0;
  fabric_counters counters_;
  core_sharing sharing_;
  int descriptor_ = -1;
  bool have_barrier_, oversubscribed_;
  bool armed_ = false, timed_out_ = false;
};

}  // namespace mpx::inline v0::transport::detail
