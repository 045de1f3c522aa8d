// SPDX-License-Identifier: BSL-1.0
#pragma once
// The communicators of a rank: their states, the lifetime of their contexts, lost members, and
// revoked communicators.

#include <exception>
#include <new>
#include <span>
#include <utility>

#include "mpx/core/exchange.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/serials.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/service.hpp"
#include "mpx/engine/base/service_host.hpp"
#include "mpx/engine/communicators/contexts.hpp"
#include "mpx/matching/concepts.hpp"
#include "mpx/protocol/wire.hpp"

namespace mpx::inline v0::detail {

/// The service of kinds `freed` to `forgotten`.
///
/// A context lives at this rank until its handle is freed, no operation of its communicator is
/// under way here, and its leader has been told. At the leader it lives until all members have told
/// so or are lost. This needs no barrier.
/// Threads: all under the endpoint's lock.
class communicators final : public service {
 public:
  communicators(service_host& e, peer_id founders, const context_numbers& numbers) noexcept
      : endpoint_(e), founders_(world_rank(founders)), numbers_(numbers), led_(numbers_) {}
  [[gnu::noinline, gnu::cold]] ~communicators() {
    for (std::size_t i = 0; i < states_.size(); ++i) release(states_[i]->own);
    led_.for_each([this](led_communicator& l) { release(l.ranks); });
    delete led_to_;
  }

  const context_numbers& numbers() const noexcept { return numbers_; }
  /// A number that ranks of one machine share, and no others.
  std::uint64_t host_number = 0;

  // --- Making ------------------------------------------------------------------------------------

  /// Makes the world's state.
  /// Errors: errc::no_resources.
  [[gnu::noinline, gnu::cold]] communicator_state& make_world() {
    communicator_state* const made = take_state();
    if (made == nullptr) throw_out_of_memory();
    made->size = founders_;
    made->context = made->of_handles = 0;
    world_ = made;
    return *made;
  }
  /// Returns a new context that this rank leads; no_context if this rank leads as many as it may,
  /// or memory is exhausted. `make` or `never_made` has to follow.
  context_id lead(errc& why) noexcept {
    led_communicator* const led = led_.take();
    why = led != nullptr ? errc{} : led_.full() ? errc::communicator : errc::no_resources;
    return led == nullptr ? no_context
                          : numbers_.make(endpoint_.self(), led->serial, led->generation);
  }
  /// Returns the number of communicators that this rank leads if it is at the limit, else 0.
  /// `freed_here`: the number of those that this rank has freed and other members have not.
  std::size_t led_at_limit(std::size_t& freed_here) noexcept {
    freed_here = 0;
    if (!led_.full()) return 0;
    led_.for_each([&](const led_communicator& led) { freed_here += led.freed_here; });
    return numbers_.serial_max();
  }
  /// Gives up a context of which no rank makes anything.
  /// Requires: `lead` returned it.
  void abandon(context_id context) noexcept { retire(*led_.find(context)); }
  /// Revokes at `peer` the communicator that it makes, or has made, of `context`, and at all
  /// members that the peer knows: they would wait for this rank.
  /// Requires: the peer takes this rank for a member.
  void revoke_at(peer_id peer, context_id context) noexcept {
    if (peer != endpoint_.self())
      endpoint_.send_control(peer, {.kind = wire::kind::revoke_all, .context = context});
  }
  /// Called if this rank takes no part in the communicator that others make of `context`.
  void never_made(context_id context) noexcept {
    meet(context);
    tell_freed(context);
  }
  /// Takes no part in the communicator of `context`, and revokes it at `members`, which would wait
  /// for this rank.
  /// Requires: this rank does not lead it.
  void never_made(context_id context, const group& members) noexcept {
    for (rank_t r = 0; r < members.size(); ++r) revoke_at(members.peer_of(r), context);
    never_made(context);
  }
  /// Takes no part in the communicator of `context`, and revokes it at the members of `like`, which
  /// would wait for this rank.
  void never_made(context_id context, const communicator_state& like) noexcept {
    never_made(context, like, like);
  }
  /// Takes no part in the intercommunicator of `context`, whose two groups together are `both`, and
  /// first revokes it at the members of `like`.
  void never_made(context_id context, const communicator_state& like,
                  const communicator_state& both) noexcept {
    for (rank_t r = 0; r < like.size; ++r) revoke_at(peer_of(like, r), context);
    lead_on(context, both.own, both.size);
    never_made(context);
  }

