// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank's portals without its endpoint: takes packets of other ranks, searches the entries, moves
// data, and answers. Trusts nothing that arrives. Depends on no stack; see `link`.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "mpx/portals/dynamic_block.hpp"
#include "mpx/portals/entry.hpp"
#include "mpx/portals/wire.hpp"

namespace mpx::inline v0::portals {

/// Limits of a table. Memory is taken as it is used.
struct limits {
  index portals = 64;               ///< Portals 0 .. portals - 1; at most 0xfffe.
  std::uint32_t entries = 4096;     ///< Entries of all portals.
  std::uint32_t operations = 1024;  ///< Puts and gets of this rank that are under way.
  std::uint32_t replies = 256;      ///< Gets of other ranks that are being served.
};

/// The result of an acknowledged put, or of a get.
struct receipt {
  saved what = saved::nothing;             ///< Parts that the target has saved. Of a get: body.
  drop_reason reason = drop_reason::none;  ///< Reason, if nothing was saved.
  std::uint64_t offset = 0;                ///< Offset in the target's block.
  std::uint64_t bytes = 0;                 ///< Bytes that were saved, or received.
};

/// Counts of a table.
struct counts {
  std::uint64_t accepted = 0;      ///< Messages that an entry took here.
  std::uint64_t dropped = 0;       ///< Messages that were dropped here.
  std::uint64_t told_dropped = 0;  ///< Messages of this rank without return portal, dropped there.
  drop_reason last_reason = drop_reason::none;  ///< Reason of the last one that was dropped here.
  drop_reason told_reason = drop_reason::none;  ///< Reason of the last one dropped there.
};

namespace detail {

/// The engine's way to other ranks. Called under the lock of this rank.
class link {
 public:
  /// Sends a packet now or as soon as the channel takes it. Does not block, and copies.
  /// Returns:    false if the rank is lost.
  virtual bool send(rank_t to, std::span<const std::byte> packet) noexcept = 0;
  /// Number of packets to a rank that the channel has not taken yet.
  virtual std::uint32_t waiting(rank_t to) noexcept = 0;
  virtual peer_id peer_of(rank_t r) const noexcept = 0;
  /// Completes the request `waiter`.
  virtual void complete(void* waiter, errc why) noexcept = 0;
  /// Makes blocked threads look again.
  virtual void noticed() noexcept = 0;

  link(const link&) = delete;
  link& operator=(const link&) = delete;

 protected:
  link() = default;
  ~link() = default;
};

/// A message that this rank sends, until its data has left and its answer has arrived.
struct outgoing : mpx::detail::allocated {
  enum class phase : std::uint8_t { free, queued, moving, answer, done };

  phase is = phase::free;
  bool stopped = false;  // The receiver does not want the rest.
  bool awaits = false;   // An answer is due at operations_portal.
  bool serves = false;   // A reply to a get of another rank.
  message m{};
  rank_t to = proc_null;
  mpx::memory data{};            // Of a put.
  entry_state* entry = nullptr;  // Of a reply: the data is at `at` of its block.
  place at{};
  std::uint64_t sent = 0;     // Bytes.
  std::uint64_t packets = 0;  // Packets sent, and those handled by the receiver.
  std::uint64_t handled = 0;
  std::uint32_t stream = 0;
  std::uint32_t index = 0;  // In the engine's table.
  std::uint32_t serial = 0;
  mpx::memory into{};  // Of a get.
  receipt result{};
  errc failure{};
  void* waiter = nullptr;
  outgoing* next = nullptr;  // In the queue to its target, or of free ones.
};

/// Portals of a rank. All functions require the lock of the rank.
class engine {
 public:
  /// Packets of one message that its receiver has not reported as handled, at most.
  static constexpr std::uint64_t window_packets = 8;
  /// Packets of handlers to one rank that wait for its channel, at most.
  static constexpr std::uint32_t handler_packets_max = 64;
  /// Largest number of portals.
  static constexpr index portals_max = operations_portal;

