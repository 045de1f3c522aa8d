// SPDX-License-Identifier: BSL-1.0
#pragma once
// Puts and gets of transport rdma, split into pieces, from and to registered memory; and its atomic
// accesses.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include "mpx/core/block_cache.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/rdma/accesses.hpp"
#include "mpx/transport/rdma/connections.hpp"
#include "mpx/transport/rdma/link.hpp"
#include "mpx/transport/rdma/nic.hpp"
#include "mpx/transport/rdma/pieces.hpp"

namespace mpx::inline v0::transport::rdma_detail {

/// A put or a get, from its call to its completion.
///
/// A put that carries a packet holds back all other packets to its peer until its own has left.
/// That packet leaves once the data is in place or has failed to get there; or together with the
/// last piece, if the card chains.
struct transfer : list_node<transfer> {
  link* with = nullptr;
  cookie_t cookie = 0;
  remote_memory there{};
  std::uint64_t offset = 0;
  std::byte* here = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t begun = 0;      // Bytes posted so far.
  std::uint32_t under_way = 0;  // Pieces at the card.
  frame_header packet{};        // The packet that it carries,
  std::uint32_t turn = 0;       // and its number among the link's carriers.
  bool reads = false;
  bool carries = false;  // It carries a packet that has not left.
  bool failed = false;
  bool waits = false;  // On the list of transfers that have not ended.
};

/// Links and transfers: all of the transport below the sink.
template <class Card, wire_shape Shape>
class fabric : public connections<Card, Shape, fabric<Card, Shape>> {
  using base = connections<Card, Shape, fabric<Card, Shape>>;
  friend base;
  using base::card_, base::counters_, base::links_, base::memory_, base::pieces_;
  using typename base::cache_entry;

 public:
  fabric(Card& card, std::uint64_t pinned_bytes_max) : base(card, pinned_bytes_max) {}
  ~fabric() {
    base::leave();
    clear(transfers_);
    clear(ended_);
  }

  /// Handles the card's events, and posts work that had to wait.
  void look() noexcept {
    base::look_around();
    if (!transfers_.empty()) [[unlikely]]
      advance_all();
    if constexpr (AtomicNic<Card>)
      if (accesses_.waits()) [[unlikely]]
        accesses_.advance(base::cookie_of_access);
  }
  /// Applies the credit of a packet. Requires: l.may_get(c).
  [[gnu::always_inline]] void got_credit(link& l, credit c) noexcept {
    if (c.receives == 0) return;  // Blocks are returned only with receives.
    l.got(c);
    base::got_credit(l);
  }
  /// All packets of the link were delivered.
  void not_ready(link& l) noexcept {
    base::ready().erase(l);
    l.is_ready = false;
    if (l.disconnected) base::free_ring(l);
  }
  bool has_completions() const noexcept {
    if constexpr (AtomicNic<Card>)
      if (accesses_.has_ended()) return true;
    return !ended_.empty() || pieces_.has_told();
  }
  bool has_reports() const noexcept { return base::has_reports() || has_completions(); }

  /// Calls `f(cookie, ok)` for each completion. Returns how many.
  template <class F>
  std::size_t complete(F f) noexcept {
    std::size_t n = pieces_.complete(f);
    while (!ended_.empty()) {
      transfer& t = ended_.front();
      ended_.pop_front();
      const cookie_t cookie = t.cookie;
      const bool ok = !t.failed;
      give(t);
      f(cookie, ok);
      ++n;
    }
    if constexpr (AtomicNic<Card>)
      if (accesses_.has_ended()) n += accesses_.complete(f);
    return n;
  }

  /// Begins an atomic access. See AtomicTransport.
  outcome access(peer_id peer, const remote_memory& there, std::uint64_t offset,
                 const atomic_access& what, std::span<std::byte> into, cookie_t cookie) noexcept {
    if (there.key == 0) return outcome::refused;
    link* l = links_[peer];
    if (l == nullptr || l->state == link_state::idle) l = base::wire(peer);
    if (l == nullptr) return outcome::retry;
    if (l->over()) return outcome::refused;
    return accesses_.begin(*l, {there.address + offset, there.key}, what, into, cookie,
                           base::cookie_of_access);
  }

  /// Begins a put or get; a put may carry `packet`.
  outcome begin(peer_id peer, const remote_memory& there, std::uint64_t offset,
                std::span<const std::byte> here, bool reads, cookie_t cookie,
                const frame_header* packet = nullptr) noexcept {
    if (there.key == 0) return outcome::refused;
    link* l = links_[peer];
    if (l == nullptr || l->state == link_state::idle) l = base::wire(peer);
    if (l != nullptr && l->over()) return outcome::refused;
    transfer* const t = l == nullptr ? nullptr : take();
    if (t == nullptr) return outcome::retry;
    t->with = l;
    t->cookie = cookie;
    t->there = there;
    t->offset = offset;
    t->here = const_cast<std::byte*>(here.data());
    t->bytes = here.size();
    t->reads = reads;
    if (packet != nullptr) {
      t->packet = *packet;
      t->carries = true;
      t->turn = l->carriers++;
    }
    ++(reads ? counters_.gets : counters_.puts);
    transfers_.push_back(*t);
    t->waits = true;
    advance(*t);
    if (t->waits) return outcome::pending;
    ended_.erase(*t);
    const bool failed = t->failed;
    give(*t);
    return failed ? outcome::refused : outcome::done;
  }

 private:
  static constexpr std::uint32_t pieces_of_one_max = 8;

