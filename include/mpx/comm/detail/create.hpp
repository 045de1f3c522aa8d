// SPDX-License-Identifier: BSL-1.0
#pragma once
// Creation of communicators: the members of the new communicator, from the arguments of the ranks,
// and its context, which its rank 0 allocates and passes on to the others.

#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "mpx/comm/collective_channel.hpp"
#include "mpx/comm/detail/own_messages.hpp"
#include "mpx/comm/point_to_point.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::detail {

/// Calls `f`. Returns its exception as an error code.
template <class F>
errc caught(F&& f) noexcept try {
  f();
  return errc{};
} catch (const error& e) {
  return static_cast<errc>(e.code().value());
} catch (const std::exception&) {
  return errc::no_resources;
}

/// Access of the library to the parts of a communicator's handle.
template <class Stack>
class communicator_access : public point_to_point<Stack> {
 public:
  communicator_access(const point_to_point<Stack>& comm, std::source_location where) noexcept
      : point_to_point<Stack>(comm) {
    this->check_exists(where);
  }
  /// Calls f(endpoint, state, context).
  template <class F>
  auto use(F&& f) const {
    return f(*this->endpoint_, *this->state_, this->context_);
  }
  endpoint<Stack>& at() const noexcept { return *this->endpoint_; }
  communicator_state& state() const noexcept { return *this->state_; }
  context_id plain_context() const noexcept { return this->context_; }
  using point_to_point<Stack>::peer_of;
  using point_to_point<Stack>::rank_of;
};

/// The group of a communicator's ranks. Errors: errc::no_resources.
template <class Stack>
group group_of(const endpoint<Stack>& e, const communicator_state& s) {
  return s.ranks == nullptr ? group::identity(s.size, e.self()) : s.ranks->copy();
}

/// The ranks of a communicator for which is(rank) is true. Errors: errc::no_resources.
template <class Stack, class Is>
group those_of(const communicator_access<Stack>& of, Is&& is) {
  plain_array<peer_id> peers;
  for (rank_t r = 0; r < of.size(); ++r)
    if (is(r)) peers.push_back(of.peer_of(r));
  return group::table(std::span<const peer_id>(peers.begin(), peers.size()), of.at().self());
}

template <class Stack>
[[gnu::noinline]] void free_communicator(endpoint<Stack>& e, communicator_state& s) {
  {
    const attribute_list gone = std::move(s.attributes);
  }  // Runs delete functions of the program, outside of the lock.
  e.with_communicators([&](auto& all) { all.free(s); });
}

/// Broadcasts from rank 0 of `n` along a binomial tree, by receive(parent) and send(child). A rank
/// without the data passes on its failure, so that no rank waits for long.
template <class Receive, class Send>
errc pass_down(rank_t me, rank_t n, Receive&& receive, Send&& send) {
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  errc why = me != 0 ? receive(me - bit) : errc{};
  for (bit /= 2; bit > 0; bit /= 2)
    if (me + bit < n) {
      const errc failed = send(me + bit, why);
      if (why == errc{}) why = failed;
    }
  return why;
}

/// Entry of a rank in a split. A color has up to 63 bits; -1 is none.
struct split_entry {
  std::int64_t color = 0;
  std::int32_t key = 0;
  rank_t rank = 0;

  bool before(const split_entry& other) const noexcept {
    return key != other.key ? key < other.key : rank < other.rank;
  }
};

/// Heapsort: in place, at most n log n, and no moves if the entries are sorted already.
inline void sort_by_key(std::span<split_entry> all) noexcept {
  bool sorted = true;
  for (std::size_t i = 1; i < all.size(); ++i) sorted = sorted && all[i - 1].before(all[i]);
  if (sorted) return;
  const auto sift = [all](std::size_t at, std::size_t end) {
    for (std::size_t child; (child = 2 * at + 1) < end; at = child) {
      if (child + 1 < end && all[child].before(all[child + 1])) ++child;
      if (!all[at].before(all[child])) return;
      std::swap(all[at], all[child]);
    }
  };
  for (std::size_t at = all.size() / 2; at-- > 0;) sift(at, all.size());
  for (std::size_t end = all.size(); end-- > 1;) {
    std::swap(all[0], all[end]);
    sift(0, end);
  }
}

/// Message down the tree: a context, or the reason why there is none.
struct said_context {
  context_id context = no_context;
  std::int32_t why = 0;
};

/// One call of this rank that makes a communicator.
template <class Stack>
class maker : public collective_channel<Stack> {
  using channel = collective_channel<Stack>;
  using base = point_to_point<Stack>;

 public:
  maker(const base& parent, call_site site, bool counted = true) noexcept
      : channel(parent, site, counted), parent_(parent) {}

