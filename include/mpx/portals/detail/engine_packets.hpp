// SPDX-License-Identifier: BSL-1.0
#pragma once
// Packets of other ranks: the search for an entry, the movement of data, answers. Included by
// engine.hpp.

#include <cstring>
#include <span>
#include <utility>

#include "mpx/portals/engine.hpp"

namespace mpx::inline v0::portals::detail {

[[gnu::noinline]] inline errc engine::on_packet(rank_t from,
                                                std::span<const std::byte> packet) noexcept {
  packet_head h;
  if (packet.size() < sizeof h) return errc::protocol;
  std::memcpy(&h, packet.data(), sizeof h);
  // The table of that rank is gone.
  if (static_cast<rma::record_kind>(h.kind) == rma::record_kind::refused &&
      packet.size() == sizeof h) {
    on_loss(from, errc::window);
    return errc{};
  }
  if (h.reserved != 0 || h.reserved_too != 0) return errc::protocol;
  if (h.kind == packet_kind::begin) return begin(from, packet);
  if (h.kind == packet_kind::more) return more(from, h, packet.subspan(sizeof h));
  if (packet.size() != sizeof h) return errc::protocol;
  switch (h.kind) {
    case packet_kind::go_on:
    case packet_kind::stop: return report(from, h);
    case packet_kind::end: {
      incoming* const in = peers_[at(from)].in;
      if (in == nullptr || !in->active || in->stream != h.stream) return errc::protocol;
      let_go(*in, errc::pending);
      return errc{};
    }
    case packet_kind::dropped:
      if (h.at == 0 || h.at > static_cast<std::uint64_t>(drop_reason::given_up))
        return errc::protocol;
      ++counts_.told_dropped;
      counts_.told_reason = static_cast<drop_reason>(h.at);
      link_.noticed();
      return errc{};
    default: return errc::protocol;
  }
}

// --- Arrival -----------------------------------------------------------------------------------

inline fit engine::try_entry(entry_state& e, const message& m, bool whole, place& where) noexcept {
  if (e.is != entry_state::phase::active || !fits_direction(m, e.how) ||
      !e.matches(m, link_.peer_of(m.source)))
    return fit::no_match;
  if (e.memory == nullptr && !whole) return fit::too_small;
  if (m.kind == message_kind::get && replies_ == most_.replies) return fit::no_buffer;
  if (e.events != nullptr && !e.events->try_reserve()) return fit::no_buffer;
  if (e.memory == nullptr) return fit::found;
  const fit f = e.memory->take(m, e.how, where);
  if (f != fit::found && e.events != nullptr) e.events->cancel();
  return f;
}

/// Returns the entry that takes `m`; nullptr if none does, with the reason of the last failure.
/// Cost:       a step for each entry that is visited.
inline entry_state* engine::search(const message& m, bool whole, place& where,
                                   drop_reason& why) noexcept {
  why = drop_reason::no_such_portal;
  if (m.portal >= portals_.size()) return nullptr;
  entry_state* e = portals_[m.portal].first;
  if (e != nullptr && m.kind == message_kind::get && m.return_portal == no_portal) {
    why = drop_reason::no_answer;
    return nullptr;
  }
  for (std::uint32_t steps = 0; e != nullptr; ++steps) {
    if (steps == entries_used_) {
      why = drop_reason::too_many;
      return nullptr;
    }
    const fit f = try_entry(*e, m, whole, where);
    if (f == fit::found) return e;
    why = f == fit::no_match    ? drop_reason::no_match
          : f == fit::no_buffer ? drop_reason::no_buffer
                                : drop_reason::too_small;
    const continuation& c = e->on[static_cast<std::size_t>(f) - 1];
    switch (c.where) {
      case continuation::to::following: e = e->next; break;
      case continuation::to::nowhere: e = nullptr; break;
      case continuation::to::entry: e = find(c.entry); break;
    }
  }
  return nullptr;
}

[[gnu::noinline]] inline errc engine::begin(rank_t from,
                                            std::span<const std::byte> packet) noexcept {
  packet_head h;
  message m;
  std::memcpy(&h, packet.data(), sizeof h);
  if (!unpack(packet, from, h, m)) return errc::protocol;
  const std::span<const std::byte> data = packet.subspan(begin_bytes);
  const bool whole = data.size() == m.length;
  if (!whole) {
    peer& p = peers_[at(from)];
    if (data.empty() || (p.in != nullptr && p.in->active)) return errc::protocol;
    if (p.in == nullptr) p.in = new (std::nothrow) incoming;
    if (p.in == nullptr) return errc::no_resources;
  }
  if (m.portal == operations_portal) return to_operation(m, h.stream, data);
  place where;
  drop_reason why{};
  entry_state* const e = search(m, whole, where, why);
  if (e == nullptr) {
    drop(m, why);
    if (!whole) discard_rest(from, h.stream, m, data.size());
    return errc{};
  }
  ++counts_.accepted;
  if (m.kind == message_kind::get) {
    serve(*e, where, m);
  } else {
    to_entry(*e, where, m, h.stream, data);
  }
  return errc{};
}

inline void engine::expect(rank_t from, std::uint32_t stream, const message& m, std::size_t got,
                           entry_state* e, const place& where, outgoing* o) noexcept {
  incoming& in = *peers_[at(from)].in;
  in.active = true;
  in.discards = false;
  in.stream = stream;
  in.untold = 1;
  in.packets = 1;
  in.got = got;
  in.entry = e;
  in.where = where;
  in.operation = o;
  in.m = m;
}

inline void engine::to_entry(entry_state& e, const place& where, const message& m,
                             std::uint32_t stream, std::span<const std::byte> data) noexcept {
  if (e.memory == nullptr) {
    const event said{
        .kind = event_kind::put, .what = saved::both, .label = e.label, .data = data, .is = m};
    const options how = e.how;
    e.call.run(e.call.of, *this, said);
    if (is_acknowledged(m, how)) acknowledge(m, saved::both, drop_reason::none, 0, m.length);
    return;
  }
  const bool whole = data.size() == m.length;
  const bool keeps = keeps_body(e.how);
  if (keeps && !data.empty()) e.memory->write(where, 0, data);
  ++e.uses;
  if (keeps && !whole) return expect(m.source, stream, m, data.size(), &e, where, nullptr);
  finish(e, where, m, errc{});
  if (!whole) discard_rest(m.source, stream, m, data.size());
}

/// Ends the use of an entry by a message: its event, its acknowledgement.
[[gnu::noinline]] inline void engine::finish(entry_state& e, const place& where, const message& m,
                                             errc why) noexcept {
  const options how = e.how;
  const bool has_body = keeps_body(how) && why == errc{};
  event said{.kind = m.kind == message_kind::reply             ? event_kind::reply
                     : m.kind == message_kind::acknowledgement ? event_kind::acknowledgement
                                                               : event_kind::put,
             .what = why == errc{} ? static_cast<saved>(how.keep) : saved::nothing,
             .failure = why,
             .buffer = where.buffer,
             .label = e.label,
             .offset = where.at,
             .is = m};
  if (has_body) said.data = e.memory->data(where, m.length);
  e.memory->finish(where, how, why);
  --e.uses;
  if (e.events != nullptr) {
    e.events->add(said);
    tell(*e.events);
  } else {
    link_.noticed();  // A thread may wait for a message in a heap.
  }
  const event_call call = e.call;
  if (call.run != nullptr) call.run(call.of, *this, said);
  if (is_acknowledged(m, how))
    acknowledge(m, said.what, why == errc{} ? drop_reason::none : drop_reason::given_up, where.at,
                has_body ? m.length : 0);
}

/// Handles an answer to an operation of the typed interface. An operation that has been given up
/// gets no answer.
[[gnu::noinline]] inline errc engine::to_operation(const message& m, std::uint32_t stream,
                                                   std::span<const std::byte> data) noexcept {
  if (m.kind == message_kind::put || m.kind == message_kind::get) return errc::protocol;
  const auto i = static_cast<std::uint32_t>(m.bits);
  outgoing* const o = i < out_.size() ? out_[i] : nullptr;
  const bool whole = data.size() == m.length;
  if (o == nullptr || o->serial != m.bits >> 32 || !o->awaits || o->to != m.source ||
      o->is == outgoing::phase::free || o->is == outgoing::phase::done) {
    if (!whole) discard_rest(m.source, stream, m, data.size());
    return errc{};
  }
  if (m.kind == message_kind::acknowledgement) {
    if (m.return_length > o->m.length) return errc::protocol;
    o->awaits = false;
    o->result = {m.result(), m.reason(), m.return_offset, m.return_length};
    const bool dropped = m.result() == saved::nothing;
    if (o->is == outgoing::phase::answer) end(*o, dropped ? errc::not_ready : errc{});
    return errc{};
  }
  if (m.offset != 0 || m.length != o->m.return_length || o->is != outgoing::phase::answer ||
      o->m.kind != message_kind::get)
    return errc::protocol;
  o->into.write(0, data);
  o->result = {saved::body, drop_reason::none, 0, m.length};
  if (!whole) {
    expect(m.source, stream, m, data.size(), nullptr, {}, o);
    return errc{};
  }
  o->awaits = false;
  end(*o, errc{});
  return errc{};
}

[[gnu::noinline]] inline errc engine::more(rank_t from, const packet_head& h,
                                           std::span<const std::byte> data) noexcept {
  incoming* const in = peers_[at(from)].in;
  if (in == nullptr || !in->active || in->stream != h.stream || data.empty() || h.at != in->got ||
      data.size() > in->m.length - in->got)
    return errc::protocol;
  if (in->entry != nullptr) in->entry->memory->write(in->where, in->got, data);
  if (in->operation != nullptr) in->operation->into.write(in->got, data);
  in->got += data.size();
  ++in->packets;
  if (in->got == in->m.length) {
    in->active = false;
    if (outgoing* const o = std::exchange(in->operation, nullptr); o != nullptr) {
      o->awaits = false;
      end(*o, errc{});
    }
    if (entry_state* const e = std::exchange(in->entry, nullptr); e != nullptr) {
      const message m = in->m;
      finish(*e, in->where, m, errc{});
    }
    return errc{};
  }
  if (!in->discards && ++in->untold >= window_packets / 2) {
    in->untold = 0;
    send_head(from, packet_kind::go_on, h.stream, in->packets);
  }
  return errc{};
}

/// Ends a message of which a part has not arrived and will not.
[[gnu::noinline]] inline void engine::let_go(incoming& in, errc why) noexcept {
  in.active = false;
  if (outgoing* const o = std::exchange(in.operation, nullptr); o != nullptr) {
    o->awaits = false;
    end(*o, why);
  }
  if (entry_state* const e = std::exchange(in.entry, nullptr); e != nullptr) {
    const message m = in.m;
    const place where = in.where;
    finish(*e, where, m, why);
  }
}

// --- Answers -----------------------------------------------------------------------------------

inline void engine::acknowledge(const message& m, saved what, drop_reason why, std::uint64_t offset,
                                std::uint64_t bytes) noexcept {
  const bool asks = m.kind == message_kind::put || m.kind == message_kind::get;
  if (!asks || m.return_portal == no_portal || peers_[at(m.source)].failure != errc{}) return;
  message a{.bits = m.return_bits,
            .offset = m.return_offset,
            .return_offset = offset,
            .return_length = bytes,
            .portal = m.return_portal,
            .user = m.user,
            .kind = message_kind::acknowledgement};
  a.user[0] = static_cast<std::byte>(what);
  a.user[1] = static_cast<std::byte>(why);
  std::byte p[begin_bytes];
  pack(p, a, 0);
  link_.send(m.source, p);
}

/// Drops a message, and tells its sender.
[[gnu::noinline, gnu::cold]] inline void engine::drop(const message& m, drop_reason why) noexcept {
  ++counts_.dropped;
  counts_.last_reason = why;
  if (m.return_portal != no_portal) {
    acknowledge(m, saved::nothing, why, 0, 0);
  } else if (m.kind == message_kind::put) {
    send_head(m.source, packet_kind::dropped, 0, static_cast<std::uint64_t>(why));
  }
}

/// Starts the reply to a get.
inline void engine::serve(entry_state& e, const place& where, const message& m) noexcept {
  outgoing* const o = take_outgoing();
  if (o == nullptr) {
    e.memory->finish(where, e.how, errc::no_resources);
    if (e.events != nullptr) e.events->cancel();
    return drop(m, drop_reason::no_buffer);
  }
  ++replies_;
  ++e.uses;
  o->serves = true;
  o->m = {.bits = m.return_bits,
          .offset = m.return_offset,
          .length = m.return_length,
          .portal = m.return_portal,
          .user = m.user,
          .kind = message_kind::reply};
  o->to = m.source;
  o->entry = &e;
  o->at = where;
  enqueue(*o);
  push(m.source);
}

// --- Messages of this rank ---------------------------------------------------------------------

/// Sends as much of the messages to a rank as their receiver has room for.
[[gnu::noinline]] inline void engine::push(rank_t to) noexcept {
  peer& p = peers_[at(to)];
  while (p.failure == errc{} && p.first != nullptr) {
    outgoing& o = *p.first;
    const bool begun = o.is == outgoing::phase::moving;
    if (begun && (o.sent == o.m.length || o.stopped)) {
      if (o.sent != o.m.length) send_head(to, packet_kind::end, o.stream, 0);
      if (p.failure == errc{}) left(o);
      continue;
    }
    if (o.packets - o.handled >= window_packets) return;
    if (!begun) {
      o.is = outgoing::phase::moving;
      o.stream = ++p.streams;
    }
    const std::size_t head = begun ? sizeof(packet_head) : begin_bytes;
    const std::size_t n = lesser<std::uint64_t>(packet_bytes_ - head, o.m.length - o.sent);
    std::byte* const packet = packet_.begin();
    if (begun) {
      const packet_head h{.kind = packet_kind::more, .stream = o.stream, .at = o.sent};
      std::memcpy(packet, &h, sizeof h);
    } else {
      pack(packet, o.m, o.stream);
    }
    if (o.serves) {
      o.entry->memory->read(o.at, o.sent, {packet + head, n});
    } else {
      o.data.read(o.sent, {packet + head, n});
    }
    o.sent += n;
    ++o.packets;
    link_.send(to, {packet, head + n});  // A failure ends the loop by on_loss.
  }
}

/// Handles a report of the receiver about the message that is under way to it.
inline errc engine::report(rank_t from, const packet_head& h) noexcept {
  outgoing* const o = peers_[at(from)].first;
  if (o == nullptr || o->is != outgoing::phase::moving || o->stream != h.stream) return errc{};
  if (h.kind == packet_kind::stop) {
    o->stopped = true;
  } else {
    if (h.at > o->packets || h.at < o->handled) return errc::protocol;
    o->handled = h.at;
  }
  push(from);
  return errc{};
}

/// All data of the first message to a rank has been sent.
inline void engine::left(outgoing& o) noexcept {
  if (!o.serves && o.awaits) {
    unqueue(o);
    o.is = outgoing::phase::answer;
    return;
  }
  const bool dropped = o.m.return_portal == operations_portal && o.result.what == saved::nothing;
  end(o, dropped && !o.serves ? errc::not_ready : errc{});
}

inline void engine::unqueue(outgoing& o) noexcept {
  if (o.is != outgoing::phase::queued && o.is != outgoing::phase::moving) return;
  peer& p = peers_[at(o.to)];
  outgoing* before = nullptr;
  for (outgoing* q = p.first; q != &o; q = q->next) before = q;
  (before == nullptr ? p.first : before->next) = o.next;
  if (p.last == &o) p.last = before;
}

/// Ends an operation or a reply.
[[gnu::noinline]] inline void engine::end(outgoing& o, errc why) noexcept {
  unqueue(o);
  if (o.serves) {
    entry_state& e = *o.entry;
    event said{.kind = event_kind::served,
               .failure = why,
               .buffer = o.at.buffer,
               .label = e.label,
               .offset = o.at.at,
               .is = o.m};
    said.is.source = o.to;
    e.memory->finish(o.at, e.how, why);
    --e.uses;
    give(o);
    if (e.events != nullptr) {
      e.events->add(said);
      tell(*e.events);
    }
    if (e.call.run != nullptr) e.call.run(e.call.of, *this, said);
    return;
  }
  incoming* const in = peers_[at(o.to)].in;
  if (in != nullptr && in->active && in->operation == &o) stop_incoming(o.to);
  o.failure = why;
  o.is = outgoing::phase::done;
  if (void* const waiter = std::exchange(o.waiter, nullptr); waiter != nullptr)
    link_.complete(waiter, why);
  link_.noticed();
}

inline void engine::abandon(outgoing& o) noexcept {
  const rank_t to = o.to;
  if (o.is == outgoing::phase::moving) send_head(to, packet_kind::end, o.stream, 0);
  unqueue(o);
  incoming* const in = peers_[at(to)].in;
  if (in != nullptr && in->active && in->operation == &o) stop_incoming(to);
  give(o);
  push(to);
}

[[gnu::noinline]] inline void engine::on_loss(rank_t r, errc why) noexcept {
  peer& p = peers_[at(r)];
  if (p.failure != errc{}) return;
  p.failure = why;
  lost_.push_back(r);
  while (p.first != nullptr) end(*p.first, why);
  for (std::size_t i = 0; i < out_.size(); ++i)
    if (out_[i]->is == outgoing::phase::answer && out_[i]->to == r) end(*out_[i], why);
  if (p.in != nullptr && p.in->active) let_go(*p.in, why);
  for (event_ring* ring : rings_) tell(*ring);
}

}  // namespace mpx::inline v0::portals::detail
