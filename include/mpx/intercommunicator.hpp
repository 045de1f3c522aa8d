// SPDX-License-Identifier: BSL-1.0
#pragma once
// Communicators between two groups: each rank communicates with those of the other group. A program
// includes this header in addition to mpx.hpp.

#include "mpx/macros/begin.hpp"

#include <cstdint>
#include <exception>
#include <new>
#include <source_location>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "mpx/coll/inter/inter_calls.hpp"
#include "mpx/comm/intercommunicator.hpp"
#include "mpx/communicator.hpp"
#include "mpx/engine/endpoint/raise.hpp"

namespace mpx::inline v0 {

/// Two disjoint groups of ranks that communicate with each other. A handle that is cheap to copy.
///
/// In point-to-point calls `to` and `from` are ranks of the remote group; rank() is that of this
/// process in the local group. Collectives are called by both groups, in the same order
/// (coll/inter/inter_calls.hpp).
/// Errors:     of functions that make intercommunicators: errc::communicator, errc::peer_lost,
///             errc::no_resources.
/// Cost:       three contexts, and a table of the ranks of both groups.
/// Source:     MPI 4.1, 7.6.
template <class Stack = stack<>>
class [[nodiscard]] intercommunicator
    : public detail::point_to_point<Stack>,
      public detail::mpi_names<intercommunicator<Stack>>,
      public detail::inter_collectives<intercommunicator<Stack>, Stack> {
  using base = detail::point_to_point<Stack>;
  using site = std::source_location;
  using throws_t = detail::throws_t;

 public:
  using stack_type = Stack;                           ///< Policies of the environment.
  using request_type = request<Stack>;                ///< Result of mpx::start.
  using persistent_type = persistent_request<Stack>;  ///< Result of mpx::prepare.
  using message_type = message<Stack>;                ///< Result of mprobe.

  /// Makes an empty intercommunicator.
  intercommunicator() = default;
  /// Connects the groups of two communicators. Collective over both. `local_leader` is a rank of
  /// `local`. Both leaders are ranks of `peer`, in which `remote_leader` is the rank of the other
  /// leader. `peer`, `remote_leader` and `tag` are significant at the leader only; calls with
  /// different tags do not match.
  /// Returns:    an intercommunicator; an empty one if an error code is set (the same holds for the
  ///             functions below).
  /// Errors:     errc::argument if the groups overlap; errc::rank, also if the ranks of a group
  ///             name different leaders; errc::tag. All ranks of the group at fault get its error;
  ///             the other group gets errc::peer_lost (or errc::communicator, errc::no_resources)
  ///             if the leaders can communicate. If there is no leader, or a leader's
  ///             `remote_leader` or `tag` does not match that of the other side, or a leader is in
  ///             both groups (possible with threads), the other group cannot be told and waits. If
  ///             a rank runs out of memory after the leaders have met, the result is revoked at the
  ///             other ranks. A leader returns errc::revoked if `peer` or `local` is revoked; in
  ///             the second case the other leader gets errc::peer_lost when it calls, and later
  ///             calls over `peer` need another tag.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  static intercommunicator connect(const communicator<Stack>& local, rank_t local_leader,
                                   const communicator<Stack>& peer, rank_t remote_leader,
                                   tag_t tag = 0, How&& how = {}, site where = site::current()) {
    std::error_code ec;
    intercommunicator made;
    made.local_ = local.dup(ec, where);
    made.connect_over(local, peer, local_leader, remote_leader, tag, ec, where);
    if (ec && made.local_) made.local_.free(where);
    const bool overlap = ec == errc::argument;
    ended(
        how, ec,
        [&] {
          return detail::formatted("connect on rank %d, tag %d%s", local.rank(), tag,
                                   overlap ? ": the groups overlap" : "");
        },
        local, where);
    return ec ? intercommunicator() : made;
  }

