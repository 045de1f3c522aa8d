// SPDX-License-Identifier: BSL-1.0
#pragma once
// The connections of transport rdma: their set-up and end, and the packets through the rings, below
// the sink.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/link.hpp"
#include "mpx/transport/rdma/memory.hpp"
#include "mpx/transport/rdma/nic.hpp"
#include "mpx/transport/rdma/pieces.hpp"
#include "mpx/transport/rdma/rings.hpp"

namespace mpx::inline v0::transport::rdma_detail {

/// Links to all peers. `Whole` derives from it and handles transfers: `piece_ended(transfer&, bool
/// ok)`, `access_ended(index, bool ok)`, `link_ended(link&)`, `holds_memory()`.
template <class Card, wire_shape Shape, class Whole>
class connections {
 public:
  using memory_type = registered_memory<Card>;
  using cache_entry = typename memory_type::entry;
  using rings_type = rings<Card, Shape, typename memory_type::cache_type>;
  static constexpr std::uint32_t ring_blocks = Shape.ring_bytes / block_bytes;
  static constexpr std::uint32_t packet_blocks_max = blocks_for(Shape.packet_bytes_max);
  static constexpr std::size_t small_bytes_max =
      mpx::detail::lesser<std::size_t>(block_bytes - sizeof(record_head), Shape.copy_bytes_max);
  static constexpr bool ordered =
      nic_traits(Card::traits).arrivals_in_order && nic_traits(Card::traits).writes_before_arrivals;
  static constexpr bool sends_short = sent_bytes_max<Card> != 0;
  // If a refusal breaks the connection, nothing arrives after a refused piece: no need to wait for
  // a piece before the packet that follows it.
  static constexpr bool chains =
      ChainingNic<Card> && ordered && !nic_traits(Card::traits).survives_refusals;
  static constexpr bool writes_payloads = Shape.copy_bytes_max < Shape.packet_bytes_max && ordered;
  // A sender that has half of the ring can proceed, wherever the ring ends.
  static_assert(packet_blocks_max <= ring_blocks / 4 && ring_blocks <= 0xffff);
  static_assert(Shape.receives > reserved_receives &&
                Shape.receives - reserved_receives <= record_head::receives_max);

