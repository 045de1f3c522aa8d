// SPDX-License-Identifier: BSL-1.0
#pragma once
// How two groups meet: their leaders tell each other who is in them, and which contexts are theirs.
// How what they have made is made again, by a call that is started.

#include <new>
#include <span>
#include <utility>
#include <vector>

#include "mpx/comm/detail/create.hpp"
#include "mpx/comm/detail/own_messages.hpp"
#include "mpx/core/group_sets.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/engine/schedule.hpp"

namespace mpx::inline v0::detail {

/// The contexts of an intercommunicator, which one rank takes.
struct between_contexts {
  int why = 0;                      // An errc: there are none.
  context_id between = no_context;  // Of messages across,
  context_id both = no_context;     // and of the communicator of both groups.
};
/// What leaders tell each other, before their groups.
struct between_header {
  between_contexts contexts;
  rank_t size = 0;
};

/// What a group says, before its leader meets the other one: each rank of it, and all together.
struct said_in_connect {
  int why = 0;        // An errc: the call cannot be made.
  rank_t leader = 0;  // The lowest rank that says that it leads; none: as many as there are.
  rank_t low = 0;     // Who is said to lead: different ones are wrong.
  rank_t high = 0;
};
struct all_in_connect {
  said_in_connect operator()(const said_in_connect& a, const said_in_connect& b) const noexcept {
    return {a.why != 0 ? a.why : b.why, lesser(a.leader, b.leader), lesser(a.low, b.low),
            a.high < b.high ? b.high : a.high};
  }
};

/// Takes contexts that this rank leads.
template <class Stack>
between_contexts lead_between(endpoint<Stack>& e, call_site site) {
  between_contexts c;
  errc why{};
  c.between = e.lead(why, site);
  if (why == errc{}) c.both = e.lead(why, site);
  if (why != errc{} && c.between != no_context)
    e.with_communicators([&](auto& all) { all.abandon(std::exchange(c.between, no_context)); });
  c.why = static_cast<int>(why);
  return c;
}

/// Tells the other leader, and is told: first the headers, then who is in the groups. One sends
/// first: what is long does not cross. Who has no memory for the other group says so: in its header
/// if that is the second one, else by telling nobody of its own. Who leaves, for its own group is
/// revoked, says so, too, where the other one may still wait: in its header, or by a byte.
template <class Stack>
class meeting {
 public:
  meeting(const own_messages<Stack>& own, rank_t to, tag_t tag, bool first) noexcept
      : own_(own), to_(to), tag_(tag), first_(first) {}