  /// `packet_bytes`: length of a packet that every channel takes.
  /// Errors:     errc::no_resources.
  engine(link& to, rank_t self, rank_t size, std::size_t packet_bytes, const limits& most)
      : link_(to),
        self_(self),
        most_(most),
        packet_(packet_bytes),
        packet_bytes_(packet_bytes),
        portals_(most.portals),
        peers_(static_cast<std::size_t>(size)) {
    lost_.reserve(static_cast<std::size_t>(size));
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  ~engine() {
    for (const peer& p : peers_) delete p.in;
  }

  rank_t self() const noexcept { return self_; }
  rank_t size() const noexcept { return static_cast<rank_t>(peers_.size()); }
  const limits& most() const noexcept { return most_; }
  const counts& counted() const noexcept { return counts_; }
  errc failure_of(rank_t r) const noexcept { return peers_[at(r)].failure; }
  std::size_t data_of_one_packet() const noexcept { return packet_bytes_ - begin_bytes; }
  std::uint32_t entries_in_use() const noexcept { return entries_used_; }

  // --- Entries (engine_entries.hpp) --------------------------------------------------------------

  /// Description of an entry, from the typed interface.
  struct plan {
    index portal;
    const criteria* want;  // nullptr: the portal's only descriptor, which ignores match bits.
    block* memory;
    options how;
    event_ring* events;
    event_call call;
    const continuation* on;  // Three.
    std::uint64_t label;
    bool active;
    entry_name before;
  };
  errc add(const plan& p, entry_name& made) noexcept;
  void remove(entry_name name) noexcept;
  errc set_active(entry_name name, bool active) noexcept;
  errc set_bits(entry_name name, match_bits bits, match_bits ignore) noexcept;
  bool is_active(entry_name name) const noexcept {
    const entry_state* const e = find(name);
    return e != nullptr && e->is == entry_state::phase::active;
  }
  heap_record* take(dynamic_block& heap, const criteria& want) noexcept;
  template <class F>
  heap_record* take_if(dynamic_block& heap, F&& wanted) noexcept {
    heap_record* const r = heap.find(wanted);
    if (r != nullptr) heap.take_out(*r);
    return r;
  }
  heap_record* take_or_activate(dynamic_block& heap, entry_name name) noexcept;
  void give_back(dynamic_block& heap, heap_record& r) noexcept;
  bool release(independent_block& table, std::size_t i) noexcept { return table.release(i); }

  // --- Events ------------------------------------------------------------------------------------

  /// Takes the next event. Returns false if there is none.
  bool take(event_ring& from, event& into) noexcept {
    if (from.losses_told < lost_.size()) {
      const rank_t r = lost_[from.losses_told++];
      into = {.kind = event_kind::lost, .failure = peers_[at(r)].failure};
      into.is.source = r;
      return true;
    }
    if (from.size() == 0) return false;
    into = from.take();
    return true;
  }
  bool has_event(const event_ring& r) const noexcept {
    return r.size() != 0 || r.losses_told < lost_.size();
  }
  void attach(event_ring& r) noexcept {
    r.losses_told = lost_.size();
    rings_.push_back(&r);
  }
  void detach(const event_ring& r) noexcept {
    rings_.erase_if([&r](event_ring* other) { return other == &r; });
  }

  // --- Messages of this rank ---------------------------------------------------------------------

  /// Sends a message of one packet, if no longer one is under way to that rank. Returns false,
  /// without effect, otherwise.
  bool send_now(const message& m, rank_t to, const mpx::memory& data) noexcept {
    if (peers_[at(to)].first != nullptr || data.bytes > data_of_one_packet()) return false;
    std::byte* const p = packet_.begin();
    pack(p, m, 0);
    data.read(0, {p + begin_bytes, data.bytes});
    link_.send(to, {p, begin_bytes + data.bytes});
    return true;
  }
  /// Queues a message. Returns nullptr if all operations are in use. The caller calls `push`.
  outgoing* start(const message& m, rank_t to, const mpx::memory& data, const mpx::memory& into,
                  bool awaits) noexcept {
    if (operations_ == most_.operations) return nullptr;
    outgoing* const o = take_outgoing();
    if (o == nullptr) return nullptr;
    ++operations_;
    o->m = m;
    o->to = to;
    o->data = data;
    o->into = into;
    o->awaits = awaits;
    if (awaits) {
      o->m.return_portal = operations_portal;
      o->m.return_bits = std::uint64_t{o->serial} << 32 | o->index;
    }
    enqueue(*o);
    return o;
  }
  void push(rank_t to) noexcept;
  static bool is_done(const outgoing& o) noexcept { return o.is == outgoing::phase::done; }
  /// Frees an operation that is done.
  void release(outgoing& o) noexcept { give(o); }
  /// Ends an operation that is not done. Nothing touches its memory afterwards.
  void abandon(outgoing& o) noexcept;
  /// Ends all operations, because the table is destroyed.
  void abandon_all() noexcept {
    for (std::size_t i = 0; i < out_.size(); ++i)
      if (out_[i]->is != outgoing::phase::free && out_[i]->is != outgoing::phase::done)
        end(*out_[i], errc::window);
    for (event_ring* r : rings_) tell(*r);
  }
  /// Sends a message from a handler.
  /// Errors:     errc::count if it exceeds a packet; errc::no_resources if too many wait for the
  ///             channel; the failure of the rank.
  errc send_from_handler(const message& m, rank_t to, std::span<const std::byte> data) noexcept {
    if (const errc why = peers_[at(to)].failure; why != errc{}) return why;
    if (data.size() > data_of_one_packet()) return errc::count;
    if (link_.waiting(to) >= handler_packets_max) return errc::no_resources;
    std::byte* const p = handler_packet();
    if (p == nullptr) return errc::no_resources;
    pack(p, m, 0);
    if (!data.empty()) std::memcpy(p + begin_bytes, data.data(), data.size());
    return link_.send(to, {p, begin_bytes + data.size()}) ? errc{} : errc::peer_lost;
  }

  // --- Packets of other ranks (engine_packets.hpp) -----------------------------------------------

  /// Handles a packet. Returns errc::protocol if no sender makes it.
  errc on_packet(rank_t from, std::span<const std::byte> packet) noexcept;
  /// Called when nothing more will come from a rank.
  void on_loss(rank_t r, errc why) noexcept;

 private:
  /// A message that arrives in several packets. One at a time from each rank.
  struct incoming : mpx::detail::allocated {
    bool active = false;
    bool discards = false;
    std::uint32_t stream = 0;
    std::uint32_t untold = 0;      // Packets handled since the last report,
    std::uint64_t packets = 0;     // and in all.
    std::uint64_t got = 0;         // Bytes.
    entry_state* entry = nullptr;  // Of a message to an entry,
    place where{};
    outgoing* operation = nullptr;  // or of a reply to a get of this rank.
    message m{};
  };
  struct peer {
    outgoing* first;  // Messages to it, in order.
    outgoing* last;
    std::uint32_t streams;
    errc failure;
    incoming* in;  // Made when the first long message arrives.
  };

  static std::size_t at(rank_t r) noexcept { return static_cast<std::size_t>(r); }
  entry_state* find(entry_name name) const noexcept {
    if (name.index >= entries_.size()) return nullptr;
    entry_state* const e = entries_[name.index];
    return e->name == name && e->is != entry_state::phase::free ? e : nullptr;
  }
  std::byte* handler_packet() noexcept {
    return for_handlers_.try_extend(packet_bytes_) ? for_handlers_.begin() : nullptr;
  }

  // Outgoing.
  outgoing* take_outgoing() noexcept {
    outgoing* o = std::exchange(free_out_, free_out_ == nullptr ? nullptr : free_out_->next);
    if (o == nullptr) {
      o = out_.try_add(new (std::nothrow) outgoing);
      if (o == nullptr) return nullptr;
      o->index = static_cast<std::uint32_t>(out_.size() - 1);
    }
    const std::uint32_t index = o->index;
    const std::uint32_t serial = o->serial + 1;
    *o = outgoing{};
    o->index = index;
    o->serial = serial;
    o->is = outgoing::phase::queued;
    return o;
  }
  void give(outgoing& o) noexcept {
    --(o.serves ? replies_ : operations_);
    o.is = outgoing::phase::free;
    o.next = std::exchange(free_out_, &o);
  }
  void enqueue(outgoing& o) noexcept {
    peer& p = peers_[at(o.to)];
    o.next = nullptr;
    (p.first == nullptr ? p.first : p.last->next) = &o;
    p.last = &o;
  }
  void unqueue(outgoing& o) noexcept;
  void end(outgoing& o, errc why) noexcept;
  void left(outgoing& o) noexcept;
  void send_head(rank_t to, packet_kind kind, std::uint32_t stream, std::uint64_t what) noexcept {
    const packet_head h{.kind = kind, .stream = stream, .at = what};
    link_.send(to, std::as_bytes(std::span(&h, 1)));
  }

  // Incoming.
  errc begin(rank_t from, std::span<const std::byte> packet) noexcept;
  errc more(rank_t from, const packet_head& h, std::span<const std::byte> data) noexcept;
  errc report(rank_t from, const packet_head& h) noexcept;
  entry_state* search(const message& m, bool whole, place& where, drop_reason& why) noexcept;
  fit try_entry(entry_state& e, const message& m, bool whole, place& where) noexcept;
  void to_entry(entry_state& e, const place& where, const message& m, std::uint32_t stream,
                std::span<const std::byte> data) noexcept;
  errc to_operation(const message& m, std::uint32_t stream,
                    std::span<const std::byte> data) noexcept;
  void serve(entry_state& e, const place& where, const message& m) noexcept;
  void finish(entry_state& e, const place& where, const message& m, errc why) noexcept;
  void drop(const message& m, drop_reason why) noexcept;
  void acknowledge(const message& m, saved what, drop_reason why, std::uint64_t offset,
                   std::uint64_t bytes) noexcept;
  void discard_rest(rank_t from, std::uint32_t stream, const message& m, std::size_t got) noexcept {
    expect(from, stream, m, got, nullptr, {}, nullptr);
    peers_[at(from)].in->discards = true;
    send_head(from, packet_kind::stop, stream, 0);
  }
  /// Stops the message that arrives from a rank: the rest of it is discarded.
  void stop_incoming(rank_t from) noexcept {
    incoming& in = *peers_[at(from)].in;
    in.discards = true;
    in.entry = nullptr;
    in.operation = nullptr;
    send_head(from, packet_kind::stop, in.stream, 0);
  }
  void let_go(incoming& in, errc why) noexcept;
  void expect(rank_t from, std::uint32_t stream, const message& m, std::size_t got, entry_state* e,
              const place& where, outgoing* o) noexcept;
  void tell(event_ring& r) noexcept {
    if (void* const waiter = std::exchange(r.waiter, nullptr); waiter != nullptr)
      link_.complete(waiter, errc{});
    link_.noticed();
  }
  void stop_uses(entry_state& e) noexcept;

  link& link_;
  rank_t self_;
  limits most_;
  plain_array<std::byte> packet_;  // The packet that is being sent.
  std::size_t packet_bytes_;
  plain_array<std::byte> for_handlers_;
  plain_array<portal_state> portals_;
  plain_array<peer> peers_;
  plain_array<rank_t> lost_;  // In the order of their losses.
  plain_array<event_ring*> rings_;
  owning_table<entry_state> entries_;
  entry_state* free_entries_ = nullptr;
  std::uint32_t entries_used_ = 0;
  owning_table<outgoing> out_;
  outgoing* free_out_ = nullptr;
  std::uint32_t operations_ = 0;
  std::uint32_t replies_ = 0;
  counts counts_;
};

}  // namespace detail
}  // namespace mpx::inline v0::portals

#include "mpx/portals/detail/engine_entries.hpp"  // IWYU pragma: keep
#include "mpx/portals/detail/engine_packets.hpp"  // IWYU pragma: keep