  connections(Card& card, std::uint64_t pinned_bytes_max)
      : card_(card),
        limits_(card.limits()),
        receives_(mpx::detail::lesser(Shape.receives, limits_.receive_depth) - reserved_receives),
        memory_(card, rings_type::left_for_transfers(card, pinned_bytes_max),
                4 * piece_bytes_max()),
        rings_(card, memory_.cache()),
        links_(card.peers()),
        pieces_(memory_.cache()) {}
  connections(const connections&) = delete;
  connections& operator=(const connections&) = delete;
  ~connections() {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i] == nullptr) continue;
      free_ring(*links_[i]);
      links_.erase(i);
    }
  }

  std::uint64_t piece_bytes_max() const noexcept {
    return mpx::detail::lesser(limits_.piece_bytes, limits_.transfer_bytes_max);
  }
  memory_type& memory() noexcept { return memory_; }
  const memory_type& memory() const noexcept { return memory_; }
  const rdma_counters& counters() const noexcept { return counters_; }
  link_state state_of(peer_id peer) const noexcept {
    return links_[peer] == nullptr ? link_state::idle : links_[peer]->state;
  }
  [[gnu::always_inline]] link* find(peer_id peer) noexcept { return links_[peer]; }
  linked_list<link, ready_tag>& ready() noexcept { return ready_; }
  linked_list<link, telling_tag>& telling() noexcept { return telling_; }

  // --- Packets -----------------------------------------------------------------------------------

  /// Posts a packet. Inline, so that the header's words go from registers into the ring.
  [[gnu::always_inline]] outcome post(peer_id peer, const frame_header& header,
                                      std::span<const std::byte> payload,
                                      cookie_t cookie) noexcept {
    link* const l = links_[peer];
    if (l == nullptr || payload.size() > small_bytes_max || !l->may_post_small()) [[unlikely]]
      return post_any(peer, header, payload, cookie);
    return post_small(*l, header, payload);
  }
  [[gnu::noinline]] outcome post_any(peer_id peer, const frame_header& header,
                                     std::span<const std::byte> payload, cookie_t cookie) noexcept {
    link* const l = links_[peer];
    if (l == nullptr || !l->up()) [[unlikely]]
      return post_early(peer, header, payload);
    // A post that returns `done` needs no further call of this side.
    if (l->queues()) [[unlikely]]
      flush(*l);
    if (l->receives == 0 || l->queues()) [[unlikely]]
      return full(*l);
    std::uint16_t body = 0;
    if constexpr (writes_payloads)
      if (payload.size() > Shape.copy_bytes_max) body = payload_piece(*l, payload, cookie);
    out_record* const r = l->compose(blocks_for(payload.size()));
    if (r == nullptr) [[unlikely]] {
      if (body != 0) pieces_.end(static_cast<std::uint16_t>(body - 1));
      return full(*l);
    }
    l->fill(*r, header, payload, body);
    if (!post_next(*l)) [[unlikely]] {
      if (r->body_posted) {  // The card reads the body: the header follows later.
        set_busy(*l);
        return outcome::pending;
      }
      if (body != 0) pieces_.end(static_cast<std::uint16_t>(body - 1));
      l->forget_last();
      return full(*l);
    }
    ++counters_.packets;
    if (body == 0) return outcome::done;
    ++counters_.from_memory;
    return outcome::pending;
  }

  void drop(peer_id peer) noexcept;
  /// Connects if that was not tried yet, so that the card notices the peer's death.
  void monitor(peer_id peer) noexcept { static_cast<void>(wire(peer)); }

  /// Called after packets of `l` were delivered: posts receives again and returns credit that the
  /// sender may lack.
  void took_from(link& l) noexcept {
    if constexpr (sends_short)
      if (l.receives_due != 0 && !l.over()) are_due(l);
    if (l.owes_much()) flush(l);
  }
  /// True if something must be retried soon that causes no event of the card.
  bool impatient() const noexcept { return asks_again_ != 0 || memory_.cache().ending(); }
  /// True if a post that returned `retry` may succeed, or a packet or an end can be delivered.
  bool has_reports() const noexcept { return !ready_.empty() || !telling_.empty() || room_again_; }
  void clear_room_report() noexcept { room_again_ = false; }
  /// See ConnectionTransport. Packets are unsent if the peer has not answered or granted credit, or
  /// if the card has not finished them.
  bool has_unsent() const noexcept {
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (const link* const l = links_[i]; l != nullptr && l->has_unsent()) return true;
    return false;
  }
  bool has_heard_out(peer_id peer) const noexcept {
    const link* const l = links_[peer];
    return l == nullptr || l->state == link_state::idle || (l->over() && !l->is_ready);
  }
  bool is_connected(peer_id peer) const noexcept {
    return links_[peer] != nullptr && links_[peer]->up();
  }
  /// Ends the link: the peer has violated the protocol.
  void misbehaved(link& l) noexcept {
    if (l.over()) return;
    l.malformed = true;
    card_.disconnect(l.peer);
    end(l, link_state::lost);
  }
  /// Marks the end of the link as reported, or as not to be reported.
  void told(link& l) noexcept {
    telling_.erase(l);
    l.telling = false;
    l.told = true;
  }

 protected:
  /// Disconnects from all peers: this side leaves.
  void leave() noexcept {
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (link* const l = links_[i];
          l != nullptr && (l->up() || l->state == link_state::connecting))
        card_.disconnect(l->peer);
  }

  // The low bits of a cookie: the kind of post that has ended.
  enum : cookie_t { a_notice = 0, a_packet = 1, a_piece = 2, an_access = 3 };

  static cookie_t cookie_of_piece(std::uint16_t i) noexcept { return cookie_t{i} << 2 | a_piece; }
  static cookie_t cookie_of_access(std::uint16_t i) noexcept {
    return cookie_t{i} << 2 | an_access;
  }

  /// Handles the card's events, and posts work that had to wait.
  void look_around() noexcept {
    std::size_t n;
    do {
      n = card_.poll(events_);
      for (std::size_t i = 0; i < n; ++i) {
        const nic_event& e = events_[i];
        if (e.kind != nic_event_kind::received) [[unlikely]] {
          on_event(e);
        } else if (link* const l = links_[e.peer]; l != nullptr && e.status == nic_status::ok) {
          on_notice(*l, e);
        }
      }
    } while (n == events_max);
    if (n == 0 && due_ != nullptr) {  // No peer waits for this side now.
      post_receives(*due_);
      due_ = nullptr;
    }
    if (!busy_.empty()) [[unlikely]]
      work();
    if (unanswered_) [[unlikely]]
      answer_all();
    if (memory_.cache().ending()) [[unlikely]]
      memory_.cache().tidy();
  }

 private:
  static constexpr std::size_t events_max = 32;

  Whole& whole() noexcept { return static_cast<Whole&>(*this); }

  // --- Links -------------------------------------------------------------------------------------

 protected:
  /// Returns the link to `peer`, and starts to connect it; nullptr: memory is out, call again.
  [[gnu::noinline]] link* wire(peer_id peer) noexcept;

 private:
  /// Allocates the ring, posts the receives and connects. Returns false if there is no room now;
  /// the link is lost if there will never be.
  bool make_ring(link& l) noexcept;
  void connect(link& l) noexcept;
  void on_connected(link& l) noexcept;
  /// The peer waits for a ring for which there is no room now: retry later.
  void want_ring(link& l) noexcept {
    if (!l.wants_ring) ++asks_again_;
    l.wants_ring = true;
    set_busy(l);
  }
  /// Answers a peer that has asked to connect. Returns false, without effect, if there is no memory
  /// for the link now. (To decline would look as if this rank had left, and the packets that the
  /// peer has posted already would be lost.)
  bool answer(peer_id peer) noexcept;
  [[gnu::noinline, gnu::cold]] void answer_all() noexcept;
  void post_receives(link& l) noexcept {
    while (l.receives_due != 0 && post_receive(l) != outcome::retry) --l.receives_due;
    if (l.receives_due != 0) set_busy(l);
  }
  outcome post_receive(link& l) noexcept {
    if constexpr (!sends_short) return card_.post_receive(l.peer, 0, {}, a_notice);
    const std::uint32_t i = l.slots[l.receives_due - 1];
    return card_.post_receive(l.peer, l.region.handle, {l.slot(i), block_bytes},
                              cookie_t{i} << 2 | a_notice);
  }
  /// Posts receives again when idle, but at the latest when an eighth is due. Credit for a receive
  /// is returned only after it was posted again.
  [[gnu::always_inline]] void are_due(link& l) noexcept {
    if (l.receives_due > l.granted / 8) {
      post_receives(l);
    } else {
      due_ = &l;
    }
  }
  /// Ends the link in state `how`: nothing more is posted to the peer. Packets that have arrived
  /// may still be delivered.
  void end(link& l, link_state how) noexcept;
  void on_disconnected(link& l, nic_status status) noexcept;

 public:
  /// Frees the ring: all packets that had arrived were delivered.
  void free_ring(link& l) noexcept { rings_.give_back(l); }

 private:
  /// Posts to a peer that is not connected yet: the packets leave once it has answered.
  [[gnu::noinline]] outcome post_early(peer_id peer, const frame_header& header,
                                       std::span<const std::byte> payload) noexcept;
  /// Posts a packet of one block with no earlier one pending. It needs a record only if the post is
  /// pending at the card.
  [[gnu::always_inline]] outcome post_small(link& l, const frame_header& header,
                                            std::span<const std::byte> payload) noexcept {
    std::byte* const at = l.copy() + std::size_t{l.out_at} * block_bytes;
    const auto used = static_cast<std::uint32_t>(sizeof(record_head) + payload.size());
    const credit c = l.to_give();
    record_head::write(at, record_head::pack(block_bytes - used, c), header);
    if (payload.size() == 8) {  // The most frequent size: no call.
      std::memcpy(at + sizeof(record_head), payload.data(), 8);
    } else if (!payload.empty()) {
      std::memcpy(at + sizeof(record_head), payload.data(), payload.size());
    }
    const std::uint32_t number = l.composed;
    const outcome o =
        sends_short && payload.size() <= sent_bytes_max<Card>
            ? card_.post_send(l.peer, l.region.handle, {at, used}, notice::sent(number),
                              cookie_of_packet(l, number))
            : card_.post_write_immediate(l.peer, l.region.handle, {at, used}, l.there,
                                         std::uint64_t{l.out_at} * block_bytes, nic_until::taken,
                                         notice::packet(number, 1), cookie_of_packet(l, number));
    if (o == outcome::retry || o == outcome::refused) [[unlikely]]
      return full(l);
    l.gave(c);
    l.posted_small(used, o == outcome::done);
    ++counters_.packets;
    return outcome::done;
  }
  static cookie_t cookie_of_packet(const link& l, std::uint32_t number) noexcept {
    return cookie_t{l.peer} << 32 | (number << 2 | a_packet);
  }
  static outcome full(link& l) noexcept {
    l.refused_a_post = true;
    return outcome::retry;
  }
  void set_busy(link& l) noexcept {
    if (l.is_busy) return;
    l.is_busy = true;
    busy_.push_back(l);
  }
  /// Moves a link that is busy again to the list for the next look.
  static void take_to(linked_list<link, busy_tag>& again, link& l) noexcept {
    if (!l.is_busy) return;
    linked_list<link, busy_tag>::erase(l);
    again.push_back(l);
  }
  bool retry_ring(link& l) noexcept;
  void work() noexcept;

  /// Posts composed packets as far as there are receives, and a credit message if much is owed.
  void flush(link& l) noexcept {
    if (!l.up()) return;
    while (l.posted != l.composed && l.receives != 0)
      if (!post_next(l)) return set_busy(l);
    if (!l.owes_much()) return;
    if (l.receives_due != 0) post_receives(l);
    const credit c = l.to_give();
    if (c.receives == 0) return set_busy(l);
    const outcome o = card_.post_write_immediate(l.peer, 0, {}, {}, 0, nic_until::taken,
                                                 notice::credits(c), a_notice);
    if (o == outcome::retry || o == outcome::refused) return set_busy(l);
    ++counters_.credit_messages;
    l.gave(c);
  }

 protected:
  /// Posts a packet that is `header` alone, in front of composed ones that wait. Returns false if
  /// it cannot leave now.
  bool post_behind(link& l, const frame_header& header) noexcept;
  /// True if a packet of one block may be posted now, with none waiting before it.
  bool has_room_behind(link& l) noexcept {
    if (l.posted != l.composed) flush(l);
    return l.has_room_for_one();
  }
  /// Posts such a packet and the data of piece `i` in front of it as one post. Requires:
  /// has_room_behind(l).
  outcome post_carrying(link& l, const frame_header& header, std::uint16_t i,
                        const remote_memory& there, std::uint64_t offset) noexcept requires chains;
  void report_room(link& l) noexcept {
    if (std::exchange(l.refused_a_post, false)) room_again_ = true;
  }

 private:
  bool post_next(link& l) noexcept {
    const std::uint32_t number = l.posted;
    out_record& r = l.record(number);
    std::byte* const at = l.place(r);
    if constexpr (writes_payloads)
      if (r.body != 0 && !r.body_posted && !post_body(l, r)) return false;
    const credit c = l.stamp(at);
    const outcome o = card_.post_write_immediate(
        l.peer, l.region.handle, {at, r.bytes}, l.there, std::uint64_t{r.at} * block_bytes,
        nic_until::taken, notice::packet(number, r.blocks), cookie_of_packet(l, number));
    if (o == outcome::retry || o == outcome::refused) return false;
    l.posted_next(c);
    if constexpr (writes_payloads)
      if (r.body != 0) {
        pieces_[static_cast<std::uint16_t>(r.body - 1)].announced = true;
        if (!pieces_[static_cast<std::uint16_t>(r.body - 1)].in_card)
          pieces_.tell(static_cast<std::uint16_t>(r.body - 1));
      }
    if (o == outcome::done) {
      r.done = true;
      l.free_finished();
    }
    return true;
  }
  bool post_body(link& l, out_record& r) noexcept {
    const auto i = static_cast<std::uint16_t>(r.body - 1);
    piece& p = pieces_[i];
    const outcome o = card_.post_write(l.peer, pieces_.handle(p), p.memory, l.there,
                                       std::uint64_t{r.at} * block_bytes + sizeof(record_head),
                                       nic_until::taken, cookie_of_piece(i));
    if (o == outcome::retry || o == outcome::refused) return false;
    r.body_posted = true;
    if (o == outcome::pending) pieces_.give_to_card(p);
    return true;
  }

  // --- Events ------------------------------------------------------------------------------------

  [[gnu::noinline]] void on_event(const nic_event& e) noexcept {
    link* const l = links_[e.peer];
    switch (e.kind) {
      case nic_event_kind::received: return;  // Handled by look_around.
      case nic_event_kind::sent:
        if ((e.cookie & 3) == a_packet) {
          if (l != nullptr) on_sent(*l, e);
        } else if ((e.cookie & 3) == a_piece) {
          on_piece(static_cast<std::uint16_t>(e.cookie >> 2), e.status == nic_status::ok);
        } else if ((e.cookie & 3) == an_access) {
          whole().access_ended(static_cast<std::uint16_t>(e.cookie >> 2),
                               e.status == nic_status::ok);
        }
        return;
      case nic_event_kind::asked:
        if (!answer(e.peer) && !std::exchange(unanswered_, true)) ++asks_again_;
        return;
      case nic_event_kind::connected:
        if (l != nullptr && l->state == link_state::connecting) on_connected(*l);
        return;
      case nic_event_kind::disconnected:
        if (l != nullptr) on_disconnected(*l, e.status);
        return;
    }
  }
  void on_sent(link& l, const nic_event& e) noexcept {
    if (l.over()) return;
    // The peer has deregistered its ring, as it does after the end of the connection: this is no
    // violation. The card reports the end after packets that the peer had sent before.
    if (e.status == nic_status::refused) return;
    // The cookie holds the low 30 bits of the number; pending numbers supply the upper two.
    const std::uint32_t low = static_cast<std::uint32_t>(e.cookie) >> 2;
    const std::uint32_t number = l.completed + ((low - l.completed) & 0x3fff'ffff);
    l.finish(number);
    report_room(l);
  }
  [[gnu::always_inline]] void on_notice(link& l, const nic_event& e) noexcept {
    if (l.over()) [[unlikely]]
      return;
    const std::uint32_t n = e.immediate;
    const auto i = static_cast<std::uint16_t>(e.cookie >> 2);
    if (sends_short && notice::kind(n) == 2) {  // Its receive is due once it was delivered.
      if (!l.arrived_in(i, notice::middle(n), e.bytes)) [[unlikely]]
        return misbehaved(l);
    } else {
      if constexpr (sends_short) l.slots[l.receives_due] = i;
      ++l.receives_due;
      are_due(l);
      if (notice::kind(n) != 0) [[unlikely]]
        return on_credit(l, n);
      if (!l.arrived(notice::middle(n), notice::blocks(n), packet_blocks_max)) [[unlikely]]
        return misbehaved(l);
    }
    if (!l.is_ready && l.has_packet()) {
      l.is_ready = true;
      ready_.push_back(l);
    }
  }
  [[gnu::noinline]] void on_credit(link& l, std::uint32_t n) noexcept {
    post_receives(l);  // Reserved receives are few.
    const credit c{notice::middle(n), notice::blocks(n)};
    if (notice::kind(n) != 1 || !l.may_get(c)) return misbehaved(l);
    l.got(c);
    got_credit(l);
  }

 public:
  void got_credit(link& l) noexcept {
    if (l.posted != l.composed) flush(l);
    report_room(l);
  }

 private:
  std::uint16_t payload_piece(link& l, std::span<const std::byte> payload,
                              cookie_t cookie) noexcept;
  void on_piece(std::uint16_t i, bool ok) noexcept;

 protected:
  Card& card_;
  nic_limits limits_;
  std::uint32_t receives_;
  memory_type memory_;
  rings_type rings_;
  rdma_counters counters_;
  owning_table<link> links_;
  linked_list<link, ready_tag> ready_;
  linked_list<link, busy_tag> busy_;
  linked_list<link, telling_tag> telling_;
  piece_pool<typename memory_type::cache_type> pieces_;
  link* due_ = nullptr;           // The last link with receives to post again.
  std::uint32_t asks_again_ = 0;  // Pending retries: of rings, connects and links.
  bool unanswered_ = false;       // Peers have asked while memory was out.
  bool room_again_ = false;
  nic_event events_[events_max];  // Of the current look.
};

}  // namespace mpx::inline v0::transport::rdma_detail

#include "mpx/transport/rdma/detail/connections_work.hpp"