  /// `elements`: element type of what is made with it, for stacks that compare it. `copies`: it has
  /// the copied attributes of this one.
  errc dup(type_code elements = 0, bool copies = true) {
    elements_ = elements;
    if (const errc why = enter(""); why != errc{}) return why;
    communicator_state& like = *this->state_;
    try {
      if (copies) attributes_ = like.attributes.copied();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    const errc why = pass_context(this->rank_, this->size_, [](rank_t r) { return r; });
    if (why != errc{}) return why;
    if (thrown_ != nullptr) {
      this->endpoint_->with_communicators([&](auto& all) { all.never_made(new_context_, like); });
      return this->refused(errc::operation, "an attribute cannot be copied");
    }
    return keep([&](auto& all) { return all.make(new_context_, like); });
  }

  /// Splits into ranks that one shared_window can span: those of a node if the transport can load
  /// and store their memory, else each rank alone.
  errc split_by_memory(int key) {
    std::int64_t color = this->rank_;
    if constexpr (shares_windows<typename Stack::transport_type>)
      color = static_cast<std::int64_t>(
          this->endpoint_->with_communicators([](auto& all) { return all.host_number; }) >> 1);
    return split(color, key, "by shared memory");
  }
  /// `color`: -1 for none.
  errc split(std::int64_t color, int key, const char* by = "by color") {
    if (const errc why = enter(by); why != errc{}) return why;
    const auto n = static_cast<std::size_t>(this->size_);
    const scratch<split_entry> room(n, std::nothrow);
    if (room.data() == nullptr) return this->no_memory();
    const std::span<split_entry> all(room.data(), n);
    all[0] = {color, key, this->rank_};
    if (const errc why = gather_all(all); why != errc{}) return why;
    bool good = color != wrong;
    std::size_t members = 0;
    for (const split_entry& e : all) good = good && e.color != wrong;
    if (!good) this->over();  // All ranks find it.
    if (!good)
      return this->refused(errc::argument, color == wrong
                                               ? "a color is 0 or more, or mpx::undefined"
                                               : "another rank gives a negative color");
    for (std::size_t i = 0; i < n; ++i)
      if (all[i].color == color && color >= 0) all[members++] = all[i];
    if (members == 0) return ended_empty();
    sort_by_key(all.first(members));
    plain_array<peer_id> peers;
    if (!peers.try_reserve(members)) return this->no_memory();
    for (const split_entry& e : all.first(members)) peers.push_back(this->peer_of(e.rank));
    return create_of([&] {
      return group::table(std::span<const peer_id>(peers.begin(), members),
                          this->endpoint_->self());
    });
  }
  errc wrong_color() { return split(wrong, 0); }

  errc create(const group& members) {
    if (const errc why = enter("", members); why != errc{}) return why;
    for (rank_t r = 0; r < members.size(); ++r)
      if (!is_member(members.peer_of(r))) return this->refused(errc::argument, no_member);
    if (!members.contains(this->endpoint_->self())) return ended_empty();
    return create_of([&] { return seen_from_here(members); });
  }

  /// Collective among the members alone: in the library's own context, with the user's tag.
  errc create_group(const group& members, tag_t tag) {
    for (rank_t r = 0; r < members.size(); ++r)
      if (!is_member(members.peer_of(r))) return this->refused(errc::argument, no_member);
    const peer_id self = this->endpoint_->self();
    if (!members.contains(self))
      return this->refused(errc::argument, "this rank is no member of the group");
    const rank_t me = members.rank_of(self);
    said s{};
    errc mine = errc{};
    if (this->state_->revoked) mine = errc::revoked;
    if (tag < 0) mine = errc::tag;  // Ranks below in the tree are told.
    if (me == 0 && mine == errc{}) mine = lead();
    const own_messages<Stack> own(parent_, own_messages<Stack>::of::groups, this->site());
    const auto rank_in = [&](rank_t r) { return this->rank_of(members.peer_of(r)); };
    errc why = pass_down(
        me, members.size(),
        [&](rank_t from) {
          errc got = own.receive_said(s, rank_in(from), tag);
          if (got == errc{}) got = heard(s);
          return got;
        },
        [&](rank_t to, errc so_far) {
          s = {new_context_, static_cast<std::int32_t>(mine != errc{} ? mine : so_far)};
          const errc sent = own.send_said(s, rank_in(to), tag);
          return sent == errc::revoked ? sent : errc{};
        });
    if (mine != errc{}) why = mine;
    if (tag < 0) {
      if (new_context_ != no_context)
        this->endpoint_->with_communicators(
            [&](auto& all) { all.never_made(new_context_, members); });
      return this->refused(errc::tag, "tags are 0 or more");
    }
    if (why != errc{}) return fail_made(why);
    return keep_group([&] { return seen_from_here(members); });
  }

  [[noreturn]] void raise() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    channel::raise();
  }
  /// Returns the new communicator; an empty one if the call has failed, or this rank is no member.
  template <class Communicator>
  Communicator made() const {
    if (made_ == nullptr) return {};
    const group* const ranks = made_->ranks;
    const rank_t rank = ranks == nullptr ? world_rank(this->endpoint_->self()) : ranks->rank();
    return {*this->endpoint_, *made_, made_->context, rank, made_->size};
  }

 private:
  static constexpr std::int64_t wrong = -2;
  static constexpr const char* no_member = "a member of the group is no rank of the communicator";
  using said = said_context;

