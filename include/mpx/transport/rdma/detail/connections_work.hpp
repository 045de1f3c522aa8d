// SPDX-License-Identifier: BSL-1.0
#pragma once
// The slow paths of the connections of transport rdma: set-up, ends and retries.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "mpx/transport/rdma/connections.hpp"

namespace mpx::inline v0::transport::rdma_detail {

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::drop(peer_id peer) noexcept {
  link* l = links_[peer];
  if (l == nullptr) {
    l = new (std::nothrow) link(peer);
    if (l == nullptr) return;
    links_.put(peer, l);
  }
  l->told = true;
  if (l->up() || l->state == link_state::connecting) card_.disconnect(peer);
  end(*l, link_state::dropped);
  l->state = link_state::dropped;
  if (std::exchange(l->is_ready, false)) ready_.erase(*l);
  if (std::exchange(l->telling, false)) telling_.erase(*l);
  if (l->disconnected) free_ring(*l);
}

template <class Card, wire_shape Shape, class Whole>
link* connections<Card, Shape, Whole>::wire(peer_id peer) noexcept {
  link* l = links_[peer];
  if (l == nullptr) {
    l = new (std::nothrow) link(peer);
    if (l == nullptr) return nullptr;
    links_.put(peer, l);
  }
  if (l->state == link_state::idle && !make_ring(*l)) return l->over() ? l : nullptr;
  return l;
}

template <class Card, wire_shape Shape, class Whole>
bool connections<Card, Shape, Whole>::answer(peer_id peer) noexcept {
  link* const l = wire(peer);
  if (l == nullptr && links_[peer] == nullptr) return false;
  if (l == nullptr) {
    want_ring(*links_[peer]);
  } else if (l->over()) {
    card_.disconnect(peer);
  }
  return true;
}

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::answer_all() noexcept {
  for (peer_id p = 0; p < links_.size(); ++p)  // A peer that asks has sent data.
    if (links_[p] == nullptr && !card_.peer_data(p).empty() && !answer(p)) return;
  unanswered_ = false;
  --asks_again_;
}

template <class Card, wire_shape Shape, class Whole>
bool connections<Card, Shape, Whole>::make_ring(link& l) noexcept {
  if (!rings_.take(l, receives_)) {
    // Pending transfers may hold the memory. If there are none, the ring will never fit.
    if (!whole().holds_memory() && memory_.exposed_bytes() == 0 && !memory_.cache().ending())
      end(l, link_state::lost);
    return false;
  }
  l.state = link_state::connecting;
  l.receives_due = receives_ + reserved_receives;
  post_receives(l);
  connect(l);
  return !l.over();
}

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::connect(link& l) noexcept {
  const ring_offer offer{.ring = l.region.remote, .blocks = ring_blocks, .receives = receives_};
  const errc why = card_.connect(l.peer, std::as_bytes(std::span(&offer, 1)));
  if (l.wants_connect) --asks_again_;
  l.wants_connect = why == errc::pending;
  if (l.wants_connect) {
    ++asks_again_;
    set_busy(l);
  } else if (why != errc{}) {
    end(l, link_state::lost);
  }
}

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::on_connected(link& l) noexcept {
  if (!l.accept(card_.peer_data(l.peer))) return misbehaved(l);
  l.state = link_state::open;
  flush(l);
  report_room(l);
}

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::end(link& l, link_state how) noexcept {
  if (l.over()) return;
  if (due_ == &l) due_ = nullptr;
  if (std::exchange(l.wants_connect, false)) --asks_again_;
  if (std::exchange(l.wants_ring, false)) --asks_again_;
  l.state = how;
  if (l.malformed && std::exchange(l.is_ready, false)) ready_.erase(l);
  whole().link_ended(l);
  for (std::uint16_t i = 0; i < pieces_.pieces_max; ++i)
    if (pieces_[i].with == &l && pieces_[i].payload && pieces_[i].by != nullptr) pieces_.tell(i);
  report_room(l);
  if (!l.told && how != link_state::dropped && !l.telling) {  // Fails calls that wait for it.
    l.telling = true;
    telling_.push_back(l);
  }
}

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::on_disconnected(link& l, nic_status status) noexcept {
  end(l, status == nic_status::ok ? link_state::left : link_state::lost);
  l.receives_due = 0;
  l.disconnected = true;
  if (!l.is_ready) free_ring(l);
}

template <class Card, wire_shape Shape, class Whole>
outcome connections<Card, Shape, Whole>::post_early(peer_id peer, const frame_header& header,
                                                    std::span<const std::byte> payload) noexcept {
  link* const l = wire(peer);
  if (l == nullptr) return outcome::retry;
  if (l->over()) return l->state == link_state::left ? outcome::done : outcome::refused;
  if (l->composed >= (l->granted + 1) / 2 || l->carriers != l->carriers_out) return full(*l);
  out_record* const r = l->compose(blocks_for(payload.size()));
  if (r == nullptr) return full(*l);
  l->fill(*r, header, payload, 0);
  ++counters_.packets;
  return outcome::done;
}

template <class Card, wire_shape Shape, class Whole>
bool connections<Card, Shape, Whole>::retry_ring(link& l) noexcept {
  if (wire(l.peer) == nullptr) {
    set_busy(l);
  } else if (l.over()) {
    card_.disconnect(l.peer);
  } else {
    l.wants_ring = false;
    --asks_again_;
    return true;
  }
  return false;
}

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::work() noexcept {
  linked_list<link, busy_tag> again;
  while (!busy_.empty()) {
    link& l = busy_.front();
    busy_.pop_front();
    l.is_busy = false;
    if (l.over()) continue;
    if (l.wants_ring && !retry_ring(l)) {
      take_to(again, l);
      continue;
    }
    if (l.wants_connect) connect(l);
    if (l.receives_due != 0) post_receives(l);
    if (l.up()) flush(l);
    take_to(again, l);
  }
  while (!again.empty()) {
    link& l = again.front();
    again.pop_front();
    busy_.push_back(l);
  }
}

template <class Card, wire_shape Shape, class Whole>
std::uint16_t connections<Card, Shape, Whole>::payload_piece(link& l,
                                                             std::span<const std::byte> payload,
                                                             cookie_t cookie) noexcept {
  if (pieces_.full()) return 0;
  cache_entry* const e = memory_.cache().find(payload, nic_access::local);
  if (e == nullptr) return 0;
  const std::uint16_t i =
      pieces_.make(l, nullptr, *e, {const_cast<std::byte*>(payload.data()), payload.size()});
  pieces_[i].payload = true;
  pieces_[i].cookie = cookie;
  return static_cast<std::uint16_t>(i + 1);
}

template <class Card, wire_shape Shape, class Whole>
void connections<Card, Shape, Whole>::on_piece(std::uint16_t i, bool ok) noexcept {
  piece& p = pieces_[i];
  pieces_.take_from_card(p);
  if (p.payload) {
    if (p.with->over()) return pieces_.let_go(p);  // Its completion is queued already.
    if (p.announced) pieces_.tell(i);
    return;
  }
  transfer* const t = p.of;
  if (p.carries && !p.with->over()) {
    p.with->finish(p.number);
    report_room(*p.with);
  }
  pieces_.end(i);
  if (t != nullptr) whole().piece_ended(*t, ok);
}

template <class Card, wire_shape Shape, class Whole>
bool connections<Card, Shape, Whole>::post_behind(link& l, const frame_header& header) noexcept {
  if (l.posted != l.composed) flush(l);
  if (l.receives == 0 || l.posted != l.composed) return false;
  out_record* const r = l.compose(blocks_for(0));
  if (r == nullptr) return false;
  l.fill(*r, header, {}, 0);
  if (!post_next(l)) {
    l.forget_last();
    return false;
  }
  ++counters_.packets;
  return true;
}

template <class Card, wire_shape Shape, class Whole>
outcome connections<Card, Shape, Whole>::post_carrying(link& l, const frame_header& header,
                                                       std::uint16_t i, const remote_memory& there,
                                                       std::uint64_t offset) noexcept
    requires chains
{
  piece& p = pieces_[i];
  out_record& r = *l.compose(blocks_for(0));
  l.fill(r, header, {}, 0);
  const std::uint32_t number = l.posted;
  std::byte* const at = l.place(r);
  const credit c = l.stamp(at);
  const nic_tail tail{.handle = l.region.handle,
                      .from = {at, r.bytes},
                      .to = l.there,
                      .offset = std::uint64_t{r.at} * block_bytes,
                      .immediate = notice::packet(number, r.blocks)};
  const outcome o = card_.post_write_then(l.peer, pieces_.handle(p), p.memory, there, offset, tail,
                                          cookie_of_piece(i));
  if (o == outcome::retry || o == outcome::refused) {
    l.forget_last();
    return o;
  }
  l.posted_next(c);
  ++counters_.packets;
  p.carries = o == outcome::pending;
  p.number = number;
  if (o == outcome::done) l.finish(number);
  return o;
}

}  // namespace mpx::inline v0::transport::rdma_detail