  errc swap_headers(between_header& out, between_header& in, std::vector<peer_id>& theirs) const {
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
      return got.bytes() == 0 ? errc::no_resources : errc::peer_lost;  // There.
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

/// The leader's part, over `peer`, of which the other leader is rank `to`. `theirs`: the peers of
/// the other group. Of both leaders, the lower peer takes the contexts. `wrong`: this group cannot
/// make the call, and the other one is told. `local`: when that is revoked this leader leaves.
/// Throws nothing.
template <class Stack>
between_header meet(const point_to_point<Stack>& peer, const group& mine, rank_t to, tag_t tag,
                    errc wrong, std::vector<peer_id>& theirs, const communicator_state& local,
                    call_site site) {
  between_header out;
  between_header in;
  const auto failed = [](errc why) {
    between_header h;
    h.contexts.why = static_cast<int>(why);
    return h;
  };
  if (to < 0 || to >= peer.size()) return failed(wrong != errc{} ? wrong : errc::rank);
  if (tag < 0) return failed(wrong != errc{} ? wrong : errc::tag);
  const communicator_access<Stack> a(peer, site.where);
  // Who is of this group meets nobody as another one's leader.
  if (mine.contains(a.peer_of(to))) return failed(wrong != errc{} ? wrong : errc::argument);
  std::vector<peer_id> members;
  if (wrong == errc{})
    wrong = caught([&] {
      for (rank_t r = 0; r < mine.size(); ++r) members.push_back(mine.peer_of(r));
    });
  const bool leads = a.at().self() < a.peer_of(to);
  using own = own_messages<Stack>;
  const meeting<Stack> with(own(peer, own::of::groups, site, &local), to, tag, leads);
  out.size = mine.size();
  if (wrong != errc{})
    out.contexts.why = static_cast<int>(wrong);
  else if (leads)
    out.contexts = lead_between(a.at(), site);
  errc why = with.swap_headers(out, in, theirs);
  if (why == errc{} && (out.contexts.why | in.contexts.why) != 0) {
    why = static_cast<errc>(out.contexts.why != 0 ? out.contexts.why : in.contexts.why);
    // What only the others have done wrong is no fault of this group's arguments.
    if (out.contexts.why == 0 && why != errc::communicator && why != errc::no_resources)
      why = errc::peer_lost;
  }
  bool made_there = false;  // Perhaps: the other leader may have heard all.
  if (why == errc{}) {
    why = with.swap_groups(members, in.size, theirs);
    made_there = why == errc::revoked || why == errc::peer_lost;
  }
  for (const peer_id p : theirs)
    if (why == errc{} && mine.contains(p)) why = errc::argument;
  if (why == errc{}) return {leads ? out.contexts : in.contexts, in.size};
  if (leads && out.contexts.why == 0 && !made_there)  // Nobody makes anything of them.
    a.at().with_communicators([&](auto& all) {
      all.abandon(out.contexts.between);
      all.abandon(out.contexts.both);
    });
  return failed(why);
}

/// This rank has no part in what the groups make of `c`, which its leader has brought: they would
/// wait for it. `theirs`: of the other group, as far as it is known here.
template <class Stack>
void leave_between(endpoint<Stack>& e, const communicator_state& local, const between_contexts& c,
                   std::span<const peer_id> theirs) noexcept {
  e.with_communicators([&](auto& of) {
    for (rank_t r = 0; r < local.size; ++r) of.revoke_at(of.peer_of(local, r), c.both);
    for (const peer_id p : theirs) {
      of.revoke_at(p, c.both);
      of.revoke_at(p, c.between);
    }
  });
}

/// Both groups, those of the lower first rank first.
inline group in_world_order(const group& here, const group& there) {
  const bool first = here.peer_of(0) < there.peer_of(0);
  return first ? union_of(here, there) : union_of(there, here);
}

/// What a started duplicate of an intercommunicator keeps until its request goes.
template <class Stack, class Between>
struct twin_under_way : allocated {
  endpoint<Stack>* at = nullptr;
  communicator_state* local = nullptr;  // Those of what is duplicated.
  communicator_state* both = nullptr;
  communicator_state* between = nullptr;
  schedule* plan = nullptr;
  between_contexts said;
  said_context said_here;  // The context of the local group's communicator.
  attribute_list attributes;
  group remote;
  group all;
  Between* into = nullptr;
  rank_t rank = 0;
  rank_t rank_in_both = 0;
  bool refused = false;           // An attribute cannot be copied: only the others make anything.
  communicator_state local_kept;  // Who is in `local` and `between`, if those may go before this.
  communicator_state between_kept;
  kept_group* local_ranks = nullptr;

  twin_under_way() = default;
  ~twin_under_way() { delete local_ranks; }  // Nobody else has it: `make` has not been called.

  /// From now on what is duplicated may be freed. Errors: errc::no_resources.
  errc keep_ranks() noexcept {
    return caught([&] {
      remote = between->ranks->copy();
      local_ranks = new kept_group(group_of(*at, *local));
      local_ranks->users = 1;
      local_kept.own = local_ranks;
      local_kept.ranks = local_ranks;
      local_kept.size = local->size;
      between_kept.ranks = &remote;
      between_kept.size = between->size;
      local = &local_kept;
      between = &between_kept;
    });
  }

  /// The last step, under the endpoint's lock.
  static void make(void* self) {
    auto& d = *static_cast<twin_under_way*>(self);
    auto& of = d.at->communicators_locked();
    const auto fail = [&](errc why) { d.plan->failure = d.at->no_context_locked(why); };
    if (d.refused || d.said.why != 0 || d.said_here.why != 0) {
      // What the others make is revoked: they would wait for this rank.
      if (d.said.why == 0) {
        of.never_made(d.said.both, *d.both);
        of.never_made(d.said.between, *d.between, *d.both);
      }
      if (d.said_here.why == 0) of.never_made(d.said_here.context, *d.local);
      if (d.local_ranks != nullptr) of.release(std::exchange(d.local_ranks, nullptr));
      if (d.said.why == 0 && d.said_here.why == 0) return;
      return fail(static_cast<errc>(d.said.why != 0 ? d.said.why : d.said_here.why));
    }
    communicator_state* const here = of.make(d.said_here.context, *d.local);
    communicator_state* const both = of.make(d.said.both, *d.both);
    communicator_state* const between =
        of.make_between(d.said.between, std::move(d.remote), std::move(d.all));
    if (here == nullptr || both == nullptr || between == nullptr) return fail(errc::no_resources);
    here->on_error = d.local->on_error;
    both->on_error = between->on_error = d.between->on_error;
    here->attributes = std::move(d.attributes);
    *d.into = Between({*d.at, *between, d.said.between, d.rank, between->size},
                      {*d.at, *here, d.said_here.context, d.rank, here->size},
                      {*d.at, *both, d.said.both, d.rank_in_both, both->size});
  }
};

/// Records in `plan` that `said` goes down a binomial tree of the ranks first .. first + n - 1, of
/// which this is number `me`.
inline void pass_down_to(schedule& plan, const memory& said, rank_t first, rank_t n, rank_t me) {
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  if (me != 0) plan.receive(said, first + me - bit);
  for (bit /= 2; bit > 0; bit /= 2)
    if (me + bit < n) plan.start_send(said, first + me + bit);
  plan.finish();
}

}  // namespace mpx::inline v0::detail