  void clear(linked_list<transfer, transfer>& list) noexcept {
    while (!list.empty()) {
      transfer& t = list.front();
      list.pop_front();
      give(t);
    }
  }
  transfer* take() noexcept {
    void* const p = blocks_.take(sizeof(transfer));
    return p == nullptr ? nullptr : ::new (p) transfer;
  }
  void give(transfer& t) noexcept {
    t.~transfer();
    blocks_.give(&t, sizeof t);
  }
  bool holds_memory() const noexcept { return !transfers_.empty(); }
  void piece_ended(transfer& t, bool ok) noexcept {
    t.with->full_in_look = 0;
    --t.under_way;
    t.failed = t.failed || !ok;
    advance(t);
  }
  void access_ended(std::uint16_t i, bool ok) noexcept {
    if constexpr (AtomicNic<Card>) accesses_.on_sent(i, ok);
  }
  void link_ended(link& l) noexcept {
    if constexpr (AtomicNic<Card>) accesses_.link_ended(l);
    for (auto it = transfers_.begin(); it != transfers_.end();) {
      transfer& t = *it;
      ++it;
      if (t.with == &l) abandon(t);
    }
  }

  void advance_all() noexcept {
    ++looks_;
    for (auto it = transfers_.begin(); it != transfers_.end();) {
      transfer& t = *it;
      ++it;
      advance(t);
    }
  }
  /// Posts further pieces, and ends the transfer once all have ended.
  void advance(transfer& t) noexcept {
    link& l = *t.with;
    if (!l.up()) return;
    while (!t.failed && t.begun < t.bytes && t.under_way < pieces_of_one_max &&
           l.full_in_look != looks_ && post_piece(t))
      continue;
    if (t.under_way != 0 || (!t.failed && t.begun < t.bytes)) return;
    if (t.carries && !send_packet(t)) return;
    finish(t);
  }
  /// Posts the packet that the transfer carries; its data is in place or has failed. Returns false
  /// if the packet cannot leave now.
  [[gnu::noinline]] bool send_packet(transfer& t) noexcept {
    link& l = *t.with;
    if (t.turn != l.carriers_out) return false;
    if (!t.failed && !base::post_behind(l, t.packet)) return false;
    packet_left(t);
    return true;
  }
  void packet_left(transfer& t) noexcept {
    t.carries = false;
    ++t.with->carriers_out;
    base::report_room(*t.with);
  }
  void finish(transfer& t) noexcept {
    transfers_.erase(t);
    t.waits = false;
    ended_.push_back(t);
  }
  void abandon(transfer& t) noexcept {
    for (piece& p : pieces_)
      if (p.of == &t) p.of = nullptr;
    t.failed = true;
    finish(t);
  }
  /// Posts the next piece. Returns false if that is not possible now, or the transfer has failed.
  bool post_piece(transfer& t) noexcept {
    const auto n =
        static_cast<std::size_t>(mpx::detail::lesser(base::piece_bytes_max(), t.bytes - t.begun));
    const std::span<std::byte> here(t.here + t.begun, n);
    if (pieces_.full()) return false;
    errc why{};
    cache_entry* const e = memory_.cache().acquire(here, nic_access::local, why);
    if (e == nullptr) {
      // Pending pieces release memory when they end. If there are none, waiting does not help.
      if (pieces_.in_card() != 0 && why == errc::pending) return false;
      t.failed = true;
      ++counters_.unregistered;
      return false;
    }
    const std::uint16_t i = pieces_.make(*t.with, &t, *e, here);
    const outcome o = t.reads ? read_piece(t, i) : write_piece(t, i);
    if (o != outcome::pending) pieces_.end(i);
    if (o == outcome::refused) t.failed = true;
    if (o == outcome::retry) t.with->full_in_look = looks_;  // Its other transfers wait, too.
    if (o == outcome::refused || o == outcome::retry) return false;
    ++counters_.pieces;
    t.begun += n;
    if (o == outcome::pending) {
      pieces_.give_to_card(pieces_[i]);
      ++t.under_way;
    }
    return true;
  }

  outcome read_piece(transfer& t, std::uint16_t i) noexcept {
    const piece& p = pieces_[i];
    if constexpr (ReadingNic<Card>)
      return card_.post_read(t.with->peer, pieces_.handle(p), p.memory, t.there, t.offset + t.begun,
                             base::cookie_of_piece(i));
    return outcome::refused;
  }
  outcome write_piece(transfer& t, std::uint16_t i) noexcept {
    link& l = *t.with;
    const piece& p = pieces_[i];
    const std::uint64_t at = t.offset + t.begun;
    auto until = nic_until::placed;
    if constexpr (base::chains) {
      if (t.carries) until = nic_until::taken;  // Its packet arrives after the data.
      if (t.carries && t.begun + p.memory.size() == t.bytes && t.turn == l.carriers_out &&
          base::has_room_behind(l)) {
        const outcome o = base::post_carrying(l, t.packet, i, t.there, at);
        if (o == outcome::pending || o == outcome::done) packet_left(t);
        return o;
      }
    }
    return card_.post_write(l.peer, pieces_.handle(p), p.memory, t.there, at, until,
                            base::cookie_of_piece(i));
  }

  linked_list<transfer, transfer> transfers_;  // Not ended, in the order of their calls.
  linked_list<transfer, transfer> ended_;      // Ended, completion to be reported.
  block_cache blocks_;                         // Memory of transfers.
  struct none {
    none(Card&, typename base::memory_type::cache_type&) noexcept {}
  };
  [[no_unique_address]] std::conditional_t<
      AtomicNic<Card>, atomic_accesses<Card, typename base::memory_type::cache_type>, none>
      accesses_{card_, memory_.cache()};
  std::uint64_t looks_ = 1;  // Number of the current look at transfers.
};

}  // namespace mpx::inline v0::transport::rdma_detail
