// SPDX-License-Identifier: BSL-1.0
#pragma once
// Entries of a table: adding, removing and activating them, and the search of a heap. Included by
// engine.hpp.

#include <span>

#include "mpx/portals/engine.hpp"

namespace mpx::inline v0::portals::detail {

/// Adds an entry.
/// Errors:     errc::argument if the portal does not exist, has another form, or the block does not
///             have these options; errc::rank; errc::no_resources if all entries are in use.
[[gnu::noinline]] inline errc engine::add(const plan& p, entry_name& made) noexcept {
  const bool calls = p.memory == nullptr;
  if (p.portal >= portals_.size()) return errc::argument;
  if (calls ? p.call.run == nullptr || serves(p.how) : !p.memory->allows(p.how))
    return errc::argument;
  portal_state& portal = portals_[p.portal];
  const bool plain = p.want == nullptr;
  if (portal.first != nullptr && (plain || portal.plain)) return errc::argument;
  entry_state* const before = find(p.before);
  if (p.before != entry_name{} && (before == nullptr || before->portal != p.portal))
    return errc::argument;
  if (!plain && p.want->from != any_source) {
    const rank_t ranks = p.want->among == nullptr ? size() : p.want->among->size();
    if (p.want->from < 0 || p.want->from >= ranks) return errc::rank;
  }
  if (entries_used_ == most_.entries) return errc::no_resources;
  group among;
  if (!plain && p.want->among != nullptr) try {
      among = p.want->among->copy();
    } catch (const error&) {
      return errc::no_resources;
    }
  entry_state* e = free_entries_;
  if (e == nullptr) {
    e = entries_.try_add(new (std::nothrow) entry_state);
    if (e == nullptr) return errc::no_resources;
    e->name.index = static_cast<std::uint32_t>(entries_.size() - 1);
  } else {
    free_entries_ = e->next;
  }
  ++e->name.serial;
  e->is = entry_state::phase::inactive;
  e->portal = p.portal;
  e->bits = plain ? 0 : p.want->bits;
  e->ignore = plain ? ~match_bits{0} : p.want->ignore;
  e->from = plain ? rank_t{any_source} : p.want->from;
  e->among = std::move(among);
  e->grouped = !plain && p.want->among != nullptr;
  e->how = p.how;
  e->memory = p.memory;
  e->events = p.events;
  e->call = p.call;
  for (std::size_t i = 0; i < 3; ++i) e->on[i] = p.on[i];
  e->label = p.label;
  e->uses = 0;
  ++entries_used_;
  if (p.memory != nullptr) ++p.memory->users_;
  if (p.events != nullptr) ++p.events->users;
  portal.plain = plain;
  // An inactive entry keeps its place in the list.
  if (before != nullptr) {
    portal.add_before(*e, *before);
  } else {
    portal.add(*e);
  }
  if (p.active) e->is = entry_state::phase::active;
  made = e->name;
  return errc{};
}

/// Removes an entry. Messages that are arriving at it are cut off.
[[gnu::noinline]] inline void engine::remove(entry_name name) noexcept {
  entry_state* const e = find(name);
  if (e == nullptr) return;
  if (e->uses != 0) stop_uses(*e);
  portals_[e->portal].remove(*e);
  if (e->memory != nullptr) --e->memory->users_;
  if (e->events != nullptr) --e->events->users;
  e->is = entry_state::phase::free;
  e->among = group();
  e->next = std::exchange(free_entries_, e);
  --entries_used_;
}

/// Cuts off everything that arrives at `e` or is read from it.
[[gnu::noinline]] inline void engine::stop_uses(entry_state& e) noexcept {
  const auto end_place = [&e](const place& where) {
    e.memory->finish(where, e.how, errc::pending);
    if (e.events != nullptr) e.events->cancel();
    --e.uses;
  };
  for (rank_t r = 0; r < size(); ++r) {
    incoming* const in = peers_[at(r)].in;
    if (in == nullptr || !in->active || in->entry != &e) continue;
    end_place(in->where);
    const message m = in->m;
    stop_incoming(r);
    acknowledge(m, saved::nothing, drop_reason::given_up, 0, 0);
  }
  for (std::size_t i = 0; i < out_.size(); ++i) {
    outgoing& o = *out_[i];
    if (o.is == outgoing::phase::free || !o.serves || o.entry != &e) continue;
    end_place(o.at);
    const rank_t to = o.to;
    if (o.is == outgoing::phase::moving) send_head(to, packet_kind::end, o.stream, 0);
    unqueue(o);
    give(o);
    push(to);
  }
}

/// Activates an entry, or makes it invisible to the search. Messages that are arriving at it go on.
/// Errors:     errc::argument if it has been removed.
inline errc engine::set_active(entry_name name, bool active) noexcept {
  entry_state* const e = find(name);
  if (e == nullptr) return errc::argument;
  e->is = active ? entry_state::phase::active : entry_state::phase::inactive;
  return errc{};
}

/// Changes match bits and ignore bits, for messages that have not matched yet.
inline errc engine::set_bits(entry_name name, match_bits bits, match_bits ignore) noexcept {
  entry_state* const e = find(name);
  if (e == nullptr) return errc::argument;
  e->bits = bits;
  e->ignore = ignore;
  return errc{};
}

/// Takes the earliest message that fits `want` out of a heap. Returns nullptr if there is none.
[[gnu::noinline]] inline heap_record* engine::take(dynamic_block& heap,
                                                   const criteria& want) noexcept {
  return take_if(heap, [&](const message& m) {
    if (((m.bits ^ want.bits) | want.ignore) != want.ignore) return false;
    if (want.among == nullptr) return want.from == any_source || want.from == m.source;
    const peer_id source = link_.peer_of(m.source);
    return want.among->contains(source) &&
           (want.from == any_source || want.among->rank_of(source) == want.from);
  });
}

/// Takes the earliest message that fits the inactive entry `name` out of a heap; activates the
/// entry if there is none. No message can arrive in between.
inline heap_record* engine::take_or_activate(dynamic_block& heap, entry_name name) noexcept {
  entry_state* const e = find(name);
  if (e == nullptr) return nullptr;
  heap_record* const r =
      heap.find([&](const message& m) { return e->matches(m, link_.peer_of(m.source)); });
  if (r != nullptr) {
    heap.take_out(*r);
  } else {
    e->is = entry_state::phase::active;
  }
  return r;
}

/// Frees a message that was taken out of a heap. If data of it is still arriving, the rest is
/// discarded.
inline void engine::give_back(dynamic_block& heap, heap_record& r) noexcept {
  for (rank_t from = 0; !r.whole && from < size(); ++from) {
    incoming* const in = peers_[at(from)].in;
    if (in == nullptr || !in->active || in->entry == nullptr || in->where.record != &r) continue;
    entry_state& e = *in->entry;
    e.memory->finish(in->where, e.how, errc::pending);
    if (e.events != nullptr) e.events->cancel();
    --e.uses;
    const message m = in->m;
    stop_incoming(from);
    acknowledge(m, saved::nothing, drop_reason::given_up, 0, 0);
  }
  heap.give_back(r);
}

}  // namespace mpx::inline v0::portals::detail
