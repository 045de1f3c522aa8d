// SPDX-License-Identifier: BSL-1.0
#pragma once
// Creation of intercommunicators: the leaders of two groups exchange the members of the groups and
// the contexts of the new communicators. Also the started duplication of an intercommunicator.

#include <new>
#include <span>
#include <utility>
#include <vector>

#include "mpx/comm/detail/create.hpp"
#include "mpx/comm/detail/own_messages.hpp"
#include "mpx/core/group_sets.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0::detail {

/// The contexts of an intercommunicator, which one leader allocates.
struct inter_contexts {
  int why = 0;                    // An errc, if there are none.
  context_id inter = no_context;  // For messages between the groups.
  context_id both = no_context;   // For the communicator of both groups.
};
/// Message that leaders exchange before their groups.
struct inter_header {
  inter_contexts contexts;
  rank_t size = 0;
};

/// Agreement within a group before its leader contacts the other one: the contribution of each
/// rank, and the combined result.
struct said_in_connect {
  int why = 0;        // An errc, if the call cannot be made.
  rank_t leader = 0;  // Lowest rank that claims to lead; the group's size if none does.
  rank_t low = 0;     // Lowest and highest rank named as leader: they must be equal.
  rank_t high = 0;
};
struct all_in_connect {
  said_in_connect operator()(const said_in_connect& a, const said_in_connect& b) const noexcept {
    return {a.why != 0 ? a.why : b.why, lesser(a.leader, b.leader), lesser(a.low, b.low),
            a.high < b.high ? b.high : a.high};
  }
};

/// Allocates contexts, as the leader.
template <class Stack>
inter_contexts lead_inter(endpoint<Stack>& e, call_site site) {
  inter_contexts c;
  errc why{};
  c.inter = e.lead(why, site);
  if (why == errc{}) c.both = e.lead(why, site);
  if (why != errc{} && c.inter != no_context)
    e.with_communicators([&](auto& all) { all.abandon(std::exchange(c.inter, no_context)); });
  c.why = static_cast<int>(why);
  return c;
}

/// Exchange between the two leaders: first the headers, then the members of the groups. One leader
/// sends first, so that long messages do not cross. A leader without memory for the other group
/// reports it: in its header if that is the second one, else by sending an empty group. A leader
/// that leaves, because its own group was revoked, reports that too if the other leader may still
/// wait: in its header, or by a single byte.
template <class Stack>
class leader_exchange {
 public:
  leader_exchange(const own_messages<Stack>& own, rank_t to, tag_t tag, bool first) noexcept
      : own_(own), to_(to), tag_(tag), first_(first) {}

  errc swap_headers(inter_header& out, inter_header& in, std::vector<peer_id>& theirs) const {
    const auto of_out = std::as_bytes(std::span(&out, 1));
    const auto of_in = std::as_writable_bytes(std::span(&in, 1));
    if (first_) {
      const errc why = own_.send(of_out, to_, tag_);
      return why != errc{} ? why : left(own_.receive(of_in, to_, tag_));
    }
    const errc why = own_.receive(of_in, to_, tag_);
    if (why == errc::revoked) {
      out.contexts.why = static_cast<int>(why);
      own_.send(of_out, to_, tag_);
    }
    if (why != errc{}) return why;
    if ((out.contexts.why | in.contexts.why) == 0)
      out.contexts.why = static_cast<int>(make_place(in.size, theirs));
    return own_.send(of_out, to_, tag_);
  }
  errc swap_groups(std::span<const peer_id> mine, rank_t size, std::vector<peer_id>& theirs) const {
    const errc none = first_ ? make_place(size, theirs) : errc{};
    if (none != errc{}) mine = {};
    errc why = errc{};
    if (first_) why = own_.send(std::as_bytes(mine), to_, tag_);
    if (none != errc{}) return none;
    status got;
    if (why == errc{})
      why = own_.receive(std::as_writable_bytes(std::span(theirs)), to_, tag_, got);
    if (why == errc::count)
      return got.bytes() == 0 ? errc::no_resources : errc::peer_lost;  // At the other leader.
    if (first_) return why;
    return why == errc{} ? own_.send(std::as_bytes(mine), to_, tag_) : left(why);
  }