  /// Makes the communicator of `context`, with the members `ranks` or those of `like`. Returns
  /// nullptr if memory is exhausted; the leader counts this rank among those that have freed it.
  communicator_state* make(context_id context, group&& ranks) noexcept {
    kept_group* kept = nullptr;
    const rank_t size = ranks.size();
    bool good = true;
    if (ranks.how() != group::kind::identity) {
      kept = new (std::nothrow) kept_group(std::move(ranks));
      good = kept != nullptr;
    }
    if (kept != nullptr) ++kept->users;
    communicator_state* const made = make_kept(good, context, kept, size);
    release(kept);
    return made;
  }
  communicator_state* make(context_id context, const communicator_state& like) noexcept {
    return make_kept(true, context, like.own, like.size);
  }

  /// Makes an intercommunicator. Its handles name ranks of `remote`, whose own rank is that in the
  /// local group. `all`: both groups together.
  communicator_state* make_inter(context_id context, group&& remote, group&& all) noexcept {
    const rank_t size = remote.size();
    auto* const ranks = new (std::nothrow) kept_group(std::move(remote));
    auto* const both = new (std::nothrow) kept_group(std::move(all));
    if (ranks != nullptr) ++ranks->users;
    if (both != nullptr) ++both->users;
    communicator_state* const made =
        make_kept(ranks != nullptr && both != nullptr, context, ranks, size, both);
    release(ranks);
    release(both);
    return made;
  }

  /// Drops one use of `ranks`; the last one deletes it.
  void release(kept_group* ranks) noexcept {
    if (ranks != nullptr && --ranks->users == 0) delete ranks;
  }

  // --- Freeing -----------------------------------------------------------------------------------