  /// Begins the call, of the group `members` or of all. `how`: text that must be equal at all
  /// ranks.
  template <class... Members>
  errc enter([[maybe_unused]] const char* how, [[maybe_unused]] const Members&... members) {
    if (const errc why = this->begin(); why != errc{}) return why;
    if constexpr (Stack::checks_type::compares_collectives)
      Stack::checks_type::compare_named(static_cast<channel&>(*this), this->site(), how, elements_,
                                        members...);
    return this->why();
  }
  bool is_member(peer_id peer) const noexcept {
    const rank_t r = this->rank_of(peer);
    return r >= 0 && r < this->size_;
  }
  group seen_from_here(const group& members) const {
    const peer_id self = this->endpoint_->self();
    if (members.self() == self) return members.copy();
    plain_array<peer_id> peers;
    peers.reserve(static_cast<std::size_t>(members.size()));
    for (rank_t r = 0; r < members.size(); ++r) peers.push_back(members.peer_of(r));
    return group::table(std::span<const peer_id>(peers.begin(), peers.size()), self);
  }
  errc ended_empty() {
    this->over();
    return errc{};
  }

  /// Gathers `all[0]` of each rank into `all`, by rank. Cost: log2(size) rounds.
  /// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997.
  errc gather_all(std::span<split_entry> all) {
    const rank_t n = this->size_;
    const rank_t me = this->rank_;
    for (rank_t have = 1; have < n; have *= 2) {
      const auto count = static_cast<std::size_t>(have < n - have ? have : n - have);
      const auto out = std::as_bytes(all.first(count));
      const auto in = std::as_writable_bytes(all.subspan(static_cast<std::size_t>(have), count));
      if (const errc why = this->exchange(out, (me - have + n) % n, in, (me + have) % n);
          why != errc{})
        return why;
    }
    // all[i] is that of rank me + i: rotate by three reversals.
    const auto reverse = [](std::span<split_entry> s) {
      for (std::size_t i = 0; i < s.size() / 2; ++i) std::swap(s[i], s[s.size() - 1 - i]);
    };
    const auto first = static_cast<std::size_t>(n - me) % all.size();
    reverse(all.first(first));
    reverse(all.subspan(first));
    reverse(all);
    return errc{};
  }

  /// Rank 0 allocates a context and broadcasts it. `rank_in`: maps a rank of the new communicator
  /// to its rank in the parent.
  template <class RankIn>
  errc pass_context(rank_t me, rank_t n, RankIn&& rank_in) {
    said s{};
    errc mine = errc{};
    if (me == 0) mine = lead();
    errc why = pass_down(
        me, n,
        [&](rank_t from) {
          const errc got = this->receive(std::as_writable_bytes(std::span(&s, 1)), rank_in(from));
          return got != errc{} ? got : heard(s);
        },
        [&](rank_t to, errc so_far) {
          s = {new_context_, static_cast<std::int32_t>(mine != errc{} ? mine : so_far)};
          return this->send(std::as_bytes(std::span(&s, 1)), rank_in(to));
        });
    if (mine != errc{}) why = mine;
    if (!this->failed()) this->over();  // This rank has passed on its knowledge.
    return why == errc{} ? why : fail_made(why);
  }
  errc lead() {
    errc why{};
    new_context_ = this->endpoint_->lead(why, this->site());
    return why;
  }
  errc heard(const said& s) {
    new_context_ = s.context;  // Even after a failure here: it must be passed on.
    return static_cast<errc>(s.why);
  }
  /// Fails the call. The communicator that other ranks may make is revoked.
  errc fail_made(errc why) {
    if (new_context_ != no_context)
      this->endpoint_->with_communicators([&](auto& all) { all.never_made(new_context_); });
    if (why == errc::communicator) return this->no_context();
    if (why == errc::no_resources) return this->no_memory();
    return this->refused(why, why == errc::peer_lost ? "a member is lost" : "a member cannot");
  }

  template <class MakeGroup>
  errc create_of(MakeGroup&& members) {
    group g;
    try {
      g = members();
    } catch (const error&) {
      return this->no_memory();
    }
    const errc why =
        pass_context(g.rank(), g.size(), [&](rank_t r) { return this->rank_of(g.peer_of(r)); });
    if (why != errc{}) return why;
    return keep([&](auto& all) { return all.make(new_context_, std::move(g)); });
  }
  template <class MakeGroup>
  errc keep_group(MakeGroup&& members) {
    group g;
    try {
      g = members();
    } catch (const error&) {
      return fail_made(errc::no_resources);
    }
    return keep([&](auto& all) { return all.make(new_context_, std::move(g)); });
  }
  template <class Make>
  errc keep(Make&& make) {
    made_ = this->endpoint_->with_communicators(make);
    if (made_ == nullptr) return this->no_memory();
    made_->on_error = this->state_->on_error;
    made_->attributes = std::move(attributes_);
    return errc{};
  }

  const base& parent_;
  context_id new_context_ = no_context;
  communicator_state* made_ = nullptr;
  type_code elements_ = 0;
  attribute_list attributes_;
  std::exception_ptr thrown_;  // By a copy function of an attribute.
};

}  // namespace mpx::inline v0::detail