 private:
  errc left(errc why) const {
    constexpr std::byte gone{};
    if (why == errc::revoked) own_.send({&gone, 1}, to_, tag_);
    return why;
  }
  static errc make_place(rank_t size, std::vector<peer_id>& theirs) noexcept {
    return caught([&] { theirs.resize(static_cast<std::size_t>(size)); });
  }
  own_messages<Stack> own_;
  rank_t to_;
  tag_t tag_;
  bool first_;
};

/// The leader's part of the creation, over communicator `peer`, where the other leader is rank
/// `to`. The leader with the lower peer number allocates the contexts. `theirs` receives the peers
/// of the other group. `wrong`: an error of this group, which is reported to the other leader.
/// `local`: this leader leaves if that communicator is revoked. Does not throw.
template <class Stack>
inter_header exchange_headers(const point_to_point<Stack>& peer, const group& mine, rank_t to,
                              tag_t tag, errc wrong, std::vector<peer_id>& theirs,
                              const communicator_state& local, call_site site) {
  inter_header out;
  inter_header in;
  const auto failed = [](errc why) {
    inter_header h;
    h.contexts.why = static_cast<int>(why);
    return h;
  };
  if (to < 0 || to >= peer.size()) return failed(wrong != errc{} ? wrong : errc::rank);
  if (tag < 0) return failed(wrong != errc{} ? wrong : errc::tag);
  const communicator_access<Stack> a(peer, site.where);
  // A member of this group cannot be the leader of the other one.
  if (mine.contains(a.peer_of(to))) return failed(wrong != errc{} ? wrong : errc::argument);
  std::vector<peer_id> members;
  if (wrong == errc{})
    wrong = caught([&] {
      for (rank_t r = 0; r < mine.size(); ++r) members.push_back(mine.peer_of(r));
    });
  const bool leads = a.at().self() < a.peer_of(to);
  using own = own_messages<Stack>;
  const leader_exchange<Stack> with(own(peer, own::of::groups, site, &local), to, tag, leads);
  out.size = mine.size();
  if (wrong != errc{})
    out.contexts.why = static_cast<int>(wrong);
  else if (leads)
    out.contexts = lead_inter(a.at(), site);
  errc why = with.swap_headers(out, in, theirs);
  if (why == errc{} && (out.contexts.why | in.contexts.why) != 0) {
    why = static_cast<errc>(out.contexts.why != 0 ? out.contexts.why : in.contexts.why);
    // An error in the arguments of the other group is reported as errc::peer_lost here.
    if (out.contexts.why == 0 && why != errc::communicator && why != errc::no_resources)
      why = errc::peer_lost;
  }
  bool made_there = false;  // Possibly made: the other leader may have received all.
  if (why == errc{}) {
    why = with.swap_groups(members, in.size, theirs);
    made_there = why == errc::revoked || why == errc::peer_lost;
  }
  for (const peer_id p : theirs)
    if (why == errc{} && mine.contains(p)) why = errc::argument;
  if (why == errc{}) return {leads ? out.contexts : in.contexts, in.size};
  if (leads && out.contexts.why == 0 && !made_there)  // Neither group uses them.
    a.at().with_communicators([&](auto& all) {
      all.abandon(out.contexts.inter);
      all.abandon(out.contexts.both);
    });
  return failed(why);
}

/// Revokes what the groups make of the contexts `c`, as this rank takes no part in it, and the
/// others would wait for it. `theirs`: the peers of the other group that are known here.
template <class Stack>
void leave_inter(endpoint<Stack>& e, const communicator_state& local, const inter_contexts& c,
                 std::span<const peer_id> theirs) noexcept {
  e.with_communicators([&](auto& of) {
    for (rank_t r = 0; r < local.size; ++r) of.revoke_at(of.peer_of(local, r), c.both);
    for (const peer_id p : theirs) {
      of.revoke_at(p, c.both);
      of.revoke_at(p, c.inter);
    }
  });
}