  /// Invalidates the handles of `s`. The state is released when no operation is under way there.
  void free(communicator_state& s) noexcept {
    s.of_handles = no_context;
    endpoint_.forget_node(detail::exchange(s.node, nullptr));
    s.node_tried = false;
    s.next = detail::exchange(leaving_, &s);
    tidy();
  }
  /// Calls `f(state)` for each communicator. `f` may free communicators.
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = 0; i < states_.size(); ++i) f(*states_[i]);
  }
  /// Called when the endpoint is destroyed.
  void forget_nodes() noexcept {
    for (std::size_t i = 0; i < states_.size(); ++i)
      endpoint_.forget_node(detail::exchange(states_[i]->node, nullptr));
  }
  /// Releases freed communicators that are not in use any more, and discards messages that still
  /// arrived for them.
  /// Cost: a look at each message stored since the last call and, if any communicator was freed, at
  /// each operation under way.
  void tidy() noexcept {
    endpoint_.index_new();
    if (leaving_ == nullptr) return;
    endpoint_.for_each_in_use([this](context_id context) {
      communicator_state* const s = find(context);
      if (s != nullptr && s->of_handles == no_context) s->in_use = true;
    });
    for (communicator_state** at = &leaving_; *at != nullptr;) {
      communicator_state& s = **at;
      if (detail::exchange(s.in_use, false)) {
        at = &s.next;
        continue;
      }
      *at = detail::exchange(s.next, vacant_);
      vacant_ = &s;
      end(s);
    }
  }

  // --- Members -----------------------------------------------------------------------------------

  /// Returns nullptr if this rank has no communicator of `context`.
  [[gnu::noinline]] communicator_state* find(context_id context) const noexcept {
    const context_id plain = numbers_.plain(context);
    if (plain == 0) return world_;
    const known_places::entry* const e = places_.find(numbers_.place(plain));
    return e != nullptr && e->last == plain ? e->state : nullptr;
  }
  /// True if the communicator was freed here, or is never made here. False once its place is
  /// reused.
  [[gnu::noinline]] bool is_freed(context_id context) const noexcept {
    const context_id plain = numbers_.plain(context);
    const known_places::entry* const e = places_.find(numbers_.place(plain));
    return e != nullptr && e->last == plain && e->state == nullptr;
  }
  static peer_id peer_of(const communicator_state& s, rank_t rank) noexcept {
    return s.ranks == nullptr ? world_peer(rank) : s.ranks->peer_of(rank);
  }
  static bool has_member(const communicator_state& s, peer_id peer) noexcept {
    return s.ranks == nullptr ? world_rank(peer) >= 0 && world_rank(peer) < s.size
                              : s.ranks->contains(peer);
  }
  /// Number of lost members.
  /// Cost: a look at each member once after each loss of any peer.
  [[gnu::noinline]] rank_t lost_in(communicator_state& s) noexcept {
    if (s.losses_seen == endpoint_.losses()) return s.lost;
    s.losses_seen = endpoint_.losses();
    s.lost = s.left = 0;
    for (rank_t r = 0; r < s.size; ++r) {
      s.lost += endpoint_.failure_of(peer_of(s, r)) != errc{};
      s.left += endpoint_.left(peer_of(s, r));
    }
    return s.lost;
  }
  /// Number of lost members, without those that left in good order and may have done their part.
  rank_t lost_before_their_end_in(communicator_state& s) noexcept { return lost_in(s) - s.left; }
  bool is_lost(const communicator_state& s, rank_t rank) const noexcept {
    return endpoint_.failure_of(peer_of(s, rank)) != errc{};
  }
  /// True if a call on `context` may depend on `peer`.
  bool concerns(context_id context, peer_id peer) const noexcept {
    const communicator_state* const s = find(context);
    return s == nullptr || has_member(*s, peer);
  }
  /// True if a receive from any source may wait for ever for a lost member.
  bool unacknowledged_in(context_id context) noexcept {
    communicator_state* const s = find(context);
    return s == nullptr || lost_in(*s) > s->acknowledged;
  }

  /// Discards messages of earlier agreements: those with a tag before `tag`.
  void forget_agreements(context_id own, tag_t tag) noexcept {
    endpoint_.discard_if(own, [&](const envelope& is) {
      return is.context() == own && is_serial_before(is.tag(), tag);
    });
  }

  // --- Revoking ----------------------------------------------------------------------------------

  /// Returns errc::revoked if calls of `context` are refused, else errc{}.
  errc failure_in(context_id context) const noexcept {
    if (revoked_ == 0 || numbers_.is_of_agreements(context)) return errc{};
    const communicator_state* const s = find(context);
    return s != nullptr && s->revoked ? errc::revoked : errc{};
  }
  /// Revokes `s`: ends its operations here and, soon, at all members that live.
  [[gnu::noinline, gnu::cold]] void revoke(communicator_state& s) noexcept {
    if (s.revoked) return;
    revoke_here(s);
    spread(s);
  }
  /// Called by a call on `in` that makes a communicator and communicates in `s`: `s` is revoked
  /// together with `in`, until this is called with nullptr.
  void make_within(communicator_state& s, const communicator_state* in) noexcept {
    s.made_within = in;
    if (in != nullptr && in->revoked) revoke(s);
  }
  /// Revokes `s` at this rank alone; the others learn of it from another rank.
  [[gnu::noinline, gnu::cold]] void revoke_here(communicator_state& s) noexcept {
    if (s.revoked) return;
    s.revoked = true;
    ++revoked_;
    endpoint_.revoked(1);
    endpoint_.end_revoked(s.context);
    for (std::size_t i = 0; i < states_.size(); ++i)  // Some members may have left their calls.
      if (states_[i]->made_within == &s) revoke(*states_[i]);
  }

  [[gnu::cold]] errc on_packet(peer_id source, const wire::header& h,
                               std::span<const std::byte> payload) noexcept override {
    if (!payload.empty() || h.tag != 0 || h.context != numbers_.plain(h.context))
      return errc::protocol;
    if (h.kind != wire::kind::revoke_all) return told(source, h);
    if (communicator_state* const s = find(h.context); s != nullptr) {
      if (!has_member(*s, source)) return errc::protocol;
      revoke(*s);
      return errc{};
    }
    if (is_freed(h.context)) return errc{};
    for (context_id& c : revoked_unmade_) {
      if (!numbers_.same_place(c, h.context)) continue;
      if (numbers_.is_later(h.context, c)) c = h.context;
      return errc{};
    }
    if (revoked_unmade_.size() == revoked_unmade_max) return errc::no_resources;
    return revoked_unmade_.try_push_back(h.context) ? errc{} : errc::no_resources;
  }
  [[gnu::cold]] void on_loss(peer_id) noexcept override {
    tell_leader_of_losses();
    if (revoked_ == 0) return;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i]->revoked && states_[i]->context != no_context) spread(*states_[i]);
  }

 private:
  static constexpr std::size_t revoked_unmade_max = 4096;

  errc told(peer_id source, const wire::header& h) noexcept {
    switch (h.kind) {
      case wire::kind::forget: return forget(source, h.context);
      case wire::kind::freed: return on_freed(source, h.context);
      case wire::kind::forgotten: return on_forgotten(source, h.context);
      default: return errc::protocol;
    }
  }
  void tell_leader_of_losses() noexcept {
    led_.for_each([this](led_communicator& l) {
      retire_if_over(l);
      l.asked.erase_if([this](peer_id p) { return is_lost(p); });
      give_if_forgotten(l);
    });
  }

  [[gnu::noinline, gnu::cold]] communicator_state* take_state() noexcept {
    if (communicator_state* const s = vacant_; s != nullptr) {
      vacant_ = s->next;
      s->~communicator_state();
      return ::new (static_cast<void*>(s)) communicator_state();
    }
    return states_.try_add(new (std::nothrow) communicator_state());
  }
  /// `all`: the participants, if they are not `ranks`.
  communicator_state* make_kept(bool good, context_id context, kept_group* ranks, rank_t size,
                                kept_group* all = nullptr) noexcept {
    tidy();
    bool revoked = false;
    for (const context_id c : revoked_unmade_) revoked = revoked || c == context;
    clear_place(context, context);
    known_places::entry* const place = meet(context);
    communicator_state* const s = good && place != nullptr ? take_state() : nullptr;
    if (s == nullptr) {
      tell_freed(context);
      return nullptr;
    }
    place->state = s;
    s->own = ranks;
    s->ranks = ranks;
    if (ranks != nullptr) ++ranks->users;
    s->size = size;
    s->context = s->of_handles = context;
    if (all != nullptr) {
      lead_on(context, all, all->size());
    } else {
      lead_on(context, ranks, size);
    }
    if (revoked) revoke(*s);
    return s;
  }
  /// Sets the members of `context` if this rank leads it.
  void lead_on(context_id context, kept_group* ranks, rank_t size) noexcept {
    led_communicator* const led = led_by_this(context);
    if (led == nullptr) return;
    led->size = size;
    led->ranks = ranks;
    if (ranks != nullptr) ++ranks->users;
    retire_if_over(*led);
  }
  /// Makes `context` the last number of its place. It counts as freed until it has a state. Returns
  /// nullptr if memory is exhausted; nothing is recorded then.
  known_places::entry* meet(context_id context) noexcept {
    forget_revoked(context);
    known_places::entry* const e = places_.add(numbers_.place(context));
    if (e != nullptr) *e = {e->place, context, nullptr};
    return e;
  }
  /// Releases `s`, of which nothing is under way any more, and tells its leader.
  void end(communicator_state& s) noexcept {
    const context_id context = detail::exchange(s.context, no_context);
    if (s.revoked) endpoint_.revoked(-1);
    known_places::entry* const e = places_.find(numbers_.place(context));
    if (e != nullptr && e->state == &s) e->state = nullptr;
    endpoint_.forget_left(context | 1);
    tell_freed(context);
    release(detail::exchange(s.own, nullptr));
  }
  /// Discards stored messages of all contexts with the place of `context`, except `kept`. They
  /// include messages that were under way for longer than the place was free.
  /// Requires: the leader has not been told that `context` is freed here, so that the place has no
  /// newer context.
  [[gnu::noinline]] void clear_place(context_id context, context_id kept) noexcept {
    endpoint_.discard_if(context, [this, context, kept](const envelope& is) {
      return numbers_.same_place(is.context(), context) && numbers_.plain(is.context()) != kept;
    });
  }

  led_communicator* led_by_this(context_id context) const noexcept {
    return numbers_.leader_of(context) == endpoint_.self() ? led_.find(context) : nullptr;
  }
  /// Tells the leader that neither `context` nor an earlier context of its place exists here.
  void tell_freed(context_id context) noexcept {
    clear_place(context, no_context);
    const peer_id leader = numbers_.leader_of(context);
    if (leader == endpoint_.self()) {
      on_freed(leader, context);
    } else if (endpoint_.failure_of(leader) == errc{}) {
      endpoint_.send_control(leader, {.kind = wire::kind::freed, .context = context});
    }
  }
  errc on_freed(peer_id source, context_id context) noexcept {
    led_communicator* const led = led_by_this(context);
    if (led == nullptr) return errc::protocol;
    for (const peer_id p : led->freed)
      if (p == source) return errc::protocol;
    if (!led->freed.try_push_back(source)) return errc::no_resources;
    led->freed_here = led->freed_here || source == endpoint_.self();
    retire_if_over(*led);
    return errc{};
  }
  void retire_if_over(led_communicator& led) noexcept;

  // --- Recycled serials --------------------------------------------------------------------------

  bool is_lost(peer_id peer) const noexcept { return endpoint_.failure_of(peer) != errc{}; }
  void retire(led_communicator& led) noexcept;
  void give_if_forgotten(led_communicator& led) noexcept {
    if (led.waits_for_them && led.asked.empty()) led_.give(led);
  }
  errc on_forgotten(peer_id source, context_id context) noexcept {
    const bool mine = numbers_.leader_of(context) == endpoint_.self();
    led_communicator* const led = mine ? led_.find_serial(context) : nullptr;
    if (led == nullptr || !led->takes_answer(source)) return errc::protocol;
    give_if_forgotten(*led);
    return errc{};
  }
  /// Forgets that communicators with this place were revoked before they were made here.
  void forget_revoked(context_id context) noexcept {
    revoked_unmade_.erase_if([&](context_id c) { return numbers_.same_place(c, context); });
  }
  /// Forgets everything about the place of `context`.
  [[gnu::noinline]] void forget_here(context_id context) noexcept {
    forget_revoked(context);
    known_places::entry* const e = places_.find(numbers_.place(context));
    if (e != nullptr && e->state == nullptr) e->last = no_context;
    clear_place(context, no_context);
  }
  errc forget(peer_id leader, context_id context) noexcept;

  /// Sends the revocation to the ranks at distances 1, 2, 4, ... on both sides; in place of a lost
  /// rank to that rank's neighbours at these distances. So every living rank is reached.
  /// Source: Bosilca, Bouteiller, Guermouche, Herault, Robert, Sens, Dongarra 2016.
  [[gnu::noinline, gnu::cold]] void spread(communicator_state& s) noexcept {
    const rank_t me = s.ranks == nullptr ? world_rank(endpoint_.self()) : s.ranks->rank();
    spread_from(s, me, me, 0);
  }
  [[gnu::noinline, gnu::cold]] void spread_from(communicator_state& s, rank_t me, rank_t from,
                                                int depth) noexcept {
    for (rank_t step = 1; step < s.size; step *= 2) {
      const std::int64_t both[] = {std::int64_t{from} + step, std::int64_t{from} - step + s.size};
      for (const std::int64_t at : both) {
        const auto to = static_cast<rank_t>(at % s.size);
        if (to == me) continue;
        const peer_id peer = peer_of(s, to);
        if (endpoint_.failure_of(peer) == errc{}) {
          endpoint_.send_control(peer, {.kind = wire::kind::revoke_all, .context = s.context});
        } else if (depth < lost_in(s) && depth < depth_max) {
          spread_from(s, me, to, depth + 1);
        }
      }
    }
  }
  static constexpr int depth_max = 3;

  service_host& endpoint_;
  rank_t founders_;
  context_numbers numbers_;
  led_communicators led_;
  peer_set* led_to_ = nullptr;  // Members of communicators that this rank led.
  owning_table<communicator_state> states_;
  std::uint32_t revoked_ = 0;  // Communicators revoked so far.
  communicator_state* world_ = nullptr;
  communicator_state* leaving_ = nullptr;   // Freed, but still in use.
  communicator_state* vacant_ = nullptr;    // Free states.
  known_places places_;                     // Without the world.
  plain_array<context_id> revoked_unmade_;  // Revoked before they are made here.
};