  /// False for an empty intercommunicator.
  explicit operator bool() const noexcept { return this->endpoint_ != nullptr; }
  using base::rank;
  /// Returns the size of the local group.
  [[nodiscard]] rank_t size() const noexcept { return local_.size(); }
  /// Returns the size of the remote group.
  [[nodiscard]] rank_t remote_size() const noexcept { return this->size_; }
  /// Returns the local group, which contains rank().
  [[nodiscard]] mpx::group group_here() const { return local_.group(); }
  /// Returns the remote group, whose ranks `to` and `from` name.
  [[nodiscard]] mpx::group remote_group(site where = site::current()) const {
    this->check_exists(where);
    return this->state_->ranks->copy().numbered(proc_null);
  }
  /// Returns a communicator of the local group, owned by this intercommunicator.
  const communicator<Stack>& local() const noexcept { return local_; }

  // --- Derived intercommunicators. Collective over both groups -----------------------------------

  /// Duplicates: the same groups, with contexts of its own.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  intercommunicator dup(How&& how = {}, site where = site::current()) const {
    this->check_exists(where);
    std::error_code ec;
    std::exception_ptr thrown;
    intercommunicator into;
    const detail::started s = start_twin(into, where, thrown);
    if constexpr (!detail::is_code<How&>)
      if (thrown != nullptr) std::rethrow_exception(thrown);
    detail::store(ec, s.failure);
    if (s.op != nullptr) detail::request_access::make(*this->endpoint_, s.op).wait(ec, where);
    ended(how, ec, [&] { return text("dup"); }, both_, where);
    return into;
  }
  /// Starts a dup: `into` is the duplicate once the request is complete, and must not be used
  /// before.
  /// Errors:     of the start: errc::no_resources, and errc::operation if copying an attribute
  ///             throws; others through the request.
  template <class How>
  requires detail::is_form<How, detail::start_t>
  request<Stack> dup(intercommunicator& into, How&& how, site where = site::current()) const {
    this->check_exists(where);
    std::exception_ptr thrown;
    const detail::started s = start_twin(into, where, thrown);
    if constexpr (detail::stores_errors<How>) {
      detail::store(*how.code, s.failure);
    } else {
      detail::throw_unless_started(s, thrown);
    }
    if (s.op == nullptr) return {};
    return detail::request_access::make(*this->endpoint_, s.op);
  }
  /// As dup with mpx::start, by MPI's name.
  request<Stack> idup(intercommunicator& into, site where = site::current()) const {
    return dup(into, mpx::start, where);
  }

  /// Makes one intercommunicator for each color, between the ranks of either group that give it,
  /// ordered by key and then by rank. Empty if no rank of the other group gives the color, and for
  /// mpx::undefined.
  /// Errors:     errc::argument, at all ranks, if a color is negative.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  intercommunicator split(int color, int key = 0, How&& how = {},
                          site where = site::current()) const {
    this->check_exists(where);
    std::error_code ec;
    intercommunicator made;
    split_into(made, color, key, ec, where);
    ended(
        how, ec, [&] { return text("split", ": a color is 0 or more, or mpx::undefined"); }, both_,
        where);
    return made;
  }
  /// Makes an intercommunicator between the ranks of this group in `members` and those that the
  /// other group gives. All ranks of a group give the same members. Empty for ranks that are not
  /// members, and for all ranks if a group has no members.
  /// Errors:     errc::argument if a member is not of the group.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  intercommunicator create(const mpx::group& members, How&& how = {},
                           site where = site::current()) const {
    this->check_exists(where);
    const mpx::group here = group_here();
    bool fine = true;
    for (rank_t r = 0; r < members.size(); ++r) fine = fine && here.contains(members.peer_of(r));
    const bool among = members.contains(here.self());
    const rank_t mine = among ? members.rank_of(here.self()) : 0;
    std::error_code ec;
    intercommunicator made;
    split_into(made, !fine ? wrong : among ? 0 : undefined, mine, ec, where);
    ended(how, ec, [&] { return text("create", ": a member is not of its group"); }, both_, where);
    return made;
  }
  /// Makes one communicator of both groups. The ranks of the group that passes `high` = true come
  /// last. If both pass the same value, the order is the same at all ranks; after `connect` it is
  /// that of the world ranks of their ranks 0.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  communicator<Stack> merge(bool high, How&& how = {}, site where = site::current()) const {
    this->check_exists(where);
    std::error_code ec;
    const bool first = is_first();
    detail::second_call<Stack> next(both_, {"merge", where});
    const int said = both_.allreduce(!high ? 0 : first ? 1 : 2, std::bit_or<>{}, ec, where);
    communicator<Stack> made;
    mpx::group all;
    const errc none = detail::caught([&] {
      all = both_.group();
      if (said != 1) return;  // The group that is first in both_ has passed `high`.
      const mpx::group here = group_here();
      const mpx::group there = remote_group(where);
      all = first ? union_of(there, here) : union_of(here, there);
    });
    if (!ec && none != errc{}) ec = none;
    if (!ec) {
      next.begins();
      made = both_.create(all, ec, where);
    }
    ended(how, ec, [&] { return text("merge"); }, both_, where);
    return made;
  }

  /// As communicator::free.
  void free(site where = site::current()) {
    this->check_exists(where);
    detail::free_communicator(*this->endpoint_, *this->state_);
    local_.free(where);
    both_.free(where);
    *this = intercommunicator();
  }

 private:
  friend class detail::inter_collectives<intercommunicator, Stack>;
  template <class, class>
  friend struct detail::twin_under_way;
  static constexpr int wrong = -1;  // Not a color.

  intercommunicator(const base& b, const communicator<Stack>& local,
                    const communicator<Stack>& both) noexcept
      : base(b), local_(local), both_(both) {}

  /// For collectives: communicator of both groups. sides() gives the position of each group in it.
  const communicator<Stack>& both(site where) const noexcept {
    this->check_exists(where);
    return both_;
  }
  coll::sides sides() const noexcept {
    const rank_t here = size();
    const rank_t there = remote_size();
    return is_first() ? coll::sides{0, here, here, there} : coll::sides{there, here, 0, there};
  }
  bool is_first() const noexcept { return both_.rank() == rank(); }

  /// The leaders exchange headers and broadcast them to their groups. `local_` is a duplicate of
  /// `local`; if there is none, `ec` is the reason, which is made known over `local` as well.
  void connect_over(const communicator<Stack>& local, const communicator<Stack>& peer,
                    rank_t local_leader, rank_t remote_leader, tag_t tag, std::error_code& ec,
                    site where) {
    const rank_t n = local.size();
    const bool named = local_leader >= 0 && local_leader < n;
    detail::said_in_connect said{ec.value(), local_leader == local.rank() ? local_leader : n,
                                 local_leader, local_leader};
    if (said.why == 0 && !named) said.why = static_cast<int>(errc::rank);
    std::error_code failed;
    said = local.allreduce(said, detail::all_in_connect(), failed, where);
    if (failed) {
      said.why = failed.value();
      said.leader = named ? local_leader : n;
    } else if (said.why == 0 && said.low != said.high) {
      said.why = static_cast<int>(errc::rank);
    }
    detail::inter_header h;
    std::vector<peer_id> theirs;
    if (local.rank() == said.leader)
      h = connect_as_leader(local, peer, remote_leader, tag, said.why, theirs, where);
    if (said.leader == n) return detail::store(ec, static_cast<errc>(said.why));
    // All ranks of the group make both calls, whatever the result of the first.
    detail::second_call<Stack> next(local, {"connect", where});
    local.bcast(h, said.leader, failed, where);
    if (said.why == 0) said.why = failed ? failed.value() : h.contexts.why;
    detail::store(ec, static_cast<errc>(said.why));
    if (!failed) {
      next.begins();
      const auto size = static_cast<std::size_t>(h.size);
      if (detail::make_room<std::error_code&>(theirs, size, local, failed, {"connect", where}))
        local.bcast(theirs, said.leader, failed, where);
      if (failed && local.rank() != said.leader) theirs.clear();
      if (!ec) ec = failed;
    }
    if (h.contexts.why != 0 || h.contexts.both == detail::no_context) return;
    if (!ec) return make_all(h.contexts, theirs, ec, where);
    const detail::communicator_access<Stack> a(local, where);
    detail::leave_inter(a.at(), a.state(), h.contexts, theirs);
    a.at().with_communicators([&](auto& of) {
      of.never_made(h.contexts.both);
      of.never_made(h.contexts.inter);
    });
  }
  static detail::inter_header connect_as_leader(const communicator<Stack>& local,
                                                const communicator<Stack>& peer,
                                                rank_t remote_leader, tag_t tag, int why,
                                                std::vector<peer_id>& theirs, site where) {
    mpx::group mine;
    const errc none = detail::caught([&] { mine = local.group(); });
    const detail::communicator_access<Stack> a(local, where);
    return detail::exchange_headers(peer, mine, remote_leader, tag,
                                    why != 0 ? static_cast<errc>(why) : none, theirs, a.state(),
                                    {"connect", where});
  }
  /// Makes the communicators on which the leaders have agreed, with `local_`. A rank that cannot
  /// revokes them at the others.
  void make_all(const detail::inter_contexts& c, std::span<const peer_id> theirs,
                std::error_code& ec, site where) {
    const detail::communicator_access<Stack> a(local_, where);
    mpx::group remote;
    mpx::group all;
    const errc none = detail::caught([&] {
      remote = mpx::group::table(theirs, a.at().self());
      all = detail::in_world_order(local_.group(), remote);
    });
    const rank_t own = all.rank();
    const rank_t size = all.size();
    detail::communicator_state* s = nullptr;
    a.at().with_communicators([&](auto& of) {
      if (none == errc{})
        s = of.make(c.both, std::move(all));
      else
        of.never_made(c.both);
      if (s == nullptr) of.never_made(c.inter);
    });
    if (s == nullptr) {
      detail::store(ec, errc::no_resources);
    } else {
      s->on_error = a.state().on_error;
      both_ = {a.at(), *s, c.both, own, size};
      open(c.inter, std::move(remote), ec, where);
    }
    if (ec) detail::leave_inter(a.at(), a.state(), c, theirs);
  }
  /// Makes the context between the groups. Requires: `local_` and `both_` exist.
  void open(context_id context, mpx::group&& remote, std::error_code& ec, site where) {
    const detail::communicator_access<Stack> a(both_, where);
    const rank_t size = remote.size();
    mpx::group all;
    const errc none = detail::caught([&] { all = both_.group(); });
    detail::communicator_state* s = nullptr;
    a.at().with_communicators([&](auto& of) {
      if (none != errc{}) return of.never_made(context);
      s = of.make_inter(context, std::move(remote).numbered(local_.rank()), std::move(all));
    });
    if (s == nullptr) {
      both_.free(where);
      return detail::store(ec, errc::no_resources);
    }
    s->on_error = a.state().on_error;
    static_cast<base&>(*this) = base(a.at(), *s, context, local_.rank(), size);
  }

  struct said_in_split {
    int color;
    int key;
  };
  void split_into(intercommunicator& made, int color, int key, std::error_code& ec,
                  site where) const {
    const std::vector<said_in_split> all = both_.allgather(said_in_split{color, key}, ec, where);
    if (ec) return;
    rank_t here = 0;
    rank_t there = 0;
    const bool first = is_first();
    const rank_t cut = first ? size() : remote_size();
    for (rank_t r = 0; r < both_.size(); ++r) {
      const int is = all[static_cast<std::size_t>(r)].color;
      if (is < 0 && is != undefined) return detail::store(ec, errc::argument);
      (((r < cut) == first) ? here : there) += is == color;
    }
    // The other ranks that gave this color do the same.
    if (here == 0 || there == 0) color = undefined;
    made.local_ = local_.split(color, key, ec, where);
    // A rank that failed is missing below; so all ranks learn of it.
    std::error_code of_both;
    const rank_t number = made.local_ ? made.local_.rank() + (first ? 0 : there) : 0;
    made.both_ = both_.split(ec ? undefined : color, number, of_both, where);
    if (!ec) ec = of_both;
    if (!ec && made.both_ && made.both_.size() != here + there)
      detail::store(ec, errc::no_resources);
    detail::said_context said;
    if (!ec && made.both_) {
      const detail::communicator_access<Stack> a(made.both_, where);
      if (made.both_.rank() == 0) {
        errc why{};
        said.context = a.at().lead(why, {"split", where});
        said.why = static_cast<std::int32_t>(why);
      }
      made.both_.bcast(said, 0, ec, where);
      if (!ec && said.why != 0) detail::store(ec, static_cast<errc>(said.why));
      if (!ec) {
        mpx::group others;
        const errc none = detail::caught(
            [&] { others = difference_of(made.both_.group(), made.local_.group()); });
        if (none == errc{}) {
          made.open(said.context, std::move(others), ec, where);
        } else {
          a.at().with_communicators([&](auto& of) { of.never_made(said.context); });
          detail::store(ec, none);
        }
      }
    }
    if (!ec) return;
    if (made.both_) made.both_.free(where);
    if (made.local_) made.local_.free(where);
    made = intercommunicator();
  }

  /// Duplicates by a schedule of both groups: the first rank of both takes two contexts, the first
  /// rank of each group one.
  /// Errors:     as of `detail::start_dup`.
  detail::started start_twin(intercommunicator& into, site where,
                             std::exception_ptr& thrown) const {
    using under_way = detail::twin_under_way<Stack, intercommunicator>;
    const detail::communicator_access<Stack> here(local_, where);
    const detail::communicator_access<Stack> all(both_, where);
    detail::schedule* const plan =
        detail::collective_channel<Stack>::new_schedule(both_, "dup (inter)");
    auto* const d = new (std::nothrow) under_way();
    if (plan == nullptr || d == nullptr) {
      delete plan;
      delete d;
      return detail::not_started<Stack>(both_, {"dup (inter)", where});
    }
    plan->keep(d, [](void* p) noexcept { delete static_cast<under_way*>(p); });
    detail::endpoint<Stack>& e = *this->endpoint_;
    d->at = &e;
    d->local = &here.state();
    d->both = &all.state();
    d->inter = this->state_;
    d->plan = plan;
    d->into = &into;
    d->rank = rank();
    d->rank_in_both = both_.rank();
    bool kept = false;
    try {
      d->keep_original();
      kept = true;
      d->attributes = here.state().attributes.copied();
      d->all = both_.group();
    } catch (...) {
      thrown = std::current_exception();
      d->refused = true;
    }
    const bool alone = d->refused && kept;  // It then continues without this call.
    errc why{};
    const detail::call_site call{"dup (inter)", where};
    if (d->rank_in_both == 0) d->said = detail::lead_inter(e, call);
    if (d->rank == 0) d->said_here.context = e.lead(why, call);
    d->said_here.why = static_cast<std::int32_t>(why);
    const memory said(reinterpret_cast<std::byte*>(&d->said), sizeof d->said);
    const memory said_here(reinterpret_cast<std::byte*>(&d->said_here), sizeof d->said_here);
    detail::pass_down_to(*plan, said, 0, both_.size(), both_.rank());
    detail::pass_down_to(*plan, said_here, sides().here_first, size(), rank());
    plan->call(under_way::make, d);
    const context_id led[] = {d->said.inter, d->said.both, d->said_here.context};
    const detail::started s = detail::start_or_leave(e, plan, alone);
    if (s.failure == errc::no_resources) {
      e.with_communicators([&](auto& of) {
        for (const context_id c : led)
          if (c != detail::no_context) of.abandon(c);
      });
      return detail::not_started<Stack>(both_, {"dup (inter)", where});
    }
    if (thrown == nullptr || s.op == nullptr) return s;
    // The memory that this rank's part of the schedule reads may be destroyed once the exception is
    // thrown.
    std::error_code same;
    detail::request_access::make(e, s.op).wait(same);
    return {nullptr, errc::operation};
  }

  std::string text(const char* what, const char* wrong_argument = "") const {
    return detail::formatted("%s on rank %d, intercommunicator %u%s", what, rank(),
                             number_of(this->context_), wrong_argument);
  }
  /// Stores `ec`, or throws it if it is set.
  template <class How, class Text>
  static void ended(How& how, std::error_code ec, Text&& what, const communicator<Stack>& on,
                    site where) {
    if constexpr (detail::is_code<How&>) {
      how = ec;
    } else if (ec) {
      const detail::communicator_access<Stack> a(on, where);
      detail::raise_error(a.at(), &a.state(), error(ec, what(), where));
    }
  }

  communicator<Stack> local_;
  communicator<Stack> both_;  // Of both groups: see `detail::in_world_order`.
};

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