/// Union of both groups; the group whose first rank is lower in the world comes first.
inline group in_world_order(const group& here, const group& there) {
  const bool first = here.peer_of(0) < there.peer_of(0);
  return first ? union_of(here, there) : union_of(there, here);
}

/// State of a started duplication of an intercommunicator, kept until its request is destroyed.
template <class Stack, class Inter>
struct twin_under_way : allocated {
  endpoint<Stack>* at = nullptr;
  communicator_state* local = nullptr;  // Of the intercommunicator that is duplicated.
  communicator_state* both = nullptr;   // The schedule runs there: its state lives as long.
  communicator_state* inter = nullptr;
  schedule* plan = nullptr;
  inter_contexts said;
  said_context said_here;  // Context of the local group's communicator.
  attribute_list attributes;
  group remote;
  group all;
  Inter* into = nullptr;
  rank_t rank = 0;
  rank_t rank_in_both = 0;
  bool refused = false;  // An attribute cannot be copied: only other ranks make the duplicate.
  communicator_state local_kept;      // `local` and `inter` point to these, as the original may be
  communicator_state inter_kept;      // freed first.
  kept_group* local_ranks = nullptr;  // nullptr: world ranks.

  twin_under_way() = default;
  ~twin_under_way() { delete local_ranks; }  // Not shared: `make` has not run.

  /// Copies what `make` needs of the original, which may be freed from now on. Throws
  /// std::bad_alloc.
  void keep_original() {
    remote = inter->ranks->copy();
    if (local->own != nullptr) {
      local_ranks = new kept_group(local->own->copy());
      local_ranks->users = 1;
    }
    local_kept.own = local_ranks;
    local_kept.ranks = local_ranks;
    local_kept.size = local->size;
    local_kept.on_error = local->on_error;
    inter_kept.ranks = &remote;
    inter_kept.size = inter->size;
    inter_kept.on_error = inter->on_error;
    local = &local_kept;
    inter = &inter_kept;
  }

  /// The last step of the schedule; runs under the endpoint's lock.
  static void make(void* self) {
    auto& d = *static_cast<twin_under_way*>(self);
    auto& of = d.at->communicators_locked();
    const auto fail = [&](errc why) { d.plan->failure = d.at->no_context_locked(why); };
    const auto drop = [&] { of.release(std::exchange(d.local_ranks, nullptr)); };
    if (d.refused || d.said.why != 0 || d.said_here.why != 0) {
      // The communicator that the other ranks make is revoked: they would wait for this rank.
      if (d.said.why == 0) {
        of.never_made(d.said.both, *d.both);
        of.never_made(d.said.inter, *d.inter, *d.both);
      }
      if (d.said_here.why == 0) of.never_made(d.said_here.context, *d.local);
      drop();
      if (d.said.why == 0 && d.said_here.why == 0) return;
      return fail(static_cast<errc>(d.said.why != 0 ? d.said.why : d.said_here.why));
    }
    communicator_state* const here = of.make(d.said_here.context, *d.local);
    drop();
    communicator_state* const both = of.make(d.said.both, *d.both);
    communicator_state* const inter =
        of.make_inter(d.said.inter, std::move(d.remote), std::move(d.all));
    if (here == nullptr || both == nullptr || inter == nullptr) return fail(errc::no_resources);
    here->on_error = d.local->on_error;
    both->on_error = inter->on_error = d.inter->on_error;
    here->attributes = std::move(d.attributes);
    *d.into = Inter({*d.at, *inter, d.said.inter, d.rank, inter->size},
                    {*d.at, *here, d.said_here.context, d.rank, here->size},
                    {*d.at, *both, d.said.both, d.rank_in_both, both->size});
  }
};

/// Records in `plan` a broadcast of `said` down a binomial tree of `n` ranks from `first` on; this
/// rank is number `me` of them.
inline void pass_down_to(schedule& plan, const memory& said, rank_t first, rank_t n, rank_t me) {
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  if (me != 0) plan.receive(said, first + me - bit);
  for (bit /= 2; bit > 0; bit /= 2)
    if (me + bit < n) plan.start_send(said, first + me + bit);
  plan.finish();
}

}  // namespace mpx::inline v0::detail