/// Retires a communicator that this rank leads if all members have freed it or are lost.
[[gnu::noinline]] inline void communicators::retire_if_over(led_communicator& led) noexcept {
  if (led.size == 0 || led.freed.empty() ||
      led.freed.size() + endpoint_.losses() < static_cast<std::size_t>(led.size))
    return;
  std::size_t gone = led.freed.size();
  for (rank_t r = 0; gone != static_cast<std::size_t>(led.size) && r < led.size; ++r) {
    const peer_id p = led.ranks == nullptr ? world_peer(r) : led.ranks->peer_of(r);
    if (endpoint_.failure_of(p) == errc{}) continue;
    bool said = false;
    for (const peer_id q : led.freed) said = said || q == p;
    gone += !said;
  }
  if (gone != static_cast<std::size_t>(led.size)) return;
  if (led_to_ == nullptr) led_to_ = new (std::nothrow) peer_set();
  bool noted = led_to_ != nullptr;  // Else its serial is never reused.
  for (rank_t r = 0; noted && r < led.size; ++r)
    noted = led_to_->add(led.ranks == nullptr ? world_peer(r) : led.ranks->peer_of(r));
  release(led.ranks);
  if (noted) return retire(led);
  led_.retire(led);
}

/// Recycles its serial: at once, or, after wrap-around, once no former member of any communicator
/// of this rank still treats one of its contexts as freed and discards messages for it.
inline void communicators::retire(led_communicator& led) noexcept {
  if (!led_.retire(led) || led_to_ == nullptr) return led_.give(led);
  const context_id context = numbers_.make(endpoint_.self(), led.serial, 0);
  forget_here(context);
  if (!led.asked.try_reserve(led.asked.size() + led_to_->size())) return;  // Never reused.
  led_to_->for_each([&](peer_id p) {
    if (p == endpoint_.self() || is_lost(p)) return;
    led.asked.try_push_back(p);
    endpoint_.send_control(p, {.kind = wire::kind::forget, .context = context});
  });
  led.waits_for_them = true;
  give_if_forgotten(led);
}

/// Handles a leader's request to forget a context.
/// Errors: errc::protocol if the source does not lead that context, or the context is in use here.
[[gnu::noinline, gnu::cold]] inline errc communicators::forget(peer_id leader,
                                                               context_id context) noexcept {
  const known_places::entry* const e = places_.find(numbers_.place(context));
  const bool lives = e != nullptr && e->state != nullptr;
  if (lives || numbers_.leader_of(context) != leader) return errc::protocol;
  forget_here(context);
  endpoint_.send_control(leader, {.kind = wire::kind::forgotten, .context = context});
  return errc{};
}

}  // namespace mpx::inline v0::detail
